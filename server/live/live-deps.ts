/** What live trading works with, and what it offers to those who decide. */
import type { LiveExchange, SignerAsk, SignerReply } from '../../contract/signer.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Log } from '../log.ts';
import type { Market } from '../market/market-source.ts';
import type { OtherVersion } from './signer-version.ts';

/** The signer, as far as it is asked. */
export interface SignerPort {
  ask<A extends SignerAsk['act']>(ask: Extract<SignerAsk, { act: A }>): Promise<SignerReply<A>>;
  /** As it last said; null where it is ours, or nothing was said. */
  otherVersion?(): OtherVersion | null;
}

/** What a deciding transaction needs of the process that trades live. */
export interface LivePort {
  /** The exchange's rules of a pair, as last read; null before that. */
  rules(exchange: LiveExchange, symbol: string): PairRules | null;
  /** Why this process lets nothing new be bought there, as a sentence goes on; null where it may. */
  entriesOff(connectionId: string): string | null;
  /** Whether this process has compared the account with the exchange, not long ago and with success. */
  isCompared(connectionId: string): boolean;
  /** After the commit: this agent was stopped, and the signer is to buy nothing for it. */
  ended(connectionId: string, agentId: string): void;
  /** After the commit: orders of this connection may be sent. */
  poke(connectionId: string): void;
}

/** What a transaction that books works with. */
export interface BookDeps {
  database: Database;
  market: Market;
  clock: WallClock;
  log: Log;
  events: EventLog;
}

export interface LiveDeps extends BookDeps {
  signer: SignerPort;
}

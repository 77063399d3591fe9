/** A reply that is worked out only where the caller does not have it yet. */
import type { CallName, CallReply } from '../../contract/calls.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Market } from '../market/market-source.ts';
import type { CallContext } from '../http/handlers.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { KnownFacts, Turn } from './known-facts.ts';

export interface ReadingDeps extends TradingDeps {
  known: KnownFacts;
  turn: Turn;
}

type Make<N extends CallName> = () => CallReply<N> | Promise<CallReply<N>>;

interface ReadingBase {
  /**
   * Two readings of one person with the same validator have the same reply, but for the moment it
   * states. Null: it cannot be told without working it out.
   */
  validator: string | null;
  /** The reply is no one's own: whoever asks for it gets the same. */
  forEverybody?: true;
}

/**
 * `ask`: what an exchange has to answer first. It is asked ahead of the reply's place among heavy
 * reads, so that nobody stands in line behind an exchange.
 */
export type Reading<N extends CallName> = ReadingBase &
  ({ reply: Make<N> } | { ask: () => Promise<Make<N>> });

/** What makes the reply, once everything is there that is asked of others. */
export const makeOf = async <N extends CallName>(reading: Reading<N>): Promise<Make<N>> =>
  'ask' in reading ? reading.ask() : reading.reply;

/** What a reading may ask of a call: it changes nothing. */
export type ReadContext<N extends CallName> = Pick<CallContext<N>, 'caller' | 'params' | 'query'>;

export type Readings = {
  [N in CallName]?: (context: ReadContext<N>) => Promise<Reading<N>>;
};

/** The newest candle as part of a validator, where a reply draws candles or states the market's time. */
export const candleOf = (market: Pick<Market, 'now' | 'baseInterval'>): number =>
  Math.floor(market.now() / INTERVAL_MS[market.baseInterval]);

/** Prices as part of a validator: the newest quote of each pair, by its time and bid. */
export const pricesOf = (market: Pick<Market, 'quote'>, pairs: Iterable<string>): string =>
  [...new Set(pairs)]
    .sort()
    .map((pair) => {
      const quote = market.quote(pair);
      return quote === null ? pair : `${pair}@${quote.at}:${quote.bid}`;
    })
    .join(' ');

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

export interface Reading<N extends CallName> {
  /**
   * Two readings of one person with the same validator have the same reply, but for the moment it
   * states. Null: it cannot be told without working it out.
   */
  validator: string | null;
  /** The reply is no one's own: whoever asks for it gets the same. */
  forEverybody?: true;
  reply: () => CallReply<N> | Promise<CallReply<N>>;
}

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

/**
 * The paper venue: fills at the market's own quotes by the engine's rules, never at a stale price.
 */
import { DAY_MS } from '../../engine/execution/schedule.ts';
import {
  makeSeries,
  VOLATILITY_DAYS,
  volatilityAt,
  volumeInDay,
} from '../../engine/signals/candle-series.ts';
import { exitTrade } from '../../engine/execution/stops.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { OpenPosition, TradeDraft } from '../../engine/execution/agent-types.ts';
import type { Market } from '../market/market-source.ts';
import type { Venue } from './venue.ts';

/** A day's volatility moves slowly; it is worked out anew this often (market ms) for a pair. */
const VOLATILITY_KEEP_MS = 60 * 60_000;

interface KnownAccount {
  at: number;
  daily: number | null;
}

export class PaperVenue implements Venue {
  readonly mode = 'paper';
  private readonly volatilities = new Map<string, KnownAccount>();

  constructor(private readonly market: Market) {}

  async depth(pair: string, at = this.market.now()): Promise<Depth> {
    const known = this.volatilities.get(pair);
    const fresh = known !== undefined && at - known.at < VOLATILITY_KEEP_MS && at >= known.at;
    const candles = await this.market.history(
      pair,
      // Two candles of a day, the longest there are: one alone does not tell its length.
      fresh ? 3 * DAY_MS : (VOLATILITY_DAYS + 1) * DAY_MS,
      at,
    );
    const series = makeSeries(pair, candles);
    const daily = fresh ? known.daily : (volatilityAt(series, at)?.daily ?? null);
    if (!fresh && at >= (known?.at ?? at)) this.volatilities.set(pair, { at, daily });
    return {
      candleVolume: candles.at(-1)?.volume ?? 0,
      dayVolume: volumeInDay(series, at),
      dailyVolatility: daily,
    };
  }

  price(pair: string): Quote | null {
    return this.market.isStale(pair) ? null : this.market.quote(pair);
  }

  sell(position: OpenPosition, quote: Quote, depth: Depth, reason: string): TradeDraft | null {
    const rules = this.market.rules(position.pair);
    return rules === null ? null : exitTrade(position, quote, rules, depth, reason);
  }
}

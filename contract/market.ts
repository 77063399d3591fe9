/** Prices, candles and pools on the wire. No user's data. */
import * as z from 'zod/mini';
import { CANDLES_LIMIT_MAX } from './limits.ts';
import { DecimalText } from './decimal-text.ts';
import { Pair, PoolId, UserRiskProfile } from './agents.ts';

export const CandleInterval = z.enum(['1m', '5m', '15m', '20m', '1h', '4h', '1d'], {
  error: '1m, 5m, 15m, 20m, 1h, 4h or 1d',
});
export type CandleInterval = z.infer<typeof CandleInterval>;

/**
 * Where prices come from. `simulated` and `replay` are never to be mistaken for a market, so the
 * label is shown.
 */
export const MarketSource = z.object({
  id: z.string(),
  kind: z.enum(['simulated', 'replay', 'exchange']),
  label: z.string(),
  quote: z.string(),
  /** What a taker pays on its dearest pair, basis points: a stated worst loss counts it twice. */
  feeBps: z.optional(z.number()),
  /** Market time that passes in the same real time, where that is not 1: a tape. */
  speed: z.optional(z.number()),
  /** Timeframes that can be built from what the source has, finest first. */
  intervals: z.optional(z.array(CandleInterval)),
});
export type MarketSource = z.infer<typeof MarketSource>;

/**
 * Latest of one symbol. Percent change is a plain number (−1.25 is −1.25 %), null when a day of
 * history is missing.
 */
export const SymbolQuote = z.object({
  symbol: z.string(),
  price: DecimalText,
  bid: z.nullable(DecimalText),
  ask: z.nullable(DecimalText),
  volume_24h: z.nullable(DecimalText),
  high_24h: z.nullable(DecimalText),
  low_24h: z.nullable(DecimalText),
  price_change_24h: z.nullable(z.number()),
  /** Market-clock milliseconds of the price. */
  timestamp: z.number(),
  stale: z.boolean(),
});
export type SymbolQuote = z.infer<typeof SymbolQuote>;

export const MarketData = z.object({
  source: MarketSource,
  now: z.number(),
  symbols: z.array(SymbolQuote),
});
export type MarketData = z.infer<typeof MarketData>;

export const MarketOverview = z.object({
  source: MarketSource,
  now: z.number(),
  symbols: z.number(),
  advancing: z.number(),
  declining: z.number(),
  unchanged: z.number(),
  volume_24h: DecimalText,
  gainers: z.array(SymbolQuote),
  losers: z.array(SymbolQuote),
  mostTraded: z.array(SymbolQuote),
  /** Prices refused since the server started, by reason. */
  refused: z.record(z.string(), z.number()),
  stale: z.boolean(),
});
export type MarketOverview = z.infer<typeof MarketOverview>;

/**
 * The last 24 h of one symbol as a line, oldest first, of equal steps up to the close at `to`
 * (market clock, ms). To be drawn, never to be reckoned with.
 */
export const DayLine = z.object({ to: z.number(), points: z.array(z.number()) });
export type DayLine = z.infer<typeof DayLine>;
/** By symbol; one without a day of history has none. */
export const Sparklines = z.object({ now: z.number(), lines: z.record(z.string(), DayLine) });
export type Sparklines = z.infer<typeof Sparklines>;
/** Points of a line, and the time it spans, ms. */
export const DAY_LINE_POINTS = 64;
export const DAY_LINE_MS = 86_400_000;

/** What a pool does and risks, in plain words. */
const PoolAbout = z.object({
  enters: z.string(),
  leaves: z.string(),
  /** When it forms its opinion. */
  looks: z.string(),
  risks: z.array(z.string()),
  suits: z.array(UserRiskProfile),
  /**
   * Base symbols of its list as it stands now, offered by the present source or not; and since
   * when, ms UTC, null from the beginning.
   */
  universe: z.array(z.string()),
  listedSince: z.nullable(z.number()),
});
type PoolAbout = z.infer<typeof PoolAbout>;

export const Pool = z.object({
  id: PoolId,
  name: z.string(),
  description: z.string(),
  risk: z.string(),
  /** Pairs of this pool that the present source offers. */
  pairs: z.array(z.string()),
  /** Missing where the list comes from elsewhere than the server. */
  about: z.optional(PoolAbout),
});
export type Pool = z.infer<typeof Pool>;

export const MarketPools = z.object({ pools: z.array(Pool) });
export type MarketPools = z.infer<typeof MarketPools>;

export const CandlesQuery = z.object({
  symbol: Pair,
  interval: CandleInterval,
  /** Newest candles come last; `before` (ms) pages back. */
  before: z.optional(z.coerce.number().check(z.gte(0))),
  limit: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(CANDLES_LIMIT_MAX))),
});

/** `[openTime ms, open, high, low, close, volume]`, closed candles only, oldest first. */
export const CandleRow = z.tuple([
  z.number(),
  DecimalText,
  DecimalText,
  DecimalText,
  DecimalText,
  DecimalText,
]);
export type CandleRow = z.infer<typeof CandleRow>;

/**
 * The candle that has not closed: closed finer candles since its opening, and the prices since the
 * last of those. It is never part of `candles`.
 */
export const FormingCandle = z.object({
  time: z.number(),
  open: DecimalText,
  high: DecimalText,
  low: DecimalText,
  close: DecimalText,
  /**
   * Base units up to `volumeTo`; prices carry no volume, so null until a finer candle has closed.
   */
  volume: z.nullable(DecimalText),
  volumeTo: z.number(),
  /** When its prices begin: `time`, or later where nobody listened before. Market clock, ms. */
  since: z.number(),
  /** Its last price. Market clock, ms. */
  at: z.number(),
});
export type FormingCandle = z.infer<typeof FormingCandle>;

/**
 * `[openTime ms, open, high, low, close]` of the finest timeframe, as the prices have made it so
 * far.
 */
export const PriceBar = z.tuple([z.number(), DecimalText, DecimalText, DecimalText, DecimalText]);
export type PriceBar = z.infer<typeof PriceBar>;

export const Candles = z.object({
  symbol: z.string(),
  interval: CandleInterval,
  candles: z.array(CandleRow),
  /** With the newest page only; null where no price has come since the last close. */
  forming: z.optional(z.nullable(FormingCandle)),
  /** The market clock of this answer, ms. */
  now: z.optional(z.number()),
});
export type Candles = z.infer<typeof Candles>;

/** Charts as a device keeps them, the newest first. */
export const KeptCandles = z.object({
  charts: z.array(
    z.object({
      /** `MarketSource.id`: candles of two sources are never mixed. */
      source: z.string(),
      /** Device clock, ms. */
      savedAt: z.number(),
      reading: Candles,
    }),
  ),
});
export type KeptCandles = z.infer<typeof KeptCandles>;

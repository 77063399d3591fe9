/** Prices, candles and pools on the wire; refuses to say anything of a person. */
import * as z from 'zod/mini';
import { CANDLES_LIMIT_MAX } from './limits.ts';
import { DecimalText } from './money.ts';
import { Pair, PoolId, UserRiskProfile } from './agents.ts';

export const CandleInterval = z.enum(['5m', '20m', '1h', '1d'], { error: '5m, 20m, 1h or 1d' });
export type CandleInterval = z.infer<typeof CandleInterval>;
export const INTERVAL_MS: Record<CandleInterval, number> = { '5m': 300_000, '20m': 1_200_000, '1h': 3_600_000, '1d': 86_400_000 };

/** Where prices come from. `simulated` and `replay` are never to be mistaken for a market, so the label is shown. */
export const MarketSource = z.object({
  id: z.string(),
  kind: z.enum(['simulated', 'replay', 'exchange']),
  label: z.string(),
  quote: z.string(),
  /** What a taker pays on its dearest pair, basis points: a stated worst loss counts it twice. */
  feeBps: z.optional(z.number()),
  /** Market time that passes in the same real time, where that is not 1: a tape. */
  speed: z.optional(z.number()),
});
export type MarketSource = z.infer<typeof MarketSource>;

/** Latest of one symbol. Percent change is a plain number (−1.25 is −1.25 %), null when a day of history is missing. */
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

export const MarketData = z.object({ source: MarketSource, now: z.number(), symbols: z.array(SymbolQuote) });
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

/** The last 24 h of one symbol as a line, oldest first, of equal steps up to the close at `to` (market clock, ms). To be drawn, never to be reckoned with. */
export const DayLine = z.object({ to: z.number(), points: z.array(z.number()) });
export type DayLine = z.infer<typeof DayLine>;
/** By symbol; one without a day of history has none. */
export const Sparklines = z.object({ now: z.number(), lines: z.record(z.string(), DayLine) });
export type Sparklines = z.infer<typeof Sparklines>;
/** Points of a line, and the time it spans, ms. */
export const DAY_LINE_POINTS = 64;
export const DAY_LINE_MS = 86_400_000;

/** What a pool does and risks, in plain words. */
export const PoolAbout = z.object({
  enters: z.string(),
  leaves: z.string(),
  /** When it forms its opinion. */
  looks: z.string(),
  risks: z.array(z.string()),
  suits: z.array(UserRiskProfile),
  /** Base symbols of its list as it stands now, offered by the present source or not; and since when, ms UTC, null from the beginning. */
  universe: z.array(z.string()),
  listedSince: z.nullable(z.number()),
});
export type PoolAbout = z.infer<typeof PoolAbout>;

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
export const CandleRow = z.tuple([z.number(), DecimalText, DecimalText, DecimalText, DecimalText, DecimalText]);
export type CandleRow = z.infer<typeof CandleRow>;
export const Candles = z.object({ symbol: z.string(), interval: CandleInterval, candles: z.array(CandleRow) });
export type Candles = z.infer<typeof Candles>;

/** Portfolio, history and analytics on the wire, with money as decimal text. */
import * as z from 'zod/mini';
import { Agent, Decision } from './agents.ts';
import { HISTORY_LIMIT_MAX } from './limits.ts';
import { DecimalText } from './decimal-text.ts';

export const Position = z.object({
  id: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  pair: z.string(),
  quantity: DecimalText,
  /** Average cost of one unit in quote currency, fees of entry included. */
  averageCost: DecimalText,
  cost: DecimalText,
  /** Bid at `priceAt` (market clock, ms); null when no price has been seen. */
  price: z.nullable(DecimalText),
  priceAt: z.nullable(z.number()),
  value: z.nullable(DecimalText),
  unrealized: z.nullable(DecimalText),
  stopPrice: z.nullable(DecimalText),
  openedAt: z.number(),
});
export type Position = z.infer<typeof Position>;

/**
 * One paper book of the account. `openedAt` and `closedAt` are on the wall clock; the open book has
 * no `closedAt`.
 */
export const BookSummary = z.object({
  book: z.number(),
  openedAt: z.number(),
  closedAt: z.nullable(z.number()),
  equity: z.nullable(DecimalText),
});
export type BookSummary = z.infer<typeof BookSummary>;

/**
 * What closing trades brought, and what all trades cost in fees, of one agent in one pair; exact,
 * and these sums add up to the account's.
 */
const PairResult = z.object({
  pair: z.string(),
  trades: z.number(),
  sells: z.number(),
  realized: DecimalText,
  fees: DecimalText,
  /** Sells that gained, and what they gained together. Absent in replies kept from before. */
  wins: z.optional(z.number()),
  won: z.optional(DecimalText),
});
type PairResult = z.infer<typeof PairResult>;

/**
 * One agent's results in this book, by pair. A deleted agent's stay: without them the account would
 * not add up.
 */
export const AgentResult = z.object({
  agentId: z.string(),
  agentName: z.string(),
  pairs: z.array(PairResult),
});
export type AgentResult = z.infer<typeof AgentResult>;

/**
 * One UTC day of the account, or what has passed of it. `closing − opening = realized +
 * unrealizedChange`, to the last digit: equity is deposits, realised and unrealised, and deposits
 * are made at the opening of a book alone.
 */
export const DayResult = z.object({
  /** 00:00 UTC of the day, market ms. */
  start: z.number(),
  opening: DecimalText,
  /**
   * When `opening` was valued, market ms: long before `start` where nothing was valued at midnight.
   * What was decided after it is a trade of this day. Absent of an account younger than the day, and
   * from older servers.
   */
  openingAt: z.optional(z.number()),
  closing: DecimalText,
  /**
   * When `closing` was valued, market ms: what was decided later is a trade of a later day. Absent of
   * the last day, of days on which the account rested, and from older servers.
   */
  closingAt: z.optional(z.number()),
  realized: DecimalText,
  unrealizedChange: DecimalText,
  fees: DecimalText,
  trades: z.number(),
});
export type DayResult = z.infer<typeof DayResult>;

/**
 * Falls of an account's equity from its highest value, over every mark there was and the present
 * one. `deepest` is a share (0.1 is 10 %). Times are market ms.
 */
export const Drawdown = z.object({
  peak: DecimalText,
  peakAt: z.number(),
  deepest: z.number(),
  deepestAt: z.number(),
});
export type Drawdown = z.infer<typeof Drawdown>;

/**
 * equity = cash + Σ position value, to the last digit; a position without a price is valued at cost
 * and said so.
 */
export const Portfolio = z.object({
  accountId: z.string(),
  book: z.number(),
  paper: z.literal(true),
  sourceId: z.string(),
  quote: z.string(),
  sequence: z.number(),
  /** Market clock (ms) of the marks, and the wall clock at which the server said it. */
  asOf: z.number(),
  servedAt: z.number(),
  cash: DecimalText,
  positionsValue: DecimalText,
  equity: DecimalText,
  deposits: DecimalText,
  realized: DecimalText,
  unrealized: DecimalText,
  fees: DecimalText,
  /** Since 00:00 UTC of the market's day; null before a first mark. */
  dayChange: z.nullable(DecimalText),
  dayChangePercent: z.nullable(z.number()),
  /** Pairs without a price, valued at cost; none of a closed account, which was valued as a whole. */
  unpriced: z.array(z.string()),
  positions: z.array(Position),
  /**
   * `[market ms, equity]`, oldest first: every mark of the last day, the last of each hour for a
   * week, of each quarter of a day for a month, of each day or some days before, and the last before
   * the start of each range of the charts. At most 600 points.
   */
  equityCurve: z.array(z.tuple([z.number(), DecimalText])),
  /** Null before a first mark; absent in replies kept from before. The curve lacks most marks. */
  drawdown: z.optional(z.nullable(Drawdown)),
  /**
   * Since when (wall clock, ms) the books of this account are known not to add up; null where
   * nothing is known against them. Absent in replies kept from before.
   */
  inDoubtSince: z.optional(z.nullable(z.number())),
  /**
   * The parts of `dayChange`; null with it. Absent in replies kept from before, like the two below.
   */
  today: z.optional(z.nullable(DayResult)),
  /** The parts of `realized` and `fees`. */
  results: z.optional(z.array(AgentResult)),
  /** Every book there has been, oldest first; a closed one is read by `?book=N`. */
  books: z.optional(z.array(BookSummary)),
});
export type Portfolio = z.infer<typeof Portfolio>;

/** One fill with the frozen terms it was made on. */
export const Fill = z.object({
  id: z.string(),
  orderId: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  pair: z.string(),
  side: z.enum(['buy', 'sell']),
  quantity: DecimalText,
  price: DecimalText,
  notional: DecimalText,
  fee: DecimalText,
  feeBps: DecimalText,
  /** Cost against the mid price at the fill, in basis points. */
  slippageBps: DecimalText,
  /** notional − fee − costBasis; null for a buy. */
  realized: z.nullable(DecimalText),
  /**
   * What the sold quantity had cost, fees of entry included; null for a buy. Absent in fills kept
   * from before.
   */
  costBasis: z.optional(z.nullable(DecimalText)),
  /**
   * The quote it was priced from, and the version of the rules; version 0 is an exchange's own fill,
   * of which no quote and no slippage is known. Absent in fills kept from before.
   */
  quoteBid: z.optional(DecimalText),
  quoteAsk: z.optional(DecimalText),
  ruleVersion: z.optional(z.number()),
  reason: z.string(),
  decidedAt: z.number(),
  filledAt: z.number(),
  tickId: z.string(),
});
export type Fill = z.infer<typeof Fill>;

/** `ruleVersion` of what an exchange filled: prices and fees are its own. */
export const VENUE_RULES = 0;

/** A book by its number; the open one where none is named. */
const Book = z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000_000)));
export const PortfolioQuery = z.object({ book: Book });
export const HistoryQuery = z.object({
  book: Book,
  limit: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(HISTORY_LIMIT_MAX))),
  /** The id of a fill of this book: only older ones are told. */
  before: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
});
/**
 * `total`: how many fills the book has in all; left out with `before`. `book` and `quote`: whose they
 * are; absent without an account, and from older servers.
 */
export const History = z.object({
  book: z.optional(z.number()),
  quote: z.optional(z.string()),
  fills: z.array(Fill),
  sequence: z.number(),
  asOf: z.number(),
  total: z.optional(z.number()),
});
export type History = z.infer<typeof History>;

/** Undefined is null, never 0. Ratios are plain numbers (0.1 is 10 %). */
export const Metrics = z.object({
  totalReturn: z.nullable(z.number()),
  cagr: z.nullable(z.number()),
  volatility: z.nullable(z.number()),
  maxDrawdown: z.nullable(z.number()),
  sharpe: z.nullable(z.number()),
  sortino: z.nullable(z.number()),
  calmar: z.nullable(z.number()),
  profitFactor: z.nullable(z.number()),
  winRate: z.nullable(z.number()),
  expectancy: z.nullable(z.number()),
  exposure: z.nullable(z.number()),
  turnover: z.nullable(z.number()),
});
export type Metrics = z.infer<typeof Metrics>;

/**
 * Buy-and-hold beside the account: its equity put into one pair at its first moment that has a
 * price, without a fee, at the closes of candles. For drawing and comparing; null where the source
 * has no price of the pair at all.
 */
export const Benchmark = z.object({
  pair: z.string(),
  /**
   * The moment it begins, market clock ms, and the price then: the account's first, or later where
   * prices begin later.
   */
  since: z.number(),
  price: z.number(),
  points: z.array(z.tuple([z.number(), DecimalText])),
  totalReturn: z.number(),
});
export type Benchmark = z.infer<typeof Benchmark>;

/** By the UTC hour in which positions were closed. */
export const HourResult = z.object({
  hour: z.number().check(z.gte(0), z.lte(23)),
  sells: z.number(),
  wins: z.number(),
  realized: DecimalText,
});
export type HourResult = z.infer<typeof HourResult>;

export const AnalyticsQuery = z.object({ book: Book });
/**
 * `view` has four metrics, the last 35 days and the comparison with buy-and-hold; `read` has
 * everything. What a plan does not have is empty or null and its absence is no finding: `depth`
 * says which it is.
 */
export const Analytics = z.object({
  quote: z.string(),
  asOf: z.number(),
  trades: z.number(),
  /** UTC days since the account was opened, this one among them. */
  days: z.number(),
  metrics: Metrics,
  /** Absent, like all below that may be, in replies kept from before. */
  depth: z.optional(z.enum(['view', 'read'])),
  book: z.optional(z.number()),
  sells: z.optional(z.number()),
  /** Sum of the notionals of all trades, and of the fees within them. */
  traded: z.optional(DecimalText),
  /**
   * Every UTC day whose end is known, oldest first; closing of one is opening of the next. Missing are
   * days on which something was held and nothing valued.
   */
  daily: z.optional(z.array(DayResult)),
  benchmark: z.optional(z.nullable(Benchmark)),
  /** Its prices could not be read in time: that `benchmark` is null says nothing more. */
  benchmarkUnread: z.optional(z.literal(true)),
  perHour: z.optional(z.array(HourResult)),
  equity: z.array(z.tuple([z.number(), DecimalText])),
  perAgent: z.array(
    z.object({
      agentId: z.string(),
      agentName: z.string(),
      trades: z.number(),
      realized: DecimalText,
      unrealized: DecimalText,
      fees: DecimalText,
    }),
  ),
  perPair: z.array(
    z.object({
      pair: z.string(),
      trades: z.number(),
      realized: DecimalText,
      unrealized: DecimalText,
      fees: DecimalText,
    }),
  ),
});
export type Analytics = z.infer<typeof Analytics>;

export const AgentPerformance = z.object({
  agent: Agent,
  trades: z.number(),
  wins: z.number(),
  metrics: Metrics,
  positions: z.array(Position),
  fills: z.array(Fill),
  decisions: z.array(Decision),
  /** Older decisions, counted by day (UTC date) and reason. */
  decisionCounts: z.array(z.object({ day: z.string(), reason: z.string(), count: z.number() })),
});
export type AgentPerformance = z.infer<typeof AgentPerformance>;

export const LiquidateReply = z.object({
  commandId: z.string(),
  agent: Agent,
  fills: z.array(Fill),
  unsold: z.array(z.object({ pair: z.string(), message: z.string() })),
});
export type LiquidateReply = z.infer<typeof LiquidateReply>;
export const ClosePositionReply = z.object({ commandId: z.string(), fill: Fill });
export type ClosePositionReply = z.infer<typeof ClosePositionReply>;
export const PaperResetReply = z.object({ commandId: z.string(), portfolio: Portfolio });
export type PaperResetReply = z.infer<typeof PaperResetReply>;

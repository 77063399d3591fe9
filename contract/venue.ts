/** What an exchange says about orders, fills and balances, as its adapter passes it on. */
import * as z from 'zod/mini';
import { formatFixed, parseFixed } from './money.ts';
import { DecimalText } from './decimal-text.ts';
import type { Fixed } from './money.ts';

/**
 * Money that crosses a socket as decimal text and is a `Fixed` on both sides of it. `z.parse` and
 * `z.decode` read the text, `z.encode` writes it.
 */
const SignedAmount = z.codec(
  DecimalText,
  z.custom<Fixed>((value) => typeof value === 'bigint', 'Invalid input: expected an amount'),
  { decode: (text) => parseFixed(text), encode: (value) => formatFixed(value) },
);
const Amount = SignedAmount.check(z.refine((value) => value >= 0n, 'Must not be negative'));
const PositiveAmount = SignedAmount.check(z.refine((value) => value > 0n, 'Must be positive'));

/** 32 lowercase hex characters, made by us in the decision's transaction. */
export const ClientOrderId = z
  .string()
  .check(z.regex(/^[0-9a-f]{32}$/, 'Invalid input: expected 32 lowercase hex characters'));
export type ClientOrderId = z.infer<typeof ClientOrderId>;

/** Coins and pairs by the exchange's names: they may hold digits, dots and other scripts. */
const VenueAsset = z
  .string()
  .check(z.regex(/^[^\s/]{1,32}$/u, 'Invalid input: expected a coin such as BTC'));
export const VenueSymbol = z
  .string()
  .check(z.regex(/^[^\s/]{1,32}\/[^\s/]{1,32}$/u, 'Invalid input: expected BASE/QUOTE'));
export type VenueSymbol = z.infer<typeof VenueSymbol>;

/** An id that the exchange made, or a client order id that someone else chose. */
const ForeignId = z.string().check(z.minLength(1), z.maxLength(128));
/** ms UTC on the exchange's clock. */
const VenueMs = z.number().check(z.int(), z.gte(0));

export const OrderSide = z.enum(['buy', 'sell']);
export type OrderSide = z.infer<typeof OrderSide>;
/** A `stop` becomes an order when the price comes to its stop price: at market, or with a limit. */
export const OrderType = z.enum(['market', 'limit', 'stop']);
export type OrderType = z.infer<typeof OrderType>;

/**
 * An order as the exchange shows it. `closed` is completely filled; `cancelled` and `expired` may
 * be partly filled.
 */
export const VenueOrder = z.object({
  exchangeOrderId: ForeignId,
  clientOrderId: z.nullable(ForeignId),
  symbol: VenueSymbol,
  side: OrderSide,
  type: OrderType,
  quantity: Amount,
  limitPrice: z.nullable(PositiveAmount),
  stopPrice: z.nullable(PositiveAmount),
  /** Cumulative, in base units. */
  filled: Amount,
  status: z.enum(['open', 'closed', 'cancelled', 'rejected', 'expired']),
  updatedAtMs: VenueMs,
});
export type VenueOrder = z.infer<typeof VenueOrder>;

/** What was charged; a rebate is negative. */
const VenueFee = z.object({ asset: VenueAsset, amount: SignedAmount });
export type VenueFee = z.infer<typeof VenueFee>;

/** One trade of one order. Its key is the connection and `tradeId`. */
export const VenueFill = z.object({
  tradeId: ForeignId,
  exchangeOrderId: ForeignId,
  clientOrderId: z.nullable(ForeignId),
  symbol: VenueSymbol,
  side: OrderSide,
  quantity: PositiveAmount,
  price: Amount,
  /** What moved in quote currency before fees, as the exchange rounded it. */
  quoteAmount: Amount,
  fees: z.array(VenueFee),
  atMs: VenueMs,
});
export type VenueFill = z.infer<typeof VenueFill>;

export const VenueBalance = z.object({
  asset: VenueAsset,
  total: SignedAmount,
  /** `total` less what open orders hold back. */
  available: SignedAmount,
  /** The least that a wallet counts of the coin, where trades may be finer. */
  finest: z.optional(PositiveAmount),
});
export type VenueBalance = z.infer<typeof VenueBalance>;

export const PairRules = z.object({
  symbol: VenueSymbol,
  quantityStep: PositiveAmount,
  priceTick: PositiveAmount,
  minQuantity: Amount,
  /** Least quantity × price, in quote currency. */
  minNotional: Amount,
  /** `cancel_only`: takes cancellations, and no order of the kinds that are sent from here. */
  status: z.enum(['trading', 'cancel_only', 'halted', 'delisted']),
  /** False where it trades and takes no stops: they become market orders, and it takes none of these. */
  takesStops: z.optional(z.boolean()),
});
export type PairRules = z.infer<typeof PairRules>;

/** Of the signer: a stop that is not below the best bid would be triggered at once. */
export const STOP_REACHED = 'stop_reached';

/** With what exchanges reject an order because its pair takes none for a while. */
export const PAIR_CLOSED_CODES: ReadonlySet<string> = new Set([
  'EService:Market in cancel_only mode',
  'EService:Market in post_only mode',
  'ORDER_ENTRY_DISABLED',
  'market_closed',
]);
/** With what they reject a stop for that. Sales and purchases at market leave with a limit. */
export const STOPS_CLOSED_CODES: ReadonlySet<string> = new Set([
  ...PAIR_CLOSED_CODES,
  'EService:Market in limit_only mode',
]);

/**
 * Why the outcome of a request cannot be told. A code that an adapter does not list is here too: it
 * proves nothing.
 */
export const UnknownCause = z.union([
  z.enum(['timeout', 'connection', 'server_error', 'unreadable']),
  z.templateLiteral(['unlisted:', z.string()]),
]);
export type UnknownCause = z.infer<typeof UnknownCause>;

const Rejected = z.object({ kind: z.literal('rejected'), code: z.string(), message: z.string() });
/** Refused by us before a byte left for the exchange. */
const Refused = z.object({
  kind: z.literal('refused'),
  by: z.enum(['signer', 'server']),
  code: z.string(),
  detail: z.string(),
});
const Unknown = z.object({ kind: z.literal('unknown'), cause: UnknownCause });

export const PlaceOutcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('confirmed'),
    exchangeOrderId: ForeignId,
    /** The exchange answered a repeated id with the order it already had. */
    replay: z.boolean(),
  }),
  Rejected,
  Refused,
  Unknown,
]);
export type PlaceOutcome = z.infer<typeof PlaceOutcome>;

/** `confirmed`: the exchange took the cancellation. How much was filled before, it does not say. */
export const CancelOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('confirmed') }),
  Rejected,
  Refused,
  Unknown,
]);
export type CancelOutcome = z.infer<typeof CancelOutcome>;

/** Which lists an order was looked for in, completely and successfully. */
export const Searched = z.object({
  byClientId: z.boolean(),
  open: z.boolean(),
  closed: z.boolean(),
  trades: z.boolean(),
});
export type Searched = z.infer<typeof Searched>;

export const Lookup = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), order: VenueOrder, fills: z.array(VenueFill) }),
  z.object({ kind: z.literal('not_found'), searched: Searched }),
  Unknown,
]);
export type Lookup = z.infer<typeof Lookup>;

export const KeyPermissions = z.object({
  canTrade: z.boolean(),
  canWithdraw: z.boolean(),
  canTransfer: z.boolean(),
  /** Null where the exchange does not say. */
  ipRestricted: z.nullable(z.boolean()),
  portfolioId: z.nullable(z.string()),
  /**
   * Rights that it needs to read balances, orders and trades and does not have, by the exchange's own
   * names. Absent in what was kept from before.
   */
  missing: z.optional(z.array(z.string())),
  /**
   * Rights that it needs and that were not seen, by the exchange's own names, where that is not sure:
   * the person is told, and the key is taken.
   */
  notSeen: z.optional(z.array(z.string())),
});
export type KeyPermissions = z.infer<typeof KeyPermissions>;

/** What an exchange can do, as far as the life of an order depends on it. */
export const VenueAbilities = z.object({
  /** A repeated client order id returns the original order, for good, also after its end. */
  replaysIds: z.boolean(),
  /** Stop orders rest at the exchange. */
  restingStops: z.boolean(),
});
export type VenueAbilities = z.infer<typeof VenueAbilities>;

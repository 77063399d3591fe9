/** Coinbase Advanced's orders, fills, balances and products, read into our words. */
import * as z from 'zod/mini';
import { add } from '../../../contract/money.ts';
import { VenueFill, VenueOrder } from '../../../contract/venue.ts';
import type { PairRules, VenueBalance } from '../../../contract/venue.ts';
import {
  exactAmount,
  feeAmount,
  flooredAmount,
  priceOrNull,
  productAmount,
  quotientAmount,
  RoundedParts,
  roundedAmount,
} from '../amounts.ts';
import {
  eachRow,
  fitting,
  rulesOfPairs,
  textIn,
  type OnUnread,
  type PairsRead,
  type UnreadRow,
} from '../rows.ts';

const Side = z.enum(['BUY', 'SELL']);
const Iso = z.string();

const Configuration = z.record(
  z.string(),
  z.object({
    base_size: z.optional(z.string()),
    quote_size: z.optional(z.string()),
    limit_price: z.optional(z.string()),
    stop_price: z.optional(z.string()),
  }),
);
const RawOrder = z.object({
  order_id: z.string(),
  client_order_id: z.optional(z.string()),
  product_id: z.string(),
  side: Side,
  status: z.string(),
  order_configuration: Configuration,
  filled_size: z.string(),
  created_time: Iso,
  last_fill_time: z.nullish(Iso),
});
export type RawOrder = z.infer<typeof RawOrder>;
const RawFill = z.object({
  trade_id: z.string(),
  order_id: z.string(),
  trade_time: Iso,
  price: z.string(),
  size: z.string(),
  commission: z.string(),
  product_id: z.string(),
  size_in_quote: z.optional(z.boolean()),
  side: Side,
});

export const PlacedReply = z.object({
  success: z.literal(true),
  success_response: z.object({ order_id: z.string().check(z.minLength(1)) }),
});
export const CancelledReply = z.object({
  results: z.array(z.object({ success: z.boolean(), failure_reason: z.optional(z.string()) })),
});
export const OrderReply = z.object({ order: RawOrder });
export const OrdersReply = z.object({
  orders: z.array(z.unknown()),
  has_next: z.optional(z.boolean()),
  cursor: z.optional(z.string()),
});
export const FillsReply = z.object({ fills: z.array(z.unknown()), cursor: z.optional(z.string()) });
const Money = z.object({ value: z.string() });
export const AccountsReply = z.object({
  accounts: z.array(
    z.object({ currency: z.string(), available_balance: Money, hold: z.optional(Money) }),
  ),
  has_next: z.optional(z.boolean()),
  cursor: z.optional(z.string()),
});
export const PermissionsReply = z.object({
  can_view: z.boolean(),
  can_trade: z.boolean(),
  can_transfer: z.boolean(),
  portfolio_uuid: z.optional(z.string()),
});
export const TimeReply = z.object({ epochMillis: z.union([z.string(), z.number()]) });
const Flag = z.optional(z.boolean());
export const Product = z.object({
  product_id: z.string(),
  base_currency_id: z.string(),
  quote_currency_id: z.string(),
  base_increment: z.string(),
  quote_increment: z.string(),
  price_increment: z.optional(z.string()),
  base_min_size: z.string(),
  quote_min_size: z.string(),
  status: z.string(),
  product_type: z.optional(z.string()),
  trading_disabled: Flag,
  is_disabled: Flag,
  cancel_only: Flag,
  post_only: Flag,
  limit_only: Flag,
  view_only: Flag,
  auction_mode: Flag,
  price: z.optional(z.string()),
  volume_24h: z.optional(z.string()),
});
export const ProductsReply = z.object({ products: z.array(z.unknown()) });
const Level = z.object({ price: z.string(), size: z.string() });
export const BookReply = z.object({
  pricebook: z.object({ bids: z.array(Level), asks: z.array(Level) }),
});

/** Products are `BTC-USD`; a coin's name holds no dash. */
export const symbolOf = (productId: string): string => productId.replace('-', '/');
export const productOf = (symbol: string): string => symbol.replace('/', '-');

/**
 * Of two coins. A derivative's id has a third part, `ADA-PERP-INTX` or `BIT-26APR24-CDE`: its trades move
 * no coin of the account, and what they earn or cost arrives as a deposit or a withdrawal.
 */
const isOfCoins = ({ product_id: id }: { product_id: string }): boolean =>
  id.split('-').length === 2;

const STATUS: Record<string, VenueOrder['status']> = {
  PENDING: 'open',
  OPEN: 'open',
  QUEUED: 'open',
  CANCEL_QUEUED: 'open',
  EDIT_QUEUED: 'open',
  FILLED: 'closed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
  FAILED: 'rejected',
};

/** An order that fills at once or not at all is a market order to us, with a bound. */
function typeOf(kind: string): VenueOrder['type'] {
  if (kind.startsWith('stop_') || kind.startsWith('trigger_')) return 'stop';
  return kind === 'market_market_ioc' || kind === 'sor_limit_ioc' ? 'market' : 'limit';
}

const about =
  (list: UnreadRow['list']) =>
  (raw: unknown): UnreadRow => {
    const product = textIn(raw, 'product_id');
    return {
      list,
      exchangeOrderId: textIn(raw, 'order_id'),
      clientOrderId: textIn(raw, 'client_order_id'),
      symbol: product === null ? null : symbolOf(product),
    };
  };

/**
 * To the side on which our books never have more than the account, whose balances are rounded down: of
 * a purchase less of the coin and more of the money, of a sale the other way round. What is left over
 * is then a deposit of the last digit, and never something that is missing: that would hold back
 * purchases, and stops would be cut short for it.
 */
const roundingOf = ({ side }: { side: z.infer<typeof Side> }) =>
  side === 'BUY'
    ? ({ coin: 'down', money: 'up' } as const)
    : ({ coin: 'up', money: 'down' } as const);

/** @throws RangeError for a status or configuration that is not known. */
export function coinbaseOrder(raw: RawOrder): VenueOrder {
  const [entry] = Object.entries(raw.order_configuration);
  const status = STATUS[raw.status];
  if (entry === undefined || status === undefined) throw new RangeError('an unknown order');
  const [kind, { base_size: size, limit_price: limit, stop_price: stop }] = entry;
  const type = typeOf(kind);
  const { coin } = roundingOf(raw);
  const filled = roundedAmount(raw.filled_size === '' ? '0' : raw.filled_size, coin);
  return fitting(VenueOrder, {
    exchangeOrderId: raw.order_id,
    clientOrderId:
      raw.client_order_id === undefined || raw.client_order_id === '' ? null : raw.client_order_id,
    symbol: symbolOf(raw.product_id),
    side: raw.side === 'BUY' ? 'buy' : 'sell',
    type,
    // Bought by an amount of money: how much it was is known when it is filled.
    quantity: size === undefined || size === '' ? filled : roundedAmount(size, coin),
    limitPrice: type === 'market' ? null : priceOrNull(limit),
    stopPrice: type === 'stop' ? priceOrNull(stop) : null,
    filled,
    status,
    updatedAtMs: Date.parse(raw.last_fill_time ?? raw.created_time),
  });
}

/** Rows of orders in the form we know. */
export const coinbaseRows = (rows: readonly unknown[], onUnread: OnUnread): RawOrder[] =>
  eachRow(rows, (raw) => z.parse(RawOrder, raw), about('orders'), onUnread);

export const coinbaseOrders = (rows: readonly RawOrder[], onUnread: OnUnread): VenueOrder[] =>
  eachRow(rows, coinbaseOrder, about('orders'), onUnread);

/**
 * Oldest first. An order of ours that rests meets purchases by amount, and may be filled in pieces
 * finer than we keep: they must add up to the order, or its end would be waited for forever.
 */
export function coinbaseFills(rows: readonly unknown[], onUnread: OnUnread): VenueFill[] {
  const parts = new RoundedParts();
  const known = eachRow(rows, (raw) => z.parse(RawFill, raw), about('trades'), onUnread);
  const inOrder = known
    .filter(isOfCoins)
    .map((raw) => ({ raw, atMs: Date.parse(raw.trade_time) }))
    .sort((a, b) => a.atMs - b.atMs || (a.raw.trade_id < b.raw.trade_id ? -1 : 1))
    .map(({ raw }) => raw);
  return eachRow(inOrder, (raw) => coinbaseFill(raw, parts), about('trades'), onUnread);
}

function coinbaseFill(raw: z.infer<typeof RawFill>, parts: RoundedParts): VenueFill {
  const symbol = symbolOf(raw.product_id);
  const { price, size } = raw;
  const { coin, money } = roundingOf(raw);
  const inQuote = raw.size_in_quote === true;
  const fee = feeAmount(raw.commission === '' ? '0' : raw.commission);
  return fitting(VenueFill, {
    tradeId: raw.trade_id,
    exchangeOrderId: raw.order_id,
    clientOrderId: null,
    symbol,
    side: raw.side === 'BUY' ? 'buy' : 'sell',
    quantity: inQuote ? quotientAmount(size, price, coin) : parts.add(raw.order_id, size, coin),
    price: roundedAmount(price, money),
    quoteAmount: inQuote ? roundedAmount(size, money) : productAmount(size, price, money),
    fees: fee === 0n ? [] : [{ asset: symbol.split('/')[1] ?? '', amount: fee }],
    atMs: Date.parse(raw.trade_time),
  });
}

/** One line a coin: a person may have several wallets of one. */
export function coinbaseBalances(
  accounts: z.infer<typeof AccountsReply>['accounts'],
): VenueBalance[] {
  const byAsset = new Map<string, VenueBalance>();
  for (const { currency, available_balance: free, hold } of accounts) {
    const available = flooredAmount(free.value);
    const total = add(available, flooredAmount(hold?.value ?? '0'));
    const before = byAsset.get(currency);
    byAsset.set(currency, {
      asset: currency,
      total: before === undefined ? total : add(before.total, total),
      available: before === undefined ? available : add(before.available, available),
    });
  }
  return [...byAsset.values()];
}

function statusOf(product: z.infer<typeof Product>): PairRules['status'] {
  // Everything that is sent there has a limit, stops too: `limit_only` closes nothing.
  if (product.cancel_only === true || product.post_only === true) return 'cancel_only';
  const stopped =
    product.trading_disabled === true ||
    product.view_only === true ||
    product.is_disabled === true ||
    product.auction_mode === true;
  if (product.status === 'delisted') return 'delisted';
  return stopped || product.status !== 'online' ? 'halted' : 'trading';
}

export function coinbaseRules(product: z.infer<typeof Product>): PairRules {
  return {
    symbol: `${product.base_currency_id}/${product.quote_currency_id}`,
    quantityStep: exactAmount(product.base_increment),
    priceTick: exactAmount(product.price_increment ?? product.quote_increment),
    minQuantity: exactAmount(product.base_min_size),
    minNotional: exactAmount(product.quote_min_size),
    status: statusOf(product),
  };
}

export const coinbasePairs = (
  products: readonly unknown[],
  beside: PairsRead,
): Map<string, PairRules> =>
  rulesOfPairs(
    products,
    (raw) => coinbaseRules(z.parse(Product, raw)),
    (raw) => {
      const id = textIn(raw, 'product_id');
      return id === null ? null : symbolOf(id);
    },
    beside,
  );

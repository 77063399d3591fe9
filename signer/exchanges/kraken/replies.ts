/** Kraken's orders, trades and balances, read into our words. */
import * as z from 'zod/mini';
import { add, subtract } from '../../../contract/money.ts';
import { VenueFill, VenueOrder, type VenueBalance } from '../../../contract/venue.ts';
import { exactAmount, feeAmount, priceOrNull } from '../amounts.ts';
import { eachRow, fitting, textIn, type OnUnread } from '../rows.ts';
import type { KrakenNames } from './pairs.ts';

/** Seconds, as text in older answers and as a number in newer ones. */
const Seconds = z.union([z.string(), z.number()]);
const Side = z.enum(['buy', 'sell']);

const RawOrder = z.object({
  status: z.enum(['pending', 'open', 'closed', 'canceled', 'expired']),
  cl_ord_id: z.nullish(z.string()),
  opentm: Seconds,
  closetm: z.nullish(Seconds),
  descr: z.object({
    pair: z.string(),
    type: Side,
    ordertype: z.string(),
    price: z.nullish(z.string()),
    price2: z.nullish(z.string()),
  }),
  vol: z.string(),
  vol_exec: z.string(),
});
type RawOrder = z.infer<typeof RawOrder>;

const RawTrade = z.object({
  ordertxid: z.string(),
  pair: z.string(),
  time: Seconds,
  type: Side,
  price: z.string(),
  cost: z.string(),
  fee: z.string(),
  vol: z.string(),
});

const RawOrders = z.record(z.string(), z.unknown());
export const OpenOrdersReply = z.object({ result: z.object({ open: RawOrders }) });
export const ClosedOrdersReply = z.object({
  result: z.object({ closed: RawOrders, count: z.optional(z.number()) }),
});
export const OrdersReply = z.object({ result: RawOrders });
export const TradesReply = z.object({
  result: z.object({ trades: z.record(z.string(), z.unknown()), count: z.number() }),
});
export const PlacedReply = z.object({
  result: z.object({ txid: z.array(z.string()).check(z.minLength(1)) }),
});
export const CancelledReply = z.object({ result: z.object({ count: z.number() }) });
export const BalancesReply = z.object({
  result: z.record(
    z.string(),
    z.object({ balance: z.string(), hold_trade: z.optional(z.string()) }),
  ),
});
export const TimeReply = z.object({ result: z.object({ unixtime: z.number() }) });
export const KeyInfoReply = z.object({
  result: z.object({
    permissions: z.array(z.string()),
    ipAllowlist: z.optional(z.array(z.string())),
  }),
});
const Level = z.tuple([z.string(), z.string(), z.number()]);
export const BookReply = z.object({
  result: z.record(z.string(), z.object({ asks: z.array(Level), bids: z.array(Level) })),
});
/** `v` is the volume today and in the last 24 hours, `p` its average price. */
export const TickerReply = z.object({
  result: z.record(z.string(), z.object({ v: z.array(z.string()), p: z.array(z.string()) })),
});
/** The best ask and the best bid: price, whole lots, lots. */
export const BestPricesReply = z.object({
  result: z.record(z.string(), z.object({ a: z.array(z.string()), b: z.array(z.string()) })),
});

const msOf = (seconds: string | number): number => Math.floor(Number(seconds) * 1_000);

const STATUS: Record<RawOrder['status'], VenueOrder['status']> = {
  pending: 'open',
  open: 'open',
  closed: 'closed',
  canceled: 'cancelled',
  expired: 'expired',
};

/** `price` is the limit of a limit order and the trigger of the others; `price2` a trigger's limit. */
function typeAndPrices(
  descr: RawOrder['descr'],
): Pick<VenueOrder, 'type' | 'limitPrice' | 'stopPrice'> {
  const [price, second] = [priceOrNull(descr.price), priceOrNull(descr.price2)];
  if (descr.ordertype === 'market' || descr.ordertype === 'settle-position')
    return { type: 'market', limitPrice: null, stopPrice: null };
  if (descr.ordertype === 'limit' || descr.ordertype === 'iceberg')
    return { type: 'limit', limitPrice: price, stopPrice: null };
  return { type: 'stop', limitPrice: second, stopPrice: price };
}

export interface Found {
  order: VenueOrder;
  openedAtMs: number;
}

/** Our name of a pair, or Kraken's where we have none. */
function spelled(pair: string | null, names: KrakenNames): string | null {
  try {
    return pair === null ? null : names.symbolOf(pair);
  } catch {
    return pair;
  }
}

/** Orders by their ids. */
export const krakenOrders = (
  rows: Record<string, unknown>,
  names: KrakenNames,
  onUnread: OnUnread,
): Found[] =>
  eachRow(
    Object.entries(rows),
    ([id, row]) => krakenOrder(id, z.parse(RawOrder, row), names),
    ([id, row]) => ({
      list: 'orders',
      exchangeOrderId: id,
      clientOrderId: textIn(row, 'cl_ord_id'),
      symbol: spelled(textIn((row as { descr?: unknown } | null)?.descr, 'pair'), names),
    }),
    onUnread,
  );

/** `userref` is no client order id: Kraken writes 0 there for orders without one. */
function krakenOrder(id: string, raw: RawOrder, names: KrakenNames): Found {
  const order = fitting(VenueOrder, {
    exchangeOrderId: id,
    clientOrderId: raw.cl_ord_id ?? null,
    symbol: names.symbolOf(raw.descr.pair),
    side: raw.descr.type,
    ...typeAndPrices(raw.descr),
    quantity: exactAmount(raw.vol),
    filled: exactAmount(raw.vol_exec),
    status: STATUS[raw.status],
    updatedAtMs: msOf(raw.closetm ?? raw.opentm),
  });
  return { order, openedAtMs: msOf(raw.opentm) };
}

/** Trades by their ids. Shares in tokens, and coins that are gone, trade in pairs we cannot name. */
export const krakenFills = (
  rows: ReadonlyMap<string, unknown>,
  names: KrakenNames,
  onUnread: OnUnread,
): VenueFill[] =>
  eachRow(
    rows,
    ([id, row]) => krakenFill(id, z.parse(RawTrade, row), names),
    ([, row]) => ({
      list: 'trades',
      exchangeOrderId: textIn(row, 'ordertxid'),
      clientOrderId: null,
      symbol: spelled(textIn(row, 'pair'), names),
    }),
    onUnread,
  );

/** Fees are in quote currency: every order of ours asks for it. */
function krakenFill(tradeId: string, raw: z.infer<typeof RawTrade>, names: KrakenNames): VenueFill {
  const symbol = names.symbolOf(raw.pair);
  const fee = feeAmount(raw.fee);
  return fitting(VenueFill, {
    tradeId,
    exchangeOrderId: raw.ordertxid,
    clientOrderId: null,
    symbol,
    side: raw.type,
    quantity: exactAmount(raw.vol),
    price: exactAmount(raw.price),
    quoteAmount: exactAmount(raw.cost),
    fees: fee === 0n ? [] : [{ asset: symbol.split('/')[1] ?? '', amount: fee }],
    atMs: msOf(raw.time),
  });
}

/** Coins that earn rewards: Kraken moves them there by itself, and sells them as the coin. */
const EARNING = /\.F$/;

/**
 * One line a coin. Coins that are bonded, staked or in an older account stay by themselves: they
 * cannot be sold as they are.
 */
export function krakenBalances(
  raw: z.infer<typeof BalancesReply>['result'],
  names: KrakenNames,
): VenueBalance[] {
  const byAsset = new Map<string, VenueBalance>();
  for (const [code, { balance, hold_trade: held }] of Object.entries(raw)) {
    const asset = names.assetOf(code).replace(EARNING, '');
    const total = exactAmount(balance);
    const available = subtract(total, exactAmount(held ?? '0'));
    const before = byAsset.get(asset);
    const finest = before?.finest ?? names.finestOf(code);
    byAsset.set(asset, {
      asset,
      ...(finest === null ? {} : { finest }),
      total: before === undefined ? total : add(before.total, total),
      available: before === undefined ? available : add(before.available, available),
    });
  }
  return [...byAsset.values()];
}

/** Binance's spot orders, trades, balances and rules, read into our words. */
import * as z from 'zod/mini';
import { add } from '../../../contract/money.ts';
import { VenueFill, VenueOrder } from '../../../contract/venue.ts';
import type { PairRules, VenueBalance } from '../../../contract/venue.ts';
import { exactAmount, feeAmount, priceOrNull } from '../amounts.ts';
import { eachRow, fitting, rulesOfPairs, textIn, type OnUnread, type PairsRead } from '../rows.ts';

/** Ids are numbers, and text where they are too large for one. */
const Id = z.union([z.number(), z.string()]);
const Side = z.enum(['BUY', 'SELL']);

const RawOrder = z.object({
  symbol: z.string(),
  orderId: Id,
  clientOrderId: z.string(),
  price: z.string(),
  origQty: z.string(),
  executedQty: z.string(),
  status: z.string(),
  type: z.string(),
  side: Side,
  stopPrice: z.optional(z.string()),
  time: z.number(),
  updateTime: z.optional(z.number()),
});
export type RawOrder = z.infer<typeof RawOrder>;
const RawTrade = z.object({
  symbol: z.string(),
  id: Id,
  orderId: Id,
  price: z.string(),
  qty: z.string(),
  quoteQty: z.string(),
  commission: z.string(),
  commissionAsset: z.string(),
  time: z.number(),
  isBuyer: z.boolean(),
});
export type RawTrade = z.infer<typeof RawTrade>;

export const OrderReply = RawOrder;
export const OrdersReply = z.array(RawOrder);
export const TradesReply = z.array(RawTrade);
export const PlacedReply = z.object({ symbol: z.string(), orderId: Id });
export const CancelledReply = z.object({ status: z.string() });
export const AccountReply = z.object({
  balances: z.array(z.object({ asset: z.string(), free: z.string(), locked: z.string() })),
});
export const PermissionsReply = z.object({
  ipRestrict: z.boolean(),
  enableReading: z.boolean(),
  enableWithdrawals: z.boolean(),
  enableInternalTransfer: z.boolean(),
  permitsUniversalTransfer: z.boolean(),
  enableSpotAndMarginTrading: z.boolean(),
});
export const TimeReply = z.object({ serverTime: z.number() });
const Level = z.tuple([z.string(), z.string()]);
export const BookReply = z.object({ bids: z.array(Level), asks: z.array(Level) });
export const BestPricesReply = z.array(
  z.object({ symbol: z.string(), bidPrice: z.string(), askPrice: z.string() }),
);
export const TickerReply = z.object({ quoteVolume: z.string() });
const RawPair = z.object({
  symbol: z.string(),
  status: z.string(),
  baseAsset: z.string(),
  quoteAsset: z.string(),
  isSpotTradingAllowed: z.optional(z.boolean()),
  filters: z.array(
    z.object({
      filterType: z.string(),
      tickSize: z.optional(z.string()),
      stepSize: z.optional(z.string()),
      minQty: z.optional(z.string()),
      minNotional: z.optional(z.string()),
    }),
  ),
});
export const RulesReply = z.object({ symbols: z.array(z.unknown()) });
const PairName = z.object({ symbol: z.string(), baseAsset: z.string(), quoteAsset: z.string() });

export interface BinanceNames {
  rules: Map<string, PairRules>;
  pairOf(symbol: string): string | null;
  /** @throws RangeError for a pair that is not listed. */
  symbolOf(pair: string): string;
}

function rulesOf(raw: z.infer<typeof RawPair>): PairRules {
  const filter = (type: string) => raw.filters.find(({ filterType }) => filterType === type);
  const trading = raw.status === 'TRADING' && raw.isSpotTradingAllowed !== false;
  return {
    symbol: `${raw.baseAsset}/${raw.quoteAsset}`,
    quantityStep: exactAmount(filter('LOT_SIZE')?.stepSize ?? ''),
    priceTick: exactAmount(filter('PRICE_FILTER')?.tickSize ?? ''),
    minQuantity: exactAmount(filter('LOT_SIZE')?.minQty ?? '0'),
    minNotional: exactAmount(
      filter('NOTIONAL')?.minNotional ?? filter('MIN_NOTIONAL')?.minNotional ?? '0',
    ),
    status: trading ? 'trading' : 'halted',
  };
}

export function binanceNames(
  { symbols }: z.infer<typeof RulesReply>,
  beside: PairsRead,
): BinanceNames {
  const pairs = new Map<string, string>();
  const names = new Map<string, string>();
  // A pair has its name whether or not its rules can be read.
  for (const row of symbols) {
    const named = PairName.safeParse(row);
    if (!named.success) continue;
    const symbol = `${named.data.baseAsset}/${named.data.quoteAsset}`;
    pairs.set(symbol, named.data.symbol);
    names.set(named.data.symbol, symbol);
  }
  const rules = rulesOfPairs(
    symbols,
    (row) => rulesOf(z.parse(RawPair, row)),
    (row) => {
      const pair = textIn(row, 'symbol');
      return pair === null ? null : (names.get(pair) ?? pair);
    },
    beside,
  );
  return {
    rules,
    pairOf: (symbol) => pairs.get(symbol) ?? null,
    symbolOf: (pair) => {
      const symbol = names.get(pair);
      if (symbol === undefined) throw new RangeError('a pair that is not listed');
      return symbol;
    },
  };
}

const STATUS: Record<string, VenueOrder['status']> = {
  NEW: 'open',
  PENDING_NEW: 'open',
  PARTIALLY_FILLED: 'open',
  PENDING_CANCEL: 'open',
  FILLED: 'closed',
  CANCELED: 'cancelled',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
};

function typeOf(type: string): VenueOrder['type'] {
  if (type === 'MARKET') return 'market';
  return type === 'LIMIT' || type === 'LIMIT_MAKER' ? 'limit' : 'stop';
}

/** Ids count by pair at Binance: with the pair before them they are unique in an account. */
export const idWithPair = (pair: string, id: number | string): string => `${pair}-${id}`;
export const withoutPair = (id: string): string => id.slice(id.lastIndexOf('-') + 1);

export function binanceOrder(raw: RawOrder, names: BinanceNames): VenueOrder {
  const status = STATUS[raw.status];
  if (status === undefined) throw new RangeError('an unknown status');
  const type = typeOf(raw.type);
  return fitting(VenueOrder, {
    exchangeOrderId: idWithPair(raw.symbol, raw.orderId),
    clientOrderId: raw.clientOrderId === '' ? null : raw.clientOrderId,
    symbol: names.symbolOf(raw.symbol),
    side: raw.side === 'BUY' ? 'buy' : 'sell',
    type,
    quantity: exactAmount(raw.origQty),
    limitPrice: type === 'market' ? null : priceOrNull(raw.price),
    stopPrice: type === 'stop' ? priceOrNull(raw.stopPrice) : null,
    filled: exactAmount(raw.executedQty),
    status,
    updatedAtMs: raw.updateTime ?? raw.time,
  });
}

export const binanceOrders = (
  rows: readonly RawOrder[],
  names: BinanceNames,
  onUnread: OnUnread,
): VenueOrder[] =>
  eachRow(
    rows,
    (raw) => binanceOrder(raw, names),
    (raw) => ({
      list: 'orders',
      exchangeOrderId: idWithPair(raw.symbol, raw.orderId),
      clientOrderId: raw.clientOrderId,
      symbol: raw.symbol,
    }),
    onUnread,
  );

export const binanceFills = (
  rows: readonly RawTrade[],
  names: BinanceNames,
  onUnread: OnUnread,
): VenueFill[] =>
  eachRow(
    rows,
    (raw) => binanceFill(raw, names),
    (raw) => ({
      list: 'trades',
      exchangeOrderId: idWithPair(raw.symbol, raw.orderId),
      clientOrderId: null,
      // A pair by its name alone is asked for because something of ours may be in it.
      symbol: null,
    }),
    onUnread,
  );

function binanceFill(raw: RawTrade, names: BinanceNames): VenueFill {
  const fee = feeAmount(raw.commission);
  return fitting(VenueFill, {
    tradeId: idWithPair(raw.symbol, raw.id),
    exchangeOrderId: idWithPair(raw.symbol, raw.orderId),
    clientOrderId: null,
    symbol: names.symbolOf(raw.symbol),
    side: raw.isBuyer ? 'buy' : 'sell',
    quantity: exactAmount(raw.qty),
    price: exactAmount(raw.price),
    quoteAmount: exactAmount(raw.quoteQty),
    fees: fee === 0n ? [] : [{ asset: raw.commissionAsset, amount: fee }],
    atMs: raw.time,
  });
}

export const binanceBalances = (
  balances: z.infer<typeof AccountReply>['balances'],
): VenueBalance[] =>
  balances.map(({ asset, free, locked }) => {
    const available = exactAmount(free);
    return { asset, total: add(available, exactAmount(locked)), available };
  });

/**
 * Binance spot: found by `origClientOrderId`. An id is unique among open orders only; after a fill
 * the same one buys again, so it is never sent twice.
 */
import { formatFixed } from '../../../contract/money.ts';
import type { OrderRef } from '../../../contract/signer.ts';
import type {
  CancelOutcome,
  KeyPermissions,
  Lookup,
  PlaceOutcome,
  VenueBalance,
  VenueFill,
  VenueOrder,
} from '../../../contract/venue.ts';
import { ALL_LISTS, lookUpOrder, ReadFailed, type Adapter, type OrderToPlace } from '../adapter.ts';
import { NotSent } from '../budget.ts';
import type { Door, RawReply } from '../door.ts';
import { BINANCE_ENDPOINTS as AT } from '../endpoints.ts';
import { noneUnread, type OnUnread } from '../rows.ts';
import {
  failedOutcome,
  mapped,
  read,
  send,
  sendCancel,
  unknown,
  type Verdict,
} from '../verdict.ts';
import { codeOf, judgeBinance, WRONG_TIME } from './classify.ts';
import {
  AccountReply,
  binanceBalances,
  binanceFills,
  binanceOrder,
  binanceOrders,
  CancelledReply,
  idWithPair,
  OrderReply,
  OrdersReply,
  PermissionsReply,
  PlacedReply,
  TradesReply,
  withoutPair,
  type BinanceNames,
  type RawTrade,
} from './replies.ts';

/** Longest time span of one question. */
const SPAN_MS = 24 * 60 * 60_000 - 1;
const PAGE = 1_000;
/** A request counts for this long after its timestamp at most. */
const WINDOW_MOST_MS = 60_000;
/** Orders of a moment before ours: two clocks. */
const SLACK_MS = 60_000;

function orderParams(order: OrderToPlace, pair: string): Record<string, string> {
  const common = {
    symbol: pair,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    quantity: formatFixed(order.quantity),
    newClientOrderId: order.clientOrderId,
    newOrderRespType: 'RESULT',
  };
  const limit: Record<string, string> =
    order.limitPrice === null ? {} : { price: formatFixed(order.limitPrice) };
  // `MARKET` would go as far as the book does.
  if (order.type === 'market')
    return { ...common, price: formatFixed(order.worstPrice), type: 'LIMIT', timeInForce: 'IOC' };
  if (order.type === 'limit') return { ...common, ...limit, type: 'LIMIT', timeInForce: 'GTC' };
  const stop = { stopPrice: formatFixed(order.stopPrice ?? order.worstPrice) };
  return order.limitPrice === null
    ? { ...common, ...stop, type: 'STOP_LOSS' }
    : { ...common, ...stop, ...limit, type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC' };
}

export class BinanceAdapter implements Adapter {
  readonly abilities = { replaysIds: false, restingStops: true };
  private readonly judge = (reply: RawReply): Verdict => {
    if (codeOf(reply) === WRONG_TIME) this.door.suspectTime();
    return judgeBinance(reply);
  };

  constructor(
    private readonly door: Door,
    private readonly names: () => Promise<BinanceNames>,
    private readonly onUnread: OnUnread,
  ) {}

  async place(order: OrderToPlace): Promise<PlaceOutcome> {
    const pair = (await this.names()).pairOf(order.symbol);
    if (pair === null)
      return { kind: 'refused', by: 'signer', code: 'unknown_pair', detail: order.symbol };
    const leftMs = this.door.until(order.deadlineMs);
    if (leftMs <= 0 || leftMs > WINDOW_MOST_MS)
      return { kind: 'refused', by: 'signer', code: 'deadline', detail: `${leftMs} ms` };
    // From now, not from when it leaves: Binance keeps the deadline.
    const params = {
      ...orderParams(order, pair),
      timestamp: String(Math.round(this.door.now())),
      recvWindow: String(Math.floor(leftMs)),
    };
    const reply = await send(this.door, AT.place, params, order.deadlineMs);
    if ('kind' in reply) return reply;
    const verdict = this.judge(reply);
    if (verdict.kind === 'duplicate') return this.asReplay(order);
    if (verdict.kind !== 'answered') return failedOutcome(verdict);
    const placed = PlacedReply.safeParse(reply.body);
    return placed.success
      ? {
          kind: 'confirmed',
          exchangeOrderId: idWithPair(placed.data.symbol, placed.data.orderId),
          replay: false,
        }
      : unknown('unreadable');
  }

  async cancel(order: OrderRef): Promise<CancelOutcome> {
    const params = await this.refParams(order);
    return sendCancel(this.door, this.judge, AT.cancel, params, (body) =>
      CancelledReply.safeParse(body).success ? { kind: 'confirmed' } : unknown('unreadable'),
    );
  }

  lookUp(order: OrderRef): Promise<Lookup> {
    const look = async (): Promise<VenueOrder | null> =>
      (await this.asked(order)) ?? (await this.listed(order));
    return lookUpOrder(order, {
      byExchangeId: look,
      listsByExchangeId: ALL_LISTS,
      byClientId: look,
      shown: async (found) => ({ order: found, fills: await this.fillsOf(found) }),
    });
  }

  async openOrders(symbols: readonly string[]): Promise<VenueOrder[]> {
    const names = await this.names();
    const orders: VenueOrder[] = [];
    // One question without a pair costs as much as thirteen with one.
    const pairs = symbols.length > 0 && symbols.length <= 12 ? symbols : [null];
    for (const symbol of pairs) {
      const pair = symbol === null ? null : names.pairOf(symbol);
      const at = pair === null ? AT.openOrders : AT.openOrdersOfPair;
      const raw = await read(this.door, this.judge, OrdersReply, at, {
        ...(pair === null ? {} : { symbol: pair }),
      });
      orders.push(...binanceOrders(raw, names, this.onUnread));
    }
    return orders;
  }

  async closedOrders(sinceMs: number, symbols: readonly string[]): Promise<VenueOrder[]> {
    const orders: VenueOrder[] = [];
    for (const symbol of symbols) orders.push(...(await this.allOrders(symbol, sinceMs)));
    return orders.filter(({ status }) => status !== 'open');
  }

  async tradesSince(sinceMs: number, symbols: readonly string[]): Promise<VenueFill[]> {
    const names = await this.names();
    const fills: VenueFill[] = [];
    for (const symbol of symbols) {
      const raw = await this.trades(symbol, sinceMs);
      fills.push(...binanceFills(raw, names, this.onUnread));
    }
    return fills;
  }

  async balances(): Promise<VenueBalance[]> {
    const { balances } = await read(this.door, this.judge, AccountReply, AT.account, {
      omitZeroBalances: 'true',
    });
    return mapped(() => binanceBalances(balances));
  }

  async permissions(): Promise<KeyPermissions> {
    const key = await read(this.door, this.judge, PermissionsReply, AT.permissions);
    return {
      canTrade: key.enableSpotAndMarginTrading,
      canWithdraw: key.enableWithdrawals,
      canTransfer: key.enableInternalTransfer || key.permitsUniversalTransfer,
      ipRestricted: key.ipRestrict,
      portfolioId: null,
      missing: key.enableReading ? [] : ['Enable Reading'],
    };
  }

  private async refParams(order: OrderRef): Promise<Record<string, string>> {
    const pair = (await this.names()).pairOf(order.symbol);
    if (pair === null) throw new ReadFailed('unlisted:unknown_pair');
    return {
      symbol: pair,
      ...(order.exchangeOrderId === null
        ? { origClientOrderId: order.clientOrderId ?? '' }
        : { orderId: withoutPair(order.exchangeOrderId) }),
    };
  }

  private async asked(order: OrderRef): Promise<VenueOrder | null> {
    const names = await this.names();
    try {
      const raw = await read(
        this.door,
        this.judge,
        OrderReply,
        AT.order,
        await this.refParams(order),
      );
      return mapped(() => binanceOrder(raw, names));
    } catch (error) {
      if (error instanceof ReadFailed && error.cause === 'unlisted:-2013') return null;
      throw error;
    }
  }

  /** The lists may know what the question by id does not know yet. Open orders first. */
  private async listed(order: OrderRef): Promise<VenueOrder | null> {
    const isMeant = (one: VenueOrder): boolean =>
      order.exchangeOrderId === null
        ? one.clientOrderId === order.clientOrderId
        : one.exchangeOrderId === order.exchangeOrderId;
    const since = order.sinceMs - SLACK_MS;
    const listed =
      (await this.openOrders([order.symbol])).find(isMeant) ??
      (await this.allOrders(order.symbol, since)).find(isMeant);
    if (listed !== undefined) return listed;
    const traded = await this.tradesSince(since, [order.symbol]);
    for (const exchangeOrderId of new Set(traded.map((fill) => fill.exchangeOrderId))) {
      const found = await this.asked({ ...order, exchangeOrderId });
      if (found !== null && isMeant(found)) return found;
    }
    return null;
  }

  private async fillsOf(order: VenueOrder): Promise<VenueFill[]> {
    if (order.filled === 0n) return [];
    const names = await this.names();
    const raw = await read(this.door, this.judge, TradesReply, AT.tradesOfOrder, {
      symbol: names.pairOf(order.symbol) ?? '',
      orderId: withoutPair(order.exchangeOrderId),
      limit: String(PAGE),
    });
    // Every one of them counts: without it the order would seem to lack fills.
    return binanceFills(raw, names, noneUnread);
  }

  /** A day at a time, and within a day a page at a time. */
  private async allOrders(symbol: string, sinceMs: number): Promise<VenueOrder[]> {
    const names = await this.names();
    const symbolParam = { symbol: names.pairOf(symbol) ?? '', limit: String(PAGE) };
    const found = new Map<string, VenueOrder>();
    const now = this.door.now();
    for (let start = sinceMs; start <= now; start += SPAN_MS + 1) {
      let page = await read(this.door, this.judge, OrdersReply, AT.allOrders, {
        ...symbolParam,
        startTime: String(Math.floor(start)),
        endTime: String(Math.floor(start + SPAN_MS)),
      });
      for (;;) {
        for (const order of binanceOrders(page, names, this.onUnread))
          found.set(order.exchangeOrderId, order);
        const last = page.at(-1);
        if (page.length < PAGE || last === undefined || last.time > start + SPAN_MS) break;
        page = await read(this.door, this.judge, OrdersReply, AT.allOrders, {
          ...symbolParam,
          orderId: String(BigInt(last.orderId) + 1n),
        });
      }
    }
    return [...found.values()];
  }

  private async trades(symbol: string, sinceMs: number): Promise<RawTrade[]> {
    const names = await this.names();
    const symbolParam = { symbol: names.pairOf(symbol) ?? '', limit: String(PAGE) };
    const found = new Map<string, RawTrade>();
    const now = this.door.now();
    for (let start = sinceMs; start <= now; start += SPAN_MS + 1) {
      let page = await read(this.door, this.judge, TradesReply, AT.trades, {
        ...symbolParam,
        startTime: String(Math.floor(start)),
        endTime: String(Math.floor(start + SPAN_MS)),
      });
      for (;;) {
        for (const raw of page) found.set(String(raw.id), raw);
        const last = page.at(-1);
        if (page.length < PAGE || last === undefined || last.time > start + SPAN_MS) break;
        page = await read(this.door, this.judge, TradesReply, AT.trades, {
          ...symbolParam,
          fromId: String(BigInt(last.id) + 1n),
        });
      }
    }
    return [...found.values()];
  }

  /** The id is taken by an open order: whatever stands under it is what was asked for. */
  private async asReplay(order: OrderToPlace): Promise<PlaceOutcome> {
    try {
      const found = await this.asked({
        clientOrderId: order.clientOrderId,
        exchangeOrderId: null,
        symbol: order.symbol,
        sinceMs: 0,
      });
      return found === null
        ? unknown('unlisted:duplicate')
        : { kind: 'confirmed', exchangeOrderId: found.exchangeOrderId, replay: true };
    } catch (error) {
      // The order left already: what cannot be asked now stays unknown.
      if (error instanceof ReadFailed || error instanceof NotSent)
        return unknown('unlisted:duplicate');
      throw error;
    }
  }
}

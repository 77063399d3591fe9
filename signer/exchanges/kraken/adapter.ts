/** Kraken: found by `cl_ord_id`, bounded by a deadline that its matching engine keeps. */
import { formatFixed } from '../../../contract/money.ts';
import type { OrderRef } from '../../../contract/signer.ts';
import type {
  CancelOutcome,
  KeyPermissions,
  Lookup,
  PlaceOutcome,
  VenueFill,
  VenueOrder,
} from '../../../contract/venue.ts';
import { lookUpOrder, NO_LISTS, ReadFailed, type Adapter, type OrderToPlace } from '../adapter.ts';
import { NotSent } from '../budget.ts';
import type { Door, RawReply } from '../door.ts';
import { KRAKEN_ENDPOINTS as AT } from '../endpoints.ts';
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
import { DEADLINE_ELAPSED, judgeKraken, KRAKEN_BANS } from './classify.ts';
import type { KrakenNames } from './pairs.ts';
import {
  BalancesReply,
  CancelledReply,
  ClosedOrdersReply,
  KeyInfoReply,
  krakenBalances,
  krakenFills,
  krakenOrders,
  OpenOrdersReply,
  OrdersReply,
  PlacedReply,
  TradesReply,
  type Found,
} from './replies.ts';

/** Kraken takes a deadline of 2 to 60 seconds. */
const DEADLINE_LEAST_MS = 2_000;
const DEADLINE_MOST_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const PAGE = 50;

/** `market` would go as far as the book does: a limit order that takes what is there stands for it. */
const ORDER_TYPES = { market: 'limit', limit: 'limit', stop: 'stop-loss' } as const;

/** Judges an answer, keeps quiet for as long as it says, and doubts a clock that it calls wrong. */
export function krakenJudge(door: Door): (reply: RawReply) => Verdict {
  return (reply) => {
    const verdict = judgeKraken(reply);
    const code = 'code' in verdict ? verdict.code : null;
    if (code === DEADLINE_ELAPSED) door.suspectTime();
    const ban = KRAKEN_BANS.find((one) => one.code === code);
    if (ban !== undefined) door.ban(ban.forMs, ban.who);
    return verdict;
  };
}

function orderParams(
  order: OrderToPlace,
  pair: string,
  /** On Kraken's clock. */
  deadlineMs: number,
): Record<string, string> {
  const price = { market: order.worstPrice, limit: order.limitPrice, stop: order.stopPrice }[
    order.type
  ];
  return {
    pair,
    type: order.side,
    ordertype:
      order.type === 'stop' && order.limitPrice !== null
        ? 'stop-loss-limit'
        : ORDER_TYPES[order.type],
    volume: formatFixed(order.quantity),
    ...(price === null ? {} : { price: formatFixed(price) }),
    ...(order.type === 'market' ? { timeinforce: 'IOC' } : {}),
    ...(order.type === 'stop' && order.limitPrice !== null
      ? { price2: formatFixed(order.limitPrice) }
      : {}),
    // Fees in quote currency: what was bought is what is held.
    oflags: 'fciq',
    cl_ord_id: order.clientOrderId,
    deadline: new Date(deadlineMs).toISOString(),
  };
}

/** Rights without which an account cannot be compared, and what the person has to tick. */
const READING = [
  ['query-funds', 'Query Funds'],
  ['query-open-trades', 'Query Open Orders & Trades'],
  ['query-closed-trades', 'Query Closed Orders & Trades'],
] as const;

/**
 * Without it orders are placed and can never be cancelled. Kraken documents the right, but not how a
 * key's answer spells it: its absence is told, and refuses nothing.
 */
const CANCELLING = ['close-trades', 'Cancel/Close Orders'] as const;

export class KrakenAdapter implements Adapter {
  readonly abilities = { replaysIds: false, restingStops: true };
  private readonly judge: (reply: RawReply) => Verdict;

  constructor(
    private readonly door: Door,
    private readonly names: () => Promise<KrakenNames>,
    private readonly onUnread: OnUnread,
  ) {
    this.judge = krakenJudge(door);
  }

  async place(order: OrderToPlace): Promise<PlaceOutcome> {
    const pair = (await this.names()).pairOf(order.symbol);
    if (pair === null)
      return { kind: 'refused', by: 'signer', code: 'unknown_pair', detail: order.symbol };
    const leftMs = this.door.until(order.deadlineMs);
    if (leftMs < DEADLINE_LEAST_MS || leftMs > DEADLINE_MOST_MS)
      return { kind: 'refused', by: 'signer', code: 'deadline', detail: `${leftMs} ms` };
    const params = orderParams(order, pair, this.door.now() + leftMs);
    const reply = await send(this.door, AT.place, params, order.deadlineMs);
    if ('kind' in reply) return reply;
    const verdict = this.judge(reply);
    if (verdict.kind === 'duplicate') return this.asReplay(order);
    if (verdict.kind !== 'answered') return failedOutcome(verdict);
    const placed = PlacedReply.safeParse(reply.body);
    const id = placed.data?.result.txid[0];
    return id === undefined
      ? unknown('unreadable')
      : { kind: 'confirmed', exchangeOrderId: id, replay: false };
  }

  async cancel(order: OrderRef): Promise<CancelOutcome> {
    const by =
      order.exchangeOrderId === null
        ? { cl_ord_id: order.clientOrderId }
        : { txid: order.exchangeOrderId };
    return sendCancel(this.door, this.judge, AT.cancel, by, (body) => {
      const cancelled = CancelledReply.safeParse(body);
      if (!cancelled.success) return unknown('unreadable');
      return cancelled.data.result.count > 0
        ? { kind: 'confirmed' }
        : { kind: 'rejected', code: 'not_open', message: 'No order was cancelled' };
    });
  }

  lookUp(order: OrderRef): Promise<Lookup> {
    return lookUpOrder(order, {
      byExchangeId: (id) => this.byId(id),
      listsByExchangeId: NO_LISTS,
      byClientId: (id) => this.byClientId(id, order),
      shown: async (found) => ({ order: found.order, fills: await this.fillsOf(found) }),
    });
  }

  async openOrders(): Promise<VenueOrder[]> {
    return (await this.open({})).map(({ order }) => order);
  }

  async closedOrders(sinceMs: number): Promise<VenueOrder[]> {
    return (await this.closed(sinceMs, {})).map(({ order }) => order);
  }

  tradesSince(sinceMs: number): Promise<VenueFill[]> {
    return this.trades(sinceMs, this.onUnread);
  }

  async balances() {
    const names = await this.names();
    const { result } = await read(this.door, this.judge, BalancesReply, AT.balances);
    return mapped(() => krakenBalances(result, names));
  }

  async permissions(): Promise<KeyPermissions> {
    const { result } = await read(this.door, this.judge, KeyInfoReply, AT.keyInfo);
    const may = (word: RegExp): boolean => result.permissions.some((name) => word.test(name));
    const [cancelling, shown] = CANCELLING;
    return {
      canTrade: may(/^modify-trades$/),
      canWithdraw: may(/withdraw/),
      canTransfer: may(/transfer/),
      ipRestricted: result.ipAllowlist === undefined ? null : result.ipAllowlist.length > 0,
      portfolioId: null,
      missing: READING.filter(([right]) => !result.permissions.includes(right)).map(
        ([, name]) => name,
      ),
      ...(result.permissions.includes(cancelling) ? {} : { notSeen: [shown] }),
    };
  }

  private async trades(sinceMs: number, onUnread: OnUnread): Promise<VenueFill[]> {
    const names = await this.names();
    const rows = new Map<string, unknown>();
    for (let offset = 0; ; offset += PAGE) {
      const { result } = await read(this.door, this.judge, TradesReply, AT.trades, {
        start: String(Math.floor(sinceMs / 1_000) - 1),
        ofs: String(offset),
      });
      const page = Object.entries(result.trades);
      for (const [id, raw] of page) rows.set(id, raw);
      if (page.length === 0 || offset + page.length >= result.count) break;
    }
    return krakenFills(rows, names, onUnread).filter(({ atMs }) => atMs >= sinceMs);
  }

  private async open(params: Record<string, string>): Promise<Found[]> {
    const names = await this.names();
    const { result } = await read(this.door, this.judge, OpenOrdersReply, AT.openOrders, {
      ...params,
    });
    return krakenOrders(result.open, names, this.onUnread);
  }

  /** Newest first: what ends meanwhile moves an order to a later page and never past us. */
  private async closed(sinceMs: number, params: Record<string, string>): Promise<Found[]> {
    const names = await this.names();
    const all = new Map<string, Found>();
    for (let offset = 0; ; offset += PAGE) {
      const { result } = await read(this.door, this.judge, ClosedOrdersReply, AT.closedOrders, {
        start: String(Math.floor(sinceMs / 1_000) - 1),
        ofs: String(offset),
        ...params,
      });
      const rows = Object.keys(result.closed).length;
      for (const one of krakenOrders(result.closed, names, this.onUnread))
        all.set(one.order.exchangeOrderId, one);
      if (rows === 0 || offset + rows >= (result.count ?? 0)) break;
    }
    return [...all.values()];
  }

  /** Open orders first: an order that ends in between is then among the closed ones. */
  private async byClientId(
    id: string,
    order: Pick<OrderRef, 'symbol' | 'sinceMs'>,
  ): Promise<Found | null> {
    const ours = (found: Found[]): Found | undefined =>
      found.find((one) => one.order.clientOrderId === id);
    const listed =
      ours(await this.open({ cl_ord_id: id })) ??
      ours(await this.closed(order.sinceMs, { cl_ord_id: id }));
    return listed ?? (await this.amongTraded(id, order));
  }

  /** Orders that traded since, whatever the other lists say. */
  private async amongTraded(
    id: string,
    { symbol, sinceMs }: Pick<OrderRef, 'symbol' | 'sinceMs'>,
  ): Promise<Found | null> {
    const named = new Set<string>();
    // Whose a trade is that cannot be read, its order says.
    const traded = await this.trades(sinceMs, ({ exchangeOrderId }) => {
      if (exchangeOrderId !== null) named.add(exchangeOrderId);
    });
    for (const fill of traded) if (fill.symbol === symbol) named.add(fill.exchangeOrderId);
    const ids = [...named];
    for (let at = 0; at < ids.length; at += PAGE) {
      const found = await this.byIds(ids.slice(at, at + PAGE));
      const ours = found.find((one) => one.order.clientOrderId === id);
      if (ours !== undefined) return ours;
    }
    return null;
  }

  private async byIds(ids: readonly string[]): Promise<Found[]> {
    const names = await this.names();
    const { result } = await read(this.door, this.judge, OrdersReply, AT.orders, {
      txid: ids.join(','),
    });
    return krakenOrders(result, names, this.onUnread);
  }

  private async byId(id: string): Promise<Found | null> {
    try {
      return (await this.byIds([id])).find((one) => one.order.exchangeOrderId === id) ?? null;
    } catch (error) {
      // Not in its books, by its own word; anything else is no proof.
      if (error instanceof ReadFailed && error.cause === 'unlisted:EOrder:Unknown order')
        return null;
      throw error;
    }
  }

  /** From a moment before the order until now: an order names its trades without their prices. */
  private async fillsOf({ order, openedAtMs }: Found): Promise<VenueFill[]> {
    if (order.filled === 0n) return [];
    const fills = await this.trades(openedAtMs - 1_000, (row) => {
      if (row.exchangeOrderId === order.exchangeOrderId) noneUnread(row);
    });
    return fills.filter((fill) => fill.exchangeOrderId === order.exchangeOrderId);
  }

  /** The id is taken: whatever stands under it is what was asked for, and is looked up. */
  private async asReplay(order: OrderToPlace): Promise<PlaceOutcome> {
    try {
      const found = await this.byClientId(order.clientOrderId, {
        symbol: order.symbol,
        sinceMs: this.door.now() - DAY_MS,
      });
      return found === null
        ? unknown('unlisted:duplicate')
        : { kind: 'confirmed', exchangeOrderId: found.order.exchangeOrderId, replay: true };
    } catch (error) {
      // The order left already: what cannot be asked now stays unknown.
      if (error instanceof ReadFailed || error instanceof NotSent)
        return unknown('unlisted:duplicate');
      throw error;
    }
  }
}

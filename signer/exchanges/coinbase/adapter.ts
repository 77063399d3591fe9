/** Coinbase Advanced: a repeated client order id is answered with the order that it already named. */
import { ceilToStep, formatFixed, type Fixed } from '../../../contract/money.ts';
import type { OrderRef } from '../../../contract/signer.ts';
import { limitOfStop, stopRoomBps } from '../../../contract/stop-limit.ts';
import type {
  CancelOutcome,
  KeyPermissions,
  Lookup,
  PairRules,
  PlaceOutcome,
  VenueBalance,
  VenueFill,
  VenueOrder,
} from '../../../contract/venue.ts';
import { lookUpOrder, NO_LISTS, ReadFailed, type Adapter, type OrderToPlace } from '../adapter.ts';
import type { Door, RawReply } from '../door.ts';
import { COINBASE_ENDPOINTS as AT } from '../endpoints.ts';
import { noneUnread, textIn, type OnUnread } from '../rows.ts';
import {
  failedOutcome,
  mapped,
  read,
  send,
  sendCancel,
  unknown,
  type Verdict,
} from '../verdict.ts';
import { judgeCoinbase } from './classify.ts';
import {
  AccountsReply,
  CancelledReply,
  coinbaseBalances,
  coinbaseFills,
  coinbaseOrder,
  coinbaseOrders,
  coinbaseRows,
  FillsReply,
  OrderReply,
  OrdersReply,
  PermissionsReply,
  PlacedReply,
  productOf,
  type RawOrder,
} from './replies.ts';

const PAGE = '250';
/** Stops here become limit orders: this far below the stop they still sell in a fall. */
const ROOM_BPS = stopRoomBps('coinbase');

function configurationOf(order: OrderToPlace, tick: Fixed): Record<string, unknown> {
  const base_size = formatFixed(order.quantity);
  if (order.type === 'limit')
    return {
      limit_limit_gtc: {
        base_size,
        limit_price: formatFixed(order.limitPrice ?? order.worstPrice),
        post_only: false,
      },
    };
  if (order.type === 'market')
    // A market order goes as far as the book does, and a purchase is by an amount of money. This one
    // is by quantity, goes no further than its price, and may be filled for less.
    return { sor_limit_ioc: { base_size, limit_price: formatFixed(order.worstPrice) } };
  const stop = order.stopPrice ?? order.worstPrice;
  const limit = order.limitPrice ?? limitOfStop(stop, ROOM_BPS);
  return {
    stop_limit_stop_limit_gtc: {
      base_size,
      limit_price: formatFixed(ceilToStep(limit, tick)),
      stop_price: formatFixed(stop),
      stop_direction: 'STOP_DIRECTION_STOP_DOWN',
    },
  };
}

const SUSPECT_PAUSE_MS = 60_000;

export class CoinbaseAdapter implements Adapter {
  readonly abilities = { replaysIds: true, restingStops: true };
  private readonly judge = (reply: RawReply): Verdict => {
    // It says no more than that: the token's date may be what is wrong.
    if (reply.status === 401) this.suspectTime();
    return judgeCoinbase(reply);
  };
  private suspectedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly door: Door,
    private readonly rules: () => Promise<ReadonlyMap<string, PairRules>>,
    private readonly onUnread: OnUnread,
  ) {}

  /** A key that is gone is answered the same, and all keys share the limit of reading the time. */
  private suspectTime(): void {
    const waitedMs = this.door.now() - this.suspectedAtMs;
    // Less than nothing where the clock was set back.
    if (waitedMs >= 0 && waitedMs < SUSPECT_PAUSE_MS) return;
    this.suspectedAtMs = this.door.now();
    this.door.suspectTime();
  }

  async place(order: OrderToPlace): Promise<PlaceOutcome> {
    const rules = (await this.rules()).get(order.symbol);
    if (rules === undefined)
      return { kind: 'refused', by: 'signer', code: 'unknown_pair', detail: order.symbol };
    const params = {
      client_order_id: order.clientOrderId,
      product_id: productOf(order.symbol),
      side: order.side === 'buy' ? 'BUY' : 'SELL',
      order_configuration: configurationOf(order, rules.priceTick),
    };
    const reply = await send(this.door, AT.place, params, order.deadlineMs);
    if ('kind' in reply) return reply;
    const verdict = this.judge(reply);
    if (verdict.kind === 'duplicate') return unknown('unlisted:duplicate');
    if (verdict.kind !== 'answered') return failedOutcome(verdict);
    const placed = PlacedReply.safeParse(reply.body);
    return placed.success
      ? {
          kind: 'confirmed',
          exchangeOrderId: placed.data.success_response.order_id,
          replay: false,
        }
      : unknown('unreadable');
  }

  async cancel(order: OrderRef): Promise<CancelOutcome> {
    const id = order.exchangeOrderId ?? (await this.idOf(order));
    if (typeof id !== 'string') return id;
    return sendCancel(this.door, this.judge, AT.cancel, { order_ids: [id] }, (body) => {
      const [result] = CancelledReply.safeParse(body).data?.results ?? [];
      if (result === undefined) return unknown('unreadable');
      const reason = result.failure_reason ?? '';
      // Asked a moment ago already: it is being cancelled.
      if (result.success || reason === 'DUPLICATE_CANCEL_REQUEST') return { kind: 'confirmed' };
      return reason === 'UNKNOWN_CANCEL_ORDER' || reason === 'INVALID_CANCEL_REQUEST'
        ? { kind: 'rejected', code: reason, message: reason }
        : unknown(`unlisted:${reason.slice(0, 120)}`);
    });
  }

  lookUp(order: OrderRef): Promise<Lookup> {
    return lookUpOrder(order, {
      byExchangeId: (id) => this.byId(id),
      listsByExchangeId: NO_LISTS,
      byClientId: (id) => this.byClientId(id, order),
      shown: async (raw) => {
        // Every one of them counts: without it the order would seem to lack fills.
        const fills = await this.fills({ order_ids: [raw.order_id] }, noneUnread);
        return { order: mapped(() => coinbaseOrder(raw)), fills };
      },
    });
  }

  async openOrders(): Promise<VenueOrder[]> {
    const raw = await this.orders({ order_status: ['OPEN'] });
    return coinbaseOrders(raw, this.onUnread);
  }

  async closedOrders(sinceMs: number): Promise<VenueOrder[]> {
    const raw = await this.orders({ start_date: new Date(sinceMs).toISOString() });
    return coinbaseOrders(raw, this.onUnread).filter(({ status }) => status !== 'open');
  }

  async tradesSince(sinceMs: number): Promise<VenueFill[]> {
    return this.fills(sinceParams(sinceMs), this.onUnread);
  }

  async balances(): Promise<VenueBalance[]> {
    const accounts: Parameters<typeof coinbaseBalances>[0] = [];
    for (let cursor = ''; ;) {
      const page = await read(this.door, this.judge, AccountsReply, AT.accounts, {
        limit: PAGE,
        ...(cursor === '' ? {} : { cursor }),
      });
      accounts.push(...page.accounts);
      cursor = page.cursor ?? '';
      if (page.has_next !== true || cursor === '') break;
    }
    return mapped(() => coinbaseBalances(accounts));
  }

  async permissions(): Promise<KeyPermissions> {
    const key = await read(this.door, this.judge, PermissionsReply, AT.permissions);
    return {
      canTrade: key.can_trade,
      // One permission covers both: moving between portfolios and sending away.
      canWithdraw: false,
      canTransfer: key.can_transfer,
      ipRestricted: null,
      portfolioId: key.portfolio_uuid ?? null,
      missing: key.can_view ? [] : ['View'],
    };
  }

  private async idOf(order: OrderRef): Promise<string | CancelOutcome> {
    const found = await this.lookUp(order);
    if (found.kind === 'found') return found.order.exchangeOrderId;
    return found.kind === 'unknown'
      ? found
      : { kind: 'rejected', code: 'not_open', message: 'No such order' };
  }

  /**
   * There is no question by client order id: every list is read instead. Open ones first: an order
   * that ends in between is then in the list of all.
   */
  private async byClientId(id: string, order: OrderRef): Promise<RawOrder | null> {
    const ours = (list: readonly RawOrder[]): RawOrder | undefined =>
      list.find(({ client_order_id: theirs }) => theirs === id);
    const product_ids = [productOf(order.symbol)];
    const start_date = new Date(order.sinceMs - 60_000).toISOString();
    return (
      ours(await this.orders({ order_status: ['OPEN'], product_ids })) ??
      ours(await this.orders({ product_ids, start_date })) ??
      (await this.amongTraded(id, order))
    );
  }

  private async amongTraded(id: string, order: OrderRef): Promise<RawOrder | null> {
    const ids = new Set<string>();
    // Whose a trade is that cannot be read, its order says.
    const fills = await this.fills(sinceParams(order.sinceMs - 60_000), ({ exchangeOrderId }) => {
      if (exchangeOrderId !== null) ids.add(exchangeOrderId);
    });
    for (const fill of fills) if (fill.symbol === order.symbol) ids.add(fill.exchangeOrderId);
    for (const traded of ids) {
      const raw = await this.byId(traded);
      if (raw?.client_order_id === id) return raw;
    }
    return null;
  }

  private async byId(id: string): Promise<RawOrder | null> {
    try {
      return (await read(this.door, this.judge, OrderReply, AT.order, { order_id: id })).order;
    } catch (error) {
      if (error instanceof ReadFailed && error.cause === 'unlisted:NOT_FOUND') return null;
      throw error;
    }
  }

  private async orders(params: Record<string, unknown>): Promise<RawOrder[]> {
    const all = new Map<string, RawOrder>();
    for (let cursor = ''; ;) {
      const page = await read(this.door, this.judge, OrdersReply, AT.orders, {
        limit: PAGE,
        ...params,
        ...(cursor === '' ? {} : { cursor }),
      });
      for (const order of coinbaseRows(page.orders, this.onUnread)) all.set(order.order_id, order);
      cursor = page.cursor ?? '';
      if (page.has_next !== true || cursor === '') break;
    }
    return [...all.values()];
  }

  private async fills(params: Record<string, unknown>, onUnread: OnUnread): Promise<VenueFill[]> {
    const all = new Map<string, unknown>();
    for (let cursor = ''; ;) {
      const page = await read(this.door, this.judge, FillsReply, AT.fills, {
        limit: PAGE,
        ...params,
        ...(cursor === '' ? {} : { cursor }),
      });
      const before = all.size;
      for (const raw of page.fills) all.set(textIn(raw, 'trade_id') ?? JSON.stringify(raw), raw);
      cursor = page.cursor ?? '';
      // The last page's cursor leads to itself on some days, and a page may be shorter than asked for.
      if (all.size === before || cursor === '') break;
    }
    return coinbaseFills([...all.values()], onUnread);
  }
}

const sinceParams = (sinceMs: number): Record<string, unknown> => ({
  start_sequence_timestamp: new Date(sinceMs).toISOString(),
});

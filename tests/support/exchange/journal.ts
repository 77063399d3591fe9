/**
 * The stand-in's own journal: append-only, written where things happen, and the only witness of
 * what really happened.
 */
import { ZERO, add, type Fixed } from '../../../contract/money.ts';
import type { CallName } from './calls.ts';
import type { FaultName } from './faults.ts';
import type { Actor, Fill, OrderType, RejectReason, Side } from './orders.ts';

export type MovementCause = 'deposit' | 'withdrawal' | 'fill' | 'fee';
export type OrderEnd = 'filled' | 'cancelled' | 'expired';

export type JournalRecord =
  | {
      kind: 'request';
      request: number;
      call: CallName | null;
      method: string;
      path: string;
      account: string | null;
      /** It came while the exchange had told this client to stay away. */
      duringBan: boolean;
    }
  | {
      kind: 'answer';
      request: number;
      status: number;
      body: string;
      /** False where the client cannot have read it. */
      delivered: boolean;
      fault: FaultName | null;
    }
  | {
      kind: 'accepted';
      account: string;
      orderId: string;
      clientOrderId: string | null;
      symbol: string;
      side: Side;
      type: OrderType;
      quantity: Fixed;
      limit: Fixed | null;
      stop: Fixed | null;
      by: Actor;
      /** The request that carried it; null where no request did. */
      request: number | null;
    }
  | {
      kind: 'rejected';
      account: string;
      clientOrderId: string | null;
      reason: RejectReason;
      request: number | null;
    }
  /** A repeated id that was answered with the order it already named. */
  | { kind: 'replayed'; account: string; orderId: string; request: number | null }
  | { kind: 'triggered'; account: string; orderId: string }
  | {
      kind: 'ended';
      account: string;
      orderId: string;
      end: OrderEnd;
      by: Actor;
      reason: string | null;
    }
  | { kind: 'fill'; fill: Fill }
  | {
      kind: 'movement';
      account: string;
      coin: string;
      amount: Fixed;
      cause: MovementCause;
      /** Fill or transfer. */
      ref: string;
    }
  | { kind: 'rules'; symbol: string; change: string }
  | { kind: 'key'; apiKey: string; what: 'revoked' | 'moved' }
  | { kind: 'fault'; name: FaultName; detail: string }
  | {
      kind: 'stream';
      account: string;
      what: 'opened' | 'closed' | 'sent' | 'withheld';
      topic: string;
      ref: string;
    };

export type JournalEntry = JournalRecord & { seq: number; atMs: number };
type Kind = JournalRecord['kind'];
type Of<K extends Kind> = Extract<JournalEntry, { kind: K }>;

/** One order as the journal tells it. */
export interface JournalOrder {
  accepted: Of<'accepted'>;
  fills: Fill[];
  filled: Fixed;
  end: Of<'ended'> | null;
}

/** Everything one client order id brought about. */
export interface Effects {
  /** More than one is a doubled order. */
  orders: JournalOrder[];
  rejections: RejectReason[];
  replays: number;
  bought: Fixed;
  sold: Fixed;
  spent: Fixed;
  earned: Fixed;
  fees: Map<string, Fixed>;
}

export class Journal {
  private readonly list: JournalEntry[] = [];
  private readonly byKind = new Map<Kind, JournalEntry[]>();

  constructor(private readonly trueNow: () => number) {}

  write(record: JournalRecord): void {
    const entry = Object.freeze({ ...record, seq: this.list.length + 1, atMs: this.trueNow() });
    this.list.push(entry);
    const same = this.byKind.get(record.kind);
    if (same === undefined) this.byKind.set(record.kind, [entry]);
    else same.push(entry);
  }

  get entries(): readonly JournalEntry[] {
    return this.list;
  }

  of<K extends Kind>(kind: K): Of<K>[] {
    return (this.byKind.get(kind) ?? []) as Of<K>[];
  }

  orders(where: { account?: string; clientOrderId?: string; by?: Actor } = {}): JournalOrder[] {
    const fills = new Map<string, Fill[]>();
    for (const { fill } of this.of('fill'))
      fills.set(fill.orderId, [...(fills.get(fill.orderId) ?? []), fill]);
    const ends = new Map(this.of('ended').map((one) => [one.orderId, one]));
    return this.of('accepted')
      .filter(
        (one) =>
          (where.account === undefined || one.account === where.account) &&
          (where.clientOrderId === undefined || one.clientOrderId === where.clientOrderId) &&
          (where.by === undefined || one.by === where.by),
      )
      .map((accepted) => {
        const own = fills.get(accepted.orderId) ?? [];
        const filled = own.reduce((total, { quantity }) => add(total, quantity), ZERO);
        return { accepted, fills: own, filled, end: ends.get(accepted.orderId) ?? null };
      });
  }

  /** Every order that was accepted under this id, oldest first. */
  ordersByClientId(clientOrderId: string): JournalOrder[] {
    return this.orders({ clientOrderId });
  }

  fillsOf(
    where: { account?: string; orderId?: string; clientOrderId?: string; by?: Actor } = {},
  ): Fill[] {
    return this.of('fill')
      .map(({ fill }) => fill)
      .filter(
        (fill) =>
          (where.account === undefined || fill.account === where.account) &&
          (where.orderId === undefined || fill.orderId === where.orderId) &&
          (where.by === undefined || fill.by === where.by) &&
          (where.clientOrderId === undefined || fill.clientOrderId === where.clientOrderId),
      );
  }

  /** Per coin, the sum of every movement: what the account really holds. */
  balancesOf(account: string): Map<string, Fixed> {
    const balances = new Map<string, Fixed>();
    for (const movement of this.of('movement'))
      if (movement.account === account)
        balances.set(movement.coin, add(balances.get(movement.coin) ?? ZERO, movement.amount));
    return balances;
  }

  effectsOf(clientOrderId: string): Effects {
    const orders = this.ordersByClientId(clientOrderId);
    const fills = orders.flatMap((order) => order.fills);
    const total = (of: (fill: Fill) => Fixed, side: Side): Fixed =>
      fills.filter((fill) => fill.side === side).reduce((sum, fill) => add(sum, of(fill)), ZERO);
    const fees = new Map<string, Fixed>();
    for (const { fee, feeCoin } of fills) fees.set(feeCoin, add(fees.get(feeCoin) ?? ZERO, fee));
    const ids = new Set(orders.map(({ accepted }) => accepted.orderId));
    return {
      orders,
      rejections: this.of('rejected')
        .filter((one) => one.clientOrderId === clientOrderId)
        .map(({ reason }) => reason),
      replays: this.of('replayed').filter(({ orderId }) => ids.has(orderId)).length,
      bought: total(({ quantity }) => quantity, 'buy'),
      sold: total(({ quantity }) => quantity, 'sell'),
      spent: total(({ cost }) => cost, 'buy'),
      earned: total(({ cost }) => cost, 'sell'),
      fees,
    };
  }

  /** Client order ids under which more than one order was accepted. */
  doubledIds(): string[] {
    const counts = new Map<string, number>();
    for (const { clientOrderId } of this.of('accepted'))
      if (clientOrderId !== null) counts.set(clientOrderId, (counts.get(clientOrderId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count > 1).map(([id]) => id);
  }

  /** Requests sent although the exchange had said to stay away. */
  requestsDuringBan(): Of<'request'>[] {
    return this.of('request').filter(({ duringBan }) => duringBan);
  }

  /** What was answered to a request, and whether the client can have read it. */
  answerTo(request: number): Of<'answer'> | null {
    return this.of('answer').find((one) => one.request === request) ?? null;
  }
}

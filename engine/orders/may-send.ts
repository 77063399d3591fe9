/** Whether an order may leave now: the one place that answers this. */
import { quoteOf } from '../pair-coins.ts';
import type { LiveOrder, OrderPolicy } from './live-order.ts';

/** Opened by a reconciliation that succeeded; closed at every start and loss of a connection. */
export type Gate =
  | { kind: 'closed'; reasons: readonly GateReason[] }
  | {
      kind: 'open';
      /** Coins of which less is there than we know of: nothing more is bought with them. */
      doubtfulAssets: ReadonlySet<string>;
      /** Pairs with a trade that may be ours. */
      doubtfulSymbols: ReadonlySet<string>;
    };
export type GateReason =
  | 'not_reconciled'
  | 'open_orders_unread'
  | 'closed_orders_unread'
  | 'trades_unread'
  | 'balances_unread';

export const CLOSED_AT_START: Gate = { kind: 'closed', reasons: ['not_reconciled'] };

export type SendRefusal =
  | GateReason
  | 'already_out'
  | 'ended'
  | 'deadline_passed'
  | 'to_be_cancelled'
  /** Outcome unknown, and a second request could be a second order. */
  | 'would_double'
  | 'asset_in_doubt'
  | 'symbol_in_doubt';

/** What the order itself says against a request; null where nothing does. */
export function refusalOfOrder(
  order: LiveOrder,
  policy: OrderPolicy,
  nowMs: number,
): SendRefusal | null {
  if (order.state === 'sending' || order.state === 'open') return 'already_out';
  if (order.state !== 'planned' && order.state !== 'unknown') return 'ended';
  if (order.state === 'unknown') {
    // Acknowledged once: it is known to exist, so there is nothing to repeat.
    if (order.exchangeOrderId !== null) return 'already_out';
    if (!policy.replaysIds) return 'would_double';
  }
  if (nowMs >= order.intent.deadlineMs) return 'deadline_passed';
  return order.cancel === null ? null : 'to_be_cancelled';
}

/** The pairs that take no entries because an outcome has been unknown for too long. */
export function symbolsInDoubt(
  orders: Iterable<LiveOrder>,
  policy: OrderPolicy,
  nowMs: number,
): Set<string> {
  const symbols = new Set<string>();
  for (const { doubt, intent } of orders)
    if (doubt !== null && nowMs - doubt.sinceMs >= policy.tellAfterMs) symbols.add(intent.symbol);
  return symbols;
}

/** Why an order may not leave now; null where it may. `orders`: all of the connection. */
export function sendRefusal(
  order: LiveOrder,
  gate: Gate,
  orders: Iterable<LiveOrder>,
  policy: OrderPolicy,
  nowMs: number,
): SendRefusal | null {
  if (gate.kind === 'closed') return gate.reasons[0] ?? 'not_reconciled';
  const { symbol, side } = order.intent;
  const own = refusalOfOrder(order, policy, nowMs);
  if (own !== null) return own;
  // Nothing in doubt stands in the way of getting out. A repeat is no entry of its own: it settles
  // the doubt that blocks the pair.
  if (side === 'sell' || order.state === 'unknown') return null;
  if (gate.doubtfulAssets.has(quoteOf(symbol))) return 'asset_in_doubt';
  if (gate.doubtfulSymbols.has(symbol)) return 'symbol_in_doubt';
  return symbolsInDoubt(orders, policy, nowMs).has(symbol) ? 'symbol_in_doubt' : null;
}

/**
 * Sends an order once: its sending is committed first, under the locks of its account and its row,
 * so that of several servers one sends.
 */
import type { OrderIntent as SentIntent, SignerReply } from '../../contract/signer.ts';
import type { PlaceOutcome } from '../../contract/venue.ts';
import type { LiveOrder, OrderEvent, OrderIntent } from '../../engine/orders/live-order.ts';
import { sendRefusal, type Gate } from '../../engine/orders/may-send.ts';
import { haltsInForce, holdSwitches } from '../agents/trading-halts.ts';
import type { Database, Tx } from '../db/database.ts';
import { policyOf, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps, LiveDeps } from './live-deps.ts';
import { ORDER_LIFE_MS } from './pair-plan.ts';
import { SignerTooOld } from './signer-client.ts';
import { publishLive } from './live-news.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { liveOrdersOf, lockOrder } from './order-rows.ts';
import { applyEvents } from './order-store.ts';

/**
 * Commits that the request leaves now; null where it must not. A purchase that the operator has
 * halted meanwhile is taken back. While the signer is of another version one stays planned: it leaves
 * once both are of one version, or expires, and its agent tries again.
 */
export async function claimSending(
  deps: BookDeps & { database: Database },
  connection: ConnectionRow,
  { clientOrderId, side }: Pick<OrderIntent, 'clientOrderId' | 'side'>,
  gate: Gate,
  isOtherSigner = false,
): Promise<LiveOrder | null> {
  if (side === 'buy' && isOtherSigner) return null;
  return deps.database.transaction(async (tx) => {
    // First of all, and for purchases alone: no sale waits for whoever sets a halt.
    if (side === 'buy') await holdSwitches(tx);
    // Whoever plans holds the account while it decides by orders that it has read: none of them may
    // leave meanwhile, or its end would be written over.
    await lockAccount(tx, connection.accountId);
    const stored = await lockOrder(tx, clientOrderId);
    if (stored === null) return null;
    const now = deps.clock.now();
    const orders = (await liveOrdersOf(tx.db, connection.id)).map(({ order }) => order);
    const policy = policyOf(connection);
    if (sendRefusal(stored.order, gate, orders, policy, now) !== null) return null;
    const isOff = side === 'buy' && (await isHalted(tx, deps, connection, stored.order));
    const event = { kind: isOff ? 'cancel_asked' : 'send_started', atMs: now } as const;
    const { order } = await applyEvents(tx, deps, connection, stored, [event]);
    await publishLive(tx, deps, connection);
    return isOff ? null : order;
  });
}

/** By the operator: whom a halt names that was set after the purchase was decided. */
async function isHalted(
  { db }: Tx,
  { market, clock }: BookDeps,
  { uid }: ConnectionRow,
  { intent: { agentId } }: LiveOrder,
): Promise<boolean> {
  const halts = await haltsInForce(db, market.source.id, [uid], [agentId], clock.now());
  return halts.length > 0;
}

function wireOf({ intent }: LiveOrder): SentIntent {
  const { clientOrderId, connectionId, agentId, symbol, side, type } = intent;
  const { quantity, limitPrice, stopPrice, deadlineMs } = intent;
  return {
    clientOrderId,
    connectionId,
    agentId,
    symbol,
    side,
    type,
    quantity,
    limitPrice,
    stopPrice,
    deadlineMs,
  };
}

/** Asks the signer; no answer means that the outcome is unknown. */
export async function place({ signer, clock }: LiveDeps, order: LiveOrder): Promise<OrderEvent> {
  const outcome = await signer
    .ask({ act: 'place', intent: wireOf(order) })
    .catch((): PlaceOutcome => ({ kind: 'unknown', cause: 'connection' }));
  const atMs = clock.now();
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'acknowledged', atMs, exchangeOrderId: outcome.exchangeOrderId };
    case 'rejected':
      return { kind: 'rejected', atMs, code: outcome.code };
    case 'refused':
      return { kind: 'refused', atMs, code: outcome.code };
    case 'unknown':
      return { kind: 'outcome_unknown', atMs, cause: outcome.cause };
  }
}

const refOf = ({ intent, exchangeOrderId, sentAtMs }: LiveOrder) => ({
  clientOrderId: intent.clientOrderId,
  exchangeOrderId,
  symbol: intent.symbol,
  // Clocks differ: it cannot be older than this.
  sinceMs: Math.max(0, (sentAtMs ?? intent.deadlineMs) - 120_000),
});

/** What became of the question whether a sale would be signed. */
export type SaleAnswer = 'yes' | 'no_answer' | { code: string };

/**
 * Whether the signer would sign a sale once this stop is gone; where not, why. A signer that is older
 * than the question cannot say so: no exit waits until it is updated.
 */
export async function maySell(
  { signer, clock }: LiveDeps,
  { intent }: LiveOrder,
): Promise<SaleAnswer> {
  const { connectionId, clientOrderId } = intent;
  try {
    const answer = await signer.ask({
      act: 'may_sell',
      connectionId,
      insteadOf: clientOrderId,
      // As its sale would have it: clocks that are too far apart are found out before the stop goes.
      deadlineMs: clock.now() + ORDER_LIFE_MS,
    });
    return answer.kind === 'yes' ? 'yes' : { code: answer.code };
  } catch (error) {
    return error instanceof SignerTooOld ? 'yes' : 'no_answer';
  }
}

export async function cancel({ signer, clock }: LiveDeps, order: LiveOrder): Promise<OrderEvent> {
  const { connectionId } = order.intent;
  const outcome = await signer
    .ask({ act: 'cancel', connectionId, order: refOf(order) })
    .catch(() => ({ kind: 'unknown' }) as const);
  const atMs = clock.now();
  if (outcome.kind === 'confirmed') return { kind: 'cancel_acknowledged', atMs };
  if (outcome.kind === 'unknown') return { kind: 'cancel_unknown', atMs };
  return { kind: 'cancel_refused', atMs };
}

/** `unknown` where the exchange could not be asked. */
export async function askLookUp(
  { signer }: Pick<LiveDeps, 'signer'>,
  order: LiveOrder,
): Promise<SignerReply<'look_up'> | { kind: 'unknown' }> {
  const { connectionId } = order.intent;
  return signer
    .ask({ act: 'look_up', connectionId, order: refOf(order) })
    .catch(() => ({ kind: 'unknown' }) as const);
}

/** What looking it up says; nothing where the exchange could not be asked. */
export async function lookUp(deps: LiveDeps, order: LiveOrder): Promise<OrderEvent[]> {
  const { clock } = deps;
  const begunAtMs = clock.now();
  const found = await askLookUp(deps, order);
  const atMs = clock.now();
  if (found.kind === 'found')
    return [
      { kind: 'seen', atMs, order: found.order },
      ...found.fills.map((fill) => ({ kind: 'fill', atMs, fill }) as const),
    ];
  if (found.kind === 'not_found')
    return [{ kind: 'not_found', atMs, begunAtMs, searched: found.searched }];
  return [];
}

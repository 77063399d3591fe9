/**
 * Purchases that came to nothing: their agents owe them a rebalance moment, and try them again after
 * ever longer waits.
 */
import { and, eq, gte, inArray } from 'drizzle-orm';
import type { TradingFrequency } from '../../contract/agents.ts';
import { ZERO } from '../../contract/money.ts';
import { readMemory, rememberOwed } from '../../engine/execution/agent-memory.ts';
import { lastRebalance, MINUTE_MS, rebalancesAlways } from '../../engine/execution/schedule.ts';
import {
  ENDED_STATES,
  hasEnded,
  type LiveOrder,
  type OrderEnding,
} from '../../engine/orders/live-order.ts';
import type { Tx } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import { liveOrders } from '../db/schema-live.ts';
import type { StoredOrder } from './order-rows.ts';

/** What the person took back or gave up is not bought after all. */
const CAME_TO_NOTHING: ReadonlySet<OrderEnding | null> = new Set([
  'exchange',
  'rejected',
  'refused',
  'absent',
  'unsent',
]);

/** Each wait is three times the one before: ten tries in a quarter, three of them in the first hour. */
const FIRST_WAIT_MS = 20 * MINUTE_MS;
const WAIT_FACTOR = 3;

function cameToNothing(before: LiveOrder, { intent, booked, cancel, ending }: LiveOrder): boolean {
  if (intent.side !== 'buy' || booked !== ZERO || hasEnded(before)) return false;
  return CAME_TO_NOTHING.has(ending) && cancel === null;
}

/** The order's agent must be locked, and the order stored as it ended. */
export async function noteMissedEntry(
  tx: Tx,
  before: LiveOrder,
  { order, decidedMarketMs }: StoredOrder,
): Promise<void> {
  if (!cameToNothing(before, order)) return;
  const { agentId, symbol } = order.intent;
  const [agent] = await tx.db
    .select({ memory: agents.memory, frequency: agents.tradingFrequency })
    .from(agents)
    .where(eq(agents.id, agentId));
  const frequency = agent?.frequency as TradingFrequency | undefined;
  if (agent === undefined || frequency === undefined || rebalancesAlways(frequency)) return;
  const tries = await tx.db.$count(
    liveOrders,
    and(
      eq(liveOrders.agentId, agentId),
      eq(liveOrders.symbol, symbol),
      eq(liveOrders.side, 'buy'),
      eq(liveOrders.booked, '0'),
      inArray(liveOrders.state, [...ENDED_STATES]),
      gte(liveOrders.decidedMarketMs, lastRebalance(frequency, decidedMarketMs)),
    ),
  );
  const known = agent.memory as Record<string, unknown>;
  // A moment has come since, or only a part was ordered: that does not wait for the first failure.
  if (tries <= 1 && readMemory(known).owed.includes(symbol)) return;
  const wait = FIRST_WAIT_MS * WAIT_FACTOR ** Math.max(0, tries - 1);
  const memory = rememberOwed(known, [symbol], decidedMarketMs + wait);
  await tx.db.update(agents).set({ memory }).where(eq(agents.id, agentId));
}

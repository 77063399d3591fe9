/**
 * Sells positions whose stop was hit, of any number of people in one transaction, and tells each of
 * them. Every position is judged again under its lock.
 */
import { and, asc, inArray, isNull } from 'drizzle-orm';
import type { Fixed } from '../../contract/money.ts';
import type { Fill } from '../../contract/trading.ts';
import { stopHit } from '../../engine/execution/stops.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { Tx } from '../db/database.ts';
import { isRetryable, isUnavailable } from '../db/faults.ts';
import { accounts, agents, positions } from '../db/schema.ts';
import type { DomainEvent } from '../db/user-events.ts';
import { exitOf, recordExits } from '../portfolio/exits.ts';
import { toOpenPosition } from '../portfolio/marks.ts';
import type { PositionRow, TradeToRecord } from '../portfolio/record-trades.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { Venue } from '../venues/venue.ts';
import { asAgentRow, toAgents, type AgentRow } from './read-agents.ts';

export interface Watched {
  id: string;
  agentId: string;
  accountId: string;
  uid: string;
  pair: string;
  stopPrice: Fixed;
  quantity: Fixed;
  openedAt: number;
}

/** A stop that was hit: the position, the price that hit it, and how deep the market was. */
export interface HitStop {
  watched: Watched;
  quote: Quote;
  depth: Depth;
  /** Found in a candle of before: it says nothing of what was bought since. */
  missed?: boolean;
}

/**
 * `busy`: somebody else holds its agent or account. `gone`: sold by now, or its agent is no more.
 * `kept`: the price does not reach its stop, or nobody buys the pair.
 */
export type SaleOutcome = 'sold' | 'kept' | 'gone' | 'account-gone' | 'busy' | Error;

/**
 * The outcome of each position, by its id. With `wait` those that somebody holds are waited for,
 * else they are left. One that cannot be worked out fails alone; one that the database refuses
 * fails all.
 */
export async function sellStopped(
  tx: Tx,
  deps: TradingDeps,
  venue: Venue,
  list: readonly HitStop[],
  wait: boolean,
): Promise<Map<string, SaleOutcome>> {
  const held = await lockAll(tx, list, wait);
  const outcomes = new Map<string, SaleOutcome>();
  const sales: TradeToRecord[] = [];
  for (const hit of list) {
    const judged = judge(venue, held, hit, wait);
    if (typeof judged === 'string' || judged instanceof Error) outcomes.set(hit.watched.id, judged);
    else {
      outcomes.set(hit.watched.id, 'sold');
      sales.push(judged);
    }
  }
  const fills = await recordExits(tx, held.agents, sales);
  await tell(tx, deps, held.agents, fills);
  return outcomes;
}

interface Held {
  agents: ReadonlyMap<string, AgentRow>;
  /** Whether the account is closed, of each that could be had. */
  accounts: ReadonlyMap<string, boolean>;
  positions: ReadonlyMap<string, PositionRow>;
}

/**
 * Agents, accounts, positions, each in the order of their ids: as the batches of a tick take them,
 * so that two who wait never wait for each other.
 */
async function lockAll(tx: Tx, list: readonly HitStop[], wait: boolean): Promise<Held> {
  const how = wait ? {} : { skipLocked: true as const };
  const agentIds = [...new Set(list.map(({ watched }) => watched.agentId))];
  const agentRows = await tx.db
    .select()
    .from(agents)
    .where(inArray(agents.id, agentIds))
    .orderBy(asc(agents.id))
    .for('update', how);
  const accountIds = [...new Set(list.map(({ watched }) => watched.accountId))];
  const accountRows = await tx.db
    .select({ id: accounts.id, closedAt: accounts.closedAt })
    .from(accounts)
    .where(inArray(accounts.id, accountIds))
    .orderBy(asc(accounts.id))
    .for('update', how);
  const had = new Set(agentRows.map(({ id }) => id));
  const open = new Map(accountRows.map(({ id, closedAt }) => [id, closedAt === null]));
  const ids = list
    .filter(({ watched }) => had.has(watched.agentId) && open.get(watched.accountId) === true)
    .map(({ watched }) => watched.id);
  const positionRows =
    ids.length === 0
      ? []
      : await tx.db
          .select()
          .from(positions)
          .where(and(inArray(positions.id, ids), isNull(positions.closedMarketMs)))
          .orderBy(asc(positions.id))
          .for('update');
  return {
    agents: new Map(agentRows.map((row) => [row.id, asAgentRow(row)])),
    accounts: new Map(accountRows.map(({ id, closedAt }) => [id, closedAt !== null])),
    positions: new Map(positionRows.map((row) => [row.id, row])),
  };
}

function judge(
  venue: Venue,
  held: Held,
  { watched, quote, depth, missed = false }: HitStop,
  waited: boolean,
): TradeToRecord | SaleOutcome {
  const closed = held.accounts.get(watched.accountId);
  if (closed === undefined) return waited ? 'account-gone' : 'busy';
  if (closed) return 'account-gone';
  if (!held.agents.has(watched.agentId)) return waited ? 'gone' : 'busy';
  const position = held.positions.get(watched.id);
  if (position === undefined) return 'gone';
  try {
    const held = toOpenPosition(position);
    if (!stopHit(held, quote) || (missed && held.quantity > watched.quantity)) return 'kept';
    const tickId = `stop:${watched.id}`;
    return (
      exitOf(venue, { position, quote, depth, reason: 'stop_loss', tickId }) ??
      new Error('The source does not offer the pair now')
    );
  } catch (error) {
    if (isRetryable(error) || isUnavailable(error)) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** To each person: their sales, that the portfolio changed, and their agents as they are now. */
async function tell(
  tx: Tx,
  deps: TradingDeps,
  rows: ReadonlyMap<string, AgentRow>,
  fills: readonly Fill[],
): Promise<void> {
  const byPerson = new Map<string, DomainEvent[]>();
  const say = (uid: string, event: DomainEvent): void => {
    const said = byPerson.get(uid);
    if (said === undefined) byPerson.set(uid, [event]);
    else said.push(event);
  };
  const sellers = new Map<string, AgentRow>();
  for (const fill of fills) {
    const seller = rows.get(fill.agentId);
    if (seller === undefined) continue;
    sellers.set(seller.id, seller);
    say(seller.uid, { type: 'fill.recorded', fill });
  }
  for (const uid of byPerson.keys()) say(uid, { type: 'portfolio.changed' });
  // Of the row a sale changes the memory alone, which is not shown.
  const told = [...sellers.values()];
  const shown = await toAgents(tx.db, deps.market, told);
  shown.forEach((agent, index) => {
    say(told[index]?.uid ?? '', { type: 'agent.changed', agent });
  });
  await deps.events.appendAll(tx, byPerson);
}

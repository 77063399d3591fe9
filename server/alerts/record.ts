/**
 * Records what the watch has seen: a firing, its event and the alert's next phase in one
 * transaction.
 */
import { randomUUID } from 'node:crypto';
import { asc, inArray } from 'drizzle-orm';
import { AlertCondition, sameCondition } from '../../contract/alerts.ts';
import { formatFixed } from '../../contract/money.ts';
import type { WallClock } from '../clock.ts';
import { insertOf, updateRows } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { alertFirings, alerts } from '../db/schema-alerts.ts';
import type { DomainEvent, EventLog } from '../db/user-events.ts';
import type { Market } from '../market/market-source.ts';
import { toAlert, toFiring, type AlertRow, type FiringRow } from './alert-rows.ts';
import type { Transition } from './symbol-board.ts';

export interface RecordDeps {
  market: Market;
  events: EventLog;
  clock: WallClock;
}

/** The row as a transition leaves it, or null where the row is not what the transition is about. */
function advanced(
  row: AlertRow,
  { what, symbol, condition, arming, at, since, next }: Transition,
  now: number,
): AlertRow | null {
  const open = row.deletedAt === null && row.active && row.arming === arming;
  // A board that is ahead by itself may meet the number of an arming that the person has set since.
  const same =
    row.symbol === symbol && sameCondition(AlertCondition.parse(row.condition), condition);
  if (!open || !same || row.phase !== (what === 'fired' ? 'watching' : 'waiting')) return null;
  const common = {
    ...row,
    sinceMarketMs: since,
    changedAt: now,
    restsUntilMarketMs: next?.restsUntil ?? null,
  };
  if (what === 'rearmed') return { ...common, phase: 'watching' };
  // One notice is enough: what it may have passed before is not looked for any more.
  const fired = {
    ...common,
    lastFiredMarketMs: at,
    unseenSinceMarketMs: null,
    arming: arming + 1,
  };
  return next === null
    ? { ...fired, phase: 'fired', active: false }
    : { ...fired, phase: next.phase };
}

/** A fast tape's clock stands between milliseconds too. */
function wholeMs(transition: Transition): Transition {
  const { at, since, next } = transition;
  const restsUntil = next?.restsUntil == null ? null : Math.floor(next.restsUntil);
  return {
    ...transition,
    at: Math.floor(at),
    since: Math.floor(since),
    next: next === null ? null : { ...next, restsUntil },
  };
}

function firingOf(
  row: AlertRow,
  { at, price, movedBps, late, arming }: Transition,
  simulated: boolean,
  now: number,
): FiringRow {
  const { id: alertId, uid, source, symbol, condition, note } = row;
  return {
    id: randomUUID(),
    alertId,
    arming,
    uid,
    source,
    symbol,
    condition,
    note,
    price: formatFixed(price),
    movedBps,
    atMarketMs: at,
    late,
    simulated,
    recordedAt: now,
  };
}

/**
 * People first, then alerts, as a person's own commands take them. Returns the ids whose transition
 * was no longer true: another process was first, or the person has changed the alert.
 */
export async function recordTransitions(
  tx: Tx,
  deps: RecordDeps,
  seen: readonly Transition[],
): Promise<string[]> {
  const list = seen.map(wholeMs);
  const now = deps.clock.now();
  const simulated = deps.market.source.kind !== 'exchange';
  const people = [...new Set(list.map(({ uid }) => uid))];
  const ids = [...new Set(list.map(({ id }) => id))];
  await tx.db
    .select({ uid: users.uid })
    .from(users)
    .where(inArray(users.uid, people))
    .orderBy(asc(users.uid))
    .for('update');
  const read = await tx.db
    .select()
    .from(alerts)
    .where(inArray(alerts.id, ids))
    .orderBy(asc(alerts.id))
    .for('update');
  const rows = new Map(read.map((row) => [row.id, row]));
  const changed = new Set<string>();
  const missed: string[] = [];
  const firings: FiringRow[] = [];
  const told = new Map<string, DomainEvent[]>();
  for (const transition of list) {
    const row = rows.get(transition.id);
    const next = row === undefined ? null : advanced(row, transition, now);
    if (row === undefined || next === null) {
      missed.push(transition.id);
      continue;
    }
    rows.set(row.id, next);
    changed.add(row.id);
    const alert = toAlert(next);
    const events = told.get(row.uid) ?? [];
    told.set(row.uid, events);
    if (transition.what === 'rearmed') events.push({ type: 'alert.changed', alert });
    else {
      const firing = firingOf(row, transition, simulated, now);
      firings.push(firing);
      events.push({ type: 'alert.fired', alert, firing: toFiring(firing) });
    }
  }
  if (changed.size === 0) return missed;
  const fresh = [...changed]
    .map((id) => rows.get(id) as AlertRow)
    .map((row) => ({
      id: row.id,
      phase: row.phase,
      active: row.active,
      arming: row.arming,
      sinceMarketMs: row.sinceMarketMs,
      unseenSinceMarketMs: row.unseenSinceMarketMs,
      restsUntilMarketMs: row.restsUntilMarketMs,
      lastFiredMarketMs: row.lastFiredMarketMs,
      changedAt: row.changedAt,
    }));
  await updateRows(tx.db, alerts, 'id', fresh);
  if (firings.length > 0) await tx.db.execute(insertOf(alertFirings, firings));
  await deps.events.appendAll(tx, told);
  return missed;
}

/** Converts alert rows to the wire and to the watch. */
import { and, asc, desc, eq, isNull } from 'drizzle-orm';
import {
  AlertCondition,
  AlertPhase,
  type Alert,
  type AlertFiring,
  type AlertList,
} from '../../contract/alerts.ts';
import { ALERT_FIRINGS_TOLD } from '../../contract/limits.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { Db } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { alertFirings, alerts } from '../db/schema-alerts.ts';
import type { Watched } from './symbol-board.ts';

export type AlertRow = typeof alerts.$inferSelect;
export type FiringRow = typeof alertFirings.$inferSelect;

export const toAlert = (row: AlertRow): Alert => ({
  id: row.id,
  symbol: row.symbol,
  condition: AlertCondition.parse(row.condition),
  repeatMinutes: row.repeatMinutes,
  note: row.note,
  active: row.active,
  phase: AlertPhase.parse(row.phase),
  version: row.version,
  restsUntil: row.restsUntilMarketMs,
  lastFiredAt: row.lastFiredMarketMs,
  createdAt: row.createdAt,
});

export const toFiring = (row: FiringRow): AlertFiring => ({
  id: row.id,
  alertId: row.alertId,
  symbol: row.symbol,
  condition: AlertCondition.parse(row.condition),
  note: row.note,
  price: formatFixed(parseFixed(row.price)),
  movedBps: row.movedBps,
  at: row.atMarketMs,
  late: row.late,
  simulated: row.simulated,
  recorded: row.simulated && row.source.startsWith('replay:'),
  recordedAt: row.recordedAt,
});

/** Null for an alert that is not to be watched. */
export function toWatched(row: AlertRow): Watched | null {
  if (row.deletedAt !== null || !row.active) return null;
  if (row.phase !== 'watching' && row.phase !== 'waiting') return null;
  return {
    id: row.id,
    uid: row.uid,
    symbol: row.symbol,
    condition: AlertCondition.parse(row.condition),
    repeatMinutes: row.repeatMinutes,
    phase: row.phase,
    arming: row.arming,
    since: row.sinceMarketMs,
    restsUntil: row.restsUntilMarketMs,
    version: row.version,
  };
}

/** The sequence is read first: what changes meanwhile is told again rather than missed. */
export async function readAlertList(
  db: Db,
  source: string,
  uid: string,
  now: number,
): Promise<AlertList> {
  const [person] = await db
    .select({ sequence: users.sequence })
    .from(users)
    .where(eq(users.uid, uid));
  const rows = await db
    .select()
    .from(alerts)
    .where(and(eq(alerts.uid, uid), eq(alerts.source, source), isNull(alerts.deletedAt)))
    .orderBy(asc(alerts.createdAt), asc(alerts.id));
  const firings = await db
    .select()
    .from(alertFirings)
    .where(and(eq(alertFirings.uid, uid), eq(alertFirings.source, source)))
    .orderBy(
      desc(alertFirings.recordedAt),
      desc(alertFirings.atMarketMs),
      desc(alertFirings.arming),
      desc(alertFirings.id),
    )
    .limit(ALERT_FIRINGS_TOLD);
  return {
    alerts: rows.map(toAlert),
    firings: firings.map(toFiring),
    sequence: person?.sequence ?? 0,
    servedAt: now,
  };
}

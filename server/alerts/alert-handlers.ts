/** Handlers of the calls about price alerts: list, set as desired state, delete. */
import { and, count, eq, isNull } from 'drizzle-orm';
import {
  ALERT_LIMIT_WORDS,
  holdsAt,
  sameCondition,
  AlertCondition,
  type AlertBody,
  type AlertPhase,
} from '../../contract/alerts.ts';
import type { CallReply } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { ALERT_LOOK_BACK_DAYS, ALERTS_MAX } from '../../contract/limits.ts';
import { parseFixed } from '../../contract/money.ts';
import { tierPermitsCall } from '../../contract/calls.ts';
import type { BatchEntitlement } from '../billing/entitlement.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { alerts } from '../db/schema-alerts.ts';
import type { EventLog } from '../db/user-events.ts';
import { handlersFor, type CallContext } from '../http/handlers.ts';
import type { Market } from '../market/market-source.ts';
import { readAlertList, toAlert, type AlertRow } from './alert-rows.ts';

export interface AlertCallDeps {
  database: Database;
  market: Market;
  events: EventLog;
  clock: WallClock;
  entitlement: BatchEntitlement;
  /** Told after the commit, so that this process watches the alert at once. */
  changed(id: string): void;
}

const DAY_MS = 86_400_000;
const GONE = 'Alert not found. It may have been deleted.';

interface Arming {
  phase: AlertPhase;
  active: boolean;
  sinceMarketMs: number;
  /** The prices since then may have passed it on its way: the watch looks, also after a restart. */
  unseenSinceMarketMs: number | null;
  restsUntilMarketMs: number | null;
}

const off = (now: number): Arming => ({
  phase: 'off',
  active: false,
  sinceMarketMs: now,
  unseenSinceMarketMs: null,
  restsUntilMarketMs: null,
});

/**
 * Watched from the moment of the price that the person saw. Where the condition held at that price
 * already, they were told so: it waits until the price has gone back. A move is judged by what
 * comes after that moment.
 */
function armed(body: AlertBody, now: number, notBefore: number): Arming {
  const since = Math.floor(
    Math.min(now, Math.max(body.seen?.at ?? now, now - ALERT_LOOK_BACK_DAYS * DAY_MS, notBefore)),
  );
  const held = body.seen === null ? null : holdsAt(body.condition, parseFixed(body.seen.price));
  const waits = body.condition.kind === 'move' || held === true;
  return {
    phase: waits ? 'waiting' : 'watching',
    active: true,
    sinceMarketMs: since,
    unseenSinceMarketMs: since,
    restsUntilMarketMs: null,
  };
}

/** An edit that leaves the condition alone leaves the watching alone too. */
function rearmed(row: AlertRow, body: AlertBody, now: number): Arming | null {
  const same =
    sameCondition(AlertCondition.parse(row.condition), body.condition) &&
    row.symbol === body.symbol;
  if (!body.active) {
    return row.phase === 'off' ? null : off(now);
  }
  const firedSince =
    row.phase === 'fired' && (body.seen?.at ?? now) < (row.lastFiredMarketMs ?? -Infinity);
  // Reached while the edit was on its way: it has done what it was for.
  if (same && firedSince && body.repeatMinutes === null) return null;
  if (same && row.active) return null;
  return armed(body, now, row.lastFiredMarketMs ?? -Infinity);
}

const wanted = (row: AlertRow, body: AlertBody): boolean =>
  row.symbol === body.symbol &&
  row.note === body.note &&
  row.repeatMinutes === body.repeatMinutes &&
  sameCondition(AlertCondition.parse(row.condition), body.condition) &&
  (row.active === body.active || (row.phase === 'fired' && body.active));

async function requireFreePlace(tx: Tx, uid: string, source: string): Promise<void> {
  const [held] = await tx.db
    .select({ count: count() })
    .from(alerts)
    .where(and(eq(alerts.uid, uid), eq(alerts.source, source), isNull(alerts.deletedAt)));
  if ((held?.count ?? 0) >= ALERTS_MAX) throw new Refusal('alert_limit_reached', ALERT_LIMIT_WORDS);
}

/**
 * A person's alerts change one after the other, so that the limit holds; whoever fires them takes
 * the person first too. Somebody else's alert is not there.
 */
async function lockOwn(tx: Tx, uid: string, source: string, id: string): Promise<AlertRow | null> {
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
  const [row] = await tx.db
    .select()
    .from(alerts)
    .where(and(eq(alerts.id, id), eq(alerts.uid, uid), eq(alerts.source, source)))
    .for('update');
  return row ?? null;
}

async function requirePermission(deps: AlertCallDeps, tx: Tx, uid: string): Promise<void> {
  const { tier } = await deps.entitlement.tierOf(uid, tx);
  if (!tierPermitsCall(tier, 'setAlert'))
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: alerts need market:read.',
    );
}

function requireSymbol(market: Market, symbol: string): void {
  if (market.rules(symbol) === null)
    throw new Refusal('unknown_symbol', `symbol: ${market.source.label} has no pair ${symbol}`, {
      field: 'symbol',
    });
}

/** Writes a new alert, or writes one that was deleted again under its old id. */
async function create(
  { market, clock }: AlertCallDeps,
  tx: Tx,
  alert: { uid: string; id: string; body: AlertBody },
  before: AlertRow | null,
): Promise<AlertRow> {
  const { uid, id, body } = alert;
  await requireFreePlace(tx, uid, market.source.id);
  const [now, wall] = [Math.floor(market.now()), clock.now()];
  const values = {
    symbol: body.symbol,
    condition: body.condition,
    repeatMinutes: body.repeatMinutes,
    note: body.note,
    ...(body.active ? armed(body, now, before?.lastFiredMarketMs ?? -Infinity) : off(now)),
    arming: (before?.arming ?? 0) + 1,
    version: (before?.version ?? 0) + 1,
    changedAt: wall,
    deletedAt: null,
  };
  const [row] =
    before === null
      ? await tx.db
          .insert(alerts)
          .values({ ...values, id, uid, source: market.source.id, createdAt: wall })
          .onConflictDoNothing()
          .returning()
      : await tx.db.update(alerts).set(values).where(eq(alerts.id, id)).returning();
  // Somebody else has an alert of that id.
  if (row === undefined) throw new Refusal('not_found', GONE);
  return row;
}

async function edit(
  { market, clock }: AlertCallDeps,
  tx: Tx,
  row: AlertRow,
  body: AlertBody,
): Promise<AlertRow> {
  const arming = rearmed(row, body, Math.floor(market.now()));
  const [changed] = await tx.db
    .update(alerts)
    .set({
      symbol: body.symbol,
      condition: body.condition,
      repeatMinutes: body.repeatMinutes,
      note: body.note,
      ...(arming === null ? {} : { ...arming, arming: row.arming + 1 }),
      version: row.version + 1,
      changedAt: clock.now(),
    })
    .where(eq(alerts.id, row.id))
    .returning();
  if (changed === undefined) throw new Error('The alert is gone');
  return changed;
}

/** Brings an alert into the desired state; `changed` says whether it was not in it already. */
async function write(
  deps: AlertCallDeps,
  tx: Tx,
  alert: { uid: string; id: string; body: AlertBody },
  row: AlertRow | null,
): Promise<{ row: AlertRow; changed: boolean }> {
  const { body } = alert;
  if (row === null || row.deletedAt !== null) {
    // One that was deleted elsewhere is made again only by somebody who means a new one.
    if (body.seenVersion !== null) throw new Refusal('not_found', GONE);
    return { row: await create(deps, tx, alert, row), changed: true };
  }
  if (row.version === body.seenVersion)
    return { row: await edit(deps, tx, row, body), changed: true };
  if (!wanted(row, body))
    throw new Refusal(
      'alert_changed',
      'This alert was changed on another device. Check it and save again.',
      { details: { alert: toAlert(row) } },
    );
  return { row, changed: false };
}

function setAlert(
  deps: AlertCallDeps,
  { caller: { uid }, commandId, params: { id }, body, once }: CallContext<'setAlert'>,
): Promise<CallReply<'setAlert'>> {
  return once(async (tx) => {
    await requirePermission(deps, tx, uid);
    requireSymbol(deps.market, body.symbol);
    const before = await lockOwn(tx, uid, deps.market.source.id, id);
    const { row, changed } = await write(deps, tx, { uid, id, body }, before);
    const alert = toAlert(row);
    if (!changed) return { commandId, alert };
    await deps.events.append(tx, uid, [{ type: 'alert.changed', alert }]);
    tx.afterCommit(() => {
      deps.changed(id);
    });
    return { commandId, alert };
  });
}

function deleteAlert(
  deps: AlertCallDeps,
  { caller: { uid }, commandId, params: { id }, once }: CallContext<'deleteAlert'>,
): Promise<CallReply<'deleteAlert'>> {
  const { market, events, clock } = deps;
  return once(async (tx) => {
    const row = await lockOwn(tx, uid, market.source.id, id);
    // What is gone already is deleted. A refusal would leave no receipt, and a late copy of this
    // command would delete an alert that was set under the same id since.
    if (row === null || row.deletedAt !== null) return { commandId, alertId: id };
    const now = clock.now();
    await tx.db
      .update(alerts)
      .set({
        deletedAt: now,
        changedAt: now,
        active: false,
        phase: 'off',
        version: row.version + 1,
      })
      .where(eq(alerts.id, id));
    await events.append(tx, uid, [{ type: 'alert.deleted', alertId: id }]);
    tx.afterCommit(() => {
      deps.changed(id);
    });
    return { commandId, alertId: id };
  });
}

export function alertHandlers(deps: AlertCallDeps) {
  const { database, market, clock } = deps;
  return handlersFor({
    alerts: ({ caller }) => readAlertList(database.db, market.source.id, caller.uid, clock.now()),
    setAlert: (context) => setAlert(deps, context),
    deleteAlert: (context) => deleteAlert(deps, context),
  });
}

/**
 * Turns committed events and plans into messages to be sent, once per device. The sender sends
 * them.
 */
import { randomUUID } from 'node:crypto';
import { and, asc, eq, gt, inArray, isNotNull, lte, or } from 'drizzle-orm';
import { ALERT_PAIRS_NAMED, TRIAL_WARNING_DAYS } from '../../contract/limits.ts';
import { StreamEvent } from '../../contract/stream.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { events, pushMessages, pushSubscriptions, users } from '../db/schema.ts';
import { subscriptions } from '../db/schema-plans.ts';
import { readSettings } from '../users/user-settings.ts';
import { causesOf, wanted, type Cause } from './causes.ts';
import { causesOfPlan } from './plan-causes.ts';
import { readPreferences } from './push-preferences.ts';
import { quietUntil } from './quiet-hours.ts';

/** Fills of one look come together; they are told in one. */
const FILL_GROUP_MS = 20_000;
/**
 * A device that cannot be reached for long keeps this many; fills give way first, then the oldest.
 */
export const WAITING_MAX = 50;
const EVENTS_AT_ONCE = 500;
const DEVICES_AT_ONCE = 200;
const DAY_MS = 86_400_000;

type Device = typeof pushSubscriptions.$inferSelect;
interface QueuedMessage {
  facts: Cause['facts'];
  fill: Cause['fill'];
  /** All pairs of a group of alerts, of which a message names the first. */
  pairs?: string[];
}

/** On the market's clock, ms. */
const timeOf = ({ facts, fill }: QueuedMessage): number => facts.firing?.at ?? fill?.filledAt ?? 0;

/** Of those of one time the later. What is found in candles afterwards comes out of turn. */
const newer = (one: QueuedMessage, other: QueuedMessage): QueuedMessage =>
  timeOf(other) >= timeOf(one) ? other : one;

/** What is told of a whole group: how many, the newest, and of alerts which pairs. */
function together(
  before: QueuedMessage | null,
  causes: readonly Cause[],
  last: Cause,
): QueuedMessage {
  const count = (before?.facts.count ?? 0) + causes.length;
  const { facts, fill } = causes.reduce<QueuedMessage>(newer, before ?? last);
  if (last.kind !== 'priceAlert') return { facts: { ...facts, count }, fill };
  const pairs = [
    ...new Set([
      ...(before?.pairs ?? before?.facts.pairs ?? []),
      ...causes.map((cause) => cause.facts.pair ?? ''),
    ]),
  ];
  const morePairs = Math.max(0, pairs.length - ALERT_PAIRS_NAMED);
  return {
    facts: { ...facts, count, pairs: pairs.slice(0, ALERT_PAIRS_NAMED), morePairs },
    fill: null,
    pairs,
  };
}

/** Causes of one kind as one message; `join`: with those of the kind that wait to be sent still. */
async function group(
  tx: Tx,
  device: Device,
  causes: readonly Cause[],
  at: number,
  join = true,
): Promise<void> {
  const last = causes.at(-1);
  if (last === undefined) return;
  const [waiting] = !join
    ? []
    : await tx.db
        .select()
        .from(pushMessages)
        .where(
          and(
            eq(pushMessages.subscriptionId, device.id),
            eq(pushMessages.kind, last.kind),
            eq(pushMessages.state, 'waiting'),
            eq(pushMessages.attempts, 0),
          ),
        )
        .for('update');
  const kept = together(
    waiting === undefined ? null : (waiting.facts as QueuedMessage),
    causes,
    last,
  );
  if (waiting !== undefined)
    await tx.db.update(pushMessages).set({ facts: kept }).where(eq(pushMessages.id, waiting.id));
  else await add(tx, device, last, kept, at);
}

async function add(
  tx: Tx,
  device: Device,
  { kind, cause }: Cause,
  queued: QueuedMessage,
  at: number,
): Promise<void> {
  await tx.db
    .insert(pushMessages)
    .values({
      id: randomUUID(),
      subscriptionId: device.id,
      cause,
      kind,
      facts: queued,
      state: 'waiting',
      nextAttemptAt: at,
      createdAt: at,
    })
    .onConflictDoNothing();
}

async function keepBounded(tx: Tx, device: Device): Promise<void> {
  const rows = await tx.db
    .select({ id: pushMessages.id, kind: pushMessages.kind })
    .from(pushMessages)
    .where(and(eq(pushMessages.subscriptionId, device.id), eq(pushMessages.state, 'waiting')))
    .orderBy(asc(pushMessages.createdAt), asc(pushMessages.id));
  const over = rows.length - WAITING_MAX;
  if (over <= 0) return;
  const first = [
    ...rows.filter(({ kind }) => kind === 'fills'),
    ...rows.filter(({ kind }) => kind !== 'fills'),
  ].slice(0, over);
  await tx.db
    .update(pushMessages)
    .set({ state: 'dropped' })
    .where(
      inArray(
        pushMessages.id,
        first.map(({ id }) => id),
      ),
    );
}

/** Writes what the person wants of these causes, to go out when they may be disturbed. */
async function queueMessages(
  tx: Tx,
  device: Device,
  causes: readonly Cause[],
  now: number,
): Promise<void> {
  if (causes.length === 0 || !(await readSettings(tx.db, device.uid)).settings.notificationsEnabled)
    return;
  const preferences = await readPreferences(tx.db, device.uid);
  const quietHours = quietUntil(preferences.quietHours, now);
  const chosen = wanted(preferences, causes);
  const of = (wantedKind: Cause['kind']): Cause[] =>
    chosen.filter(({ kind }) => kind === wantedKind);
  for (const cause of chosen)
    if (cause.kind !== 'fills' && cause.kind !== 'priceAlert')
      await add(tx, device, cause, { facts: cause.facts, fill: cause.fill }, quietHours ?? now);
  await group(tx, device, of('fills'), quietHours ?? now + FILL_GROUP_MS);
  // An alert is told at once, and one that may be on its way is left alone: what is reached in one
  // moment, or waits for the end of quiet hours, is told in one.
  await group(tx, device, of('priceAlert'), quietHours ?? now, quietHours !== null);
  await keepBounded(tx, device);
}

/**
 * Looks at the events of one device's person that were not looked at for it; the place it has
 * reached is written with the messages.
 */
async function follow(tx: Tx, id: string, knownSequence: number, now: number): Promise<boolean> {
  const [device] = await tx.db
    .select()
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.id, id))
    .for('update', { skipLocked: true });
  if (device === undefined) return false;
  const rows = await tx.db
    .select()
    .from(events)
    .where(and(eq(events.uid, device.uid), gt(events.sequence, device.sequence)))
    .orderBy(asc(events.sequence))
    .limit(EVENTS_AT_ONCE);
  const causes = rows.flatMap(({ payload }) => {
    const event = StreamEvent.safeParse(payload);
    return event.success ? causesOf(event.data) : [];
  });
  await queueMessages(tx, device, causes, now);
  // Events are kept a day: what is gone by now is too old to be told.
  const sequence = rows.at(-1)?.sequence ?? Math.max(knownSequence, device.sequence);
  await tx.db.update(pushSubscriptions).set({ sequence }).where(eq(pushSubscriptions.id, id));
  return rows.length === EVENTS_AT_ONCE;
}

/** Every device whose person has newer events. Answers whether there is more to look at. */
export async function planFromEvents(database: Database, clock: WallClock): Promise<boolean> {
  const behind = await database.db
    .select({ id: pushSubscriptions.id, sequence: users.sequence })
    .from(pushSubscriptions)
    .innerJoin(users, eq(users.uid, pushSubscriptions.uid))
    .where(gt(users.sequence, pushSubscriptions.sequence))
    .limit(DEVICES_AT_ONCE);
  let more = behind.length === DEVICES_AT_ONCE;
  for (const { id, sequence } of behind)
    more = (await database.transaction((tx) => follow(tx, id, sequence, clock.now()))) || more;
  return more;
}

/** Trials about to end and payments that failed: states, not events, so they are looked for. */
export async function planFromPlans(database: Database, clock: WallClock): Promise<void> {
  const now = clock.now();
  const rows = await database.db
    .select({ device: pushSubscriptions, trialEndsAt: users.trialEndsAt, plan: subscriptions })
    .from(pushSubscriptions)
    .innerJoin(users, eq(users.uid, pushSubscriptions.uid))
    .leftJoin(subscriptions, eq(subscriptions.uid, pushSubscriptions.uid))
    .where(
      or(
        inArray(subscriptions.status, ['past_due', 'unpaid']),
        and(
          isNotNull(users.trialEndsAt),
          gt(users.trialEndsAt, now),
          lte(users.trialEndsAt, now + TRIAL_WARNING_DAYS * DAY_MS),
        ),
      ),
    );
  for (const { device, ...row } of rows) {
    const causes = causesOfPlan(row, now);
    const known = await database.db
      .select({ cause: pushMessages.cause })
      .from(pushMessages)
      .where(
        and(
          eq(pushMessages.subscriptionId, device.id),
          inArray(
            pushMessages.cause,
            causes.map(({ cause }) => cause),
          ),
        ),
      );
    const fresh = causes.filter(({ cause }) => !known.some((one) => one.cause === cause));
    if (fresh.length > 0) await database.transaction((tx) => queueMessages(tx, device, fresh, now));
  }
}

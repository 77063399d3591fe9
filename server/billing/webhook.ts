/**
 * Handles a provider's webhook once per event id. It only triggers a re-fetch; the payload is not
 * trusted.
 */
import { eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { checkouts, subscriptions, webhookEvents } from '../db/schema-plans.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Log } from '../log.ts';
import type { Payments, ProviderSubscription, WebhookNotice } from './payments.ts';
import { observe, recordSubscription, type Observation } from './subscription-record.ts';
import { subscriptionCounts } from './subscription-state.ts';

export interface WebhookDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
  log: Log;
  payments: Payments;
}

/**
 * Returns false where this event had been taken before. A failure leaves no trace, so that the
 * provider's next try works.
 */
export async function takeWebhook(deps: WebhookDeps, notice: WebhookNotice): Promise<boolean> {
  const { database, clock } = deps;
  const [taken] = await database.db
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, notice.eventId));
  if (taken !== undefined) return false;
  const observation = await observe(database.db, clock);
  const seen =
    notice.subscriptionId === null ? null : await fetchSettled(deps, notice.subscriptionId);
  return database.transaction(async (tx) => {
    const first = await tx.db
      .insert(webhookEvents)
      .values({ id: notice.eventId, type: notice.type, receivedAt: clock.now() })
      .onConflictDoNothing()
      .returning({ id: webhookEvents.id });
    if (first.length === 0) return false;
    if (notice.checkout !== null) {
      await tx.db
        .update(checkouts)
        .set({ state: notice.checkout.state })
        .where(eq(checkouts.id, notice.checkout.id));
    }
    if (seen !== null) await recordSeen(deps, tx, seen, observation, notice.type);
    return true;
  });
}

/**
 * What the provider has now. In its portal a plan may be cancelled whose renewal is unpaid: it no
 * longer counts, and the provider would go on collecting that month. It is ended there, too; where a
 * payment is under way, at a later question.
 */
export async function fetchSettled(
  { clock, payments }: Pick<WebhookDeps, 'clock' | 'payments'>,
  subscriptionId: string,
): Promise<ProviderSubscription | null> {
  const seen = await payments.fetchSubscription(subscriptionId);
  if (
    seen?.status !== 'past_due' ||
    !seen.cancelAtPeriodEnd ||
    subscriptionCounts(seen, clock.now())
  )
    return seen;
  try {
    return await payments.cancelAtPeriodEnd(seen.id);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'already_subscribed') return seen;
    throw error;
  }
}

/** Writes what was seen under the person it belongs to. */
export async function recordSeen(
  deps: Omit<WebhookDeps, 'clock' | 'database'>,
  tx: Parameters<typeof recordSubscription>[0],
  seen: ProviderSubscription,
  observation: Observation,
  cause: string,
): Promise<boolean> {
  const { events, log, payments } = deps;
  const uid = seen.uid ?? (await ownerOf(tx.db, seen.customerId));
  const written =
    uid !== null &&
    (await recordSubscription(tx, events, payments.provider, { ...seen, uid }, observation));
  if (uid === null)
    log.warn(
      { subscription: seen.id, cause },
      'a subscription at the provider belongs to no user here',
    );
  else log.info({ cause, written }, 'a subscription was re-fetched');
  return written;
}

async function ownerOf(db: Database['db'], customerId: string | null): Promise<string | null> {
  if (customerId === null) return null;
  const [row] = await db
    .select({ uid: subscriptions.uid })
    .from(subscriptions)
    .where(eq(subscriptions.customerId, customerId));
  return row?.uid ?? null;
}

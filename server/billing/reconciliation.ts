/** Asks the payment provider for what webhooks did not tell: missed events and overdue renewals. */
import { and, asc, eq, inArray, isNotNull, lt, or } from 'drizzle-orm';
import { meta } from '../db/schema.ts';
import { subscriptions, webhookEvents } from '../db/schema-plans.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { WebhookNotice } from './payments.ts';
import { observe } from './subscription-record.ts';
import { fetchSettled, recordSeen, takeWebhook, type WebhookDeps } from './webhook.ts';

const MINUTE_MS = 60_000;
const RECONCILE_EVERY_MS = 5 * MINUTE_MS;
/** What should have changed by now is asked about this often, everything that counts this often. */
const UNSETTLED_ASK_MS = 5 * MINUTE_MS;
const SETTLED_ASK_MS = 6 * 60 * MINUTE_MS;
/**
 * The provider lists an event a little after it happened: each look begins that much before the
 * last one.
 */
const OVERLAP_MS = 60 * MINUTE_MS;
/** How far back the first look goes: as long as the provider tries to deliver. */
const FIRST_LOOK_MS = 3 * 24 * 60 * MINUTE_MS;
const AT_ONCE = 100;
const MARK = 'billing.events-looked-at';

export class Reconciliation {
  readonly task: PeriodicTask;

  constructor(private readonly deps: WebhookDeps) {
    this.task = new PeriodicTask(
      async () => {
        await this.runOnce();
      },
      RECONCILE_EVERY_MS,
      deps.log,
      'subscriptions could not be reconciled',
    );
  }

  /** Returns how many events and subscriptions were found to have something new. */
  async runOnce(): Promise<{ events: number; subscriptions: number }> {
    return { events: await this.takeMissed(), subscriptions: await this.checkUnsettled() };
  }

  /** Events of the provider's own list that were never delivered, or whose delivery failed here. */
  private async takeMissed(): Promise<number> {
    const { payments, clock, database, log } = this.deps;
    if (payments.recentNotices === null) return 0;
    const startedAt = clock.now();
    const [mark] = await database.db.select().from(meta).where(eq(meta.key, MARK));
    const since =
      typeof mark?.value === 'number' ? mark.value - OVERLAP_MS : startedAt - FIRST_LOOK_MS;
    let found = 0;
    let failed = false;
    for (const notice of await this.unknown(await payments.recentNotices(since))) {
      try {
        if (await takeWebhook(this.deps, notice)) found += 1;
      } catch (error) {
        failed = true;
        log.warn(
          { event: notice.eventId, reason: String(error) },
          'a missed event could not be processed yet',
        );
      }
    }
    if (found > 0) log.warn({ found }, "undelivered events were fetched from the provider's list");
    // What failed is looked for again: the mark stays where it was.
    if (!failed)
      await database.db
        .insert(meta)
        .values({ key: MARK, value: startedAt })
        .onConflictDoUpdate({ target: meta.key, set: { value: startedAt } });
    return found;
  }

  private async unknown(notices: readonly WebhookNotice[]): Promise<WebhookNotice[]> {
    const taken = new Set<string>();
    for (let from = 0; from < notices.length; from += 1_000) {
      const ids = notices.slice(from, from + 1_000).map(({ eventId }) => eventId);
      for (const { id } of await this.deps.database.db
        .select({ id: webhookEvents.id })
        .from(webhookEvents)
        .where(inArray(webhookEvents.id, ids)))
        taken.add(id);
    }
    return notices.filter(({ eventId }) => !taken.has(eventId));
  }

  /**
   * Subscriptions that should have renewed or ended by now, and, more rarely, all that are not
   * over. One that fails holds up no other.
   */
  private async checkUnsettled(): Promise<number> {
    const {
      database: { db },
      clock,
      log,
      payments,
    } = this.deps;
    const now = clock.now();
    const waiting = await db
      .select({ uid: subscriptions.uid, id: subscriptions.providerSubscriptionId })
      .from(subscriptions)
      .where(
        and(
          eq(subscriptions.provider, payments.provider),
          isNotNull(subscriptions.providerSubscriptionId),
          inArray(subscriptions.status, ['active', 'trialing', 'past_due', 'incomplete']),
          or(
            and(
              or(
                lt(subscriptions.currentPeriodEnd, now),
                inArray(subscriptions.status, ['past_due', 'incomplete']),
              ),
              lt(subscriptions.updatedAt, now - UNSETTLED_ASK_MS),
            ),
            lt(subscriptions.updatedAt, now - SETTLED_ASK_MS),
          ),
        ),
      )
      .orderBy(asc(subscriptions.updatedAt))
      .limit(AT_ONCE);
    let found = 0;
    for (const { uid, id } of waiting) {
      try {
        if (id !== null && (await this.ask(uid, id))) found += 1;
      } catch (error) {
        log.warn(
          { subscription: id, reason: String(error) },
          'a subscription could not be checked yet',
        );
      }
    }
    return found;
  }

  private async ask(uid: string, id: string): Promise<boolean> {
    const { database, clock } = this.deps;
    const observation = await observe(database.db, clock);
    const seen = await fetchSettled(this.deps, id);
    return database.transaction(async (tx) => {
      if (seen !== null) return recordSeen(this.deps, tx, seen, observation, 'reconciliation');
      // Not there any more: nothing is changed on a missing word, but the others come first next
      // time.
      await tx.db
        .update(subscriptions)
        .set({ updatedAt: observation.at })
        .where(eq(subscriptions.uid, uid));
      this.deps.log.warn({ subscription: id }, 'the provider no longer knows a subscription');
      return false;
    });
  }
}

/**
 * Forgets what need not be kept: receipts after 30 days, events and messages to sign after one;
 * refuses to touch money.
 */
import { lt } from 'drizzle-orm';
import { ALERT_FIRINGS_KEEP_DAYS, RECEIPT_KEEP_DAYS } from '../../contract/limits.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Database } from './database.ts';
import { alertFirings, alerts } from './schema-alerts.ts';
import { events, receipts } from './schema.ts';
import { webhookEvents } from './schema-plans.ts';
import { linkMessages } from './schema-wallet.ts';

const DAY_MS = 86_400_000;
const EVENT_KEEP_DAYS = 1;
const LINK_MESSAGE_KEEP_DAYS = 1;
const RUN_EVERY_MS = 60 * 60_000;

export async function forgetOld(database: Database, clock: WallClock): Promise<void> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    await tx.db.delete(receipts).where(lt(receipts.createdAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(webhookEvents)
      .where(lt(webhookEvents.receivedAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(linkMessages)
      .where(lt(linkMessages.expiresAt, now - LINK_MESSAGE_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(alertFirings)
      .where(lt(alertFirings.recordedAt, now - ALERT_FIRINGS_KEEP_DAYS * DAY_MS));
    await tx.db.delete(alerts).where(lt(alerts.deletedAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db.delete(events).where(lt(events.createdAt, now - EVENT_KEEP_DAYS * DAY_MS));
  });
}

/** At once and then every hour. */
export const retentionTask = (database: Database, clock: WallClock, log: Log): PeriodicTask =>
  new PeriodicTask(
    () => forgetOld(database, clock),
    RUN_EVERY_MS,
    log,
    'old rows could not be removed',
  );

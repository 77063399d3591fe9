/**
 * Devices whose push service did not answer, or could not take a message for now, and how long each
 * is left alone: what waits for one of them would only fail as well, message after message.
 */
import { and, eq, lt } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { pushMessages } from '../db/schema.ts';

interface Silence {
  /** Attempts in vain since the last message that was taken. */
  failures: number;
  until: number;
}

/**
 * What one server knows of them. Another server and a later start find what waited put off in the
 * database, and count anew.
 */
export class SilentDevices {
  private readonly known = new Map<string, Silence>();

  /** One more attempt in vain: how many there have been. */
  note(id: string, now: number): number {
    const failures = (this.known.get(id)?.failures ?? 0) + 1;
    this.known.set(id, { failures, until: now });
    return failures;
  }

  rest(id: string, until: number): void {
    const silence = this.known.get(id);
    if (silence !== undefined) silence.until = until;
  }

  /** When it may be tried again; null where nothing is against it. */
  restOf(id: string, now: number): number | null {
    const until = this.known.get(id)?.until ?? 0;
    return until > now ? until : null;
  }

  delete(id: string): void {
    this.known.delete(id);
  }

  forgetBefore(ms: number): void {
    for (const [id, { until }] of this.known) if (until < ms) this.known.delete(id);
  }
}

/** Nothing that waits for the device is tried earlier. */
export async function putOff(database: Database, id: string, until: number): Promise<void> {
  await database.db
    .update(pushMessages)
    .set({ nextAttemptAt: until })
    .where(
      and(
        eq(pushMessages.subscriptionId, id),
        eq(pushMessages.state, 'waiting'),
        lt(pushMessages.nextAttemptAt, until),
      ),
    );
}

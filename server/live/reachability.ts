/** Whether an exchange account can be read, and what its key may still do, when it cannot. */
import { eq } from 'drizzle-orm';
import { liveMarks } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';

/** A short outage is no news. */
const TELL_AFTER_MS = 5 * 60_000;
/** Kraken counts it against the key's allowance. */
const RECHECK_MS = 10 * 60_000;

export class Reachability {
  private failingSinceMs: number | null = null;
  private recheckedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: LiveDeps) {}

  /** After each comparison. */
  async note(connection: ConnectionRow, isRead: boolean): Promise<void> {
    const now = this.deps.clock.now();
    if (isRead) {
      this.failingSinceMs = null;
      return;
    }
    this.failingSinceMs ??= now;
    if (now - this.recheckedAtMs < RECHECK_MS) return;
    const isLong = now - this.failingSinceMs >= TELL_AFTER_MS;
    if (!isLong) return;
    this.recheckedAtMs = now;
    await this.tell(connection, await this.faultsOf(connection.id));
  }

  /** What the exchange says of the key; null where it says nothing. */
  private async faultsOf(connectionId: string): Promise<string[] | null> {
    const report = await this.deps.signer.ask({ act: 'recheck', connectionId }).catch(() => null);
    return report?.kind === 'read' ? report.value.faults : null;
  }

  /** Once an outage: it is named by when the account was last read and agreed. */
  private async tell(connection: ConnectionRow, faults: string[] | null): Promise<void> {
    const { deps } = this;
    await deps.database.transaction(async (tx) => {
      // Whoever changes the account tells it under this lock, so that nothing older is told later.
      await lockAccount(tx, connection.accountId);
      const [marks] = await tx.db
        .select({ since: liveMarks.reconciledToMs })
        .from(liveMarks)
        .where(eq(liveMarks.connectionId, connection.id));
      const about = String(marks?.since ?? connection.createdAt);
      const isKey = faults !== null && faults.length > 0;
      await raiseAlarms(tx, deps, [
        {
          connectionId: connection.id,
          kind: isKey ? 'key_refused' : 'unreachable',
          about,
          detail: isKey ? { faults } : {},
        },
      ]);
      await publishLive(tx, deps, connection);
    });
  }
}

/** Whether an exchange account can be read, and what its key may still do, when it cannot. */
import { eq } from 'drizzle-orm';
import { liveMarks } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { followKey } from './follow-key.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { keepsFromReading } from './unread-orders.ts';

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
    if (!(await this.isKeyRefused(connection))) await this.tell(connection);
  }

  /** Whether it is the key, by the exchange's word; the person is told of that as of each reading. */
  private async isKeyRefused(connection: ConnectionRow): Promise<boolean> {
    const { signer } = this.deps;
    const { id: connectionId } = connection;
    const report = await signer.ask({ act: 'recheck', connectionId }).catch(() => null);
    const state = await signer.ask({ act: 'state', connectionId }).catch(() => null);
    if (report?.kind !== 'read') return false;
    // As the signer keeps it, and by its clock: the next look at its state finds nothing new, and what
    // was heard of a key that has been replaced meanwhile is not said of the new one.
    const kept = state?.kind === 'read' ? state.value : null;
    const { faults } = kept ?? report.value;
    const permissions = kept?.permissions ?? report.value.permissions;
    const readAtMs = kept?.permissionsReadAtMs ?? this.deps.clock.now();
    await followKey(this.deps, connection, { faults, permissions, readAtMs });
    return faults.some(keepsFromReading);
  }

  /** Once an outage: it is named by when the account was last read and agreed. */
  private async tell(connection: ConnectionRow): Promise<void> {
    const { deps } = this;
    await deps.database.transaction(async (tx) => {
      // Whoever changes the account tells it under this lock, so that nothing older is told later.
      await lockAccount(tx, connection.accountId);
      const [marks] = await tx.db
        .select({ since: liveMarks.reconciledToMs })
        .from(liveMarks)
        .where(eq(liveMarks.connectionId, connection.id));
      const about = String(marks?.since ?? connection.createdAt);
      await raiseAlarms(tx, deps, [
        { connectionId: connection.id, kind: 'unreachable', about, detail: {} },
      ]);
      await publishLive(tx, deps, connection);
    });
  }
}

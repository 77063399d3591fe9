/**
 * An exchange that has never told this process the rules of its pairs: nothing can be sized, so
 * nothing is sold or placed there, and the person is told.
 */
import { lockAccount } from '../portfolio/marks.ts';
import { hasPassed } from './elapsed.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { pairsToPlan } from './pair-plan.ts';

/** A start may wait ten seconds for them, and one answer may get lost. */
const TELL_AFTER_MS = 60_000;
/** How often it is looked whether there is anything by now that waits for them. */
const LOOK_MS = 10_000;

export class MissingRules {
  private sinceMs: number | null = null;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: LiveDeps) {}

  /** With each look at the account. */
  async note(connection: ConnectionRow, isKnown: boolean): Promise<void> {
    const now = this.deps.clock.now();
    if (isKnown) {
      this.sinceMs = null;
      return;
    }
    this.sinceMs ??= now;
    if (!hasPassed(this.sinceMs, TELL_AFTER_MS, now)) return;
    if (!hasPassed(this.lookedAtMs, LOOK_MS, now)) return;
    this.lookedAtMs = now;
    if ((await pairsToPlan(this.deps.database.db, connection)).length > 0)
      await this.tell(connection, now);
  }

  /** Once a day, also of several servers and after a restart. */
  private async tell(connection: ConnectionRow, now: number): Promise<void> {
    const { deps } = this;
    const about = `pair_rules ${new Date(now).toISOString().slice(0, 10)}`;
    await deps.database.transaction(async (tx) => {
      await lockAccount(tx, connection.accountId);
      await raiseAlarms(tx, deps, [
        { connectionId: connection.id, kind: 'unreachable', about, detail: { what: 'pair_rules' } },
      ]);
      await publishLive(tx, deps, connection);
    });
  }
}

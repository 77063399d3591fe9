/** The free trial, which each user can start once, also with a new account. */
import { and, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { TrialStatus } from '../../contract/subscription.ts';
import type { Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { offersUsedBefore } from '../users/used-offers.ts';
import { trialCounts, type TrialFacts } from './subscription-state.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Starts the trial at `now` (wall clock, ms) for `days` days. @throws Refusal `trial_used`. */
export async function startTrial(
  tx: Tx,
  uid: string,
  now: number,
  days: number,
): Promise<TrialFacts> {
  const used = () => new Refusal('trial_used', 'You have already used your free trial.');
  if ((await offersUsedBefore(tx.db, uid)).trial) throw used();
  const endsAt = now + days * DAY_MS;
  const started = await tx.db
    .update(users)
    .set({ trialStartedAt: now, trialEndsAt: endsAt })
    .where(and(eq(users.uid, uid), isNull(users.trialStartedAt)))
    .returning({ uid: users.uid });
  if (started.length === 0) throw used();
  return { endsAt };
}

/**
 * `days` is how long a trial lasts on this server. `usedBefore`: by an earlier account of theirs.
 */
export function trialOnWire(
  trial: TrialFacts,
  now: number,
  days: number,
  usedBefore = false,
): TrialStatus {
  return {
    isActive: trialCounts(trial, now),
    endDate: trial.endsAt === null ? null : new Date(trial.endsAt).toISOString(),
    hasUsed: trial.endsAt !== null || usedBefore,
    servedAt: now,
    trialDays: days,
  };
}

/** The hosted functions about referrals. They never say who joined, and limit guesses of codes. */
import { and, count, desc, eq, sql } from 'drizzle-orm';
import {
  REFERRAL_LIST_MAX,
  REFERRAL_REWARD_DAYS,
  type Referral,
  type ReferralState,
} from '../../contract/referrals.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { referrals } from '../db/schema.ts';
import { planCredits } from '../db/schema-plans.ts';
import { Allowance } from '../http/allowance.ts';
import { callablesFor } from '../http/callables.ts';
import { claimReferral } from './claim.ts';
import { ownCode } from './code.ts';

const HOUR_MS = 3_600_000;
const CLAIMS_AN_HOUR = 10;

/**
 * The day alone: with the minute, an inviter who knows when a friend signed up would know who it
 * is.
 */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function readReferral(tx: Tx, uid: string, now: number): Promise<Referral> {
  const rows = await tx.db
    .select({ joinedAt: referrals.joinedAt, earnedAt: referrals.earnedAt, credit: planCredits.id })
    .from(referrals)
    .leftJoin(planCredits, eq(planCredits.cause, sql`'inviter:' || ${referrals.id}::text`))
    .where(eq(referrals.inviterUid, uid))
    .orderBy(desc(referrals.joinedAt), referrals.id)
    .limit(REFERRAL_LIST_MAX);
  const [all] = await tx.db
    .select({ joined: count() })
    .from(referrals)
    .where(eq(referrals.inviterUid, uid));
  const [days] = await tx.db
    .select({
      added: sql<number>`coalesce(sum(${planCredits.days}) filter (where ${planCredits.grantedAt} is not null), 0)::int`,
      waiting: sql<number>`coalesce(sum(${planCredits.days}) filter (where ${planCredits.grantedAt} is null), 0)::int`,
    })
    .from(planCredits)
    .where(eq(planCredits.uid, uid));
  const [own] = await tx.db
    .select({ joinedAt: referrals.joinedAt })
    .from(referrals)
    .where(and(eq(referrals.invitedUid, uid)));
  const stateOf = (row: { earnedAt: number | null; credit: string | null }): ReferralState =>
    row.earnedAt === null ? 'joined' : row.credit === null ? 'unrewarded' : 'earned';
  return {
    code: await ownCode(tx, uid, now),
    rewardDays: REFERRAL_REWARD_DAYS,
    joined: rows.map((row) => ({ day: dayOf(row.joinedAt), state: stateOf(row) })),
    joinedCount: all?.joined ?? 0,
    days: { added: days?.added ?? 0, waiting: days?.waiting ?? 0 },
    invitedOn: own === undefined ? null : dayOf(own.joinedAt),
  };
}

export function referralCallables({ database, clock }: { database: Database; clock: WallClock }) {
  const claims = new Allowance(CLAIMS_AN_HOUR, HOUR_MS, clock);
  return callablesFor({
    referral: ({ uid }) => database.transaction((tx) => readReferral(tx, uid, clock.now())),
    claimReferral: async ({ uid }, { code }) => {
      claims.take(uid);
      return {
        invitedOn: dayOf(
          await database.transaction((tx) => claimReferral(tx, uid, code, clock.now())),
        ),
      };
    },
  });
}

/**
 * Records once which code a new user came with. Rejects their own code, loops and a second code.
 */
import { randomUUID } from 'node:crypto';
import { and, count, eq, gt, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { readReferralCode } from '../../contract/referral-code.ts';
import { REFERRAL_JOINS_A_DAY, REFERRAL_NEW_DAYS } from '../../contract/referrals.ts';
import type { Tx } from '../db/database.ts';
import { referralCodes, referrals, users } from '../db/schema.ts';
import { mailboxOf } from '../users/mailbox.ts';
import { offersUsedBefore } from '../users/used-offers.ts';

const DAY_MS = 86_400_000;
/**
 * Claims are rare and take turns: two people who claim each other's codes at once would close a
 * loop.
 */
const CLAIM_LOCK = 7_101;
/** A chain of invitations longer than this is not followed further. */
const CHAIN_MAX = 1_000;

const refused = (why: string) => new Refusal('referral_refused', why);

/** Whether `uid` is among those who invited `from`, directly or through others. */
async function isAbove(tx: Tx, uid: string, from: string): Promise<boolean> {
  let at: string | null = from;
  for (let steps = 0; at !== null && steps < CHAIN_MAX; steps += 1) {
    if (at === uid) return true;
    const [row]: { inviter: string | null }[] = await tx.db
      .select({ inviter: referrals.inviterUid })
      .from(referrals)
      .where(eq(referrals.invitedUid, at));
    at = row?.inviter ?? null;
  }
  return false;
}

/**
 * Answers when the person came (ms). @throws Refusal `referral_refused`, `not_found`,
 * `limit_reached`.
 */
export async function claimReferral(
  tx: Tx,
  uid: string,
  given: string,
  now: number,
): Promise<number> {
  const code = readReferralCode(given);
  const unknown = new Refusal('not_found', 'This code does not exist. Check the link.', {
    field: 'code',
  });
  if (code === null) throw unknown;
  await tx.db.execute(sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`);
  const [owner] = await tx.db
    .select({ uid: referralCodes.uid, email: users.email })
    .from(referralCodes)
    .innerJoin(users, eq(users.uid, referralCodes.uid))
    .where(eq(referralCodes.code, code));
  if (owner === undefined) throw unknown;
  const [person] = await tx.db
    .select({ createdAt: users.createdAt, email: users.email })
    .from(users)
    .where(eq(users.uid, uid));
  if (person === undefined) throw new Error('No such user');
  const mailbox = mailboxOf(person.email);
  if (owner.uid === uid || (mailbox !== null && mailbox === mailboxOf(owner.email)))
    throw refused('This is your own code. Share it with others.');
  const [before] = await tx.db.select().from(referrals).where(eq(referrals.invitedUid, uid));
  if (before !== undefined) {
    if (before.inviterUid === owner.uid) return before.joinedAt;
    throw refused('You have already used another code. The first one counts.');
  }
  if ((await offersUsedBefore(tx.db, uid)).invited)
    throw refused('You have already used a code with an earlier account. The first one counts.');
  if (now - person.createdAt > REFERRAL_NEW_DAYS * DAY_MS)
    throw refused(
      `You can use a code only in the first ${REFERRAL_NEW_DAYS} days of your account.`,
    );
  if (await isAbove(tx, uid, owner.uid))
    throw refused('You invited this person, so you cannot use their code.');
  const [today] = await tx.db
    .select({ joins: count() })
    .from(referrals)
    .where(and(eq(referrals.inviterUid, owner.uid), gt(referrals.joinedAt, now - DAY_MS)));
  if ((today?.joins ?? 0) >= REFERRAL_JOINS_A_DAY)
    throw new Refusal(
      'limit_reached',
      'This code has been used too often today. Try again tomorrow.',
      {
        retryAfterMs: DAY_MS,
      },
    );
  await tx.db
    .insert(referrals)
    .values({ id: randomUUID(), inviterUid: owner.uid, invitedUid: uid, joinedAt: now });
  return now;
}

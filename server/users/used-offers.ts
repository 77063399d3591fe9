/**
 * Remembers which offers a deleted account has used, without its address: a trial and a code are for
 * once, and a new account with the same address is no new person.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { eq, inArray, sql } from 'drizzle-orm';
import * as z from 'zod/mini';
import type { Db, Tx } from '../db/database.ts';
import { meta, referrals, usedOffers, users } from '../db/schema.ts';
import { mailboxOf } from './mailbox.ts';

const META_KEY = 'used-offers-key';
const Key = z.object({ key: z.string() });

export interface UsedOffers {
  trial: boolean;
  /** They came by somebody's code. */
  invited: boolean;
}
const NONE: UsedOffers = { trial: false, invited: false };

/** Made once and kept with the rest: whoever has a digest alone cannot try addresses on it. */
async function keyOf(db: Db): Promise<string | null> {
  const [row] = await db.select().from(meta).where(eq(meta.key, META_KEY));
  return row === undefined ? null : Key.parse(row.value).key;
}

async function makeKey({ db }: Tx): Promise<string | null> {
  const key = randomBytes(32).toString('base64');
  await db.insert(meta).values({ key: META_KEY, value: { key } }).onConflictDoNothing();
  return keyOf(db);
}

/** Accounts that had confirmed the mailbox are remembered apart from those that had not. */
const digestOf = (key: string, mailbox: string, isConfirmed: boolean): string =>
  createHmac('sha256', Buffer.from(key, 'base64'))
    .update(JSON.stringify([mailbox, isConfirmed]))
    .digest('hex');

async function mailboxOfPerson(db: Db, uid: string) {
  const [person] = await db
    .select({
      email: users.email,
      isConfirmed: users.emailVerified,
      trialStartedAt: users.trialStartedAt,
    })
    .from(users)
    .where(eq(users.uid, uid));
  return {
    mailbox: mailboxOf(person?.email ?? null),
    isConfirmed: person?.isConfirmed === true,
    hasTried: (person?.trialStartedAt ?? null) !== null,
  };
}

/** What will be remembered once this account is deleted; nothing of one without an address. */
export async function offersToRemember(db: Db, uid: string): Promise<UsedOffers> {
  const { mailbox, hasTried } = await mailboxOfPerson(db, uid);
  if (mailbox === null) return NONE;
  return {
    trial: hasTried,
    invited: (await db.$count(referrals, eq(referrals.invitedUid, uid))) > 0,
  };
}

/** Before the person's rows go. Of one who used nothing, nothing is kept. */
export async function rememberOffers(tx: Tx, uid: string, now: number): Promise<void> {
  const { trial, invited } = await offersToRemember(tx.db, uid);
  const { mailbox, isConfirmed } = await mailboxOfPerson(tx.db, uid);
  if (mailbox === null || !(trial || invited)) return;
  const key = await makeKey(tx);
  if (key === null) throw new Error('The key for used offers was not saved');
  await tx.db
    .insert(usedOffers)
    .values({ digest: digestOf(key, mailbox, isConfirmed), trial, invited, keptAt: now })
    .onConflictDoUpdate({
      target: usedOffers.digest,
      set: {
        trial: sql`${usedOffers.trial} or excluded.trial`,
        invited: sql`${usedOffers.invited} or excluded.invited`,
        keptAt: now,
      },
    });
}

/**
 * What an earlier account with this person's address used. Anybody may sign up with any address:
 * who has confirmed theirs does not answer for one who had not.
 */
export async function offersUsedBefore(db: Db, uid: string): Promise<UsedOffers> {
  const { mailbox, isConfirmed } = await mailboxOfPerson(db, uid);
  const key = mailbox === null ? null : await keyOf(db);
  if (mailbox === null || key === null) return NONE;
  const whose = isConfirmed ? [true] : [true, false];
  const kept = await db
    .select()
    .from(usedOffers)
    .where(
      inArray(
        usedOffers.digest,
        whose.map((confirmed) => digestOf(key, mailbox, confirmed)),
      ),
    );
  return {
    trial: kept.some(({ trial }) => trial),
    invited: kept.some(({ invited }) => invited),
  };
}

/** A user's own referral code, created once. */
import { randomInt } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { REFERRAL_ALPHABET, REFERRAL_CODE_LENGTH } from '../../contract/referral-code.ts';
import type { Tx } from '../db/database.ts';
import { referralCodes } from '../db/schema.ts';

const TRIES = 5;

const newCode = (): string =>
  Array.from(
    { length: REFERRAL_CODE_LENGTH },
    () => REFERRAL_ALPHABET[randomInt(REFERRAL_ALPHABET.length)],
  ).join('');

export async function ownCode(tx: Tx, uid: string, now: number, make = newCode): Promise<string> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const [held] = await tx.db
      .select({ code: referralCodes.code })
      .from(referralCodes)
      .where(eq(referralCodes.uid, uid));
    if (held !== undefined) return held.code;
    // Somebody else's code, or our own made at the same moment: either way it is looked at again.
    await tx.db
      .insert(referralCodes)
      .values({ uid, code: make(), createdAt: now })
      .onConflictDoNothing();
  }
  throw new Error('No free referral code was found');
}

/** Creates a user's row with default settings if there is none. */
import { and, eq, isNull, ne, or } from 'drizzle-orm';
import type { WallClock } from '../clock.ts';
import type { Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { defaultSettings, displayNameFrom } from './user-settings.ts';

export interface NewUser {
  uid: string;
  email: string | null;
  /** Absent where nobody said whether it is confirmed. */
  emailVerified?: boolean;
}

/**
 * Idempotent; a changed address is taken over, and that it was confirmed. An older token does not
 * take that back. Returns true when the row was made by this call.
 */
export async function ensureUser(tx: Tx, user: NewUser, clock: WallClock): Promise<boolean> {
  const emailVerified = user.emailVerified ?? false;
  const made = await tx.db
    .insert(users)
    .values({
      uid: user.uid,
      email: user.email,
      emailVerified,
      createdAt: clock.now(),
      settings: defaultSettings(displayNameFrom(user.email)),
    })
    .onConflictDoNothing()
    .returning({ uid: users.uid });
  if (made.length === 0 && user.email !== null) {
    await tx.db
      .update(users)
      .set({ email: user.email, emailVerified })
      .where(
        and(
          eq(users.uid, user.uid),
          or(
            isNull(users.email),
            ne(users.email, user.email),
            isNull(users.emailVerified),
            emailVerified ? eq(users.emailVerified, false) : undefined,
          ),
        ),
      );
  }
  return made.length > 0;
}

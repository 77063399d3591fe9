/** Makes a person's row with their first settings; refuses to touch one that is there already. */
import type { WallClock } from '../clock.ts';
import type { Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { defaultSettings, displayNameFrom } from './settings.ts';

export interface NewUser {
  uid: string;
  email: string | null;
}

/** Idempotent. Returns true when the row was made by this call. */
export async function ensureUser(tx: Tx, user: NewUser, clock: WallClock): Promise<boolean> {
  const made = await tx.db.insert(users).values({
    uid: user.uid,
    email: user.email,
    createdAt: clock.now(),
    settings: defaultSettings(displayNameFrom(user.email)),
  }).onConflictDoNothing().returning({ uid: users.uid });
  return made.length > 0;
}

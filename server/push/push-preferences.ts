/** A user's notification preferences. Stored ones that cannot be read fall back to the defaults. */
import { eq } from 'drizzle-orm';
import { DEFAULT_PUSH_SETTINGS, PushSettings } from '../../contract/push.ts';
import type { Db, Tx } from '../db/database.ts';
import { pushPreferences } from '../db/schema.ts';

export async function readPreferences(db: Db, uid: string): Promise<PushSettings> {
  const [row] = await db.select().from(pushPreferences).where(eq(pushPreferences.uid, uid));
  const parsed = PushSettings.safeParse(row?.settings);
  return parsed.success ? parsed.data : DEFAULT_PUSH_SETTINGS;
}

export async function writePreferences(tx: Tx, uid: string, settings: PushSettings): Promise<void> {
  // What an older build does not know of, it leaves as it was.
  const known = (await readPreferences(tx.db, uid)).kinds;
  await write(tx, uid, { ...settings, kinds: { ...known, ...settings.kinds } });
}

async function write(tx: Tx, uid: string, settings: PushSettings): Promise<void> {
  await tx.db
    .insert(pushPreferences)
    .values({ uid, settings })
    .onConflictDoUpdate({ target: pushPreferences.uid, set: { settings } });
}

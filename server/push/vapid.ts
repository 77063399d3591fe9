/** The key pair by which push services know this server, created once. */
import { eq } from 'drizzle-orm';
import webPush from 'web-push';
import * as z from 'zod/mini';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { meta } from '../db/schema.ts';

export interface Vapid {
  subject: string;
  publicKey: string;
  privateKey: string;
}

const META_KEY = 'vapid';
const KeyPair = z.object({ publicKey: z.string(), privateKey: z.string() });

/**
 * The configured pair, else the one made at the first start and kept in the database: every device
 * is subscribed to it.
 */
export async function openVapid(
  database: Database,
  { publicKey, privateKey, subject }: Config['push'],
): Promise<Vapid> {
  if (publicKey !== null && privateKey !== null) return { subject, publicKey, privateKey };
  return database.transaction(async (tx) => {
    // Two servers that start at once: one row wins, both read it.
    await tx.db
      .insert(meta)
      .values({ key: META_KEY, value: webPush.generateVAPIDKeys() })
      .onConflictDoNothing();
    const [row] = await tx.db.select().from(meta).where(eq(meta.key, META_KEY));
    return { subject, ...KeyPair.parse(row?.value) };
  });
}

/** Removes devices that get notifications, with the messages that wait for them. */
import { and, eq, inArray, isNull, ne } from 'drizzle-orm';
import type { Tx } from '../db/database.ts';
import { pushMessages, pushSubscriptions } from '../db/schema.ts';

/** The address of a device as it is stored. */
export const storedAddress = (endpoint: string): string =>
  URL.canParse(endpoint) ? new URL(endpoint).href : endpoint;

/** Forgets devices and what they were still to be told. */
export async function removeSubscriptions(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.db.delete(pushMessages).where(inArray(pushMessages.subscriptionId, [...ids]));
  await tx.db.delete(pushSubscriptions).where(inArray(pushSubscriptions.id, [...ids]));
}

/** A device whose login had ended when it was read, unless it has registered again since. */
export async function removeEnded(
  tx: Tx,
  { id, tokenIssuedAt }: Pick<typeof pushSubscriptions.$inferSelect, 'id' | 'tokenIssuedAt'>,
): Promise<void> {
  const rows = await tx.db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(
      and(
        eq(pushSubscriptions.id, id),
        tokenIssuedAt === null
          ? isNull(pushSubscriptions.tokenIssuedAt)
          : eq(pushSubscriptions.tokenIssuedAt, tokenIssuedAt),
      ),
    )
    .for('update');
  await removeSubscriptions(
    tx,
    rows.map((row) => row.id),
  );
}

/**
 * Forgets the devices on which a person's logins have ended, because a lost phone must not go on
 * showing amounts. `kept`: the address of the device that stays, or null.
 */
export async function removeDevices(tx: Tx, uid: string, kept: string | null): Promise<void> {
  const mine = eq(pushSubscriptions.uid, uid);
  const rows = await tx.db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(kept === null ? mine : and(mine, ne(pushSubscriptions.endpoint, storedAddress(kept))));
  await removeSubscriptions(
    tx,
    rows.map(({ id }) => id),
  );
}

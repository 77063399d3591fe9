/**
 * Messages to sign and linked addresses, as rows. A message is used once, and an address has one
 * owner.
 */
import { randomUUID } from 'node:crypto';
import { and, count, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { LINKED_ADDRESSES_MAX, type LinkedAddress } from '../../contract/wallet.ts';
import type { Db, Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { linkedAddresses, linkMessages } from '../db/schema-wallet.ts';
import { asLink } from './read-wallet.ts';

export type LinkMessage = typeof linkMessages.$inferSelect;

export async function keepMessage(tx: Tx, message: Omit<LinkMessage, 'usedAt'>): Promise<void> {
  await tx.db.insert(linkMessages).values(message);
}

/**
 * The person's own message, by its nonce and to the last character; null where there is none such,
 * whoever else's it may be.
 */
export async function findMessage(
  db: Db,
  uid: string,
  nonce: string,
  message: string,
): Promise<LinkMessage | null> {
  const [row] = await db
    .select()
    .from(linkMessages)
    .where(and(eq(linkMessages.nonce, nonce), eq(linkMessages.uid, uid)));
  return row?.message === message ? row : null;
}

export const tooOld = (): Refusal =>
  new Refusal('link_message_expired', 'This message has expired. Request a new one and sign it.');

/**
 * Burns the message. Of any number at once one gets through: the others wait for its row and find
 * it used.
 */
async function burnMessage(
  tx: Tx,
  { nonce, uid, expiresAt }: LinkMessage,
  now: number,
): Promise<void> {
  const used = await tx.db
    .update(linkMessages)
    .set({ usedAt: now })
    .where(
      and(eq(linkMessages.nonce, nonce), eq(linkMessages.uid, uid), isNull(linkMessages.usedAt)),
    )
    .returning({ nonce: linkMessages.nonce });
  if (used.length === 0)
    throw new Refusal(
      'link_message_used',
      'This message has already been used. Request a new one and sign it.',
    );
  if (expiresAt <= now) throw tooOld();
}

/**
 * A person's links change one after the other: the cap holds, and nobody waits for a row while
 * holding one that is waited for.
 */
async function oneAtATime(tx: Tx, uid: string): Promise<void> {
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
}

export interface Proved {
  message: LinkMessage;
  proof: 'key' | 'contract';
  label: string;
  now: number;
}

/**
 * Links what was proved, all or nothing: a refusal leaves the message unused. The person's own
 * address on that chain is taken anew, with the later proof and the name it was given now.
 */
export async function writeLink(
  tx: Tx,
  { message, proof, label, now }: Proved,
): Promise<LinkedAddress> {
  const { uid, chainId, address } = message;
  await oneAtATime(tx, uid);
  await burnMessage(tx, message, now);
  const [made] = await tx.db
    .insert(linkedAddresses)
    .values({ id: randomUUID(), uid, chainId, address, label, proof, linkedAt: now })
    .onConflictDoUpdate({
      target: [linkedAddresses.chainId, linkedAddresses.address],
      set: { label, proof, linkedAt: now },
      setWhere: eq(linkedAddresses.uid, uid),
    })
    .returning();
  if (made === undefined) {
    throw new Refusal(
      'address_linked_elsewhere',
      'This address is linked to another Tradewind account. Unlink it there first, or contact support. Nothing was linked.',
    );
  }
  const [held] = await tx.db
    .select({ count: count() })
    .from(linkedAddresses)
    .where(eq(linkedAddresses.uid, uid));
  if ((held?.count ?? 0) > LINKED_ADDRESSES_MAX) {
    throw new Refusal(
      'address_limit_reached',
      `Your account has ${LINKED_ADDRESSES_MAX} linked addresses, the maximum. Unlink one first.`,
    );
  }
  return asLink(made);
}

/** @throws Refusal `not_found` where the person has no such link (any more). */
export async function removeLink(tx: Tx, uid: string, id: string): Promise<void> {
  await oneAtATime(tx, uid);
  const gone = await tx.db
    .delete(linkedAddresses)
    .where(and(eq(linkedAddresses.id, id), eq(linkedAddresses.uid, uid)))
    .returning({ id: linkedAddresses.id });
  if (gone.length === 0)
    throw new Refusal('not_found', 'This address is not linked to your account.');
}

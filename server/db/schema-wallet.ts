/** The tables of linked addresses. No keys, and nothing that could move coins. */
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { ms } from './columns.ts';

/**
 * An address that its person has proved to be theirs. On one chain it is linked to one account at a
 * time.
 */
export const linkedAddresses = pgTable(
  'linked_addresses',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    chainId: integer('chain_id').notNull(),
    /** As EIP-55 spells it, so that the same address is the same text. */
    address: text('address').notNull(),
    label: text('label').notNull(),
    /** `key` or `contract`: what vouched for it. */
    proof: text('proof').notNull(),
    linkedAt: ms('linked_at').notNull(),
  },
  (t) => [
    uniqueIndex('linked_addresses_once').on(t.chainId, t.address),
    index('linked_addresses_uid').on(t.uid),
  ],
);

/**
 * Messages made to be signed, each for one person and good once; kept a day beyond their end, so
 * that a late one is told why.
 */
export const linkMessages = pgTable(
  'link_messages',
  {
    nonce: text('nonce').primaryKey(),
    uid: text('uid').notNull(),
    chainId: integer('chain_id').notNull(),
    address: text('address').notNull(),
    message: text('message').notNull(),
    createdAt: ms('created_at').notNull(),
    expiresAt: ms('expires_at').notNull(),
    usedAt: ms('used_at'),
  },
  (t) => [index('link_messages_uid').on(t.uid), index('link_messages_expires').on(t.expiresAt)],
);

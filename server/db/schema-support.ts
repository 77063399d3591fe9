/** The tables of support requests and trading halts. */
import { bigint, boolean, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { ms } from './columns.ts';

export const supportRequests = pgTable(
  'support_requests',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    category: text('category').notNull(),
    /** `open`, `answered` or `closed`. */
    state: text('state').notNull(),
    priority: boolean('priority').notNull(),
    /** What the person saw and agreed to send; null where they did not. */
    diagnostics: jsonb('diagnostics'),
    createdAt: ms('created_at').notNull(),
    updatedAt: ms('updated_at').notNull(),
  },
  (t) => [
    index('support_requests_uid').on(t.uid),
    index('support_requests_state').on(t.state, t.createdAt),
  ],
);

export const supportMessages = pgTable(
  'support_messages',
  {
    id: uuid('id').primaryKey(),
    requestId: uuid('request_id').notNull(),
    /** `person` or `operator`. */
    author: text('author').notNull(),
    text: text('text').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [index('support_messages_request').on(t.requestId)],
);

/**
 * The operator's switches, append-only: who stopped new entries or let them go on again, when and
 * why. The newest row of a (scope, target) is what holds. `target`: the source of a venue, a uid,
 * an agent's id; empty for the platform.
 */
export const halts = pgTable(
  'halts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    scope: text('scope').notNull(),
    target: text('target').notNull(),
    /** `halt` or `lift`. */
    act: text('act').notNull(),
    reason: text('reason').notNull(),
    by: text('by').notNull(),
    /** Wall clock; null until it is lifted. */
    until: ms('until'),
    at: ms('at').notNull(),
  },
  (t) => [index('halts_newest').on(t.scope, t.target, t.id)],
);

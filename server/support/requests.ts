/** Support requests in the database: opened, added to, answered, closed. */
import { randomUUID } from 'node:crypto';
import { and, asc, count, desc, eq, gt, inArray, min, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import {
  SUPPORT_LIST_MAX,
  SUPPORT_MESSAGES_A_DAY,
  SUPPORT_REQUESTS_A_DAY,
  SupportDiagnostics,
  type SupportCategory,
  type SupportRequest,
  type SupportState,
} from '../../contract/support.ts';
import type { Db, Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { supportMessages, supportRequests } from '../db/schema-support.ts';
import { tooOften } from '../http/allowance.ts';

const DAY_MS = 86_400_000;

type Row = typeof supportRequests.$inferSelect;
type Message = typeof supportMessages.$inferSelect;

const gone = () => new Refusal('not_found', 'Request not found.');

function onWire(row: Row, messages: readonly Message[]): SupportRequest {
  return {
    id: row.id,
    category: row.category as SupportCategory,
    state: row.state as SupportState,
    priority: row.priority,
    hasDiagnostics: row.diagnostics !== null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    messages: messages
      .filter(({ requestId }) => requestId === row.id)
      .map(({ id, author, text, createdAt }) => ({
        id,
        author: author === 'operator' ? 'operator' : 'person',
        text,
        createdAt,
      })),
  };
}

async function messagesOf(db: Db, ids: readonly string[]): Promise<Message[]> {
  if (ids.length === 0) return [];
  return db
    .select()
    .from(supportMessages)
    .where(inArray(supportMessages.requestId, [...ids]))
    .orderBy(asc(supportMessages.createdAt), asc(supportMessages.id));
}

export async function ownRequests(db: Db, uid: string): Promise<SupportRequest[]> {
  const rows = await db
    .select()
    .from(supportRequests)
    .where(eq(supportRequests.uid, uid))
    .orderBy(desc(supportRequests.createdAt), asc(supportRequests.id))
    .limit(SUPPORT_LIST_MAX);
  const messages = await messagesOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => onWire(row, messages));
}

async function lockOwn(tx: Tx, uid: string, id: string): Promise<Row> {
  const [row] = await tx.db
    .select()
    .from(supportRequests)
    .where(and(eq(supportRequests.id, id), eq(supportRequests.uid, uid)))
    .for('update');
  if (row === undefined) throw gone();
  return row;
}

/**
 * What this person wrote in the last 24 hours. Their row is the lock: ten sent at once are counted
 * one by one.
 */
async function withinLimits(
  tx: Tx,
  uid: string,
  now: number,
  kind: 'request' | 'message',
): Promise<void> {
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
  const since = now - DAY_MS;
  const [asked] = await tx.db
    .select({ count: count(), first: min(supportRequests.createdAt) })
    .from(supportRequests)
    .where(and(eq(supportRequests.uid, uid), gt(supportRequests.createdAt, since)));
  if (kind === 'request' && (asked?.count ?? 0) >= SUPPORT_REQUESTS_A_DAY)
    throw tooOften((asked?.first ?? now) - since);
  const [written] = await tx.db
    .select({ count: count(), first: min(supportMessages.createdAt) })
    .from(supportMessages)
    .innerJoin(supportRequests, eq(supportRequests.id, supportMessages.requestId))
    .where(
      and(
        eq(supportRequests.uid, uid),
        eq(supportMessages.author, 'person'),
        gt(supportMessages.createdAt, since),
      ),
    );
  if ((written?.count ?? 0) >= SUPPORT_MESSAGES_A_DAY)
    throw tooOften((written?.first ?? now) - since);
}

export interface NewRequest {
  id: string;
  category: SupportCategory;
  text: string;
  diagnostics: SupportDiagnostics | null;
}

/** A lost answer is asked for again with the same words; others would be taken for received. */
function sameWords(written: readonly string[], text: string): void {
  if (!written.includes(text.trim()))
    throw new Refusal('idempotency_mismatch', 'This id was used for another text.');
}

/**
 * Whether this person has opened this very request before; another person's id is not told apart
 * from a new one that failed.
 */
async function wasOpened(tx: Tx, uid: string, { id, text }: NewRequest): Promise<boolean> {
  const [known] = await tx.db
    .select({ uid: supportRequests.uid })
    .from(supportRequests)
    .where(eq(supportRequests.id, id));
  if (known === undefined) return false;
  if (known.uid !== uid) throw gone();
  const messages = await messagesOf(tx.db, [id]);
  sameWords(
    messages.flatMap(({ author, text: one }) => (author === 'operator' ? [] : [one])),
    text,
  );
  return true;
}

/** The same words under the same id again change nothing. */
export async function openRequest(
  tx: Tx,
  uid: string,
  asked: NewRequest,
  priority: boolean,
  now: number,
): Promise<void> {
  if (await wasOpened(tx, uid, asked)) return;
  await withinLimits(tx, uid, now, 'request');
  const made = await tx.db
    .insert(supportRequests)
    .values({
      id: asked.id,
      uid,
      category: asked.category,
      state: 'open',
      priority,
      diagnostics: asked.diagnostics,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: supportRequests.id });
  if (made.length === 0) {
    // Opened in between.
    await wasOpened(tx, uid, asked);
    return;
  }
  await tx.db.insert(supportMessages).values({
    id: randomUUID(),
    requestId: asked.id,
    author: 'person',
    text: asked.text.trim(),
    createdAt: now,
  });
}

export async function addToRequest(
  tx: Tx,
  uid: string,
  { requestId, messageId, text }: { requestId: string; messageId: string; text: string },
  now: number,
): Promise<void> {
  const row = await lockOwn(tx, uid, requestId);
  const [known] = await tx.db
    .select({ requestId: supportMessages.requestId, text: supportMessages.text })
    .from(supportMessages)
    .where(eq(supportMessages.id, messageId));
  if (known !== undefined) {
    if (known.requestId !== requestId) throw gone();
    sameWords([known.text], text);
    return;
  }
  if (row.state === 'closed')
    throw new Refusal('support_request_closed', 'This request is closed. Open a new one.');
  await withinLimits(tx, uid, now, 'message');
  await tx.db
    .insert(supportMessages)
    .values({ id: messageId, requestId, author: 'person', text: text.trim(), createdAt: now });
  await tx.db
    .update(supportRequests)
    .set({ state: 'open', updatedAt: now })
    .where(eq(supportRequests.id, requestId));
}

export async function closeOwn(tx: Tx, uid: string, id: string, now: number): Promise<void> {
  const row = await lockOwn(tx, uid, id);
  if (row.state !== 'closed')
    await tx.db
      .update(supportRequests)
      .set({ state: 'closed', updatedAt: now })
      .where(eq(supportRequests.id, id));
}

/** What the operator sees: who asks, by their address, and what they agreed to send. */
export type OperatorRequest = SupportRequest & {
  email: string | null;
  /** Anybody may sign up with any address. Absent in answers of servers from before. */
  emailVerified?: boolean | null | undefined;
  uid: string;
  diagnostics: SupportDiagnostics | null;
};

/** Whom the operator reads as the asker. */
export const askerText = ({
  email,
  emailVerified,
  uid,
}: Pick<OperatorRequest, 'email' | 'emailVerified' | 'uid'>): string =>
  email === null ? uid : `${email}${emailVerified === true ? '' : ' (not confirmed)'}`;

const parsedDiagnostics = (value: unknown): SupportDiagnostics | null => {
  const parsed = SupportDiagnostics.safeParse(value);
  return parsed.success ? parsed.data : null;
};

/** Priority first, then who has waited longest. Without `all`, only what waits for an answer. */
export async function requestsForOperator(db: Db, all: boolean): Promise<OperatorRequest[]> {
  const rows = await db
    .select({ row: supportRequests, email: users.email, emailVerified: users.emailVerified })
    .from(supportRequests)
    .leftJoin(users, eq(users.uid, supportRequests.uid))
    .where(all ? undefined : eq(supportRequests.state, 'open'))
    .orderBy(
      desc(supportRequests.priority),
      asc(supportRequests.updatedAt),
      asc(supportRequests.id),
    );
  const messages = await messagesOf(
    db,
    rows.map(({ row }) => row.id),
  );
  return rows.map(({ row, email, emailVerified }) => ({
    ...onWire(row, messages),
    email,
    emailVerified,
    uid: row.uid,
    diagnostics: parsedDiagnostics(row.diagnostics),
  }));
}

/** `id`: whole, or the beginning of exactly one. */
async function lockByPrefix(tx: Tx, id: string): Promise<Row> {
  const rows = await tx.db
    .select()
    .from(supportRequests)
    .where(sql`starts_with(${supportRequests.id}::text, ${id.toLowerCase()})`)
    .limit(2)
    .for('update');
  if (rows.length > 1)
    throw new Refusal('invalid_request', `Several requests begin with ${id}. Give more of the id.`);
  const [row] = rows;
  if (row === undefined || id === '') throw gone();
  return row;
}

export async function answerRequest(tx: Tx, id: string, text: string, now: number): Promise<void> {
  const row = await lockByPrefix(tx, id);
  if (text.trim() === '') throw new Refusal('invalid_request', 'The reply is empty.');
  await tx.db.insert(supportMessages).values({
    id: randomUUID(),
    requestId: row.id,
    author: 'operator',
    text: text.trim(),
    createdAt: now,
  });
  await tx.db
    .update(supportRequests)
    .set({ state: 'answered', updatedAt: now })
    .where(eq(supportRequests.id, row.id));
}

export async function closeRequest(tx: Tx, id: string, now: number): Promise<void> {
  const row = await lockByPrefix(tx, id);
  await tx.db
    .update(supportRequests)
    .set({ state: 'closed', updatedAt: now })
    .where(eq(supportRequests.id, row.id));
}

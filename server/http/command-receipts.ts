/** Runs a mutation once per Idempotency-Key and stores its reply. */
import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { receipts } from '../db/schema.ts';

/**
 * How long a command had waited differs at every send of the same command; what was tested is not
 * sent on by a build that does not know of it.
 */
const VOLATILE = new Set(['ageMs', 'tested']);

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !VOLATILE.has(key) && inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}

/** One hash for what is asked: the call, whom it concerns, and the parsed body. */
export function requestHash(call: string, params: unknown, body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([call, canonical(params), canonical(body)]))
    .digest('hex');
}

export interface Command {
  uid: string;
  commandId: string;
  bodyHash: string;
}

/**
 * Effect and receipt commit together. The receipt goes in first: a second sender of the same key
 * waits on its row, then finds it committed and answers with what it holds, or finds it rolled back
 * and does the work. A refused effect leaves no receipt, so that the same key may be tried again
 * once the reason is gone.
 */
export async function runOnce<R extends object>(
  database: Database,
  clock: WallClock,
  command: Command,
  accept: (reply: unknown) => R,
  effect: (tx: Tx) => Promise<R>,
): Promise<R> {
  return database.transaction(async (tx) => {
    const { uid, commandId, bodyHash } = command;
    const claimed = await tx.db
      .insert(receipts)
      .values({ uid, commandId, bodyHash, status: 0, reply: {}, createdAt: clock.now() })
      .onConflictDoNothing()
      .returning({ commandId: receipts.commandId });
    const mine = and(eq(receipts.uid, uid), eq(receipts.commandId, commandId));
    if (claimed.length === 0) {
      const [known] = await tx.db.select().from(receipts).where(mine);
      if (known === undefined) throw new Error('A receipt disappeared while it was read');
      if (known.bodyHash !== bodyHash)
        throw new Refusal(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request',
        );
      return accept(known.reply);
    }
    const reply = accept({ ...(await effect(tx)), commandId });
    await tx.db.update(receipts).set({ status: 200, reply }).where(mine);
    return reply;
  });
}

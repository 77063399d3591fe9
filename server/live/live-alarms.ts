/** What a person has to know of their live account, kept once for each thing it is about. */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../db/database.ts';
import { liveAlarms } from '../db/schema-live.ts';
import type { LiveDeps } from './live-deps.ts';
import { noteAlarm } from './live-news.ts';

export interface LiveAlarm {
  connectionId: string;
  kind: string;
  /** Names what it is about, so that it is raised once. */
  about: string;
  detail: Record<string, unknown>;
}

export async function isRaised(
  db: Db,
  { connectionId, kind, about }: Omit<LiveAlarm, 'detail'>,
): Promise<boolean> {
  const [raised] = await db
    .select({ id: liveAlarms.id })
    .from(liveAlarms)
    .where(
      and(
        eq(liveAlarms.connectionId, connectionId),
        eq(liveAlarms.kind, kind),
        eq(liveAlarms.about, about),
      ),
    );
  return raised !== undefined;
}

export async function raiseAlarms(
  tx: Tx,
  { clock, log }: Pick<LiveDeps, 'clock' | 'log'>,
  list: readonly LiveAlarm[],
): Promise<void> {
  if (list.length === 0) return;
  const raised = await tx.db
    .insert(liveAlarms)
    .values(list.map((alarm) => ({ id: randomUUID(), raisedAt: clock.now(), ...alarm })))
    .onConflictDoNothing()
    .returning();
  for (const { connectionId, kind, about, raisedAt, detail } of raised)
    noteAlarm(tx, connectionId, { kind, about, raisedAt, detail });
  tx.afterCommit(() => {
    for (const { connectionId, kind, about } of raised)
      log.warn({ connection: connectionId, kind, about }, 'A live account needs a look');
  });
}

/** What a live account has lost today by its sales, and the word to the person at their limit. */
import { and, eq, gte, sql } from 'drizzle-orm';
import {
  formatFixed,
  maximum,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import type { Db, Tx } from '../db/database.ts';
import { fills } from '../db/schema.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps } from './live-deps.ts';

const DAY_MS = 24 * 3_600_000;

/** Of the day by UTC; zero where it is a gain. */
export async function lossToday(db: Db, accountId: string, now: number): Promise<Fixed> {
  const [today] = await db
    .select({ realized: sql<string>`coalesce(sum(coalesce(${fills.realized}, 0)), 0)::text` })
    .from(fills)
    .where(
      and(
        eq(fills.accountId, accountId),
        gte(fills.filledMarketMs, Math.floor(now / DAY_MS) * DAY_MS),
      ),
    );
  return maximum(ZERO, subtract(ZERO, parseFixed(today?.realized ?? '0')));
}

/** Once a day, when nothing more is bought. The signer holds by its own count. */
export async function noteDayLoss(
  tx: Tx,
  deps: BookDeps,
  { id, accountId, maxDailyLoss }: Pick<ConnectionRow, 'id' | 'accountId' | 'maxDailyLoss'>,
): Promise<void> {
  const now = deps.clock.now();
  const loss = await lossToday(tx.db, accountId, now);
  if (loss === ZERO || loss < parseFixed(maxDailyLoss)) return;
  await raiseAlarms(tx, deps, [
    {
      connectionId: id,
      kind: 'daily_loss',
      about: new Date(now).toISOString().slice(0, 10),
      detail: { loss: formatFixed(loss), limit: formatFixed(parseFixed(maxDailyLoss)) },
    },
  ]);
}

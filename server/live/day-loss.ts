/**
 * What a live account has lost today, and the word to the person at their limit: by its sales as
 * soon as they are booked, and with what its positions have lost by the signer's count.
 */
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
import { lockAccount } from '../portfolio/marks.ts';
import { hasPassed } from './elapsed.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps, LiveDeps } from './live-deps.ts';
import { followKey } from './follow-key.ts';
import { followLimits } from './follow-limits.ts';
import { publishLive } from './live-news.ts';

const DAY_MS = 24 * 3_600_000;
/** The signer marks positions twice a minute. */
const WATCH_MS = 60_000;

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

type Limited = Pick<ConnectionRow, 'id' | 'accountId' | 'maxDailyLoss'>;

/** As soon as a sale has realised it. */
export async function noteDayLoss(tx: Tx, deps: BookDeps, connection: Limited): Promise<void> {
  const loss = await lossToday(tx.db, connection.accountId, deps.clock.now());
  if (loss !== ZERO) await tellDayLoss(tx, deps, connection, loss);
}

/** Once a day, when nothing more is bought. */
async function tellDayLoss(
  tx: Tx,
  deps: BookDeps,
  { id, maxDailyLoss }: Limited,
  loss: Fixed,
): Promise<void> {
  const now = deps.clock.now();
  if (loss < parseFixed(maxDailyLoss)) return;
  await raiseAlarms(tx, deps, [
    {
      connectionId: id,
      kind: 'daily_loss',
      about: new Date(now).toISOString().slice(0, 10),
      detail: { loss: formatFixed(loss), limit: formatFixed(parseFixed(maxDailyLoss)) },
    },
  ]);
}

/** A loss without a sale: what the signer counts, by which it buys nothing more. */
export class LossWatch {
  private readAtMs = Number.NEGATIVE_INFINITY;
  private known: { day: number; loss: Fixed } | null = null;
  private toldDay: number | null = null;

  constructor(private readonly deps: LiveDeps) {}

  /** Whether nothing more is bought today. */
  isReached({ maxDailyLoss }: Pick<ConnectionRow, 'maxDailyLoss'>): boolean {
    const { known } = this;
    const isToday = known?.day === dayNumber(this.deps.clock.now());
    return isToday && known.loss !== ZERO && known.loss >= parseFixed(maxDailyLoss);
  }

  /** Asks once a minute. Where the signer cannot tell, it buys nothing itself. */
  async look(connection: ConnectionRow): Promise<void> {
    const { deps } = this;
    const now = deps.clock.now();
    if (!hasPassed(this.readAtMs, WATCH_MS, now)) return;
    this.readAtMs = now;
    const state = await deps.signer
      .ask({ act: 'state', connectionId: connection.id })
      .catch(() => null);
    if (state?.kind !== 'read') return;
    const current = await followLimits(deps, connection, state.value);
    const { faults, permissions, permissionsReadAtMs } = state.value;
    await followKey(deps, connection, {
      faults,
      permissions: permissions ?? null,
      readAtMs: permissionsReadAtMs,
    });
    const loss = state.value.lossToday;
    // What was last known stays: nothing is bought there meanwhile.
    if (loss === null) return;
    const day = dayNumber(now);
    this.known = { day, loss };
    if (!this.isReached(current) || this.toldDay === day) return;
    await deps.database.transaction(async (tx) => {
      await lockAccount(tx, current.accountId);
      await tellDayLoss(tx, deps, current, loss);
      await publishLive(tx, deps, current);
    });
    this.toldDay = day;
  }
}

const dayNumber = (ms: number): number => Math.floor(ms / DAY_MS);

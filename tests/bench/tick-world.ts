/**
 * Two hundred made pairs and a hundred thousand agents on them, laid straight into a database;
 * refuses to be an exchange or people.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import { depositEntries } from '../../engine/accounting/ledger.ts';
import type { Candle } from '../../engine/market-types.ts';
import { insertRows } from '../../server/db/bulk.ts';
import type { Database } from '../../server/db/database.ts';
import { accounts, agents, balances, equityPoints, ledger, users } from '../../server/db/schema.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import type { Tape } from '../../server/market/replay-tape.ts';
import { defaultSettings } from '../../server/users/user-settings.ts';
import { madePair } from '../support/market-tape.ts';
import { random } from '../support/tape.ts';

export const STEP_MS = 300_000;
export const PAIRS = 200;
export const PAIRS_EACH = 5;
const AGENTS_A_PERSON = 10;
/** What the strategies used here look back on, and a day. */
const WARM_UP = 46 * 288;
const TAPE_FROM = Date.UTC(2024, 0, 1);
export const FIRST_TICK = TAPE_FROM + WARM_UP * STEP_MS;
export const SOURCE = 'replay:bench';
const POOLS = [
  'momentum_24h',
  'base_ecosystem',
  'weekly_leaders',
  'all_pools',
  'momentum_24h',
] as const;
const DEPOSIT = '10000';

/**
 * A walk with drifts that last for hours, and now and then a jump: at each close a few of the pairs
 * give their agents something to do.
 */
function madeCandles(index: number, count: number): Candle[] {
  const next = random(index * 7_919 + 3);
  let price = 10 ** (next() * 4 - 1);
  let drift = 0;
  return Array.from({ length: count }, (_none, n) => {
    if (next() < 1 / 60) drift = (next() - 0.5) * 0.0015;
    const open = price;
    const jump = next() < 1 / 16 ? (next() - 0.5) * 0.16 : 0;
    price = open * Math.exp(drift + jump + 0.006 * (next() - 0.5));
    return {
      time: TAPE_FROM + n * STEP_MS,
      open,
      high: Math.max(open, price) * 1.0004,
      low: Math.min(open, price) * 0.9996,
      close: price,
      volume: 4e7 / price,
    };
  });
}

/** The same in every process. */
export function madeTape(ticks: number): Tape {
  const count = WARM_UP + ticks + 2;
  const candles = new Map(
    Array.from(
      { length: PAIRS },
      (_none, index) => [madePair(index), madeCandles(index, count)] as const,
    ),
  );
  return {
    interval: '5m',
    quote: 'USDT',
    candles,
    first: TAPE_FROM,
    end: TAPE_FROM + count * STEP_MS,
    skipped: 0,
    faults: new Map(),
  };
}

/**
 * Ten agents a person, five pairs an agent by lot, due at the first tick; books that add up from
 * the start.
 */
export async function layAgents(database: Database, count: number): Promise<void> {
  const next = random(17);
  const people = Array.from({ length: Math.ceil(count / AGENTS_A_PERSON) }, (_none, n) => ({
    uid: `bench-${n}`,
    accountId: randomUUID(),
  }));
  const now = Date.now();
  const at = FIRST_TICK - 1;
  await database.transaction(async ({ db }) => {
    await insertRows(
      db,
      users,
      people.map(({ uid }) => ({
        uid,
        email: null,
        createdAt: now,
        sequence: 0,
        settings: defaultSettings('Bench'),
        settingsVersion: 1,
      })),
    );
    await insertRows(
      db,
      subscriptions,
      people.map(({ uid }) => ({
        uid,
        provider: 'test',
        status: 'active',
        tier: 'pro-max',
        cancelAtPeriodEnd: false,
        updatedAt: now,
        observation: 0,
      })),
    );
    await insertRows(
      db,
      accounts,
      people.map(({ uid, accountId }) => ({
        id: accountId,
        uid,
        source: SOURCE,
        quote: 'USDT',
        book: 1,
        openedAt: now,
        openedMarketMs: at,
      })),
    );
    const entries = people.flatMap(({ accountId }) => {
      const transactionId = randomUUID();
      return depositEntries('USDT', parseFixed(DEPOSIT)).map((entry) => ({
        transactionId,
        accountId,
        ...entry,
        amount: formatFixed(entry.amount),
        cause: 'deposit',
        atMarketMs: at,
      }));
    });
    await insertRows(db, ledger, entries);
    await insertRows(
      db,
      balances,
      entries.map(({ accountId, bucket, asset, amount }) => ({ accountId, bucket, asset, amount })),
    );
    await insertRows(
      db,
      equityPoints,
      people.map(({ accountId }) => ({ accountId, atMarketMs: at, equity: DEPOSIT })),
    );
    const rows = Array.from({ length: count }, (_none, n) => {
      const pairs = new Set<string>();
      while (pairs.size < PAIRS_EACH) pairs.add(madePair(Math.floor(next() * PAIRS)));
      return {
        id: randomUUID(),
        uid: `bench-${Math.floor(n / AGENTS_A_PERSON)}`,
        source: SOURCE,
        quote: 'USDT',
        name: `Agent ${n}`,
        tradingPairs: [...pairs],
        pool: POOLS[n % POOLS.length] ?? POOLS[0],
        riskProfile: 'Aggressive',
        maxPositionSize: '150',
        executionInterval: '5-minute',
        tradingFrequency: 'high',
        enabled: true,
        status: 'running',
        generation: 1,
        version: 1,
        createdAt: now,
        startedAt: now,
        nextDueMarketMs: FIRST_TICK,
        memory: {},
      };
    });
    await insertRows(db, agents, rows);
  });
  await database.db.execute(sql`vacuum analyze`);
}

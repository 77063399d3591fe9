/** What the operator is told of live trading and ticks, and that rules and panels ask for what there is. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../server/db/database.ts';
import { ticks } from '../../server/db/schema.ts';
import { liveConnections, liveMarks, liveOrders } from '../../server/db/schema-live.ts';
import { buildTestApp, TestClock, type TestApp } from '../support/app.ts';
import { openEmptyDatabase } from '../support/empty-database.ts';

let database: Database;
let test: TestApp;
const clock = new TestClock();

beforeAll(async () => {
  database = await openEmptyDatabase();
  test = await buildTestApp({ database, clock, env: { METRICS: 'true' } });
}, 90_000);
afterAll(async () => {
  await test.close();
  await database.close();
});

const metrics = async (): Promise<string> =>
  (await test.app.inject({ method: 'GET', url: '/metrics' })).body;
const valueOf = (text: string, name: string): number | null => {
  const found = new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
};
const textOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const money = '100';
async function connect(state: 'open' | 'ended'): Promise<string> {
  const id = randomUUID();
  await database.db.insert(liveConnections).values({
    id,
    uid: 'a',
    exchange: 'kraken',
    label: 'Kraken',
    state,
    accountId: randomUUID(),
    abilities: {},
    permissions: null,
    permissionsReadAt: clock.now(),
    maxOrder: money,
    maxExposure: money,
    maxDailyLoss: money,
    maxOrdersPerHour: 10,
    entriesOffSince: null,
    createdAt: clock.now(),
    endedAt: state === 'open' ? null : clock.now(),
  });
  return id;
}
const mark = (connectionId: string, reconciledToMs: number | null, gateReasons: string[]) =>
  database.db.insert(liveMarks).values({
    connectionId,
    reconciledToMs,
    pending: [],
    missing: [],
    orphans: [],
    foreignOrders: [],
    gateReasons,
    readAt: clock.now(),
  });
const order = (connectionId: string, state: string, sinceMs: number | null) =>
  database.db.insert(liveOrders).values({
    clientOrderId: randomUUID().replaceAll('-', ''),
    id: randomUUID(),
    connectionId,
    accountId: randomUUID(),
    agentId: randomUUID(),
    symbol: 'BTC/USD',
    side: 'buy',
    type: 'market',
    quantity: money,
    limitPrice: null,
    stopPrice: null,
    deadlineMs: clock.now(),
    cause: 'signal',
    reservationAsset: 'USD',
    reservationAmount: money,
    protectAt: null,
    tickId: 'x',
    decidedMarketMs: clock.now(),
    plannedAt: clock.now(),
    state,
    attempts: 1,
    sentAtMs: clock.now(),
    exchangeOrderId: null,
    booked: '0',
    reserved: money,
    seen: null,
    lastSeenMs: null,
    endSeenMs: null,
    doubt: sinceMs === null ? null : { sinceMs, cause: 'timeout', told: false },
    cancel: null,
    cancelAtMs: null,
    ending: null,
    code: null,
    alarms: [],
    changedAt: clock.now(),
  });

it('counts exchange accounts that wait, and unknown orders with the oldest of them', async () => {
  const before = await metrics();
  expect(valueOf(before, 'tradewind_live_accounts')).toBe(0);
  expect(valueOf(before, 'tradewind_live_orders_unknown')).toBe(0);
  expect(valueOf(before, 'tradewind_live_unknown_since_seconds'), 'no order').toBeNull();
  expect(valueOf(before, 'tradewind_live_reconciled_time_seconds'), 'no account').toBeNull();

  const now = clock.now();
  const [agreed, held, ended] = [
    await connect('open'),
    await connect('open'),
    await connect('ended'),
  ];
  await connect('open');
  await mark(agreed, now - 60_000, []);
  await mark(held, now - 600_000, ['account_in_doubt']);
  await mark(ended, now - 9_000_000, ['ended']);
  await order(agreed, 'unknown', now - 30_000);
  await order(held, 'unknown', now - 400_000);
  await order(held, 'open', null);
  clock.advance(2_000);
  const after = await metrics();
  expect(valueOf(after, 'tradewind_live_accounts')).toBe(3);
  expect(valueOf(after, 'tradewind_live_accounts_held'), 'and the one never compared').toBe(2);
  expect(valueOf(after, 'tradewind_live_reconciled_time_seconds')).toBe((now - 600_000) / 1_000);
  expect(valueOf(after, 'tradewind_live_orders_unknown')).toBe(2);
  expect(valueOf(after, 'tradewind_live_unknown_since_seconds')).toBe((now - 400_000) / 1_000);
  expect(after, 'no name, no id').not.toMatch(/Kraken|[0-9a-f]{8}-[0-9a-f]{4}-/);
});

it('says where the newest tick that has ended stands, and how long the loop was held up', async () => {
  const { source, baseInterval } = test.market;
  expect(valueOf(await metrics(), 'tradewind_tick_time_seconds')).toBeNull();
  const tick = (closeMarketMs: number, state: string) => ({
    source: source.id,
    interval: baseInterval,
    closeMarketMs,
    state,
  });
  await database.db
    .insert(ticks)
    .values([tick(300_000, 'done'), tick(600_000, 'unfinished'), tick(900_000, 'running')]);
  const text = await metrics();
  expect(valueOf(text, 'tradewind_tick_time_seconds')).toBe(600);
  expect(valueOf(text, 'tradewind_event_loop_delay_seconds')).toBeGreaterThanOrEqual(0);
});

const HELD = /\b(?:tradewind|process)_[a-z_]+\b/g;

it('rules and panels ask only for metrics that there are', async () => {
  const there = new Set(
    [...(await metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', kind]) =>
      kind === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  for (const path of ['deploy/prometheus/alerts.yml', 'deploy/grafana/tradewind.json']) {
    const asked = [...new Set(textOf(path).match(HELD))];
    expect(asked.length, path).toBeGreaterThan(8);
    expect(
      asked.filter((name) => !there.has(name)),
      path,
    ).toEqual([]);
  }
});

it('every alert has its section among the instructions', () => {
  const headings = new Set(
    [...textOf('docs/operations.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const rules = textOf('deploy/prometheus/alerts.yml');
  const books = [...rules.matchAll(/runbook: 'docs\/operations\.md#([^']+)'/g)].map(
    ([, anchor = '']) => anchor,
  );
  expect(books).toHaveLength([...rules.matchAll(/- alert:/g)].length);
  expect(books.filter((anchor) => !headings.has(anchor))).toEqual([]);
});

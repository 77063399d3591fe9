/**
 * Stops while others flood the server with heavy reads: how long they take, whether ticks keep their
 * time, how long the event loop is held. With `BENCH_BASE`, another checkout first.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { asc } from 'drizzle-orm';
import { ticks } from '../../server/db/schema.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { quantile, type Measurement } from './measurement.ts';
import {
  databases,
  openWorld,
  sides,
  type DatabaseKind,
  type Person,
  type World,
} from './serving-world.ts';
import { callers, type Ask, type Tally } from './traffic.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 40);
const IDLE_SECONDS = 8;
const FLOODERS = 50;
const CONNECTIONS_EACH = 3;
const STOPS_PAUSE_MS = 40;
const SPEED = 60;

const FLOOD = [
  '/api/trading/portfolio',
  '/api/trading/analytics',
  '/api/agents/insight',
  '/market/candles?symbol=BTC%2FUSDT&interval=5m&limit=1000',
  '/api/trading/history?limit=200',
];
/** What costs most, and is kept for nobody. */
const HEAVIEST = [
  '/api/trading/tax-lots',
  '/api/agents/insight',
  '/market/candles?symbol=ETH%2FUSDT&interval=1d&limit=1000',
  '/api/trading/analytics',
];

const stopOf = ({ token, agentIds }: Person, n: number): Ask => ({
  name: 'stop',
  method: 'POST',
  path: `/api/agents/${agentIds[n % agentIds.length] ?? ''}/stop`,
  token,
  headers: { [IDEMPOTENCY_HEADER]: randomUUID() },
  body: '{}',
});

/** One person's stops, one after the other, as a hand would press them. */
const stops = (world: World, person: Person, until: () => boolean): Promise<Tally> =>
  callers(
    world.server.port,
    1,
    until,
    (_caller, n) => stopOf(person, n),
    () => pause(STOPS_PAUSE_MS),
  );

interface Ticks {
  run: number;
  unfinished: number;
  longestMs: number | null;
}

/**
 * A tick is late by what it ended later after its close than the quickest did; it must end before
 * the next close.
 */
async function ticksOf(world: World): Promise<Ticks> {
  return world.afterwards(async ({ db }) => {
    const rows = (await db.select().from(ticks).orderBy(asc(ticks.closeMarketMs))).slice(1);
    const lags = rows.flatMap(({ state, finishedAt, closeMarketMs }) =>
      state === 'done' && finishedAt !== null ? [finishedAt - closeMarketMs / SPEED] : [],
    );
    const least = Math.min(...lags);
    return {
      run: lags.length,
      unfinished: rows.filter(({ state }) => state === 'unfinished' || state.startsWith('skipped'))
        .length,
      longestMs: quantile(
        lags.map((lag) => lag - least),
        1,
      ),
    };
  });
}

async function measureSide(
  side: string,
  checkout: string | undefined,
  database: DatabaseKind,
): Promise<Measurement[]> {
  const world = await openWorld({ database, people: FLOODERS + 2, checkout, speed: SPEED });
  const row = (what: string, value: number | null, unit: string): Measurement => ({
    section: 'fast-lane',
    what: `${database}, ${side}: ${what}`,
    value,
    unit,
  });
  try {
    const [stopper, looper, ...flooders] = world.people as [Person, Person, ...Person[]];
    const idleUntil = Date.now() + IDLE_SECONDS * 1_000;
    const calm = await stops(world, stopper, () => Date.now() > idleUntil);
    const began = Date.now();
    const over = (): boolean => Date.now() > began + SECONDS * 1_000;
    const [busy, flood] = await Promise.all([
      stops(world, stopper, over),
      callers(world.server.port, flooders.length * CONNECTIONS_EACH, over, (caller, n) => {
        const path = FLOOD[(caller + n) % FLOOD.length] ?? '';
        return { name: path, path, token: flooders[caller % flooders.length]?.token ?? '' };
      }),
      callers(world.server.port, 2, over, (caller, n) => {
        const path = HEAVIEST[(caller + n) % HEAVIEST.length] ?? '';
        return { name: path, path, token: looper.token };
      }),
    ]);
    const held = world.probe(began).map(({ longestMs }) => longestMs);
    const machine = world.idle(began).map(({ longestMs }) => longestMs);
    const memory = world.probe(began).map(({ rss }) => rss / 2 ** 20);
    const told = await ticksOf(world);
    return [
      row('stop alone, median', quantile(calm.times, 0.5), 'ms'),
      row('stop alone, p99', quantile(calm.times, 0.99), 'ms'),
      row('stop in the flood, median', quantile(busy.times, 0.5), 'ms'),
      row('stop in the flood, p99', quantile(busy.times, 0.99), 'ms'),
      row('stops in the flood', busy.times.length, 'stops'),
      row('stops that failed', busy.failed, 'stops'),
      row('reads answered', flood.times.length / SECONDS, 'requests/s'),
      row('reads refused (503)', flood.count(503) / SECONDS, 'requests/s'),
      row('reads, p99', quantile(flood.times, 0.99), 'ms'),
      row('event loop held, median of the longest of 250 ms', quantile(held, 0.5), 'ms'),
      row('event loop held, p99 of the longest of 250 ms', quantile(held, 0.99), 'ms'),
      row('the same of an idle process, median', quantile(machine, 0.5), 'ms'),
      row('the same of an idle process, p99', quantile(machine, 0.99), 'ms'),
      row('memory, at its most', quantile(memory, 1), 'MiB'),
      row('ticks run', told.run, 'ticks'),
      row('ticks unfinished or skipped', told.unfinished, 'ticks'),
      row('slowest tick after the quickest', told.longestMs, 'ms'),
    ];
  } finally {
    await world.close();
  }
}

export async function measure(): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const database of databases())
    for (const { side, checkout } of sides())
      results.push(...(await measureSide(side, checkout, database)));
  return results;
}

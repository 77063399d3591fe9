/**
 * Reads of people who have traded for a month: a mix at a fixed rate, and portfolios as fast as they
 * come. With `BENCH_BASE`, another checkout first.
 */
import { median, quantile, type Measurement } from './measurement.ts';
import {
  databases,
  openWorld,
  sides,
  type DatabaseKind,
  type Person,
  type ProbeLine,
  type World,
} from './serving-world.ts';
import { atRate, callers, type Ask } from './traffic.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const PER_SECOND = Number(process.env.BENCH_RATE ?? 500);
const PEOPLE = 50;
const CALLERS = 16;

/** What pages ask for; a portfolio twice, because every screen shows it. */
const MIX = [
  '/api/trading/portfolio',
  '/api/agents',
  '/api/trading/analytics',
  '/market/data',
  '/api/trading/history',
  '/api/trading/portfolio',
  '/market/candles?symbol=BTC%2FUSDT&interval=1h',
];

const mixed = (people: readonly Person[], n: number): Ask => {
  const path = MIX[n % MIX.length] ?? '';
  const person = people[Math.floor(n / MIX.length) % people.length];
  return { name: path.split('?')[0] ?? path, path, token: person?.token ?? '' };
};

/** Every page of everybody once, so that a start is not measured. */
async function once(world: World): Promise<void> {
  const total = world.people.length * MIX.length;
  let sent = 0;
  await callers(
    world.server.port,
    4,
    () => sent >= total,
    () => mixed(world.people, sent++),
  );
}

async function portfolios(world: World, seconds: number): Promise<Measurement[]> {
  const until = Date.now() + seconds * 1_000;
  const tally = await callers(
    world.server.port,
    CALLERS,
    () => Date.now() > until,
    (caller, n) => ({
      name: 'portfolio',
      path: '/api/trading/portfolio',
      token: world.people[(caller + n) % world.people.length]?.token ?? '',
    }),
  );
  return tally.rows('reads', `portfolio, ${CALLERS} callers`, seconds);
}

const MIB = 2 ** 20;

/** Memory in the first and the last tenth of a load: flat where the two are alike. */
function memory(lines: readonly ProbeLine[]): Measurement[] {
  const tenth = Math.ceil(lines.length / 10);
  const row = (when: string, part: readonly ProbeLine[], of: 'rss' | 'heapUsed'): Measurement => ({
    section: 'reads',
    what: `mix, ${of === 'rss' ? 'memory' : 'heap'}, ${when} tenth`,
    value: median(part.map((line) => line[of] / MIB)),
    unit: 'MiB',
  });
  return [
    row('first', lines.slice(0, tenth), 'rss'),
    row('last', lines.slice(-tenth), 'rss'),
    row('first', lines.slice(0, tenth), 'heapUsed'),
    row('last', lines.slice(-tenth), 'heapUsed'),
  ];
}

async function measureSide(
  side: string,
  checkout: string | undefined,
  database: DatabaseKind,
): Promise<Measurement[]> {
  const world = await openWorld({ database, people: PEOPLE, checkout });
  try {
    await once(world);
    const began = Date.now();
    const tally = await atRate(world.server.port, PER_SECOND, SECONDS, (n) =>
      mixed(world.people, n),
    );
    const probed = world.probe(began);
    const held = probed.map(({ longestMs }) => longestMs);
    const machine = world.idle(began).map(({ longestMs }) => longestMs);
    const results: Measurement[] = [
      ...tally.rows('reads', `mix at ${PER_SECOND}/s`, SECONDS),
      ...[...tally.byName].map(([name, times]) => ({
        section: 'reads',
        what: `mix, ${name}, p99`,
        value: quantile(times, 0.99),
        unit: 'ms',
      })),
      {
        section: 'reads',
        what: 'mix, event loop held, p99',
        value: quantile(held, 0.99),
        unit: 'ms',
      },
      {
        section: 'reads',
        what: 'mix, an idle process held, p99',
        value: quantile(machine, 0.99),
        unit: 'ms',
      },
      ...memory(probed),
      ...(await portfolios(world, Math.min(SECONDS, 10))),
    ];
    return results.map((one) => ({ ...one, what: `${database}, ${side}: ${one.what}` }));
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

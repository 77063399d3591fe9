/**
 * Two thousand open streams: whether each gets every event of its person in order, what they cost in
 * memory, and how long a stop takes meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { Agent, get, type ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { quantile, type Measurement } from './measurement.ts';
import { databases, openWorld, sides, type DatabaseKind, type World } from './serving-world.ts';
import { callers } from './traffic.ts';

const STREAMS = Number(process.env.BENCH_STREAMS ?? 2_000);
const STREAMS_EACH = 10;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const SETTLE_MS = 5_000;
const OPENED_AT_ONCE = 50;
const STOPS_PAUSE_MS = 20;
const ID = /^id: (\d+)$/gm;

/** One stream; it keeps the numbers of the events it was told. */
class Listener {
  readonly numbers: number[] = [];
  private tail = '';
  private request: ClientRequest | null = null;

  open(port: number, token: string, agent: Agent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.request = get(
        {
          host: '127.0.0.1',
          port,
          path: '/api/stream',
          agent,
          headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
        },
        (response) => {
          response.setEncoding('utf8');
          response.on('data', (text: string) => {
            this.take(text);
          });
          response.on('error', () => undefined);
          if (response.statusCode === 200) resolve();
          else reject(new Error(`A stream was answered ${response.statusCode}`));
        },
      );
      this.request.on('error', reject);
    });
  }

  /** Only whole lines count; a line of figures may be long and is not kept. */
  private take(text: string): void {
    const whole = `${this.tail}${text}`;
    const end = whole.lastIndexOf('\n') + 1;
    this.tail = whole.slice(Math.max(end, whole.length - 1_000));
    if (end === 0) return;
    for (const [, number] of whole.slice(0, end).matchAll(ID)) this.numbers.push(Number(number));
  }

  close(): void {
    this.request?.destroy();
  }
}

/** How many events were told of a person's own, and whether none was left out or out of order. */
const isWhole = (numbers: readonly number[], count: number): boolean =>
  numbers.length === count &&
  numbers.every((number, index) => number === (numbers[0] ?? 0) + index);

async function openAll(world: World, agent: Agent): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (let n = 0; n < STREAMS; n += OPENED_AT_ONCE) {
    const some = Array.from({ length: OPENED_AT_ONCE }, () => new Listener());
    await Promise.all(
      some.map((one, index) =>
        one.open(
          world.server.port,
          world.people[(n + index) % world.people.length]?.token ?? '',
          agent,
        ),
      ),
    );
    listeners.push(...some);
  }
  return listeners;
}

async function measureSide(
  side: string,
  checkout: string | undefined,
  database: DatabaseKind,
): Promise<Measurement[]> {
  const people = Math.ceil(STREAMS / STREAMS_EACH);
  const world = await openWorld({ database, people, checkout, days: 2 });
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  let listeners: Listener[] = [];
  const rss = (since: number): number[] => world.probe(since).map((line) => line.rss / 2 ** 20);
  try {
    const before = rss(0).at(-1) ?? null;
    listeners = await openAll(world, agent);
    await pause(SETTLE_MS);
    const began = Date.now();
    const pressed = world.people.map(() => 0);
    const tally = await callers(
      world.server.port,
      1,
      () => Date.now() > began + SECONDS * 1_000,
      (_caller, n) => {
        const index = n % world.people.length;
        pressed[index] = (pressed[index] ?? 0) + 1;
        const { token = '', agentIds = [] } = world.people[index] ?? {};
        return {
          name: 'stop',
          method: 'POST',
          path: `/api/agents/${agentIds[0] ?? ''}/stop`,
          token,
          headers: { [IDEMPOTENCY_HEADER]: randomUUID() },
          body: '{}',
        };
      },
      () => pause(STOPS_PAUSE_MS),
    );
    await pause(SETTLE_MS);
    const whole = listeners.filter(({ numbers }, index) =>
      isWhole(numbers, pressed[index % world.people.length] ?? 0),
    );
    const memory = rss(began);
    const rows: [string, number | null, string][] = [
      ['streams open', listeners.length, 'streams'],
      ['streams with every event in order', whole.length, 'streams'],
      ['events told', listeners.reduce((all, one) => all + one.numbers.length, 0), 'events'],
      ['stops', tally.times.length, 'stops'],
      ['stops that failed', tally.failed, 'stops'],
      ['stop meanwhile, median', quantile(tally.times, 0.5), 'ms'],
      ['stop meanwhile, p99', quantile(tally.times, 0.99), 'ms'],
      ['memory before the streams', before, 'MiB'],
      ['memory, at the beginning of the stops', memory[0] ?? null, 'MiB'],
      ['memory, at their end', memory.at(-1) ?? null, 'MiB'],
    ];
    return rows.map(([what, value, unit]) => ({
      section: 'streams',
      what: `${database}, ${side}: ${what}`,
      value,
      unit,
    }));
  } finally {
    for (const one of listeners) one.close();
    agent.destroy();
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

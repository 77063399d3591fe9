/**
 * How soon a purchase is protected at the exchange, and how soon the person is told of a stop that
 * was cancelled there by hand: on the machine's clock, by the exchange's own journal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import { formatFixed, parseFixed, floorToStep } from '../../contract/money.ts';
import { LiveExchange } from '../../contract/signer.ts';
import { liveAlarms } from '../../server/db/schema-live.ts';
import type { JournalEntry } from '../support/exchange/journal.ts';
import { heldBy } from '../support/live/agent-decision.ts';
import { BENCH_ACCOUNT, openBenchWorld, type BenchWorld } from './live-world.ts';
import { quantile, type Measurement } from './measurement.ts';

const ROUNDS = Number(process.env.LIVE_ROUNDS ?? 10);
const AGENTS = 3;
const BUDGET = 60;
/** The stand-in's first pairs; of the next too little is traded a day for the signer. */
const ENOUGH_TRADED = 2;
const EVERY_MS = 20;
const PATIENCE_MS = 120_000;
/**
 * Between two rounds: what the exchange lets a key ask for is given back meanwhile. Kraken's lowest
 * tier gives back one request in three seconds; a round takes about nine.
 */
const PAUSE_MS: Record<LiveExchange, number> = {
  kraken: 90_000,
  coinbase: 10_000,
  binance: 10_000,
};

interface Sample {
  /** From the last fill of a purchase to its resting stop. */
  protectedMs: number;
  /** From the cancellation by hand to the alarm, which says that the server watches the price. */
  toldMs: number;
  isWholeSize: boolean;
}

type Accepted = Extract<JournalEntry, { kind: 'accepted' }>;

async function first<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const endMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endMs) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(EVERY_MS);
  }
  throw new Error(`No ${what} in time`);
}

async function alarmOf({ database }: BenchWorld, about: string) {
  const [row] = await database.db
    .select({ raisedAt: liveAlarms.raisedAt })
    .from(liveAlarms)
    .where(and(eq(liveAlarms.kind, 'cancelled_at_exchange'), eq(liveAlarms.about, about)));
  return row;
}

const stopAfter =
  ({ standIn }: BenchWorld, sequence: number) =>
  (): Accepted | undefined =>
    standIn.journal
      .of('accepted')
      .find(({ seq, stop, by }) => seq > sequence && stop !== null && by === 'api');

const ended =
  ({ standIn }: BenchWorld, side: 'buy' | 'sell', sequence: number) =>
  () =>
    standIn.journal.of('fill').find((one) => {
      const { fill, seq } = one;
      const order = standIn.core.orders.get(fill.orderId);
      return seq > sequence && fill.side === side && order?.state === 'filled';
    });

async function roundOf(world: BenchWorld, number: number): Promise<Sample> {
  const { standIn, symbols, agentIds, connection, database } = world;
  const agentId = agentIds[number % agentIds.length] ?? '';
  const symbol = symbols[number % ENOUGH_TRADED] ?? '';
  const newest = (): number => standIn.journal.entries.at(-1)?.seq ?? 0;
  const begun = newest();
  await world.decide(agentId, symbol, BUDGET);
  world.desk().poke(connection.id);
  const bought = await first('purchase', ended(world, 'buy', begun));
  const stop = await first('stop', stopAfter(world, bought.seq));
  const held = await heldBy(database.db, agentId, symbol);
  const whole = floorToStep(parseFixed(held?.quantity ?? '0'), standIn.instrument(symbol).step);
  // Sometime between two looks of ours.
  await sleep(2_000 + ((number * 1_237) % 8_000));
  const cancelledAtMs = standIn.clock.trueNow();
  standIn.person.cancel(BENCH_ACCOUNT, stop.orderId);
  const { raisedAt } = await first('alarm', () => alarmOf(world, stop.clientOrderId ?? ''));
  const beforeSale = newest();
  await world.decide(agentId, symbol, BUDGET);
  world.desk().poke(connection.id);
  await first('sale', ended(world, 'sell', beforeSale));
  await sleep(PAUSE_MS[connection.exchange]);
  return {
    protectedMs: stop.atMs - bought.atMs,
    toldMs: raisedAt - cancelledAtMs,
    isWholeSize: formatFixed(stop.quantity) === formatFixed(whole),
  };
}

async function samplesOf(dialect: LiveExchange): Promise<Sample[]> {
  const world = await openBenchWorld({ dialect, clock: 'flowing', agents: AGENTS });
  try {
    world.desk().start();
    await first('open account', () =>
      world.desk().entriesOff(world.connection.id) === null ? true : undefined,
    );
    const samples: Sample[] = [];
    for (let number = 0; number < ROUNDS; number += 1) {
      const sample = await roundOf(world, number);
      samples.push(sample);
      process.stderr.write(
        `${dialect} ${number + 1}: protected after ${sample.protectedMs} ms, told after ${sample.toldMs} ms\n`,
      );
    }
    return samples;
  } finally {
    await world.close();
  }
}

export async function measureStops(): Promise<Measurement[]> {
  const lists = await Promise.all(LiveExchange.options.map(samplesOf));
  return LiveExchange.options.flatMap((dialect, index) => {
    const samples = lists[index] ?? [];
    const figure = (what: string, value: number | null, unit: string): Measurement => ({
      section: 'live',
      what: `${dialect}: ${what}`,
      value,
      unit,
    });
    const after = samples.map(({ protectedMs }) => protectedMs);
    const again = samples.map(({ toldMs }) => toldMs);
    return [
      figure('purchases', samples.length, 'purchases'),
      figure(
        'stops of another size than what is held',
        samples.filter((one) => !one.isWholeSize).length,
        'stops',
      ),
      figure('fill to resting stop, median', quantile(after, 0.5), 'ms'),
      figure('fill to resting stop, p99', quantile(after, 0.99), 'ms'),
      figure('cancelled by hand to the alarm, median', quantile(again, 0.5), 'ms'),
      figure('cancelled by hand to the alarm, p99', quantile(again, 0.99), 'ms'),
    ];
  });
}

/**
 * A server that starts with many open orders and many trades to read: how long until it sends
 * anything, by work and by what the exchange's limits make it wait.
 */
import { asc, eq } from 'drizzle-orm';
import { divide, fixedFromNumber, formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import { LiveExchange } from '../../contract/signer.ts';
import { venueFills } from '../../server/db/schema-live.ts';
import { ownedBy } from '../../server/live/live-accounts.ts';
import { instrumentsOf, type Instrument } from '../support/exchange/instruments.ts';
import { heldBy } from '../support/live/agent-decision.ts';
import { BENCH_ACCOUNT, openBenchWorld, type BenchWorld } from './live-world.ts';
import type { Measurement } from './measurement.ts';

const PAIRS = 25;
const DIALECTS = LiveExchange.options.filter((one) =>
  (process.env.LIVE_DIALECTS ?? LiveExchange.options.join()).split(',').includes(one),
);
const OPEN_ORDERS = Number(process.env.LIVE_ORDERS ?? 500);
const FILLS = Number(process.env.LIVE_FILLS ?? 5_000);
/** In all no more than a new connection may have in the market. */
const BUDGET = 0.8;
/** Of a pair of which enough is traded a day. */
const PRICE = '5000';
/** Each purchase reads the market first, and Kraken answers once a second. */
const AT_ONCE = 2;
const MOST_LOOKS = 400;
/** A purchase that did not leave before its deadline is decided anew, looks. */
const AGAIN_AFTER_LOOKS = 40;
const LOOK_MS = 1_000;

/** So many pairs, of which very little may be traded. */
function manyPairs(dialect: LiveExchange): Instrument[] {
  const [usual] = instrumentsOf(dialect).values();
  if (usual === undefined) throw new Error(`${dialect} trades nothing`);
  const { quote, costDecimals } = usual;
  return Array.from({ length: PAIRS }, (_, index) => {
    const base = `C${String.fromCharCode(65 + index)}X`;
    return {
      symbol: `${base}/${quote}`,
      base,
      quote,
      tick: parseFixed('0.01'),
      step: parseFixed('0.00000001'),
      minQuantity: parseFixed('0.00000001'),
      minNotional: parseFixed('0.01'),
      costDecimals,
      status: 'online',
    };
  });
}

const restingStops = ({ standIn }: BenchWorld) =>
  standIn.core
    .ordersOf(BENCH_ACCOUNT)
    .filter(({ state, stop }) => state === 'open' && stop !== null);

/** Those who hold it already would sell. */
async function decideToBuy(world: BenchWorld, agentId: string, symbol: string): Promise<void> {
  if ((await heldBy(world.database.db, agentId, symbol)) !== null) return;
  await world.decide(agentId, symbol, BUDGET);
}

/** Every agent holds every pair, and each position has its stop at the exchange. */
async function fillUp(world: BenchWorld): Promise<void> {
  const { agentIds, symbols, standIn } = world;
  const wanted = agentIds.flatMap((agentId) => symbols.map((symbol) => ({ agentId, symbol })));
  await world.desk().runAll();
  for (let index = 0; index < wanted.length; index += AT_ONCE) {
    const these = wanted.slice(index, index + AT_ONCE);
    const expected = index + these.length;
    for (let look = 0; restingStops(world).length < expected; look += 1) {
      if (look > MOST_LOOKS)
        throw new Error(`${restingStops(world).length} of ${expected} stops rest`);
      if (look % AGAIN_AFTER_LOOKS === 0)
        for (const { agentId, symbol } of these) await decideToBuy(world, agentId, symbol);
      await standIn.advance(LOOK_MS);
      await world.desk().runAll();
      await world.desk().settled();
    }
  }
}

/** What nobody of ours hears: each stop is filled a little, again and again. */
async function fillUnheard(world: BenchWorld): Promise<number> {
  const { standIn } = world;
  const share = divide(parseFixed('1'), fixedFromNumber(50), 'down');
  const before = standIn.journal.of('fill').length;
  for (let round = 0; round < FILLS / OPEN_ORDERS; round += 1) {
    for (const order of restingStops(world)) standIn.core.fillShare(order, share);
    await standIn.advance(LOOK_MS);
  }
  return standIn.journal.of('fill').length - before;
}

interface Started {
  fills: number;
  workMs: number;
  waitedMs: number;
  sentBefore: number;
  asked: number;
}

async function startAgain(world: BenchWorld): Promise<Started> {
  const { standIn, connection } = world;
  await world.desk().stop();
  const fills = await fillUnheard(world);
  let sentBefore = 0;
  let asked = 0;
  const desk = world.restart((act) => {
    asked += 1;
    if (act === 'place' && desk.entriesOff(connection.id) !== null) sentBefore += 1;
  });
  const [begunMs, virtualMs] = [performance.now(), standIn.clock.trueNow()];
  for (let look = 0; desk.entriesOff(connection.id) !== null; look += 1) {
    if (look > MOST_LOOKS) throw new Error('The account was never compared');
    if (look > 0) await standIn.advance(LOOK_MS);
    await desk.runAll();
  }
  const workMs = performance.now() - begunMs;
  const waitedMs = standIn.clock.trueNow() - virtualMs;
  await desk.settled();
  return { fills, workMs, waitedMs, sentBefore, asked };
}

/** @throws Error where a trade is missing, or our books are not the exchange's. */
async function checkBooks({ database, standIn, connection }: BenchWorld): Promise<void> {
  const rows = await database.db
    .select({ tradeId: venueFills.tradeId })
    .from(venueFills)
    .where(eq(venueFills.connectionId, connection.id))
    .orderBy(asc(venueFills.number));
  const really = standIn.journal.of('fill').length;
  if (rows.length !== really)
    throw new Error(`${connection.exchange}: ${rows.length} of ${really} trades were booked`);
  const { all } = await ownedBy(database.db, connection.accountId);
  const account = standIn.accounts.get(BENCH_ACCOUNT);
  for (const coin of account.coins) {
    const [ours, theirs] = [all.get(coin) ?? ZERO, account.total(coin)];
    if (ours !== theirs)
      throw new Error(
        `${connection.exchange}, ${coin}: ${formatFixed(ours)} in the books, ${formatFixed(theirs)} there`,
      );
  }
}

async function measureOne(dialect: LiveExchange): Promise<Measurement[]> {
  const world = await openBenchWorld({
    dialect,
    clock: 'still',
    agents: OPEN_ORDERS / PAIRS,
    instruments: manyPairs(dialect),
    price: PRICE,
  });
  try {
    await fillUp(world);
    const { fills, workMs, waitedMs, sentBefore, asked } = await startAgain(world);
    await checkBooks(world);
    const figure = (what: string, value: number, unit: string): Measurement => ({
      section: 'live',
      what: `${dialect}: start with ${OPEN_ORDERS} open orders, ${what}`,
      value,
      unit,
    });
    return [
      figure('trades to read', fills, 'trades'),
      figure('until it may send, work', workMs / 1_000, 's'),
      figure("until it may send, waiting for the exchange's limits", waitedMs / 1_000, 's'),
      figure('questions to the signer', asked, 'questions'),
      figure('orders sent before it was done', sentBefore, 'orders'),
    ];
  } finally {
    await world.close();
  }
}

export async function measureStarts(): Promise<Measurement[]> {
  const all: Measurement[] = [];
  for (const dialect of DIALECTS) all.push(...(await measureOne(dialect)));
  return all;
}

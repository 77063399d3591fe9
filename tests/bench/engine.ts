/**
 * Candles per second of a backtest: the house's engine beside the npm package grademark on one tape
 * and one rule, the pools, and the browser's worker beside Node.
 */
import { backtest, type BacktestResult } from '../../engine/backtest/run-backtest.ts';
import { makeSeries } from '../../engine/signals/candle-series.ts';
import {
  crossInput,
  crossSweep,
  PAIR,
  roundsOf,
  theirBars,
  theirRounds,
  type Round,
} from '../engine/backtest/cross.ts';
import type { Candle } from '../../engine/market-types.ts';
import { FIVE_MINUTES } from '../engine/tape.ts';
import { longTape, poolOrder, TAPE_NAME } from './tapes.ts';
import { inBrowser } from './browser-backtest.ts';
import { median, type Measurement } from './measurement.ts';
import { runOrder } from '../../src/backtest/backtest-worker.ts';

const SIZES = (process.env.BENCH_CANDLES ?? '100000,1000000').split(',').map(Number);
const RUNS = Number(process.env.BENCH_RUNS ?? 3);
const COSTS = { feeBps: 10, stopLoss: 0.05 };
/** Stops are exact here and floats there. */
const sameRound = (ours: Round, theirs: Round): boolean =>
  ours.every((value, index) => Math.abs(value - (theirs[index] ?? Number.NaN)) <= 1e-9 * value);

/**
 * Rounds that both make on a short tape before anything is timed: what is measured is the running,
 * not the compiling.
 */
const WARM_ROUNDS = 5;
const WARM_CANDLES = 20_000;

function warm(): void {
  const candles = longTape(WARM_CANDLES);
  const bars = candles.map((candle) => ({ ...candle, time: new Date(candle.time) }));
  for (let round = 0; round < WARM_ROUNDS; round += 1)
    agree(
      roundsOf(backtest(crossInput(candles, COSTS)).trades),
      theirRounds(theirBars(bars), COSTS.stopLoss),
      candles,
    );
}

/** Seconds of what is done, after a collection where Node was told to offer one. */
function timed<T>(work: () => T): { seconds: number; value: T } {
  (globalThis as { gc?: () => void }).gc?.();
  const began = performance.now();
  const value = work();
  return { seconds: (performance.now() - began) / 1_000, value };
}

/**
 * Where a candle opens under the stop the house sells at the open, the other package at the stop as
 * if somebody had paid that.
 */
function overGap(ours: Round, theirs: Round, candles: readonly Candle[]): boolean {
  const open = candles[(ours[2] - (candles[0]?.time ?? 0)) / FIVE_MINUTES]?.open ?? Number.NaN;
  return (
    sameRound([ours[0], ours[1], ours[2], theirs[3]], theirs) &&
    ours[3] === open &&
    open < theirs[3]
  );
}

function agree(ours: readonly Round[], theirs: readonly Round[], candles: readonly Candle[]): void {
  const differs = theirs.findIndex(
    (round, index) =>
      !ours[index] || !(sameRound(ours[index], round) || overGap(ours[index], round, candles)),
  );
  if (ours.length === 0 || ours.length !== theirs.length || differs >= 0) {
    throw new Error(
      `Trades differ: ${ours.length} of ours, ${theirs.length} of theirs, the first at ${differs}: ${String(ours[differs])} / ${String(theirs[differs])}`,
    );
  }
}

/** Both over one tape, turn about; fees, stops and ledger on in ours. */
function sideBySide(count: number): Measurement[] {
  const candles = longTape(count);
  const bars = candles.map((candle) => ({ ...candle, time: new Date(candle.time) }));
  const input = crossInput(candles, COSTS);
  const seconds = {
    ours: [] as number[],
    oursAlone: [] as number[],
    theirs: [] as number[],
    theirsAlone: [] as number[],
  };
  let result: BacktestResult | null = null;
  for (let run = 0; run < RUNS; run += 1) {
    // Theirs: their averages, then their loop. Ours: everything from the list of candles to the
    // measures.
    const prepared = timed(() => theirBars(bars));
    const theirs = timed(() => theirRounds(prepared.value, COSTS.stopLoss));
    const ours = timed(() => backtest(input));
    agree(roundsOf(ours.value.trades), theirs.value, candles);
    const reckoned = timed(() => crossSweep(new Map([[PAIR, makeSeries(PAIR, candles)]]), 'usual'));
    seconds.ours.push(ours.seconds);
    seconds.oursAlone.push(ours.seconds - reckoned.seconds);
    seconds.theirs.push(prepared.seconds + theirs.seconds);
    seconds.theirsAlone.push(theirs.seconds);
    result = ours.value;
  }
  const speed = (of: readonly number[]): number => count / (median(of) ?? Number.NaN);
  const stops = result?.trades.filter((fill) => fill.reason === 'stop_loss').length ?? 0;
  const name = `cross of averages, ${count.toLocaleString('en')} candles`;
  return [
    {
      section: 'engine',
      what: `${name}: same trades in both`,
      value: result === null ? null : roundsOf(result.trades).length,
      unit: `${result?.trades.length} fills, ${stops} stops`,
    },
    {
      section: 'engine',
      what: `${name}: ours, median of ${RUNS}`,
      value: speed(seconds.ours),
      unit: 'candles/s',
    },
    {
      section: 'engine',
      what: `${name}: grademark, median of ${RUNS}`,
      value: speed(seconds.theirs),
      unit: 'candles/s',
    },
    {
      section: 'engine',
      what: `${name}: ratio`,
      value: speed(seconds.ours) / speed(seconds.theirs),
      unit: '×',
    },
    {
      section: 'engine',
      what: `${name}: ours, averages made before`,
      value: speed(seconds.oursAlone),
      unit: 'candles/s',
    },
    {
      section: 'engine',
      what: `${name}: grademark, averages made before`,
      value: speed(seconds.theirsAlone),
      unit: 'candles/s',
    },
    {
      section: 'engine',
      what: `${name}: ratio, averages made before`,
      value: speed(seconds.oursAlone) / speed(seconds.theirsAlone),
      unit: '×',
    },
  ];
}

/** What a person waits for: 90 days of five pairs, as the page orders it of its worker. */
async function pools(): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const pool of ['momentum_24h', 'all_pools'] as const) {
    const order = poolOrder(pool, 90);
    const runs = Array.from({ length: RUNS }, () => timed(() => runOrder(order).outcome));
    const { candles, trades } = runs[0]?.value ?? { candles: 0, trades: [] };
    const what = `${pool}, ${candles.toLocaleString('en')} candles of ${order.terms.agent.pairs.length} pairs, ${trades.length} trades`;
    const here = median(runs.map((run) => run.seconds)) ?? Number.NaN;
    rows.push({
      section: 'engine',
      what: `${what}: Node`,
      value: candles / here,
      unit: `candles/s, ${here.toFixed(2)} s`,
    });
    const there = await inBrowser(order, RUNS);
    if (JSON.stringify(there.outcome) !== JSON.stringify(runs[0]?.value))
      throw new Error(`${pool}: the browser's worker finds something else`);
    const seconds = median(there.seconds) ?? Number.NaN;
    rows.push({
      section: 'engine',
      what: `${what}: the browser's worker`,
      value: candles / seconds,
      unit: `candles/s, ${seconds.toFixed(2)} s`,
    });
  }
  return rows;
}

export async function measure(): Promise<Measurement[]> {
  warm();
  return [
    { section: 'engine', what: `tape: ${TAPE_NAME}`, value: SIZES.length, unit: 'sizes' },
    ...SIZES.flatMap(sideBySide),
    ...(await pools()),
  ];
}

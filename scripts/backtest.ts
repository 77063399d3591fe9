/**
 * `npm run backtest -- --data DIR --pool … --pairs …`: backtests one agent over recorded candles,
 * printed as JSON or text.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ExecutionInterval,
  Pair,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../contract/agents.ts';
import type { BacktestReport } from '../contract/backtest.ts';
import { parseFixed } from '../contract/money.ts';
import type { Fixed } from '../contract/money.ts';
import { backtest, type BacktestInput } from '../engine/backtest/run-backtest.ts';
import { backtestReport } from '../engine/backtest/backtest-report.ts';
import { CandleGate, faultsText, type CandleFault } from '../engine/signals/candle-gate.ts';
import { isPegPair } from '../engine/signals/pegs.ts';
import { STABLECOINS } from '../engine/pair-coins.ts';
import { testedWith } from '../engine/backtest/backtest-hashes.ts';
import { engineHash } from '../server/engine-hash.ts';
import { riskValues } from '../engine/execution/risk-profiles.ts';
import type { Candle, PairRules } from '../engine/market-types.ts';
import { readTape, type Tape } from '../server/market/replay-tape.ts';
import { rulesOf } from '../server/market/replay-feed.ts';

const USAGE = `npm run backtest -- --data DIR --pool POOL --pairs BTC/USDT,ETH/USDT --from 2022-02-05 --to 2022-04-10 [--profile Moderate] [--interval 5-minute]
  [--frequency optimized] [--deposit 10000] [--max-position 1000000] [--fee-bps 10] [--json]
DIR holds files like BTC-USDT.csv.gz (time,open,high,low,close,volume), or folders of them: the finest that has every pair and
reaches --to is traded, a coarser one is history before it.`;

class Wrong extends Error {}

interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };
}

function read<T>(name: string, schema: Schema<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Wrong(`--${name}: ${parsed.error.issues[0]?.message ?? 'Invalid input'}`);
}

function day(name: string, text: string | undefined): number {
  const ms =
    text === undefined || !/^\d{4}-\d\d-\d\d/.test(text)
      ? NaN
      : Date.parse(/T/.test(text) ? text : `${text}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new Wrong(`--${name}: give a UTC date such as 2022-02-05`);
  return ms;
}

function money(name: string, text: string): Fixed {
  try {
    const value = parseFixed(text);
    if (value > 0n) return value;
  } catch {
    /* told below */
  }
  throw new Wrong(`--${name}: give a positive amount such as 10000`);
}

const isTape = (folder: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder).some((name) => /^[A-Z]+-[A-Z]+\.csv(\.gz)?$/.test(name));

const stepMs = (candles: readonly Candle[]): number =>
  (candles[1]?.time ?? 0) - (candles[0]?.time ?? 0);
const lengthText = (ms: number): string =>
  ms === 3_600_000 ? 'hourly' : ms === 86_400_000 ? 'daily' : `${ms / 60_000}-minute`;

/**
 * A finer tape without all the pairs, or one that is over while a coarser one goes on, is left
 * alone: a test half on one and half on the other would be of neither.
 */
function fitting(
  tapes: readonly Tape[],
  pairs: readonly string[],
  to: number,
): { traded: readonly Tape[]; notes: string[] } {
  const listOf = (tape: Tape): readonly Candle[] =>
    pairs.map((pair) => tape.candles.get(pair)).find((list) => list !== undefined) ?? [];
  const sorted = [...tapes]
    .filter((tape) => listOf(tape).length > 0)
    .sort((a, b) => stepMs(listOf(a)) - stepMs(listOf(b)));
  const endOf = (tape: Tape): number =>
    Math.min(
      ...pairs.map((pair) => {
        const list = tape.candles.get(pair);
        return list === undefined
          ? Number.NEGATIVE_INFINITY
          : (list.at(-1)?.time ?? 0) + stepMs(list);
      }),
    );
  const reach = Math.min(to, Math.max(...sorted.map(endOf)));
  const first = Math.max(
    0,
    sorted.findIndex((tape) => endOf(tape) >= reach),
  );
  const [chosen] = sorted.slice(first);
  const left = sorted
    .slice(0, first)
    .map((tape) => lengthText(stepMs(listOf(tape))))
    .join(' and ');
  return {
    traded: sorted.slice(first),
    notes:
      left === '' || chosen === undefined
        ? []
        : [
            `The ${left} candles lack a pair or end before --to: ${lengthText(stepMs(listOf(chosen)))} candles are used.`,
          ],
  };
}

interface Found {
  notes: string[];
  candles: Map<string, readonly Candle[]>;
  witnesses: Map<string, readonly Candle[]>;
  faults: Map<string, Map<CandleFault, number>>;
}

/**
 * The finest tape of the folder or of the folders in it, with coarser history before its first
 * candle; and those of stablecoins that lie beside them, which tell whether the quote is on its
 * peg.
 */
async function candlesOf(folder: string, pairs: readonly string[], to: number): Promise<Found> {
  const folders = isTape(folder)
    ? [folder]
    : existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter((one) => one.isDirectory())
          .map((one) => join(folder, one.name))
          .filter(isTape)
      : [];
  if (folders.length === 0) throw new Wrong(`--data: ${folder} has no file like BTC-USDT.csv.gz`);
  const tapes: Tape[] = [];
  const quote = pairs[0]?.split('/')[1] ?? '';
  const beside = [...STABLECOINS]
    .map((base) => `${base}/${quote}`)
    .filter((pair) => isPegPair(pair) && !pairs.includes(pair));
  for (const one of folders)
    tapes.push(
      await readTape(one, [...pairs, ...beside]).catch((error: unknown) => {
        throw new Wrong(`--data: ${error instanceof Error ? error.message : String(error)}`);
      }),
    );
  const { traded, notes } = fitting(tapes, pairs, to);
  const finest = (pair: string): readonly Candle[][] =>
    (pairs.includes(pair) ? traded : tapes)
      .flatMap((tape) => {
        const list = tape.candles.get(pair);
        return list === undefined ? [] : [[...list]];
      })
      .sort(
        (a, b) => (a[1]?.time ?? 0) - (a[0]?.time ?? 0) - ((b[1]?.time ?? 0) - (b[0]?.time ?? 0)),
      );
  const whole = (pair: string): readonly Candle[] | null => {
    const [fine, coarse = []] = finest(pair);
    return fine === undefined
      ? null
      : [...coarse.filter((candle) => candle.time < (fine[0]?.time ?? 0)), ...fine];
  };
  const candles = new Map(
    pairs.map((pair) => {
      const list = whole(pair);
      if (list === null) throw new Wrong(`--pairs: ${pair} is not in ${folder}`);
      return [pair, list] as const;
    }),
  );
  const witnesses = new Map(
    beside.flatMap((pair) => {
      const list = whole(pair);
      return list === null ? [] : [[pair, list] as const];
    }),
  );
  return { candles, witnesses, faults: faultsIn(traded, candles), notes };
}

/** What is wrong in the files, and what the engine will not believe of the rest. */
function faultsIn(
  tapes: readonly Tape[],
  candles: ReadonlyMap<string, readonly Candle[]>,
): Map<string, Map<CandleFault, number>> {
  return new Map(
    [...candles].map(([pair, list]) => {
      const counts = new Map<CandleFault, number>();
      const add = (fault: CandleFault, count: number): void => {
        counts.set(fault, (counts.get(fault) ?? 0) + count);
      };
      for (const tape of tapes)
        for (const [fault, count] of tape.faults.get(pair) ?? []) add(fault, count);
      const gate = new CandleGate();
      for (const candle of list) {
        const fault = gate.judge(candle);
        if (fault !== null) add(fault, 1);
      }
      return [pair, counts] as const;
    }),
  );
}

/**
 * A wick longer than this share of the open is told: it may be a fault, and a stop in it is carried
 * out all the same.
 */
const LONG_WICK = 0.5;

/**
 * What is odd about the candles of the period, a sentence a pair; on standard error, so that the
 * object stays one.
 */
function notesOn({ candles, faults }: Found, from: number, to: number): string[] {
  return [...candles].flatMap(([pair, list]) => {
    const found = faults.get(pair) ?? new Map<CandleFault, number>();
    const left = [...found.values()].reduce((sum, count) => sum + count, 0);
    const within = list.filter(({ time }) => time >= from && time < to);
    const step = Math.min(
      ...within
        .slice(1)
        .map(({ time }, i) => time - (within[i]?.time ?? time))
        .filter((gap) => gap > 0),
    );
    const gaps = within
      .slice(1)
      .map(({ time }, i) => Math.round((time - (within[i]?.time ?? time)) / step) - 1)
      .filter((missing) => missing > 0);
    const wicks = within.filter(
      ({ close, high, low, open }) =>
        Math.min(open, close) - low > open * LONG_WICK ||
        high - Math.max(open, close) > open * LONG_WICK,
    ).length;
    return [
      ...(left > 0
        ? [
            `${pair}: ${left} ${left === 1 ? 'row was' : 'rows were'} left out (${faultsText(found)}). No decisions are made on them.`,
          ]
        : []),
      ...(gaps.length > 0
        ? [
            `${pair}: ${gaps.reduce((sum, count) => sum + count, 0)} candles are missing in ` +
              `${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'}. No entries there; a stop loss ` +
              'fills at the first price afterwards.',
          ]
        : []),
      ...(wicks > 0
        ? [
            `${pair}: ${wicks} ${wicks === 1 ? 'candle has' : 'candles have'} a wick of more than half the price. A stop loss inside it is filled.`,
          ]
        : []),
    ];
  });
}

async function inputOf(
  args: readonly string[],
): Promise<{ input: BacktestInput; json: boolean; notes: string[] }> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      pool: { type: 'string' },
      pairs: { type: 'string' },
      profile: { type: 'string', default: 'Moderate' },
      interval: { type: 'string', default: '5-minute' },
      from: { type: 'string' },
      to: { type: 'string' },
      frequency: { type: 'string', default: 'optimized' },
      deposit: { type: 'string', default: '10000' },
      'max-position': { type: 'string', default: '1000000' },
      'fee-bps': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const pairs = [
    ...new Set((values.pairs ?? '').split(',').map((pair) => read('pairs', Pair, pair.trim()))),
  ];
  if (new Set(pairs.map((pair) => pair.split('/')[1])).size > 1)
    throw new Wrong('--pairs: all pairs need the same quote currency');
  const profile = read('profile', RiskProfile, values.profile);
  const [from, to] = [day('from', values.from), day('to', values.to)];
  if (to <= from) throw new Wrong('--to: give a date after --from');
  const agent = {
    pool: read('pool', PoolId, values.pool),
    profile,
    risk: riskValues(profile),
    pairs,
    maxPositionSize: money('max-position', values['max-position']),
    interval: read('interval', ExecutionInterval, values.interval),
    frequency: read('frequency', TradingFrequency, values.frequency),
  };
  const found = await candlesOf(values.data ?? '', pairs, to);
  const { candles, witnesses } = found;
  if (
    ![...candles.values()].some((list) =>
      list.some((candle) => candle.time >= from && candle.time < to),
    )
  )
    throw new Wrong('--from: no candles between --from and --to');
  const feeBps = values['fee-bps'] === undefined ? undefined : Number(values['fee-bps']);
  if (feeBps !== undefined && !(feeBps >= 0 && feeBps <= 1000))
    throw new Wrong('--fee-bps: give a number from 0 to 1000');
  const rules = new Map(
    [...candles].map(([pair, list]): [string, PairRules] => [
      pair,
      { ...rulesOf(pair, list), ...(feeBps === undefined ? {} : { feeBps }) },
    ]),
  );
  return {
    input: {
      agent,
      candles,
      witnesses,
      rules,
      deposit: money('deposit', values.deposit),
      maxTradeAmount: parseFixed('1000000'),
      from,
      to,
    },
    json: values.json,
    notes: [...found.notes, ...notesOn(found, from, to)],
  };
}

const percent = (ratio: number | null): string =>
  ratio === null ? '—' : `${(ratio * 100).toFixed(2)} %`;

function inWords(report: BacktestReport): string {
  const { costs, metrics, settings } = report;
  return [
    `${settings.pool}, ${settings.profile}, ${settings.pairs.join(' ')}, ${settings.interval}, ${settings.from.slice(0, 10)} to ${settings.to.slice(0, 10)}`,
    `Equity ${settings.deposit} → ${report.finalEquity} ${settings.quote}: ${percent(metrics.totalReturn)}; buy-and-hold: ${percent(report.buyAndHold)}`,
    `${report.trades.length} trades, fees ${costs.fees}, spread and impact ${costs.slippage}; maximum drawdown ${percent(metrics.maxDrawdown)}`,
    'Past results are no promise. A backtest has no outages and no traders who react to it, and whoever chose its settings knew how the story ended.',
  ].join('\n');
}

try {
  const { input, json, notes } = await inputOf(process.argv.slice(2));
  for (const note of notes) process.stderr.write(`${note}\n`);
  const result = backtest(input);
  const { settings, data } = await testedWith(input, result);
  const report: BacktestReport = {
    ...backtestReport(input, result),
    tested: { settings, data, engine: engineHash() },
  };
  // The whole of it before the process ends, also into a pipe.
  await new Promise<void>((done) => {
    process.stdout.write(`${json ? JSON.stringify(report) : inWords(report)}\n`, () => {
      done();
    });
  });
} catch (error) {
  if (!(error instanceof Wrong) && !(error instanceof TypeError && 'code' in error)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}\n`);
  process.exitCode = 2;
}

/** Reads a folder of candle files into memory and skips invalid rows. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { faultOf, type CandleFault } from '../../engine/signals/candle-gate.ts';
import type { Candle } from '../../engine/market-types.ts';
import { firstAtOrAfter } from './candle-building.ts';

const unzip = promisify(gunzip);
const FILE = /^([A-Z]{2,10})-([A-Z]{2,10})\.csv(\.gz)?$/;
const HEADER = 'time,open,high,low,close,volume';

export interface Tape {
  interval: CandleInterval;
  quote: string;
  /** Oldest first, gaps left as they are. */
  candles: ReadonlyMap<string, readonly Candle[]>;
  /** Opening of the first candle and close of the last, over all pairs, ms UTC. */
  first: number;
  end: number;
  /** Rows left out because they are no candle, or not on the tape's interval, or out of order. */
  skipped: number;
  /** The same by pair, with what was wrong; those off the interval are not among them. */
  faults: ReadonlyMap<string, ReadonlyMap<CandleFault, number>>;
}

/**
 * `only`: no other pair's file is opened.
 * @throws Error with a sentence for the operator when the folder cannot be read or holds no tape.
 */
export async function readTape(folder: string, only?: readonly string[]): Promise<Tape> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Error(
      `The replay folder ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const rows = new Map<string, Candle[]>();
  const quotes = new Set<string>();
  const faults = new Map<string, ReadonlyMap<CandleFault, number>>();
  let skipped = 0;
  for (const name of names.sort()) {
    const match = FILE.exec(name);
    if (match === null) continue;
    const [, base = '', quote = '', zipped] = match;
    if (only !== undefined && !only.includes(`${base}/${quote}`)) continue;
    const bytes = await readFile(join(folder, name));
    const text = (zipped === undefined ? bytes : await unzip(bytes)).toString('utf8');
    const parsed = parse(text, join(folder, name));
    rows.set(`${base}/${quote}`, parsed.candles);
    quotes.add(quote);
    faults.set(`${base}/${quote}`, parsed.faults);
    for (const count of parsed.faults.values()) skipped += count;
  }
  if (rows.size === 0)
    throw new Error(`The replay folder ${folder} has no file like BTC-USDT.csv.gz`);
  const [quote, ...others] = [...quotes];
  if (quote === undefined || others.length > 0)
    throw new Error(
      `The replay folder ${folder} mixes quote currencies (${[...quotes].join(', ')}); one account has one`,
    );
  const interval = detectInterval(rows.values());
  if (interval === null)
    throw new Error(`The candles in ${folder} are not 5m, 20m, 1h or 1d apart`);
  return {
    ...fit(rows, interval),
    interval,
    quote,
    faults,
    skipped: skipped + misfits(rows, interval),
  };
}

function parse(
  text: string,
  file: string,
): { candles: Candle[]; faults: ReadonlyMap<CandleFault, number> } {
  const lines = text.split('\n');
  if (lines[0]?.trim() !== HEADER)
    throw new Error(`${file} does not begin with the header ${HEADER}`);
  const candles: Candle[] = [];
  const faults = new Map<CandleFault, number>();
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    const fields = line.split(',');
    const [time = NaN, open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN] = fields.map(
      (field) => (field.trim() === '' ? NaN : Number(field)),
    );
    const candle = { time: time * 1_000, open, high, low, close, volume };
    const previous = candles.at(-1);
    const late = previous !== undefined && candle.time <= previous.time;
    const fault =
      fields.length === 6 ? (faultOf(candle) ?? (late ? 'out_of_order' : null)) : 'not_a_number';
    if (fault === null) candles.push(candle);
    else faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  return { candles, faults };
}

/** What a tape may be recorded in. Agents check every five minutes at most. */
const TAPE_INTERVALS = ['5m', '20m', '1h', '1d'] as const satisfies readonly CandleInterval[];

/** The commonest distance between neighbours, where it is one of ours. */
function detectInterval(lists: Iterable<readonly Candle[]>): CandleInterval | null {
  const counts = new Map<number, number>();
  for (const list of lists) {
    for (let index = 1; index < list.length; index += 1) {
      const distance = (list[index]?.time ?? 0) - (list[index - 1]?.time ?? 0);
      counts.set(distance, (counts.get(distance) ?? 0) + 1);
    }
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  return TAPE_INTERVALS.find((interval) => INTERVAL_MS[interval] === commonest) ?? null;
}

const aligned =
  (interval: CandleInterval) =>
  (candle: Candle): boolean =>
    candle.time % INTERVAL_MS[interval] === 0;

function misfits(rows: ReadonlyMap<string, Candle[]>, interval: CandleInterval): number {
  return [...rows.values()].reduce(
    (total, list) => total + list.length - list.filter(aligned(interval)).length,
    0,
  );
}

function fit(
  rows: ReadonlyMap<string, Candle[]>,
  interval: CandleInterval,
): Pick<Tape, 'candles' | 'first' | 'end'> {
  const candles = new Map<string, readonly Candle[]>();
  let [first, end] = [Infinity, -Infinity];
  for (const [pair, list] of rows) {
    const kept = list.filter(aligned(interval));
    const [oldest, newest] = [kept[0], kept.at(-1)];
    if (oldest === undefined || newest === undefined) continue;
    candles.set(pair, kept);
    first = Math.min(first, oldest.time);
    end = Math.max(end, newest.time + INTERVAL_MS[interval]);
  }
  return { candles, first, end };
}

/** Candles of a pair with `from <= time` and close `<= to`. */
export function tapeSlice(tape: Tape, pair: string, from: number, to: number): Candle[] {
  const list = tape.candles.get(pair) ?? [];
  return list.slice(
    firstAtOrAfter(list, from),
    firstAtOrAfter(list, to - INTERVAL_MS[tape.interval] + 1),
  );
}

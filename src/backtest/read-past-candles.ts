/**
 * Reads the candles a test needs, coarse where they are only history and as fine as the agent looks
 * where it trades.
 */
import type { BacktestTerms } from '../../contract/backtest.ts';
import { CANDLES_LIMIT_MAX } from '../../contract/limits.ts';
import type { CandleInterval, CandleRow } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { api } from '../api/api.ts';

/** Rows of the period under test; beyond it the next coarser candle is taken. */
const ROWS_MAX = 60_000;
/** Requests under way at once: others of the person's must get through. */
const AT_ONCE = 3;
const TIMEOUT_MS = 30_000;
const FINER_FIRST: readonly CandleInterval[] = ['5m', '20m', '1h', '1d'];
const LOOKS_AT: Record<BacktestTerms['agent']['interval'], CandleInterval> = {
  '5-minute': '5m',
  '20-minute': '20m',
  daily: '1h',
};

/** The finest candle that the market has, the agent looks at, and that is not too many. */
export function testedInterval({
  agent,
  baseInterval,
  from,
  to,
  witnesses,
}: Pick<BacktestTerms, 'agent' | 'baseInterval' | 'from' | 'to' | 'witnesses'>): CandleInterval {
  const least = Math.max(INTERVAL_MS[baseInterval], INTERVAL_MS[LOOKS_AT[agent.interval]]);
  const rows = (interval: CandleInterval): number =>
    (agent.pairs.length + (witnesses?.length ?? 0)) * ((to - from) / INTERVAL_MS[interval]);
  return (
    FINER_FIRST.find((interval) => INTERVAL_MS[interval] >= least && rows(interval) <= ROWS_MAX) ??
    '1d'
  );
}

interface Page {
  pair: string;
  interval: CandleInterval;
  from: number;
  before: number;
}

function pagesOf(
  { agent, baseInterval, from, historyFrom, reach, to, witnesses }: BacktestTerms,
  tested: CandleInterval,
): Page[] {
  const history =
    INTERVAL_MS[baseInterval] > INTERVAL_MS['1h']
      ? baseInterval
      : INTERVAL_MS[tested] > INTERVAL_MS['1h']
        ? tested
        : '1h';
  const pages = (pair: string, interval: CandleInterval, start: number, until: number): Page[] => {
    const length = INTERVAL_MS[interval];
    const span = CANDLES_LIMIT_MAX * length;
    // A page ends where a candle does: the one that a seam cuts in two would be in neither page.
    const end = Math.floor(until / length) * length;
    return Array.from({ length: Math.max(0, Math.ceil((end - start) / span)) }, (_, index) => ({
      pair,
      interval,
      from: Math.max(start, end - (index + 1) * span),
      before: end - index * span,
    }));
  };
  // Hourly history ends on a whole hour a day before `from`, so that the move of a day is measured
  // as live from the first look on; the rest is read as finely as what follows.
  const seam = Math.max(
    historyFrom,
    Math.floor((from - INTERVAL_MS['1d']) / INTERVAL_MS[history]) * INTERVAL_MS[history],
  );
  // Where hours do not reach, whole days: their closes are those of the hours at midnight, which
  // windows of many days begin at. The day that the hours begin in is left out, as it is live.
  const hoursFrom = history === '1h' ? (reach?.hoursFrom ?? 0) : 0;
  const past = (pair: string, start: number): Page[] =>
    start >= hoursFrom
      ? pages(pair, history, start, seam)
      : [...pages(pair, '1d', start, hoursFrom), ...pages(pair, '1h', hoursFrom, seam)];
  // Of a witness a day before the test is enough: its peg is asked about, not its trend.
  return [
    ...agent.pairs.flatMap((pair) => [
      ...past(pair, historyFrom),
      ...pages(pair, tested, seam, to),
    ]),
    ...(witnesses ?? []).flatMap((pair) => [
      ...past(pair, Math.max(historyFrom, seam - 2 * INTERVAL_MS['1d'])),
      ...pages(pair, tested, seam, to),
    ]),
  ];
}

async function readPage(
  { before, from, interval, pair }: Page,
  signal: AbortSignal,
): Promise<readonly CandleRow[]> {
  const limit = Math.ceil((before - from) / INTERVAL_MS[interval]);
  const { candles } = await api.call('candles', {
    query: { symbol: pair, interval, limit, before },
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  return candles.filter(([time]) => time >= from && time < before);
}

/**
 * Reads them all, some at once. The first that fails ends it: what nobody waits for any more would
 * still use up what the server allows.
 */
async function readPages(
  pages: readonly Page[],
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<ReadonlyMap<Page, readonly CandleRow[]>> {
  const read = new Map<Page, readonly CandleRow[]>();
  const waiting = [...pages];
  const control = new AbortController();
  const stop = (): void => {
    control.abort(signal.reason);
  };
  const take = async (): Promise<void> => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const rows = await readPage(page, control.signal).catch((error: unknown) => {
        control.abort(error);
        return [];
      });
      // Throws the first failure, also where the others were given up.
      control.signal.throwIfAborted();
      read.set(page, rows);
      onShare(read.size / pages.length);
    }
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, take));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return read;
}

/** By pair, oldest first. `onShare` hears how much of it is there. */
export async function readPastCandles(
  terms: BacktestTerms,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<Record<string, CandleRow[]>> {
  const pages = pagesOf(terms, testedInterval(terms));
  const read = await readPages(pages, signal, onShare);
  return Object.fromEntries(
    [...terms.agent.pairs, ...(terms.witnesses ?? [])].map((pair) => [
      pair,
      pages
        .filter((page) => page.pair === pair)
        .flatMap((page) => [...(read.get(page) ?? [])])
        .sort(([a], [b]) => a - b),
    ]),
  );
}

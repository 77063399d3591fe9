/**
 * The candles of a chart: closed ones from the server, and the forming one extended by each price
 * since.
 */
import type { Candles, CandleRow, FormingCandle, PriceBar } from '../../contract/market.ts';

/** `[openTime ms, open, high, low, close, volume]`; an unknown volume is null. */
export type ChartCandle = readonly [number, string, string, string, string, string | null];

export interface ChartCandles {
  /** Oldest first. From `unconfirmed` on they are built from prices alone. */
  closed: readonly ChartCandle[];
  forming: FormingCandle | null;
  /** Opening of the first closed candle that the server has not sent yet. */
  unconfirmed: number | null;
  /** Opening of the newest received bar. */
  bar: number | null;
  /** Prices are missing: ask the server again. */
  gap: boolean;
}

/** What a stream event contains about one symbol. */
export interface PriceNews {
  /** Market clock, ms. */
  now: number;
  bars: readonly PriceBar[];
  price: { at: number; last: string } | null;
}

export const NO_CANDLES: ChartCandles = {
  closed: [],
  forming: null,
  unconfirmed: null,
  bar: null,
  gap: false,
};

/**
 * A candle that the server has not sent this long after its close, market clock, does not exist.
 */
const LATE_MS = 60_000;

/** The forming candle in the chart's form. */
export function formingRow({ time, open, high, low, close, volume }: FormingCandle): ChartCandle {
  return [time, open, high, low, close, volume];
}

/** Merges a new reply with older candles. If they do not meet, the older ones are dropped. */
export function renewed<C extends ChartCandle>(held: readonly C[], fresh: readonly C[]): C[] {
  const first = fresh[0]?.[0];
  const last = held.at(-1)?.[0];
  if (first === undefined) return [...held];
  if (last === undefined || last < first) return [...fresh];
  return [...held.filter(([at]) => at < first), ...fresh];
}

/** The server's candles replace those built from prices. */
export function withReading(held: ChartCandles, reply: Candles, intervalMs: number): ChartCandles {
  const { unconfirmed } = held;
  const confirmed = held.closed.filter(([time]) => unconfirmed === null || time < unconfirmed);
  const closed = renewed<ChartCandle>(confirmed, reply.candles);
  const last = closed.at(-1)?.[0] ?? -Infinity;
  const openNow = Math.floor((reply.now ?? Infinity) / intervalMs) * intervalMs;
  // A source may be late with its newest candle: the one built from prices is used until then.
  const lateSince = (reply.now ?? Infinity) - LATE_MS - intervalMs;
  const late = held.closed.filter(
    ([time]) =>
      time >= (unconfirmed ?? Infinity) && time > last && time < openNow && time >= lateSince,
  );
  return {
    closed: [...closed, ...late],
    forming: reply.forming ?? null,
    unconfirmed: late[0]?.[0] ?? null,
    bar: null,
    gap: false,
  };
}

interface Piece {
  at: number;
  open: string;
  high: string;
  low: string;
  close: string;
  /** It starts at the candle's opening. */
  first: boolean;
  /** Its close is the newest price. */
  newest: boolean;
}

/** Extends the forming candle, or closes it and begins the next. `barMs`: length of a bar. */
export function withNews(
  held: ChartCandles,
  news: PriceNews,
  intervalMs: number,
  barMs: number,
): ChartCandles {
  const openOf = (at: number): number => Math.floor(at / intervalMs) * intervalMs;
  const { price } = news;
  const newest = price === null || held.forming === null || price.at >= held.forming.at;
  let next = held;
  for (const [at, open, high, low, close] of news.bars) {
    const skipped = next.bar !== null && at > next.bar + barMs;
    next = withPiece(
      next,
      { at, open, high, low, close, first: at === openOf(at), newest },
      intervalMs,
    );
    next = { ...next, bar: Math.max(at, next.bar ?? at), gap: next.gap || skipped };
  }
  if (price !== null) {
    const { at, last } = price;
    next = withPiece(
      next,
      { at, open: last, high: last, low: last, close: last, first: false, newest },
      intervalMs,
    );
  }
  return next;
}

function withPiece(held: ChartCandles, piece: Piece, intervalMs: number): ChartCandles {
  const time = Math.floor(piece.at / intervalMs) * intervalMs;
  const { forming } = held;
  if (forming !== null && time < forming.time) return held;
  const last = held.closed.at(-1)?.[0];
  if (forming === null && last !== undefined && time <= last) return held;
  if (forming?.time === time) return { ...held, forming: extended(forming, piece) };
  const { open, high, low, close, at, first } = piece;
  const before = forming?.time ?? last;
  return {
    ...held,
    closed: forming === null ? held.closed : [...held.closed, withoutVolume(forming)],
    unconfirmed: held.unconfirmed ?? forming?.time ?? null,
    forming: {
      time,
      open,
      high,
      low,
      close,
      volume: null,
      volumeTo: time,
      since: first ? time : at,
      at,
    },
    gap: held.gap || !first || (before !== undefined && time > before + intervalMs),
  };
}

/** Closed by prices alone: the volume is unknown. */
const withoutVolume = ({ time, open, high, low, close }: FormingCandle): ChartCandle => [
  time,
  open,
  high,
  low,
  close,
  null,
];

function extended(forming: FormingCandle, { at, high, low, close, newest }: Piece): FormingCandle {
  return {
    ...forming,
    high: Number(high) > Number(forming.high) ? high : forming.high,
    low: Number(low) < Number(forming.low) ? low : forming.low,
    close: newest ? close : forming.close,
    at: Math.max(forming.at, at),
  };
}

export function withOlder(
  held: ChartCandles,
  older: readonly CandleRow[],
  before: number,
): ChartCandles {
  if (held.closed[0]?.[0] !== before) return held;
  return { ...held, closed: [...older.filter(([at]) => at < before), ...held.closed] };
}

/** The value of each agent at the closes of candles, rebuilt from its fills, for charts. */
import { and, asc, eq, inArray } from 'drizzle-orm';
import type { AgentSeries } from '../../contract/insight.ts';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Db } from '../db/database.ts';
import { fills } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { candlesInTime } from '../market/candles-in-time.ts';
import { closesOf } from '../market/kept-series.ts';

const HOUR = INTERVAL_MS['1h'];
/** How far apart the points are, and the candles they are read from, finest first. */
const STEPS: readonly { ms: number; interval: CandleInterval }[] = [
  { ms: INTERVAL_MS['5m'], interval: '5m' },
  { ms: INTERVAL_MS['20m'], interval: '20m' },
  { ms: HOUR, interval: '1h' },
  { ms: 4 * HOUR, interval: '1h' },
  { ms: 12 * HOUR, interval: '1h' },
  { ms: 24 * HOUR, interval: '1d' },
  { ms: 168 * HOUR, interval: '1d' },
];
const POINTS_MAX = 120;

export interface TradedFill {
  agentId: string;
  pair: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  /** What a buy cost, fee included; what the sold quantity had cost. */
  cost: number;
  /** Net of fees; 0 for a buy. */
  realized: number;
  /** Market clock, ms. */
  at: number;
}

/** The finest step that draws a span in at most 120 points. */
export function stepFor(spanMs: number): (typeof STEPS)[number] {
  return STEPS.find(({ ms }) => spanMs / ms <= POINTS_MAX) ?? { ms: 168 * HOUR, interval: '1d' };
}

/**
 * Result of one agent at each of `times`: realised so far, and what is held at the last price known
 * then less its cost.
 */
export function resultsAt(
  trades: readonly TradedFill[],
  times: readonly number[],
  priceAt: (pair: string, at: number) => number | null,
): [number, number][] {
  const held = new Map<string, { quantity: number; cost: number; last: number }>();
  let realized = 0;
  let next = 0;
  return times.map((at) => {
    for (
      let trade = trades[next];
      trade !== undefined && trade.at <= at;
      trade = trades[(next += 1)]
    ) {
      const { quantity, cost } = held.get(trade.pair) ?? { quantity: 0, cost: 0 };
      const way = trade.side === 'buy' ? 1 : -1;
      held.set(trade.pair, {
        quantity: quantity + way * trade.quantity,
        cost: cost + way * trade.cost,
        last: trade.price,
      });
      realized += trade.realized;
    }
    let open = 0;
    for (const [pair, { quantity, cost, last }] of held)
      if (quantity > 1e-12) open += quantity * (priceAt(pair, at) ?? last) - cost;
    return [at, Number((realized + open).toFixed(6))];
  });
}

export async function tradesOf(
  db: Db,
  accountId: string,
  agentIds: readonly string[],
): Promise<TradedFill[]> {
  if (agentIds.length === 0) return [];
  const rows = await db
    .select()
    .from(fills)
    .where(and(eq(fills.accountId, accountId), inArray(fills.agentId, [...agentIds])))
    .orderBy(asc(fills.filledMarketMs), asc(fills.id));
  return rows.map((row) => ({
    agentId: row.agentId,
    pair: row.pair,
    side: row.side === 'buy' ? 'buy' : 'sell',
    quantity: Number(row.quantity),
    price: Number(row.price),
    cost: row.side === 'buy' ? Number(row.notional) + Number(row.fee) : Number(row.costBasis ?? 0),
    realized: Number(row.realized ?? 0),
    at: row.filledMarketMs,
  }));
}

/** The closes that lines are drawn at. */
export interface SeriesPrices {
  stepMs: number;
  times: number[];
  /** Null before the first known close, and of a pair whose candles could not be read in time. */
  priceAt: (pair: string, at: number) => number | null;
}

const NO_PRICES: SeriesPrices = { stepMs: 0, times: [], priceAt: () => null };

/** An exchange may be asked for them. */
export async function readSeriesPrices(
  market: Market,
  trades: readonly TradedFill[],
): Promise<SeriesPrices> {
  const [first] = trades;
  if (first === undefined) return NO_PRICES;
  const now = market.now();
  const { ms, interval } = stepFor(now - first.at);
  const times: number[] = [];
  for (let at = Math.floor(first.at / ms) * ms; at < now; at += ms) times.push(at);
  const pairs = [...new Set(trades.map((trade) => trade.pair))];
  const from = (times[0] ?? now) - INTERVAL_MS[interval];
  const prices = new Map(
    await Promise.all(
      pairs.map(async (pair) => {
        const candles = await candlesInTime(market, pair, interval, from, now);
        return [pair, closesOf(candles ?? [], INTERVAL_MS[interval])] as const;
      }),
    ),
  );
  return { stepMs: ms, times, priceAt: (pair, at) => prices.get(pair)?.(at) ?? null };
}

/**
 * A line for every agent, all at the same times; empty for one that has not traded. `totals` are
 * the results now, by agent.
 */
export function seriesFrom(
  now: number,
  trades: readonly TradedFill[],
  totals: ReadonlyMap<string, number>,
  { times, priceAt }: SeriesPrices,
): AgentSeries[] {
  return [...totals].map(([agentId, total]) => {
    const mine = trades.filter((trade) => trade.agentId === agentId);
    return {
      agentId,
      points:
        mine.length === 0
          ? []
          : [...resultsAt(mine, times, priceAt), [now, total] as [number, number]],
    };
  });
}

/** The value of each agent at the closes of candles, rebuilt from its fills, for charts. */
import { and, inArray, min, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { AgentSeries } from '../../contract/insight.ts';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Db } from '../db/database.ts';
import { fills } from '../db/schema.ts';
import { liveWriteOffs, venueFills } from '../db/schema-live.ts';
import { rowsOf } from '../db/sql-rows.ts';
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

/** What an agent traded of a pair within one step of the chart. */
export interface TradedStep {
  agentId: string;
  pair: string;
  /** Bought less sold, given over and taken as a fee in the coin. */
  quantity: number;
  /** The price of the last of them; null where nothing was bought or sold. */
  price: number | null;
  /** What buys cost, fees included, less what the quantity sold and given over had cost. */
  cost: number;
  /** Net of fees; 0 for buys. */
  realized: number;
  /** The end of the step, market clock, ms: no trade is counted before it was made. */
  at: number;
}

/** The trades of some agents, oldest first, as finely as a chart of them shows. */
export interface Traded {
  /** When the first of them was made, market clock, ms; null without one. */
  first: number | null;
  steps: TradedStep[];
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
  trades: readonly TradedStep[],
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
      const { quantity, cost, last } = held.get(trade.pair) ?? { quantity: 0, cost: 0, last: 0 };
      held.set(trade.pair, {
        quantity: quantity + trade.quantity,
        cost: cost + trade.cost,
        last: trade.price ?? last,
      });
      realized += trade.realized;
    }
    let open = 0;
    for (const [pair, { quantity, cost, last }] of held)
      if (quantity > 1e-12) open += quantity * (priceAt(pair, at) ?? last) - cost;
    return [at, Number((realized + open).toFixed(6))];
  });
}

/**
 * What an agent's position is made of: fills, and at an exchange also what it took of the coin as
 * its fee, and coins that were given over to the person at their cost.
 */
function changesOf(accountIds: readonly string[], agentIds: readonly string[]): SQL {
  const mine = (account: AnyPgColumn, agent: AnyPgColumn): SQL | undefined =>
    and(inArray(account, [...accountIds]), inArray(agent, [...agentIds]));
  return sql`
    select agent_id, pair, filled_market_ms as made, case side when 'buy' then quantity else -quantity end as quantity,
      case side when 'buy' then notional + fee else -coalesce(cost_basis, 0) end as cost, coalesce(realized, 0) as realized, price
    from fills where ${mine(fills.accountId, fills.agentId)}
    union all
    select agent_id, symbol, at_ms, -(charged->>'amount')::numeric, 0, 0, null
    from venue_fills cross join lateral jsonb_array_elements(fees) as charged
    where ${mine(venueFills.accountId, venueFills.agentId)} and charged->>'asset' = split_part(symbol, '/', 1)
    union all
    select agent_id, symbol, at_market_ms, -quantity, -cost, 0, null
    from live_write_offs where ${mine(liveWriteOffs.accountId, liveWriteOffs.agentId)}`;
}

/**
 * Summed by the database: of 100,000 trades a chart shows 120 moments. Steps are multiples of each
 * other, so those of `now` (market ms) do for every later chart, whose steps are as long or longer.
 */
export async function tradesOf(
  db: Db,
  accountIds: readonly string[],
  agentIds: readonly string[],
  now: number,
): Promise<Traded> {
  if (agentIds.length === 0) return { first: null, steps: [] };
  const [begun] = await db
    .select({ first: min(fills.filledMarketMs) })
    .from(fills)
    .where(and(inArray(fills.accountId, [...accountIds]), inArray(fills.agentId, [...agentIds])));
  const first = begun?.first ?? null;
  if (first === null) return { first, steps: [] };
  const { ms } = stepFor(now - first);
  const [row] = await rowsOf<{ steps: string }>(
    db,
    sql`
    select coalesce(json_agg(json_build_object('agentId', agent_id, 'pair', pair, 'quantity', quantity::float8, 'price', price::float8, 'cost', cost::float8, 'realized', realized::float8, 'at', at) order by at, pair), '[]')::text as steps
    from (
      select agent_id, pair, (made + ${ms - 1}::bigint) / ${ms}::bigint * ${ms}::bigint as at,
        sum(quantity) as quantity, sum(cost) as cost, sum(realized) as realized,
        (max(array[made, price]) filter (where price is not null))[2] as price
      from (${changesOf(accountIds, agentIds)}) changes group by 1, 2, 3
    ) stepped`,
  );
  return { first, steps: JSON.parse(row?.steps ?? '[]') as TradedStep[] };
}

/** The last close at any moment from `from` on; of a day where the interval does not reach. */
async function pricesOf(
  market: Market,
  pair: string,
  interval: CandleInterval,
  from: number,
  now: number,
): Promise<(at: number) => number | null> {
  const read = async (length: CandleInterval, to: number) => {
    const candles = await candlesInTime(market, pair, length, from - INTERVAL_MS[length], to);
    return closesOf(candles ?? [], INTERVAL_MS[length]);
  };
  const fineFrom = market.oldest?.(interval) ?? 0;
  const [fine, days] = await Promise.all([
    read(interval, now),
    fineFrom > from ? read('1d', fineFrom) : null,
  ]);
  return (at) => fine(at) ?? days?.(at) ?? null;
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
  { first, steps }: Traded,
): Promise<SeriesPrices> {
  if (first === null) return NO_PRICES;
  const now = market.now();
  const { ms, interval } = stepFor(now - first);
  const times: number[] = [];
  for (let at = Math.floor(first / ms) * ms; at < now; at += ms) times.push(at);
  const pairs = [...new Set(steps.map(({ pair }) => pair))];
  const prices = new Map(
    await Promise.all(
      pairs.map(
        async (pair) =>
          [pair, await pricesOf(market, pair, interval, times[0] ?? now, now)] as const,
      ),
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
  { steps }: Traded,
  totals: ReadonlyMap<string, number>,
  { times, priceAt }: SeriesPrices,
): AgentSeries[] {
  return [...totals].map(([agentId, total]) => {
    const mine = steps.filter((step) => step.agentId === agentId);
    return {
      agentId,
      points:
        mine.length === 0
          ? []
          : [...resultsAt(mine, times, priceAt), [now, total] as [number, number]],
    };
  });
}

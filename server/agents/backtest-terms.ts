/** Everything a backtest of an agent needs except the candles, as the live tick would use it. */
import type { PoolId } from '../../contract/agents.ts';
import type { BacktestTerms, BacktestTermsBody } from '../../contract/backtest.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { CandleInterval } from '../../contract/market.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import { isPegPair } from '../../engine/signals/pegs.ts';
import { universeVersionAt } from '../../engine/strategies/pools.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import { horizonOf, lookbackMs } from '../../engine/signals/compute-signals.ts';
import type { Market } from '../market/market-source.ts';
import { quotesOf } from '../portfolio/marks.ts';
import { BatchState } from './batch-state.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { termsOf } from './preview-agent.ts';
import { pairsOf } from './read-agents.ts';

const listOf = (pool: PoolId, at: number): BacktestTerms['universe'] => {
  const { version, from } = universeVersionAt(pool, at);
  return { version, from };
};

/** Oldest candles go while others are read: what is only just there is not counted on. */
const REACH_MARGIN_MS = HOUR_MS;
/** A shorter period on hours says more than the whole one on days, if it lacks no more than this. */
const COVERED_MIN = 0.9;

type Period = Pick<BacktestTerms, 'baseInterval' | 'from' | 'reach'>;

/**
 * The period that candles of the source allow, and the finest of them that reach all of it. A day
 * before the period is read as finely.
 */
function periodOf(market: Market, days: number, to: number): Period {
  const { baseInterval, source } = market;
  const askedFrom = to - days * DAY_MS;
  const first = (interval: CandleInterval): number => {
    const at = market.oldest?.(interval) ?? 0;
    return at === 0 ? 0 : at + REACH_MARGIN_MS;
  };
  const hoursFrom = first('1h');
  if (hoursFrom === 0 && first(baseInterval) === 0) return { baseInterval, from: askedFrom };
  const reach = { source: source.label, finest: baseInterval, askedFrom, hoursFrom };
  if (first(baseInterval) <= askedFrom - DAY_MS) return { baseInterval, from: askedFrom, reach };
  const hourly = Math.max(askedFrom, hoursFrom + DAY_MS);
  if (to - hourly >= COVERED_MIN * (to - askedFrom))
    return { baseInterval: '1h', from: hourly, reach };
  return { baseInterval: '1d', from: Math.max(askedFrom, first('1d') + DAY_MS), reach };
}

/** Each is a tape of its own to be read by the device. */
const WITNESSES_MAX = 5;

export async function readBacktestTerms(
  deps: TradingDeps,
  uid: string,
  { agentId, days, terms: requested }: BacktestTermsBody,
): Promise<Omit<BacktestTerms, 'commandId'>> {
  const { market, database } = deps;
  const terms = await termsOf(deps, uid, {
    ...(agentId === undefined ? {} : { agentId }),
    ...(requested === undefined ? {} : { terms: requested }),
  });
  const pairs = pairsOf(market, terms);
  const { equity, maxTradeAmount, risk } = await database.transaction(async (tx) => {
    const state = await BatchState.readUnlocked(tx, deps, uid, terms.id);
    return { ...state.input(terms, quotesOf(market, pairs)), risk: state.risk(terms) };
  });
  const to =
    Math.floor(market.now() / INTERVAL_MS[market.baseInterval]) * INTERVAL_MS[market.baseInterval];
  const { baseInterval, from, reach } = periodOf(market, days, to);
  const rules = pairs.flatMap((pair) => market.rules(pair) ?? []);
  return {
    agent: {
      pool: terms.pool,
      profile: terms.riskProfile,
      pairs,
      maxPositionSize: formatFixed(parseFixed(terms.maxPositionSize)),
      interval: terms.executionInterval,
      frequency: terms.tradingFrequency,
      risk,
    },
    quote: market.source.quote,
    deposit: formatFixed(equity),
    maxTradeAmount: formatFixed(maxTradeAmount),
    rules: rules.map(({ lot, minNotional, ...rule }) => ({
      ...rule,
      lot: formatFixed(lot),
      minNotional: formatFixed(minNotional),
    })),
    universe: terms.tradingPairs.length > 0 ? null : listOf(terms.pool, market.now()),
    witnesses: market
      .pairs()
      .map(({ pair }) => pair)
      .filter((pair) => isPegPair(pair) && !pairs.includes(pair))
      .slice(0, WITNESSES_MAX),
    baseInterval,
    from,
    to,
    keepsTests: true,
    historyFrom:
      Math.floor(
        (from - lookbackMs(terms.pool, from, horizonOf(terms.tradingFrequency))) / DAY_MS,
      ) * DAY_MS,
    ...(reach === undefined ? {} : { reach }),
  };
}

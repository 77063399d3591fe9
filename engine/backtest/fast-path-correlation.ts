/**
 * Fast path of the correlation guard: proves on floats that correlated holdings leave a pair no
 * room, otherwise falls back to stepAgent.
 */
import type { Correlation } from '../signals/correlation.ts';
import { DRIFT_MIN } from '../execution/decide-pair.ts';
import { ROOM_MIN, TOGETHER_MIN, TOGETHER_TIMES } from '../guards/correlated-exposure.ts';
import {
  driftNow,
  fullShare,
  pairBlockCode,
  ROOM,
  SMALL,
  spareImpact,
  strengthAsBefore,
} from './fast-path.ts';
import type { EvalContext, Watch } from './fast-path.ts';
import { noTradeBand } from '../execution/sizing.ts';
import { refusalOf } from '../strategies/sleeves.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';

/** What is held of a pair, as a number of quote currency at the bid. */
export interface Worth {
  pair: string;
  value: number;
}

/**
 * True where the decision is sure to be `correlated_exposure`, provided that nothing is sold or
 * bought before it in the same evaluation.
 */
export function isBlockedByCorrelation(
  watch: Watch,
  signal: Signal | null,
  price: number,
  openAt: number,
  context: EvalContext,
  held: readonly Worth[],
  correlation: Correlation,
): boolean {
  const { agent, block, equity, rebalance } = context;
  if (
    watch.rules === null ||
    signal === null ||
    signal.dailyVolatility === null ||
    !rebalance ||
    block !== null
  )
    return false;
  if (
    !(price >= SMALL) ||
    (watch.position !== null && price <= watch.stopNear) ||
    pairBlockCode(watch, signal, price, openAt, context) !== null
  )
    return false;
  const wanted =
    watch.position === null
      ? entry(watch, signal, signal.dailyVolatility, context)
      : growth(watch, signal, signal.dailyVolatility, price, context);
  if (!(wanted > 0)) return false;
  let [own, others] = [0, 0];
  for (const { pair, value } of held) {
    if (pair === watch.pair) own = value;
    else if ((correlation(watch.pair, pair) ?? 0) >= TOGETHER_MIN) others += value;
  }
  const room = equity * agent.risk.maxPosition * TOGETHER_TIMES[agent.profile] - others - own;
  return others > SMALL && room < wanted * ROOM_MIN - equity * ROOM;
}

/**
 * What the strategies that join would have of a pair that nobody holds; NaN where that is not to be
 * said.
 */
function entry(
  { asked }: Watch,
  signal: Signal,
  dailyVolatility: number,
  { agent, at, cap, equity }: EvalContext,
): number {
  asked.at = at;
  asked.mayJoin = true;
  const sleeves = signal.sleeves;
  const count = sleeves?.length ?? 1;
  let [strength, wanting] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    if (sleeve.edge !== undefined) return Number.NaN;
    if (refusalOf(sleeve, asked) !== null) continue;
    strength += Math.max(asked.threshold, sleeve.strength);
    wanting += 1;
  }
  return wanting === 0
    ? Number.NaN
    : Math.min(
        equity * (wanting / count) * fullShare(agent.risk, dailyVolatility, strength / wanting),
        cap,
      );
}

/**
 * What the same strategies would add to what they hold; NaN where others want it, or where the size
 * is right.
 */
function growth(
  watch: Watch,
  signal: Signal,
  dailyVolatility: number,
  price: number,
  context: EvalContext,
): number {
  const { agent, cap, equity, memory } = context;
  const strategyHolding = memory.strategyHoldings[watch.pair];
  const strength =
    strategyHolding === undefined
      ? Number.NaN
      : strengthAsBefore(watch, strategyHolding, signal, true, context);
  if (strategyHolding === undefined || Number.isNaN(strength)) return Number.NaN;
  const strategies = signal.sleeves?.length ?? 1;
  const share = strategyHolding.pools.length / strategies;
  const drift = driftNow(watch, share, strength, dailyVolatility, price, context);
  const band =
    agent.frequency === 'optimized'
      ? Math.max(
          DRIFT_MIN,
          Math.min(noTradeBand(watch.costs + spareImpact(watch, context)), 0.5 / strategies),
        )
      : DRIFT_MIN;
  if (!(drift > band + ROOM * (1 + Math.abs(drift)))) return Number.NaN;
  return (
    Math.min(equity * share * fullShare(agent.risk, dailyVolatility, strength), cap) -
    watch.quantity * price * watch.bidShare
  );
}

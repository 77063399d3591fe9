/**
 * Fast path of the size guards: proves on floats that one of them refuses a purchase, otherwise
 * falls back to stepAgent.
 */
import { FLOAT_MARGIN } from '../guards/guard.ts';
import type { HeldValue } from '../guards/guard.ts';
import { GUARDS_OF } from '../guards/registry.ts';
import { targetShare } from '../execution/sizing.ts';
import type { Correlation } from '../signals/correlation.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';
import { refusalOf } from '../strategies/sleeves.ts';
import { blockCode, heldDrift, SMALL } from './fast-path.ts';
import type { EvalContext, Watch } from './fast-path.ts';

/**
 * Code of the size guard that is certain to refuse, provided that nothing is sold or bought before
 * it in the same evaluation; null where that is not certain. Asked after `noOpReason`, of a pair
 * that has a price.
 */
export function sizeBlockCode(
  watch: Watch,
  signal: Signal | null,
  price: number,
  context: EvalContext,
  held: readonly HeldValue[],
  correlation: Correlation,
): string | null {
  if (watch.rules === null || signal === null || !watch.rebalance || !(price >= SMALL)) return null;
  if (watch.position !== null && price <= watch.stopNear) return null;
  if (blockCode(watch, context) !== null) return null;
  const wanted = watch.position === null ? entryWanted(watch, context) : growth(watch, context);
  if (!(wanted > 0)) return null;
  const order = { pair: watch.pair, wanted, held, correlation };
  for (const { bound, code } of GUARDS_OF.size) {
    const found = bound?.(order, context) ?? 'unknown';
    if (found !== 'passes') return found === 'blocks' ? code : null;
  }
  return null;
}

/**
 * What the strategies that join would buy of a pair that nobody holds; NaN where a float cannot
 * say.
 */
function entryWanted(
  { signal, sleevesInput }: Watch,
  { agent, at, cap, equity }: EvalContext,
): number {
  if (signal.dailyVolatility === null) return Number.NaN;
  sleevesInput.at = at;
  sleevesInput.mayJoin = true;
  const sleeves = signal.sleeves;
  const count = sleeves?.length ?? 1;
  let [strength, wanting] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    if (sleeve.edge !== undefined) return Number.NaN;
    if (refusalOf(sleeve, sleevesInput) !== null) continue;
    strength += Math.max(sleevesInput.threshold, sleeve.strength);
    wanting += 1;
  }
  return wanting === 0
    ? Number.NaN
    : Math.min(
        equity *
          (wanting / count) *
          targetShare(agent.risk, signal.dailyVolatility, strength / wanting),
        cap,
      );
}

/**
 * What the strategies that hold a pair would add to it; NaN where others want it too, or where the
 * size is right.
 */
function growth(watch: Watch, context: EvalContext): number {
  const held = heldDrift(watch, true, context);
  if (held === null) return Number.NaN;
  const { band, drift, target } = held;
  return drift > band + FLOAT_MARGIN * (1 + Math.abs(drift))
    ? target - watch.quantity * watch.price * watch.bidShare
    : Number.NaN;
}

/**
 * Keeps positions that move together from growing past a multiple of one position: four coins that
 * rise and fall as one are one large bet.
 */
import type { RiskProfile } from '../../contract/agents.ts';
import { add, subtract, sum, ZERO } from '../../contract/money.ts';
import { approximate } from '../execution/fills.ts';
import { share } from '../execution/sizing.ts';
import { FLOAT_MARGIN, percentText } from './guard.ts';
import type { SizeGuard } from './guard.ts';

/** From this correlation of their daily returns on, pairs count as one. */
export const TOGETHER_MIN = 0.8;
/** How many of a profile's largest positions they may hold together. */
export const TOGETHER_TIMES: Record<RiskProfile, number> = {
  Conservative: 2,
  Moderate: 2,
  Aggressive: 3,
};
/** With less room than this share of what is wanted nothing is bought: it would not pay its fee. */
const ROOM_MIN = 0.25;
/** An amount below this, in quote currency, is too small for a float to judge. */
const JUDGED_MIN = 1e-5;

export const correlatedExposure = {
  stage: 'size',
  code: 'correlated_exposure',
  cutText: 'the limit for correlated pairs',

  check({ pair, wanted, equity, profile, maxPosition, held, correlation }) {
    const others = [...held].flatMap(([other, value]) => {
      const moved = other === pair || value <= 0n ? null : correlation(pair, other);
      return moved !== null && moved >= TOGETHER_MIN ? [{ other, value, moved }] : [];
    });
    if (others.length === 0) return { block: null, amount: wanted };
    const limit = maxPosition * TOGETHER_TIMES[profile];
    const holding = add(sum(others.map(({ value }) => value)), held.get(pair) ?? ZERO);
    const room = subtract(share(equity, limit), holding);
    if (room >= wanted) return { block: null, amount: wanted };
    if (room > 0n && room >= share(wanted, ROOM_MIN)) return { block: null, amount: room };
    const mean = others.reduce((total, { moved }) => total + moved, 0) / others.length;
    const names = [...others.map(({ other }) => other), pair];
    const holds =
      equity > 0n
        ? percentText(Math.round((approximate(holding) / approximate(equity)) * 1_000) / 1_000)
        : 'more';
    const text = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} are correlated (${mean.toFixed(2)}). Together they may hold ${percentText(limit)} and hold ${holds}: no new entries until they hold less.`;
    return { block: { text, until: null } };
  },

  bound({ correlation, held, pair, wanted }, { agent, equity }) {
    let [own, others] = [0, 0];
    for (const { pair: other, value } of held) {
      if (other === pair) own = value;
      else if ((correlation(pair, other) ?? 0) >= TOGETHER_MIN) others += value;
    }
    const room = equity * agent.risk.maxPosition * TOGETHER_TIMES[agent.profile] - others - own;
    return others > JUDGED_MIN && room < wanted * ROOM_MIN - equity * FLOAT_MARGIN
      ? 'blocks'
      : 'unknown';
  },
} satisfies SizeGuard;

/**
 * Keeps what moves together from growing past a multiple of one position: four coins that rise and
 * fall as one are one large bet; never sells.
 */
import type { RiskProfile } from '../../contract/agents.ts';
import { add, subtract, sum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Correlation } from '../signals/correlation.ts';
import { approximate } from '../execution/fills.ts';
import { share } from '../execution/sizing.ts';
import { percentText } from './guard.ts';
import type { Block } from './guard.ts';

/** From this correlation of their daily returns on, pairs are taken for one. */
export const TOGETHER_MIN = 0.8;
/** How many of a profile's largest positions they may come to together. */
export const TOGETHER_TIMES: Record<RiskProfile, number> = {
  Conservative: 2,
  Moderate: 2,
  Aggressive: 3,
};
/**
 * With less room than this share of what is wanted nothing is bought: a crumb is not worth its fee.
 */
export const ROOM_MIN = 0.25;

export interface CorrelatedInput {
  pair: string;
  /** Quote currency about to be bought. */
  wanted: Fixed;
  equity: Fixed;
  profile: RiskProfile;
  /** The person's own largest position, as a share of equity. */
  maxPosition: number;
  /** What the agent holds at the bid, by pair, the pair itself too. */
  held: ReadonlyMap<string, Fixed>;
  correlation: Correlation;
}

/** How much of what is wanted may be bought, or why none of it. */
export type Room = { block: null; amount: Fixed } | { block: Block };

export function correlatedExposure({
  pair,
  wanted,
  equity,
  profile,
  maxPosition,
  held,
  correlation,
}: CorrelatedInput): Room {
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
  const text = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} have moved together (${mean.toFixed(2)}): together they may hold ${percentText(limit)}, they hold ${holds}. No more of them until they hold less.`;
  return { block: { code: 'correlated_exposure', text, until: null } };
}

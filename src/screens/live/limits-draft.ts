/** Spending limits as typed, checked before anything is sent. */
import type { LiveConnection, LiveLimits } from '../../../contract/live-state.ts';
import { parseFixed } from '../../../contract/money.ts';
import { formatExact } from '../../format/numbers.ts';
import { fieldText, parseTyped } from '../../format/typed-numbers.ts';

export type LimitName = keyof LiveLimits;
export type LimitsDraft = Record<LimitName, string>;

export const LIMIT_NAMES = ['maxOrder', 'maxExposure', 'maxDailyLoss'] as const;
export const LIMIT_LABEL: Readonly<Record<LimitName, string>> = {
  maxOrder: 'Largest order',
  maxExposure: 'Most in the market',
  maxDailyLoss: 'Largest loss in a day',
};
export const LIMIT_HINT: Readonly<Record<LimitName, string>> = {
  maxOrder: 'One purchase costs at most this, before fees.',
  maxExposure: 'Positions and open purchases together, over all agents.',
  maxDailyLoss: 'Losses and fees of a day (UTC). After it, nothing is bought until tomorrow.',
};

export const draftOf = (limits: LiveLimits): LimitsDraft => ({
  maxOrder: fieldText(limits.maxOrder),
  maxExposure: fieldText(limits.maxExposure),
  maxDailyLoss: fieldText(limits.maxDailyLoss),
});

export type CheckedLimits =
  | { ok: true; limits: LiveLimits }
  | { ok: false; issues: Partial<Record<LimitName, string>> };

/** `caps`: none may be above; null where no cap is known here. */
export function checkLimits(draft: LimitsDraft, caps: LiveLimits | null): CheckedLimits {
  const issues: Partial<Record<LimitName, string>> = {};
  const limits: LiveLimits = { maxOrder: '0', maxExposure: '0', maxDailyLoss: '0' };
  for (const name of LIMIT_NAMES) {
    const typed = parseTyped(draft[name]);
    if (typed === null || !/^\d+(\.\d{1,8})?$/.test(typed)) {
      issues[name] = 'Enter an amount in dollars.';
      continue;
    }
    limits[name] = typed;
    if (caps !== null && parseFixed(typed) > parseFixed(caps[name]))
      issues[name] = `At most ${formatExact(caps[name])} in the first week.`;
  }
  return Object.keys(issues).length === 0 ? { ok: true, limits } : { ok: false, issues };
}

/** What the person chose: in the first week it may be more than what is in force. */
export const chosenLimits = ({
  limits,
  limitsChosen,
}: Pick<LiveConnection, 'limits' | 'limitsChosen'>): LiveLimits => limitsChosen ?? limits;

export const isSame = (a: LiveLimits, b: LiveLimits): boolean =>
  LIMIT_NAMES.every((name) => parseFixed(a[name]) === parseFixed(b[name]));

/** Whether any of these is higher than what was chosen: then it takes a confirmation. */
export const isRaise = (next: LiveLimits, present: LiveLimits): boolean =>
  LIMIT_NAMES.some((name) => parseFixed(next[name]) > parseFixed(present[name]));

/** A live agent beside its twin on paper, in words. */
import type { ShadowReason } from '../../../../contract/live.ts';

const REASON: Readonly<Record<ShadowReason, string>> = {
  price: 'another price',
  fee: 'another fee',
  partial_fill: 'filled in part',
  size: 'another quantity',
  held_back: 'held back',
  not_filled: 'not filled',
  under_way: 'still under way',
  only_live: 'on paper not traded',
};

/** Why the two differ; "the same" where they do not. */
export const shadowReasons = (reasons: readonly ShadowReason[]): string =>
  reasons.length === 0 ? 'the same' : reasons.map((one) => REASON[one]).join(', ');

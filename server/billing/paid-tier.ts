/** What a subscription entitles to while its newest bill is one for a change of plan. */
import { Tier } from '../../contract/permission.ts';
import { PAID_TIERS, tierRank } from '../../contract/tiers.ts';
import type { ProviderSubscription } from './payments.ts';

type Seen = Pick<
  ProviderSubscription,
  'id' | 'status' | 'tier' | 'planId' | 'priceId' | 'bill' | 'currentPeriodEnd'
>;
interface Known {
  providerSubscriptionId: string | null;
  status: string;
  tier: string;
  priceId: string | null;
  paidTier: string | null;
  currentPeriodEnd: number | null;
}

interface Settled extends Pick<ProviderSubscription, 'tier' | 'planId' | 'currentPeriodEnd'> {
  /** The last one that was paid for; null where none was. */
  paidTier: Tier | null;
}

/** Null where there was none, or where its price was on no list of ours. */
const tierOf = (value: string | null | undefined): Tier | null => {
  const tier = Tier.safeParse(value);
  return tier.success && tier.data !== 'free' ? tier.data : null;
};

/** A plan is named as its tier. */
const atMost = (seen: Seen, most: Tier | null): Pick<Settled, 'tier' | 'planId'> =>
  most === null || tierRank(seen.tier) <= tierRank(most)
    ? { tier: seen.tier, planId: seen.planId }
    : { tier: most, planId: most };

/** What was owed before a change is owed after it, although the newest bill no longer says so. */
function endOf(seen: Seen, known: Known | null): number | null {
  return known?.status === 'past_due' &&
    known.currentPeriodEnd !== null &&
    seen.currentPeriodEnd !== null
    ? Math.min(known.currentPeriodEnd, seen.currentPeriodEnd)
    : seen.currentPeriodEnd;
}

/**
 * A provider names the plan that was changed to, and the period as paid, also where the charge for
 * the change failed: until it is paid the person has what was paid before. Where its newest bill is
 * paid, or gives something back, it is taken at its word: nobody who pays loses a plan here.
 */
export function settledPlan(seen: Seen, row: Known | null): Settled {
  const known = row?.providerSubscriptionId === seen.id ? row : null;
  const paid = tierOf(known?.paidTier);
  const { currentPeriodEnd } = seen;
  switch (seen.bill) {
    case 'paid':
      return { ...atMost(seen, null), paidTier: seen.tier, currentPeriodEnd };
    case 'change':
      // Never seen paid: for what the period was paid, nobody can say.
      return {
        ...atMost(seen, paid ?? PAID_TIERS[0]),
        paidTier: paid,
        currentPeriodEnd: endOf(seen, known),
      };
    case 'open': {
      // A plan that was held back stays so where the renewal is not paid either. A bank debit that
      // is on its way is not overdue.
      const isHeld = seen.status === 'past_due' && known?.priceId === seen.priceId;
      return {
        ...atMost(seen, isHeld ? tierOf(known?.tier) : null),
        paidTier: paid,
        currentPeriodEnd,
      };
    }
  }
}

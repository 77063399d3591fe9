/** The state of a user's plan in a sentence with its date. */
import { PLAN_NAMES } from '../../../contract/plan-prices.ts';
import type { SubscriptionState } from '../../../contract/subscription-state.ts';
import type { Plan, Subscription } from '../../../contract/subscription.ts';
import { trialBannerText } from '../../billing/entitlement-view.ts';
import type { BadgeTone } from '../../components/Tags.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';

/** A current plan that can be changed: not one that ended or a checkout never finished. */
export function isLiving(subscription: Subscription | null): boolean {
  return (
    subscription !== null &&
    subscription.status !== 'canceled' &&
    subscription.status !== 'incomplete' &&
    subscription.status !== 'none'
  );
}

/** Named by its tier until the plans are loaded. */
function nameOf(subscription: Subscription | null): string {
  const tier = subscription?.tier ?? 'free';
  return tier === 'free' || tier === 'trial' ? 'Your plan' : PLAN_NAMES[tier];
}

export interface SubscriptionFacts {
  subscription: Subscription | null;
  /** Absent from older servers: then derived from the subscription. */
  standing: SubscriptionState | undefined;
  plan: Plan | undefined;
  /** Null without a running trial. */
  trialDays: number | null;
  trialEndsAt: number | null;
  hasUsedTrial: boolean;
}

export interface SubscriptionText {
  tone: BadgeTone;
  name: string;
  line: string;
  then: string;
}

function stateOf({
  standing,
  subscription,
  trialDays,
  hasUsedTrial,
}: SubscriptionFacts): SubscriptionState['state'] {
  if (trialDays !== null) return 'trial';
  if (standing !== undefined && standing.state !== 'trial') return standing.state;
  if (!isLiving(subscription))
    return hasUsedTrial || subscription?.status === 'canceled' ? 'lapsed' : 'free';
  if (subscription?.status === 'past_due') return 'grace';
  return subscription?.cancelAtPeriodEnd === true ? 'ending' : 'active';
}

export const PLAN_UNCHECKED = 'Your plan could not be checked.';

/** Where the server could not tell the plan. */
export const PLAN_UNKNOWN: SubscriptionText = {
  tone: 'attention',
  name: '',
  line: 'Plan unknown.',
  then: `${PLAN_UNCHECKED} Until it is, only what is free is open here.`,
};

/** The line under "Now" and its consequences. */
export function subscriptionText(facts: SubscriptionFacts): SubscriptionText {
  const { subscription, standing, plan, trialDays, trialEndsAt } = facts;
  const name = plan?.name ?? nameOf(subscription);
  const until = standing?.until ?? subscription?.currentPeriodEnd ?? null;
  const on = until === null ? '' : ` on ${formatDate(until)}`;
  switch (stateOf(facts)) {
    case 'trial':
      return {
        tone: trialDays !== null && trialDays <= 2 ? 'attention' : 'good',
        name: 'Free trial',
        line: `Free trial. ${trialBannerText(trialDays ?? 0)}.`,
        then:
          `${trialEndsAt === null ? 'After the trial' : `Ends on ${formatDate(trialEndsAt)}. After that`}, ` +
          'no new positions. Stop losses and exits stay active.',
      };
    case 'active':
      return {
        tone: 'good',
        name,
        line: until === null ? `${name}.` : `${name}. Renews${on}.`,
        then:
          plan === undefined
            ? ''
            : `${formatAmount(plan.amount)} ${plan.currency} per ${plan.interval}. Change or cancel below or in the billing portal.`,
      };
    case 'grace':
      return {
        tone: 'bad',
        name,
        line: `${name}. Payment failed.`,
        then:
          `Your plan stays active ${until === null ? 'for now' : `until ${formatDate(until)}`}. ` +
          'Update your card in the billing portal to keep it. After that, no new positions.',
      };
    case 'ending':
      return {
        tone: 'attention',
        name,
        line: `${name}. Ends${on}.`,
        then: 'Until then, nothing changes. You can renew in the billing portal.',
      };
    case 'lapsed':
      return {
        tone: 'neutral',
        name: 'Free',
        line:
          subscription?.status === 'canceled'
            ? `Free. ${name} has ended${subscription.currentPeriodEnd === null ? '' : `, paid until ${formatDate(subscription.currentPeriodEnd)}`}.`
            : 'Free. You have used your free trial.',
        then: 'No new positions. Your agents and history are kept, and Stop always works.',
      };
    case 'free':
      return {
        tone: 'neutral',
        name: 'Free',
        line: 'Free.',
        then: 'Dashboard, markets and portfolio. You need a plan or the free trial for agents.',
      };
  }
}

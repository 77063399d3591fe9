/** The plans beside each other, with what each adds; refuses to hide what the free one has. */
import type { Plan } from '../../../contract/subscription.ts';
import { tierPermits, tierRank } from '../../../contract/tiers.ts';
import { Button } from '../../components/Button.tsx';
import { Tag } from '../../components/Tags.tsx';
import { formatAmount } from '../../format/numbers.ts';

/** What a plan lets a person do, read off the same table that the server enforces. */
function grants({ agents, tier }: Plan): string[] {
  return [
    agents === 0 ? 'Dashboard, markets and portfolio' : `Up to ${agents} agents`,
    tierPermits(tier, 'trading', 'basic') && !tierPermits(tier, 'trading', 'standard') ? 'Preset risk profiles' : null,
    tierPermits(tier, 'trading', 'standard') ? 'Your own risk values' : null,
    tierPermits(tier, 'analytics', 'read') ? 'Full analytics' : null,
    tierPermits(tier, 'trading', 'advanced') ? 'Pools of your choice, all agents at once' : null,
    tierPermits(tier, 'pro-features', 'read') ? 'PRO Dashboard' : null,
    tierPermits(tier, 'priority-support', 'access') ? 'Priority support' : null,
  ].filter((text) => text !== null);
}

export interface PlanTableProps {
  plans: readonly Plan[];
  /** null while none of them is the person's: on a trial. */
  currentPlanId: string | null;
  busyPlanId: string | null;
  /** The plan that will end by itself: it is not offered to be ended again. */
  ending: boolean;
  onChoose: (planId: string) => void;
}

export function PlanTable({ plans, currentPlanId, busyPlanId, ending, onChoose }: PlanTableProps) {
  const current = plans.find((plan) => plan.id === currentPlanId);
  return (
    <ul className="grid gap-x-6 gap-y-2 md:grid-cols-2 xl:grid-cols-5">
      {plans.map((plan) => {
        const mine = plan.id === currentPlanId;
        const up = tierRank(plan.tier) > tierRank(current?.tier ?? (currentPlanId === null ? 'starter' : undefined));
        return (
          <li key={plan.id} aria-label={plan.name} className="rule flex min-w-0 flex-col gap-2 py-4">
            <div className="flex items-baseline justify-between gap-2">
              <h3 className="text-base">{plan.name}</h3>
              {mine && <Tag tone="accent">Your plan</Tag>}
            </div>
            <p><span className="text-lg font-semibold">{plan.priceId === null ? 'Nothing to pay' : `${formatAmount(plan.amount)} ${plan.currency}`}</span>
              {plan.priceId !== null && <span className="text-ink-3"> a {plan.interval}</span>}</p>
            <ul className="grow text-ink-2">{grants(plan).map((text) => <li key={text}>{text}</li>)}</ul>
            {!mine && plan.priceId !== null && (
              <Button tone={up ? 'primary' : 'quiet'} busy={busyPlanId === plan.id} disabled={busyPlanId !== null && busyPlanId !== plan.id} onClick={() => { onChoose(plan.id); }}>
                {current === undefined ? `Choose ${plan.name}` : up ? `Upgrade to ${plan.name}` : `Change to ${plan.name}`}
              </Button>
            )}
            {plan.priceId === null && current !== undefined && current.priceId !== null && !ending && (
              <Button busy={busyPlanId === plan.id} disabled={busyPlanId !== null && busyPlanId !== plan.id} onClick={() => { onChoose(plan.id); }}>End my plan</Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

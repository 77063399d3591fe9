/** The plans side by side by what they include. */
import { Check, Minus } from 'lucide-react';
import type { Plan } from '../../../contract/subscription.ts';
import { tierRank } from '../../../contract/tiers.ts';
import type { Tier } from '../../../contract/permission.ts';
import { addedOver, FEATURES } from '../../billing/offers.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { Tag } from '../../components/Tags.tsx';
import { formatAmount } from '../../format/numbers.ts';

export interface PlanTableProps {
  plans: readonly Plan[];
  /** Null while the user has none of them, as on a trial. */
  currentPlanId: string | null;
  /** On the free trial, marks the plan with the same features. */
  onTrial: boolean;
  busyPlanId: string | null;
  /** The plan that is already cancelled: it cannot be cancelled again. */
  ending: boolean;
  /** Why no plan can be chosen now; null if one can. */
  blocked: string | null;
  onChoose: (plan: Plan) => void;
}

/** In a single column, a plan lists only what it adds to the one before. */
function Features({ tier, before }: { tier: Tier; before: Plan | undefined }) {
  const added =
    before === undefined ? FEATURES.map(({ name }) => name) : addedOver(tier, before.tier);
  return (
    <ul className="contents">
      {FEATURES.map(({ name, has }) => {
        const mine = has(tier);
        return (
          <li
            key={name}
            className={classes(
              'flex items-start gap-2 py-1 leading-5',
              !mine && 'text-ink-3 max-xl:hidden',
              mine && !added.includes(name) && 'max-xl:hidden',
            )}
          >
            {mine ? (
              <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
            ) : (
              <Minus aria-hidden className="mt-0.5 size-4 shrink-0" />
            )}
            <span>
              {!mine && <span className="sr-only">Not in this plan: </span>}
              {name}
            </span>
          </li>
        );
      })}
      {before !== undefined && (
        <li className="flex items-start gap-2 py-1 leading-5 text-ink-3 xl:hidden">
          <Check aria-hidden className="mt-0.5 size-4 shrink-0" />
          All of {before.name}
        </li>
      )}
    </ul>
  );
}

function PlanPrice({ plan }: { plan: Plan }) {
  return (
    <p className="pt-1">
      <span className="text-lg font-semibold">
        {plan.priceId === null ? 'Free of charge' : formatAmount(plan.amount)}
      </span>
      {plan.priceId !== null && (
        <span className="text-ink-3">
          {' '}
          {plan.currency} a {plan.interval}
        </span>
      )}
    </p>
  );
}

function AgentCount({ plan }: { plan: Plan }) {
  return (
    <p className="pb-1">
      {plan.agents === 0 ? (
        <span className="text-ink-3">No agents</span>
      ) : (
        <>
          Up to <strong>{plan.agents}</strong> agents
        </>
      )}
    </p>
  );
}

interface PlanCardProps extends Pick<
  PlanTableProps,
  'currentPlanId' | 'onTrial' | 'busyPlanId' | 'ending' | 'blocked' | 'onChoose'
> {
  plan: Plan;
  /** The plan one step down. */
  before: Plan | undefined;
  current: Plan | undefined;
  /** Highlighted. */
  isNext: boolean;
}

/** What a press on a plan would do. */
function chooseText(
  plan: Plan,
  { currentPlanId, current }: Pick<PlanCardProps, 'currentPlanId' | 'current'>,
): string {
  if (currentPlanId === null) return `Choose ${plan.name}`;
  const up = tierRank(plan.tier) > (current === undefined ? 0 : tierRank(current.tier));
  return up ? `Upgrade to ${plan.name}` : `Change to ${plan.name}`;
}

function PlanActions({
  plan,
  currentPlanId,
  current,
  isNext,
  busyPlanId,
  ending,
  blocked,
  onChoose,
}: PlanCardProps) {
  const press = {
    busy: busyPlanId === plan.id,
    disabled: blocked !== null || (busyPlanId !== null && busyPlanId !== plan.id),
    onClick: () => {
      onChoose(plan);
    },
  };
  return (
    <div className="pt-3">
      {plan.id !== currentPlanId && plan.priceId !== null && (
        <Button wide tone={isNext ? 'primary' : 'quiet'} {...press}>
          {chooseText(plan, { currentPlanId, current })}
        </Button>
      )}
      {plan.priceId === null && current !== undefined && current.priceId !== null && !ending && (
        <Button wide {...press}>
          {' '}
          Cancel plan{' '}
        </Button>
      )}
    </div>
  );
}

function PlanCard(props: PlanCardProps) {
  const { plan, before, currentPlanId, onTrial } = props;
  return (
    <li
      aria-label={plan.name}
      className="rule flex min-w-0 flex-col py-4 xl:row-span-11 xl:grid xl:grid-rows-subgrid"
    >
      <div className="flex items-baseline justify-between gap-2">
        <h3 className="text-base font-semibold">{plan.name}</h3>
        {plan.id === currentPlanId ? (
          <Tag tone="accent">Your plan</Tag>
        ) : (
          onTrial && tierRank(plan.tier) === tierRank('trial') && <Tag>Your trial</Tag>
        )}
      </div>
      <PlanPrice plan={plan} />
      <AgentCount plan={plan} />
      <Features tier={plan.tier} before={before} />
      <PlanActions {...props} />
    </li>
  );
}

export function PlanTable({ plans, ...rest }: PlanTableProps) {
  const { currentPlanId, onTrial } = rest;
  const current = plans.find((plan) => plan.id === currentPlanId);
  // Highlights the plan one step up, or the one with the trial's features.
  const next = plans.find(
    (plan) =>
      plan.priceId !== null &&
      (onTrial
        ? tierRank(plan.tier) === tierRank('trial')
        : tierRank(plan.tier) > tierRank(current?.tier)),
  );
  return (
    <ul
      className={classes(
        'grid gap-x-6 md:grid-cols-2 xl:grid-rows-[repeat(11,auto)]',
        plans.length > 4 ? 'xl:grid-cols-5' : 'xl:grid-cols-4',
      )}
    >
      {plans.map((plan, index) => (
        <PlanCard
          key={plan.id}
          plan={plan}
          before={plans[index - 1]}
          current={current}
          isNext={plan === next}
          {...rest}
        />
      ))}
    </ul>
  );
}

/**
 * Offers the way past a limit where it was met: the trial or the smallest plan that lifts it, and
 * back.
 */
import { Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useLocation, useSearch } from 'wouter';
import type { Plan } from '../../../contract/subscription.ts';
import { cheapestFor, tierMeets, type Need } from '../../billing/offers.ts';
import { startTrial } from '../../billing/start-trial.ts';
import { takePlan, checkoutProgress } from '../../billing/take-plan.ts';
import { keepsSnapshots } from '../../commands.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { useAuth } from '../../stores/use-security.ts';
import { checkSubscription, loadPlans, plansStore } from '../../stores/subscription-store.ts';
import { useSlot } from '../use-store.ts';
import { isLiving, PLAN_UNCHECKED } from './subscription-text.ts';
import { useIsPlanUnknown, useMayTryTrial, useSubscription } from './use-known-plan.ts';
import { usePlanBlocked } from './use-plan-blocked.ts';

const ChangeDialog = screenPart(() => import('./ChangeDialog.tsx'));

export interface UpgradeHereProps {
  need: Need;
  /** The page to return to; this one by default. */
  from?: string;
  /** Called before the user leaves, to save entries. */
  onLeave?: () => void;
  /** The user is typing here: say that entries are kept. */
  typed?: boolean;
  /** The host has its own link to the plans. */
  withoutLink?: boolean;
}

const priceText = (plan: Pick<Plan, 'amount' | 'currency' | 'interval'>): string =>
  `${formatAmount(plan.amount)} ${plan.currency} per ${plan.interval}`;

/** The trial if it is available, and the smallest plan that includes what is needed. */
function useOffer(need: Need) {
  const { data: list, error } = useSlot(plansStore, loadPlans);
  const { subscriptionTier } = useAuth();
  const isUnknown = useIsPlanUnknown();
  const plan = isUnknown ? null : cheapestFor(list?.plans ?? [], need, subscriptionTier);
  const trial = useMayTryTrial() && tierMeets('trial', need);
  return { list, error, plan, trial, isUnknown };
}

type Offer = ReturnType<typeof useOffer>;

function TrialButton({ disabled }: { disabled: boolean }) {
  const [starting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    await startTrial();
    setStarting(false);
  };
  return (
    <Button
      tone="primary"
      busy={starting}
      disabled={disabled}
      onClick={() => {
        void start();
      }}
    >
      Start free trial
    </Button>
  );
}

function OfferNotes({
  offer: { plan, trial, list, isUnknown },
  back,
  blocked,
}: {
  offer: Offer;
  back: string;
  blocked: string | null;
}) {
  const { problem } = useSnapshot(checkoutProgress);
  return (
    <>
      <p className="mt-2 min-h-5 text-ink-3">
        {trial && 'All Standard features. Free, no card needed. Starts at once.'}
        {!trial && plan !== null && `${priceText(plan)}, up to ${plan.agents} agents. ${back}`}
        {blocked === PLAN_UNCHECKED && <Unchecked />}
        {!isUnknown && !trial && plan === null && list !== null && 'No plan has a higher limit.'}
      </p>
      {blocked !== null && blocked !== PLAN_UNCHECKED && (
        <p role="status" className="mt-1 text-amber">
          {blocked}
        </p>
      )}
      {blocked === null && problem !== null && problem.of === plan?.id && (
        <p role="alert" className="mt-1 text-danger">
          {problem.text}
        </p>
      )}
    </>
  );
}

/** In the place of an offer: to whom the trial or a plan can be offered is not known. */
function Unchecked() {
  return (
    <>
      {PLAN_UNCHECKED}{' '}
      <button
        type="button"
        className="reach font-medium underline underline-offset-2"
        onClick={() => {
          void checkSubscription();
        }}
      >
        Try again
      </button>
    </>
  );
}

/** Entries are saved only where the device may keep them. */
const backText = (typed: boolean): string =>
  `You'll return here.${typed && keepsSnapshots() ? ' Your entries are saved.' : ''}`;

export function UpgradeHere({
  need,
  from,
  onLeave,
  typed = false,
  withoutLink = false,
}: UpgradeHereProps) {
  const [path, go] = useLocation();
  const search = useSearch();
  const place = from ?? (search === '' ? path : `${path}?${search}`);
  const offer = useOffer(need);
  const { list, error, plan, trial, isUnknown } = offer;
  const { busy } = useSnapshot(checkoutProgress);
  const offline = useSnapshot(connection).online === 'offline';
  // An error here is not carried to the next screen.
  useEffect(
    () => () => {
      checkoutProgress.problem = null;
    },
    [],
  );
  const living = isLiving(useSubscription());
  const blocked = usePlanBlocked(living);
  const [changing, setChanging] = useState(false);
  const take = async (chosen: Plan): Promise<void> => {
    onLeave?.();
    // The embedded checkout is on the plans' own screen.
    if ((await takePlan(chosen, place)) && checkoutProgress.embedded !== null) go('/subscription');
  };
  return (
    <div className="max-w-[64ch]">
      <div className="flex flex-wrap items-center gap-2">
        {trial && <TrialButton disabled={offline} />}
        {!trial && plan !== null && (
          <Button
            tone="primary"
            busy={busy === plan.id}
            disabled={blocked !== null || (busy !== null && busy !== plan.id)}
            onClick={() => {
              if (living) setChanging(true);
              else void take(plan);
            }}
          >
            Upgrade to {plan.name}
          </Button>
        )}
        {!trial && !isUnknown && list === null && error === null && !offline && (
          <Skeleton className="h-11 w-40 rounded-md pointer-fine:h-10" />
        )}
        {!withoutLink && (
          <LinkButton to={`/subscription?from=${encodeURIComponent(place)}`}>View Plans</LinkButton>
        )}
      </div>
      <OfferNotes offer={offer} back={backText(typed)} blocked={blocked} />
      {changing && plan !== null && (
        <Suspense>
          <ChangeDialog
            planId={plan.id}
            from={place}
            onLeave={onLeave}
            onClose={() => {
              setChanging(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

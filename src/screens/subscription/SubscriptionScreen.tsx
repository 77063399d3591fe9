/** Plan, trial, usage and invoices, and the way to another plan. */
import { Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link, useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { consequencesOf } from '../../../contract/consequences.ts';
import type { Coupon, Plan } from '../../../contract/subscription.ts';
import { ownPath } from '../../billing/pending-checkout.ts';
import { startTrial } from '../../billing/start-trial.ts';
import {
  closeTill,
  PORTAL,
  takePlan,
  checkoutProgress,
  visitPortal,
} from '../../billing/take-plan.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { StatusBadge, Tag } from '../../components/Tags.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { environment } from '../../environment.ts';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';
import { samePlace } from '../../platform/same-place.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { connection } from '../../stores/connection.ts';
import { useAuth } from '../../stores/use-security.ts';
import {
  checkSubscription,
  loadPlans,
  loadUsage,
  plansStore,
  subscriptionStore,
  usageStore,
} from '../../stores/subscription-store.ts';
import { useNextStep } from '../getting-started/NextStep.tsx';
import { useSlot } from '../use-store.ts';
import { AgentsAfter } from './AgentsAfter.tsx';
import { InvoicesSection } from './InvoicesSection.tsx';
import { Meter } from './Meter.tsx';
import { PlanTable } from './PlanTable.tsx';
import {
  isLiving,
  PLAN_UNKNOWN,
  subscriptionText,
  type SubscriptionFacts,
} from './subscription-text.ts';
import { useIsPlanUnknown, useMayTryTrial, useSubscription } from './use-known-plan.ts';
import { usePlanBlocked } from './use-plan-blocked.ts';

const EmbeddedCheckout = screenPart(() => import('../../billing/EmbeddedCheckout.tsx'));
const ChangeDialog = screenPart(() => import('./ChangeDialog.tsx'));

function useSubscriptionText(): SubscriptionFacts {
  const { data } = useSnapshot(subscriptionStore);
  const { isTrialActive, trialDaysRemaining, hasUsedTrial } = useAuth();
  const list = useSnapshot(plansStore).data;
  const subscription = useSubscription();
  const endDate = data?.trial?.endDate ?? null;
  return {
    subscription,
    standing: data?.status?.standing,
    plan: list?.plans.find((candidate) => candidate.id === subscription?.planId),
    trialDays: isTrialActive ? trialDaysRemaining : null,
    trialEndsAt: endDate === null ? null : Date.parse(endDate),
    hasUsedTrial,
  };
}

/** The next step for a user with a plan but no agent. */
function FirstAgent() {
  const agents = useSlot(agentsStore, loadAgents).data?.agents;
  const next = useNextStep();
  if (agents?.length !== 0 || next === null || next === undefined) return null;
  return (
    <LinkButton to={next.to} tone="primary">
      {next.action}
    </LinkButton>
  );
}

/** Starts the trial, and leads back to where the user came from. */
function TrialButton({ from }: { from: string | null }) {
  const [starting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    const isHere = samePlace();
    setStarting(true);
    if (await startTrial()) {
      await loadUsage(true);
      if (from !== null && isHere()) navigate(from);
    }
    setStarting(false);
  };
  return (
    <Button
      tone="primary"
      busy={starting}
      onClick={() => {
        void start();
      }}
    >
      Start free trial
    </Button>
  );
}

function Now({ facts, from }: { facts: SubscriptionFacts; from: string | null }) {
  const { data, error } = useSnapshot(subscriptionStore);
  const { isSubscribed } = useAuth();
  const isUnknown = useIsPlanUnknown();
  const mayTry = useMayTryTrial();
  const { busy, problem } = useSnapshot(checkoutProgress);
  const words = isUnknown ? PLAN_UNKNOWN : subscriptionText(facts);
  const current = useCurrent('subscription');
  return (
    <Section title="Now" aside={<DataAge kind="subscription" />}>
      <ReadError
        message={error}
        hasData={data !== null && !isUnknown}
        onRetry={() => {
          void checkSubscription();
        }}
      />
      {data === null && !isUnknown ? (
        <SkeletonRows rows={1} rowClass="min-h-[5.875rem]" label="Plan" />
      ) : (
        <div className="rule py-3">
          <StatusBadge
            tone={words.tone}
            hollow={!current || isUnknown}
            className="text-base font-semibold"
          >
            {words.line}
          </StatusBadge>
          <p className="mt-1 min-h-10 max-w-[64ch] text-ink-2">{words.then}</p>
        </div>
      )}
      <div className="mt-2 flex min-h-11 flex-wrap items-center gap-2 pointer-fine:min-h-10">
        {mayTry && <TrialButton from={from} />}
        {isSubscribed && <FirstAgent />}
        {facts.subscription !== null && (
          <Button
            tone={words.tone === 'bad' ? 'primary' : 'quiet'}
            busy={busy === PORTAL}
            onClick={() => {
              void visitPortal();
            }}
          >
            Billing portal
          </Button>
        )}
      </div>
      {problem?.of === PORTAL && (
        <p role="alert" className="mt-1 text-danger">
          {problem.text}
        </p>
      )}
    </Section>
  );
}

function placesText(used: number, limit: number): string {
  if (limit === 0)
    return used === 0
      ? 'You need a plan or the free trial for agents.'
      : 'Kept. They open no new positions without a plan.';
  const left = limit - used;
  if (left > 0) return `${left} left.`;
  return left === 0
    ? 'Limit reached.'
    : `${-left} over the limit. The newest open no new positions.`;
}

/** Use of limits. */
function Used() {
  const { data: usage, error } = useSlot(usageStore, loadUsage);
  const { online } = useSnapshot(connection);
  const unknown =
    online === 'offline' ? <span className="text-ink-3">Not saved on this device</span> : '—';
  if (usage === null && error === null && online !== 'offline')
    return (
      <Section title="Usage">
        {/* As high as the meter and the line that follow. */}
        <SkeletonRows rows={1} rowClass="min-h-[4.6875rem]" label="Usage" />
        <SkeletonRows rows={1} label="Trades" />
      </Section>
    );
  const { used, limit } = usage?.agents ?? { used: 0, limit: 0 };
  return (
    <Section title="Usage">
      {online !== 'offline' && (
        <ReadError
          message={error}
          hasData={usage !== null}
          onRetry={() => {
            void loadUsage(true);
          }}
        />
      )}
      {usage === null ? (
        <dl>
          <Line term="Agents">{unknown}</Line>
        </dl>
      ) : (
        <Meter label="Agents" used={used} limit={limit} words={placesText(used, limit)} />
      )}
      <dl>
        <Line
          term={
            usage === null ? 'Trades this month' : `Trades since ${formatDate(usage.periodStart)}`
          }
        >
          {usage === null ? (
            unknown
          ) : (
            <>
              {usage.fillsThisMonth} <span className="text-ink-3">no limit</span>
            </>
          )}
        </Line>
      </dl>
    </Section>
  );
}

function rebateText({ percentOff, amountOff }: Coupon, currency: string): string {
  if (percentOff !== null) return `${percentOff} % off`;
  return amountOff === null ? 'A discount' : `${formatAmount(amountOff)} ${currency} off`;
}

function rebatedPayments({ duration, months }: Coupon): string {
  if (duration === 'forever') return 'every payment';
  if (duration === 'once') return 'the first payment';
  return months === 1 || months === null ? 'the first month' : `the first ${months} months`;
}

function couponText(coupon: Coupon, currency: string): string {
  return `Coupon ${coupon.id}: ${rebateText(coupon, currency)} ${rebatedPayments(coupon)}. Applied at checkout. Prices shown exclude it.`;
}

/** What will happen to agents, while it can still be averted or explains the present. */
function Follows({ facts }: { facts: SubscriptionFacts }) {
  const agents = useSlot(agentsStore, loadAgents).data?.agents;
  const { standing } = facts;
  const state = standing?.state;
  if (
    standing === undefined ||
    agents === undefined ||
    agents.length === 0 ||
    (state !== 'ending' && state !== 'grace' && state !== 'lapsed' && state !== 'trial')
  )
    return null;
  const when =
    standing.until === null
      ? 'Now, without a plan'
      : `From ${formatDate(standing.until)}, without action`;
  return (
    <Section title={when} aside={<DataAge kind="agents" />}>
      <AgentsAfter consequences={consequencesOf(standing.tier, standing.next.tier, agents)} />
    </Section>
  );
}

function Checkout() {
  const { embedded } = useSnapshot(checkoutProgress);
  if (embedded === null) return null;
  return (
    <Section
      title="Checkout"
      aside={
        <Button size="sm" tone="plain" onClick={closeTill}>
          Close
        </Button>
      }
    >
      <Suspense fallback={<SkeletonRows rows={3} />}>
        <EmbeddedCheckout clientSecret={embedded.clientSecret} />
      </Suspense>
    </Section>
  );
}

/** Null while the user has no plan, as on a trial, and while none is known. */
function currentPlanOf(
  { subscription }: SubscriptionFacts,
  isTrialActive: boolean,
  isRead: boolean,
): string | null {
  if (isLiving(subscription)) return subscription?.planId ?? null;
  if (!isRead) return null;
  return isTrialActive ? null : 'free';
}

/** What prevents choosing a plan. */
function PlanNotices({ offline, blocked }: { offline: boolean; blocked: string | null }) {
  const { data: list, error } = useSnapshot(plansStore);
  const { problem } = useSnapshot(checkoutProgress);
  return (
    <>
      {blocked !== null && list !== null && (
        <p role="status" className="pb-2 text-amber">
          {blocked}
        </p>
      )}
      {!offline && (
        <ReadError
          message={error}
          hasData={list !== null}
          onRetry={() => {
            void loadPlans(true);
          }}
        />
      )}
      {problem !== null && problem.of !== PORTAL && (
        <p role="alert" className="pb-2 text-danger">
          {problem.text}
        </p>
      )}
    </>
  );
}

function Plans({ facts, from }: { facts: SubscriptionFacts; from: string | null }) {
  const { data: list, error } = useSlot(plansStore, loadPlans);
  const { online } = useSnapshot(connection);
  const { busy } = useSnapshot(checkoutProgress);
  const { isTrialActive } = useAuth();
  const isRead = (useSnapshot(subscriptionStore).data?.status ?? null) !== null;
  const [changingTo, setChangingTo] = useState<string | null>(null);
  const living = isLiving(facts.subscription);
  const offline = online === 'offline';
  const blocked = usePlanBlocked(living);
  const coupon =
    environment.couponEnabled && environment.couponId !== '' ? (list?.coupon ?? null) : null;
  const choose = (plan: Plan): void => {
    if (living) setChangingTo(plan.id);
    else void takePlan(plan, from);
  };
  return (
    <Section
      title="Plans"
      aside={list?.provider === 'test' ? <Tag tone="attention">Test payments</Tag> : undefined}
    >
      {coupon !== null && coupon.id === environment.couponId && (
        <p className="pb-2 text-ink-2">
          {couponText(coupon, list?.plans.find(({ priceId }) => priceId !== null)?.currency ?? '')}
        </p>
      )}
      <PlanNotices offline={offline} blocked={blocked} />
      {list === null ? (
        (error === null || offline) && <SkeletonRows rows={5} rowClass="min-h-48 xl:min-h-20" />
      ) : (
        <PlanTable
          plans={list.plans}
          currentPlanId={currentPlanOf(facts, isTrialActive, isRead)}
          onTrial={isTrialActive}
          busyPlanId={busy}
          ending={facts.subscription?.cancelAtPeriodEnd === true}
          blocked={blocked}
          onChoose={choose}
        />
      )}
      {changingTo !== null && (
        <Suspense>
          <ChangeDialog
            planId={changingTo}
            from={from}
            onClose={() => {
              setChangingTo(null);
            }}
          />
        </Suspense>
      )}
    </Section>
  );
}

export default function SubscriptionScreen() {
  const search = useSearch();
  const from = ownPath(new URLSearchParams(search).get('from'));
  const facts = useSubscriptionText();
  // Effects on agents come before the plans on offer.
  const pressing =
    facts.standing !== undefined &&
    facts.standing.state !== 'trial' &&
    facts.standing.state !== 'active';
  useEffect(() => {
    void checkSubscription();
  }, []);
  useEffect(() => closeTill, []);
  return (
    <>
      <ScreenTitle
        title="Subscription"
        note="Paper trading on every plan. No plan promises a profit."
      >
        {from !== null && (
          <Link
            href={from}
            className="flex min-h-11 items-center text-accent underline underline-offset-2"
          >
            Back
          </Link>
        )}
      </ScreenTitle>
      <div className="grid gap-8">
        <Checkout />
        <div className="grid gap-x-12 gap-y-8 xl:grid-cols-2">
          <Now facts={facts} from={from} />
          <Used />
        </div>
        {pressing && <Follows facts={facts} />}
        <Plans facts={facts} from={from} />
        {!pressing && <Follows facts={facts} />}
        <InvoicesSection expected={facts.subscription !== null} />
      </div>
    </>
  );
}

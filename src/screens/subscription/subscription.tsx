/** Plan, trial and usage, and the way to another plan; refuses to call a plan paid before the server does. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Plan, Subscription } from '../../../contract/subscription.ts';
import { endPlan, openCheckout, openPortal, type Destination } from '../../billing/checkout.ts';
import { trialBannerText } from '../../billing/entitlement-view.ts';
import { startTrial } from '../../billing/start-trial.ts';
import { Button } from '../../components/Button.tsx';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { Tag } from '../../components/Tags.tsx';
import { environment } from '../../environment.ts';
import { errorSentence } from '../../format/errors.ts';
import { formatDate } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';
import { checkSubscription, loadPlans, loadUsage, plansStore, subscriptionStore, usageStore } from '../../stores/subscription.ts';
import { pageToast } from '../../stores/toasts.ts';
import { useAuth } from '../../stores/security.ts';
import { PlanTable } from './plan-table.tsx';

const EmbeddedCheckout = lazy(() => import('../../billing/EmbeddedCheckout.tsx'));

/** What the person has now, in a sentence. */
function standing(subscription: Subscription | null, plan: Plan | undefined, trialDays: number | null): string {
  if (subscription !== null && subscription.status !== 'canceled' && subscription.status !== 'incomplete') {
    const name = plan?.name ?? subscription.tier;
    const end = subscription.currentPeriodEnd === null ? null : formatDate(subscription.currentPeriodEnd);
    if (subscription.status === 'past_due') return `${name}. The last payment has not come through: check the card in the billing portal.`;
    if (end === null) return `${name}.`;
    return subscription.cancelAtPeriodEnd ? `${name}. Ends on ${end}.` : `${name}. Paid until ${end}.`;
  }
  return trialDays === null ? 'Free.' : `Free trial. ${trialBannerText(trialDays)}.`;
}

function CurrentPlan({ onPortal, busy }: { onPortal: () => void; busy: boolean }) {
  const { data, error, savedAt } = useSnapshot(subscriptionStore);
  const { isTrialActive, trialDaysRemaining, hasUsedTrial, isSubscribed } = useAuth();
  const plans = useSnapshot(plansStore).data?.plans ?? [];
  const usage = useSnapshot(usageStore).data;
  const [starting, setStarting] = useState(false);
  const { online } = useSnapshot(connection);
  const unknown = online === 'offline' ? <span className="text-ink-3">Not on this device</span> : '—';
  const subscription = data?.status?.subscription ?? null;
  const plan = plans.find((candidate) => candidate.id === subscription?.planId);
  const start = async (): Promise<void> => {
    setStarting(true);
    if (await startTrial()) await loadUsage(true);
    setStarting(false);
  };
  return (
    <Section title="Now">
      <ReadError message={error} hasData={savedAt !== null} onRetry={() => { void checkSubscription(); }} />
      <dl>
        <Line term="Plan">{standing(subscription, plan, isTrialActive ? trialDaysRemaining : null)}</Line>
        <Line term="Agents">{usage === null ? unknown : `${usage.agents.used} of ${usage.agents.limit}`}</Line>
        <Line term="Trades this month">{usage === null ? unknown : String(usage.fillsThisMonth)}</Line>
      </dl>
      <div className={`mt-3 flex flex-wrap items-center gap-2 ${data === null ? 'min-h-11 pointer-fine:min-h-10' : ''}`}>
        {!hasUsedTrial && !isSubscribed && data !== null && <Button tone="primary" busy={starting} onClick={() => { void start(); }}>Start free trial</Button>}
        {subscription !== null && <Button busy={busy} onClick={onPortal}>Billing portal</Button>}
      </div>
      {hasUsedTrial && !isTrialActive && !isSubscribed && <p className="mt-2 text-ink-2">Your free trial has been used. Agents and history are kept, and Stop always works.</p>}
    </Section>
  );
}

export default function SubscriptionScreen() {
  const plans = useSnapshot(plansStore);
  const { data } = useSnapshot(subscriptionStore);
  const { isTrialActive } = useAuth();
  const { online } = useSnapshot(connection);
  const [busy, setBusy] = useState<string | null>(null);
  const [embedded, setEmbedded] = useState<string | null>(null);
  useEffect(() => { void loadPlans(); void loadUsage(); void checkSubscription(); }, []);

  const leave = async (what: string, way: () => Promise<Destination>): Promise<void> => {
    setBusy(what);
    try {
      const destination = await way();
      if (destination.kind === 'embedded') { setEmbedded(destination.clientSecret); setBusy(null); } else location.assign(destination.url);
    } catch (error) {
      pageToast('error', errorSentence(error));
      setBusy(null);
    }
  };
  const portal = (): void => { void leave('portal', async () => ({ kind: 'page', url: await openPortal() })); };
  const end = async (): Promise<void> => {
    setBusy('free');
    try {
      await endPlan();
      await checkSubscription();
      pageToast('success', 'Your plan ends when its paid time is over. Until then nothing changes.');
    } catch (error) {
      pageToast('error', errorSentence(error));
    }
    setBusy(null);
  };
  const choose = (planId: string): void => {
    if (planId === 'free') void end();
    else if (living) portal();
    else void leave(planId, () => openCheckout(list, planId));
  };
  const list = plansStore.data?.plans ?? [];
  const subscription = data?.status?.subscription ?? null;
  const living = subscription !== null && subscription.status !== 'canceled' && subscription.status !== 'incomplete';
  return (
    <>
      <ScreenTitle title="Subscription" note="Paper trading on every plan. No plan promises a profit." />
      <div className="grid gap-8">
        <CurrentPlan busy={busy === 'portal'} onPortal={portal} />
        {embedded !== null && (
          <Section title="Checkout" aside={<Button size="sm" tone="plain" onClick={() => { setEmbedded(null); }}>Close</Button>}>
            <Suspense fallback={<SkeletonRows rows={3} />}><EmbeddedCheckout clientSecret={embedded} /></Suspense>
          </Section>
        )}
        <Section title="Plans" aside={plans.data?.provider === 'test' ? <Tag tone="attention">Test payments</Tag> : undefined}>
          {environment.couponEnabled && environment.couponId !== '' && <p className="pb-2 text-ink-2">Coupon {environment.couponId} is applied at checkout.</p>}
          {online !== 'offline' && <ReadError message={plans.error} hasData={plans.data !== null} onRetry={() => { void loadPlans(true); }} />}
          {plans.data === null ? (plans.error === null || online === 'offline') && <SkeletonRows rows={5} /> : (
            <PlanTable
              plans={list} currentPlanId={living ? subscription.planId : isTrialActive ? null : 'free'} busyPlanId={busy}
              ending={subscription?.cancelAtPeriodEnd === true} onChoose={choose}
            />
          )}
        </Section>
      </div>
    </>
  );
}

/**
 * What waits for the person: failed stops, starts to confirm, halted agents, a trial about to end;
 * refuses to list what can wait.
 */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { TRIAL_WARNING_DAYS } from '../../../contract/limits.ts';
import type { SubscriptionState } from '../../../contract/subscription-state.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { formatDate, formatWhen } from '../../format/times.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { useAuth } from '../../stores/use-security.ts';
import { firingText } from '../../format/alert-text.ts';
import { alertsSeen, alertsStore } from '../../stores/alerts-store.ts';
import { subscriptionStore } from '../../stores/subscription-store.ts';

export interface Need {
  key: string;
  to: string;
  title: string;
  text: string;
}

type PlanState = Pick<SubscriptionState, 'state' | 'until'>;

/**
 * A payment that is due ends in agents that open nothing; where they do already, whoever has one
 * that runs must know why.
 */
function ofPlan(planState: PlanState | null, views: readonly AgentView[]): Need[] {
  const need = (title: string, text: string): Need[] => [
    { key: 'plan', to: '/subscription', title, text },
  ];
  if (planState?.state === 'grace')
    return need(
      'The last payment has not come through',
      `Everything goes on${planState.until === null ? ' for now' : ` until ${formatDate(planState.until)}`}. Check the card before then.`,
    );
  if (
    planState?.state === 'lapsed' &&
    views.some(({ agent }) => agent.status === 'running' || agent.openPositions > 0)
  ) {
    return need(
      'Your plan has ended',
      'Agents that run open nothing new. What they hold keeps its stops and exits.',
    );
  }
  return [];
}

/** Most pressing first. */
export function needs(
  views: readonly AgentView[],
  trial: { isTrialActive: boolean; trialDaysRemaining: number },
  standing: PlanState | null = null,
): Need[] {
  const of = (list: readonly AgentView[], text: (view: AgentView) => string): Need[] =>
    list.map((view) => ({
      key: view.agent.id,
      to: `/agents/${encodeURIComponent(view.agent.id)}`,
      title: view.agent.name,
      text: text(view),
    }));
  const alerts = views.filter((view) => view.alert);
  const reviews = views.filter((view) => !view.alert && view.canReview);
  const held = views.filter(
    (view) =>
      !view.alert &&
      !view.canReview &&
      (view.agent.status === 'faulted' || view.agent.status === 'halted'),
  );
  const days = trial.trialDaysRemaining;
  const ends = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
  return [
    ...of(alerts, (view) => view.commandText ?? ''),
    ...of(reviews, (view) => view.commandText ?? ''),
    ...of(held, (view) => view.statusText),
    ...ofPlan(standing, views),
    ...(trial.isTrialActive && days <= TRIAL_WARNING_DAYS
      ? [
          {
            key: 'trial',
            to: '/subscription',
            title: `The trial ends ${ends}`,
            text: 'Agents stop opening positions then. What is open stays protected.',
          },
        ]
      : []),
  ];
}

/** Alerts that were reached and not looked at: one line, with the newest in words. */
function useReachedAlerts(): Need[] {
  const firings = useSnapshot(alertsStore).data?.firings ?? [];
  const { until } = useSnapshot(alertsSeen);
  const unseen = firings.filter(({ recordedAt }) => recordedAt > until);
  const [newest] = unseen;
  if (newest === undefined) return [];
  const title =
    unseen.length === 1
      ? 'A price alert was reached'
      : `${unseen.length} price alerts were reached`;
  return [
    {
      key: 'alerts',
      to: '/alerts',
      title,
      text: `${firingText(newest)}, ${formatWhen(newest.at)}`,
    },
  ];
}

export function NeedsYou({ views }: { views: readonly AgentView[] }) {
  const standing = useSnapshot(subscriptionStore).data?.status?.standing ?? null;
  const list = [...needs(views, useAuth(), standing), ...useReachedAlerts()];
  if (list.length === 0) return null;
  return (
    <section aria-label="Needs you" className="border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">
        Needs you <DataAge kind="agents" className="ml-2 font-normal" />
      </h2>
      <ul>
        {list.map((need) => (
          <li key={need.key}>
            <Link href={need.to} className="block py-1.5 hover:text-accent">
              <span className="font-medium">{need.title}</span>
              <span className="block text-ink-2">{need.text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

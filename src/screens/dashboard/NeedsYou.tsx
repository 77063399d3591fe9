/**
 * What needs the user: failed stops, starts to confirm, halted agents, a payment due, a trial about
 * to end.
 */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { TRIAL_WARNING_DAYS } from '../../../contract/limits.ts';
import type { LiveConnection } from '../../../contract/live-state.ts';
import type { SubscriptionState } from '../../../contract/subscription-state.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { formatClock, formatDate, formatWhen } from '../../format/times.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { useAuth } from '../../stores/use-security.ts';
import { firingText, pricesMark } from '../../format/alert-text.ts';
import { exchangeName } from '../../format/exchange-names.ts';
import { serverNow } from '../../stores/connection.ts';
import { liveSlots } from '../../stores/live-slots.ts';
import { connectionOf } from '../../stores/shown-account.ts';
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
 * Asks for a payment that is due; once the plan has lapsed, explains why agents open no positions.
 */
function ofPlan(planState: PlanState | null, views: readonly AgentView[]): Need[] {
  const need = (title: string, text: string): Need[] => [
    { key: 'plan', to: '/subscription', title, text },
  ];
  if (planState?.state === 'grace')
    return need(
      'Payment failed',
      `Your plan stays active${planState.until === null ? ' for now' : ` until ${formatDate(planState.until)}`}. Update your card to keep it.`,
    );
  if (
    planState?.state === 'lapsed' &&
    views.some(({ agent }) => agent.status === 'running' || agent.openPositions > 0)
  ) {
    return need(
      'Your plan has ended',
      'No new positions. Stop losses and exits of running agents stay active.',
    );
  }
  return [];
}

const dayOf = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** By the calendar: a trial with a day left, rounded up, may end today. */
function endsText(endsAt: number, now: number): string {
  const days = Math.round((dayOf(endsAt) - dayOf(now)) / 86_400_000);
  if (days > 1) return `in ${days} days`;
  if (days === 1) return 'tomorrow';
  return endsAt > now ? `today at ${formatClock(endsAt)}` : 'today';
}

/** Most urgent first. `now` and `endsAt` on the server's clock, ms. */
export function needs(
  views: readonly AgentView[],
  trial: { isTrialActive: boolean; trialDaysRemaining: number; endsAt: number },
  standing: PlanState | null = null,
  now = serverNow(),
): Need[] {
  const of = (list: readonly AgentView[], text: (view: AgentView) => string): Need[] =>
    list.map((view) => ({
      key: view.agent.id,
      to: `/agents/${encodeURIComponent(view.agent.id)}`,
      title: `${connectionOf(view.agent) === null ? '' : 'LIVE · '}${view.agent.name}`,
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
  return [
    ...of(alerts, (view) => view.commandText ?? ''),
    ...of(reviews, (view) => view.commandText ?? ''),
    ...of(held, (view) => view.statusText),
    ...ofPlan(standing, views),
    ...(trial.isTrialActive && trial.trialDaysRemaining <= TRIAL_WARNING_DAYS
      ? [
          {
            key: 'trial',
            to: '/subscription',
            title: `Your free trial ends ${endsText(trial.endsAt, now)}`,
            text: 'After that, no new positions. Stop losses and exits stay active.',
          },
        ]
      : []),
  ];
}

/** New firings of alerts: one line, with the newest in words. */
function useReachedAlerts(): Need[] {
  const firings = useSnapshot(alertsStore).data?.firings ?? [];
  const { until } = useSnapshot(alertsSeen);
  const unseen = firings.filter(({ recordedAt }) => recordedAt > until);
  const [first, ...others] = unseen;
  if (first === undefined) return [];
  // Those of a missed stretch are found pair by pair: what came last need not be the newest.
  const newest = others.reduce((last, one) => (one.at > last.at ? one : last), first);
  const prices = pricesMark(newest);
  const words = [
    firingText(newest),
    formatWhen(newest.at),
    ...(newest.late ? ['found afterwards'] : []),
    ...(prices === null ? [] : [prices]),
  ];
  const title =
    unseen.length === 1 ? 'Price alert reached' : `${unseen.length} price alerts reached`;
  return [
    {
      key: 'alerts',
      to: '/alerts',
      title,
      text: words.join(', '),
    },
  ];
}

/** An alarm calls from the dashboard for this long, ms. */
const ALARM_MS = 3 * 24 * 60 * 60_000;
const orders = (count: number): string =>
  count === 1 ? 'The outcome of an order is unknown' : `The outcome of ${count} orders is unknown`;

/** Exchange accounts where something is unknown, stands still or was raised, but `below`. */
export function liveNeeds(
  connections: readonly Pick<
    LiveConnection,
    'id' | 'exchange' | 'label' | 'state' | 'unknownOrders' | 'waitsFor' | 'reconciledAt'
  >[],
  alarms: Readonly<Record<string, number>>,
  below: string | null = null,
): Need[] {
  return connections
    .filter(({ id, state }) => state === 'open' && id !== below)
    .flatMap(({ id, exchange, label, unknownOrders, waitsFor, reconciledAt }) => {
      const raised = alarms[id] ?? 0;
      const texts = [
        unknownOrders > 0 ? orders(unknownOrders) : '',
        waitsFor.length > 0 && reconciledAt !== null
          ? 'No order leaves until it is read again'
          : '',
        raised > 0 ? `${raised} ${raised === 1 ? 'alarm' : 'alarms'}` : '',
      ].filter((text) => text !== '');
      if (texts.length === 0) return [];
      return [
        {
          key: `live ${id}`,
          to: `/live/${encodeURIComponent(id)}`,
          title: `LIVE · ${exchangeName(exchange)}, ${label}`,
          text: `${texts.join('. ')}.`,
        },
      ];
    });
}

function useLiveNeeds(below: string | null): Need[] {
  const { connections, accounts } = useSnapshot(liveSlots);
  const alarms = Object.fromEntries(
    Object.entries(accounts).map(([id, { data }]) => [
      id,
      data?.alarms.filter(({ raisedAt }) => data.asOf - raisedAt < ALARM_MS).length ?? 0,
    ]),
  );
  return liveNeeds((connections.data ?? []) as readonly LiveConnection[], alarms, below);
}

/** `below`: the exchange account that stands below and says itself what needs the user in it. */
export function NeedsYou({
  views,
  below = null,
}: {
  views: readonly AgentView[];
  below?: string | null;
}) {
  const { data } = useSnapshot(subscriptionStore);
  const trial = { ...useAuth(), endsAt: Date.parse(data?.trial?.endDate ?? '') };
  const list = [
    ...useLiveNeeds(below),
    ...needs(views, trial, data?.status?.standing),
    ...useReachedAlerts(),
  ];
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

/** What waits for the person: failed stops, starts to confirm, halted agents, a trial about to end; refuses to list what can wait. */
import { Link } from 'wouter';
import { TRIAL_WARNING_DAYS } from '../../../contract/limits.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { useAuth } from '../../stores/security.ts';

export interface Need { key: string; to: string; title: string; text: string }

/** Most pressing first. */
export function needs(views: readonly AgentView[], trial: { isTrialActive: boolean; trialDaysRemaining: number }): Need[] {
  const of = (list: readonly AgentView[], text: (view: AgentView) => string): Need[] =>
    list.map((view) => ({ key: view.agent.id, to: `/agents/${encodeURIComponent(view.agent.id)}`, title: view.agent.name, text: text(view) }));
  const alerts = views.filter((view) => view.alert);
  const reviews = views.filter((view) => !view.alert && view.canReview);
  const held = views.filter((view) => !view.alert && !view.canReview && (view.agent.status === 'faulted' || view.agent.status === 'halted'));
  const days = trial.trialDaysRemaining;
  const ends = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
  return [
    ...of(alerts, (view) => view.commandText ?? ''), ...of(reviews, (view) => view.commandText ?? ''), ...of(held, (view) => view.statusText),
    ...(trial.isTrialActive && days <= TRIAL_WARNING_DAYS ? [{ key: 'trial', to: '/subscription', title: `The trial ends ${ends}`, text: 'Agents stop opening positions then. What is open stays protected.' }] : []),
  ];
}

export function NeedsYou({ views }: { views: readonly AgentView[] }) {
  const list = needs(views, useAuth());
  if (list.length === 0) return null;
  return (
    <section aria-label="Needs you" className="border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">Needs you</h2>
      <ul>{list.map((need) => (
        <li key={need.key}><Link href={need.to} className="block py-1.5 hover:text-accent"><span className="font-medium">{need.title}</span><span className="block text-ink-2">{need.text}</span></Link></li>
      ))}</ul>
    </section>
  );
}

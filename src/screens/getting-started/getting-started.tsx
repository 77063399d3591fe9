/** The first steps, each ticked by what is so on the server; refuses a box that a person ticks. */
import { Check, Circle } from 'lucide-react';
import { Link } from 'wouter';
import { LinkButton } from '../../components/Button.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { useAuth } from '../../stores/security.ts';
import { useAgentViews, useSlot } from '../reading.ts';

export interface Step { title: string; text: string; done: boolean; to: string; action: string }

export function steps(facts: { deposit: string | null; subscribed: boolean; agents: number; everStarted: boolean; trades: number }): Step[] {
  return [
    { title: 'Create an account', text: facts.deposit === null ? 'A paper account is open.' : `A paper account with ${facts.deposit} is open.`, done: true, to: '/portfolio', action: 'Portfolio' },
    { title: 'Start the trial, or take a plan', text: 'The trial has everything of Standard, and ends by itself.', done: facts.subscribed, to: '/subscription', action: 'Subscription' },
    { title: 'Create an agent', text: 'Four questions in the guided setup, or every field by hand.', done: facts.agents > 0, to: '/guided-setup', action: 'Guided setup' },
    { title: 'Start it', text: 'You see what it will look at, and its stop, before it runs.', done: facts.everStarted, to: '/agents', action: 'Agents' },
    { title: 'See the first trade', text: 'It comes when a signal passes its threshold; until then each look is recorded with its reason.', done: facts.trades > 0, to: '/portfolio', action: 'Trades' },
  ];
}

export default function GettingStarted() {
  const { isSubscribed } = useAuth();
  const { views } = useAgentViews();
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const trades = useSlot(historyStore, loadHistory).data?.fills.length ?? 0;
  const list = steps({ deposit: portfolio === null ? null : `${formatAmount(portfolio.deposits)} ${portfolio.quote}`, subscribed: isSubscribed, agents: views?.length ?? 0, everStarted: views?.some((view) => view.agent.startedAt !== null) ?? false, trades });
  const next = list.find((step) => !step.done);
  return (
    <>
      <ScreenTitle title="Getting started" note={`${list.filter((step) => step.done).length} of ${list.length} done`} />
      <ol className="max-w-2xl">
        {list.map((step) => (
          <li key={step.title} className="rule flex items-start gap-3 py-4">
            {step.done ? <Check className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden /> : <Circle className="mt-0.5 size-5 shrink-0 text-line-strong" strokeWidth={1.5} aria-hidden />}
            <div className="min-w-0 flex-1"><p className={step.done ? 'text-ink-2' : 'font-medium'}>{step.title}<span className="sr-only">{step.done ? ': done' : ': to do'}</span></p><p className="text-ink-3">{step.text}</p></div>
            {step === next ? <LinkButton to={step.to} tone="primary" size="sm">{step.action}</LinkButton> : <Link href={step.to} className="flex min-h-8 items-center text-ink-3 underline underline-offset-2 hover:text-ink">{step.action}</Link>}
          </li>
        ))}
      </ol>
    </>
  );
}

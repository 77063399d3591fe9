/**
 * From four questions to a running agent: the profile, the plan, the trial, the risks and the
 * start, kept on this device until done.
 */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { agentCap, tierPermits } from '../../../contract/tiers.ts';
import type { Need } from '../../billing/offers.ts';
import { startTrial } from '../../billing/start-trial.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { ScreenTitle } from '../../components/Section.tsx';
import { agentsStore, loadAgents } from '../../stores/agents.ts';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { checkDraft, formIssues, PRESETS, type AgentDraft } from '../agents/agent-draft.ts';
import { useStepStart } from '../agents/step-start.ts';
import { useCreate } from '../agents/use-create.ts';
import { note } from '../getting-started/noted.ts';
import { useSlot } from '../reading.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { Asked } from './Asked.tsx';
import { PlanStep, type Entry } from './PlanStep.tsx';
import { profileOf } from './profile.ts';
import { PLAN_AT, START_AT } from './progress.ts';
import { StartStep } from './StartStep.tsx';
import { useSetup } from './use-setup.ts';

/** The most traded coins, chosen to begin with where the source offers them. */
const STARTERS = ['BTC', 'ETH', 'SOL'];
const STAGES = ['Questions', 'Plan', 'Start'] as const;

/** Where one is, and how much is left. */
function Stages({ at }: { at: number }) {
  const stage = Math.max(0, at - PLAN_AT + 1);
  return (
    <div className="mb-6">
      <ol aria-label="Steps" className="grid grid-cols-3 gap-1.5">
        {STAGES.map((name, index) => (
          <li key={name} aria-current={index === stage ? 'step' : undefined} className="min-w-0">
            <span
              aria-hidden
              className={classes('block h-1 rounded-sm', index <= stage ? 'bg-accent' : 'bg-line')}
            />
            <span
              className={classes(
                'mt-1 block truncate text-xs',
                index === stage ? 'text-ink' : 'text-ink-3',
              )}
            >
              {name}
              {index < stage && <span className="sr-only">, done</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The plan's agents are all in use: said at the start, so that nobody answers for nothing. */
function NoPlace({ cap, need }: { cap: number; need: Need }) {
  return (
    <div className="mb-5 border-l-2 border-amber py-1 pl-3">
      <p className="mb-2 text-amber">
        Your plan has {cap} agents, and all are in use. To create one more, take a larger plan or
        delete one under{' '}
        <Link href="/agents" className="underline underline-offset-2">
          Agents
        </Link>
        .
      </p>
      <UpgradeHere need={need} typed />
    </div>
  );
}

/** What the person's plan allows. */
function useRoom(): { entry: Entry; mayCreate: boolean; room: boolean; cap: number; need: Need } {
  const { subscriptionTier, hasUsedTrial } = useAuth();
  const held = useSlot(agentsStore, loadAgents).data?.agents.length ?? 0;
  const cap = agentCap(subscriptionTier);
  const mayCreate = tierPermits(subscriptionTier, 'agents', 'create');
  const untried: Entry = hasUsedTrial ? 'buy' : 'trial';
  const need: Need = { resource: 'agents', action: 'create', agents: held + 1 };
  return { entry: mayCreate ? 'plan' : untried, mayCreate, room: held < cap, cap, need };
}

/**
 * The plan that answers lead to: the profile's own size, and pairs that were chosen before or the
 * starters.
 */
function planned(draft: AgentDraft, answers: readonly number[], starters: string[]): AgentDraft {
  const profile = profileOf(answers);
  const size = PRESETS.find((preset) => preset.profile === profile)?.size ?? draft.size;
  return {
    ...draft,
    risk_profile: profile,
    size,
    pairs: draft.pairs.length > 0 ? draft.pairs : starters,
  };
}

export default function GuidedSetup() {
  const [, go] = useLocation();
  const { entry, mayCreate, room, cap, need } = useRoom();
  const { progress, at, keep, to, back, again } = useSetup(mayCreate);
  const { user } = useAuth();
  const board = useSlot(marketStore, loadMarket).data;
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [starting, setStarting] = useState(false);
  const { busy, failure, create } = useCreate((agent) => {
    keep(null);
    go(`/agents/${encodeURIComponent(agent.id)}`, { replace: true });
  });
  const steps = useStepStart(String(at));
  const { answers, draft, risks } = progress;
  const quote = board?.source.quote ?? '';

  const answer = (given: number): void => {
    const next = [...answers.slice(0, at), given, ...answers.slice(at + 1)];
    if (at + 1 < PLAN_AT) {
      to(at + 1, { answers: next });
      return;
    }
    const starters = STARTERS.map((base) => `${base}/${quote}`).filter(
      (pair) => board?.symbols[pair] !== undefined,
    );
    to(PLAN_AT, { answers: next, draft: planned(draft, next, starters) });
  };
  const change = (part: Partial<AgentDraft>): void => {
    setIssues({});
    keep({ draft: { ...draft, ...part } });
  };
  const next = async (): Promise<void> => {
    const checked = checkDraft(draft);
    if (!checked.ok) {
      setIssues(formIssues(checked.issues));
      return;
    }
    if (entry === 'trial') {
      setStarting(true);
      const started = await startTrial();
      setStarting(false);
      if (!started) return;
    }
    to(START_AT);
  };
  const send = async (start: boolean): Promise<void> => {
    const faults = await create(draft, start);
    if (faults === null) return;
    setIssues(faults);
    to(PLAN_AT, {}, true);
  };
  const accept = (accepted: boolean): void => {
    if (accepted && user !== null) note(user.uid, 'risk');
    keep({ risks: accepted });
  };
  return (
    <div className="mx-auto max-w-xl">
      <ScreenTitle title="Guided setup" note="Four questions, then a paper trading agent." />
      <Stages at={at} />
      {mayCreate && !room && at < START_AT && <NoPlace cap={cap} need={need} />}
      <div ref={steps}>
        {at < PLAN_AT && <Asked at={at} answers={answers} onAnswer={answer} onBack={back} />}
        {at === PLAN_AT && (
          <PlanStep
            answers={answers}
            draft={draft}
            quote={quote}
            entry={entry}
            need={need}
            busy={starting}
            issues={issues}
            failure={failure}
            onChange={change}
            onNext={() => {
              void next();
            }}
            onBack={back}
          />
        )}
        {at === START_AT && (
          <StartStep
            draft={draft}
            quote={quote}
            risks={risks}
            room={room}
            need={need}
            busy={busy}
            failure={failure}
            onRisks={accept}
            onCreate={(start) => {
              void send(start);
            }}
            onBack={back}
          />
        )}
      </div>
      {at > 0 && (
        <Button
          size="sm"
          tone="plain"
          className="-ml-3 text-ink-3"
          onClick={() => {
            setIssues({});
            again();
          }}
        >
          Start over
        </Button>
      )}
    </div>
  );
}

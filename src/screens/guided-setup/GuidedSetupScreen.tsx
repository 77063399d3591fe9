/** Guided setup: from four questions to a running agent, saved on the device until done. */
import { useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { placesTaken } from '../../../contract/agent-account.ts';
import { agentCap, tierPermits } from '../../../contract/tiers.ts';
import type { Need } from '../../billing/offers.ts';
import { startTrial } from '../../billing/start-trial.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { ScreenTitle } from '../../components/Section.tsx';
import { samePlace } from '../../platform/same-place.ts';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { serverBoard } from '../../stores/market-store.ts';
import { useAuth } from '../../stores/use-security.ts';
import { checkDraft, formIssues, PRESETS, type AgentDraft } from '../agents/create/agent-draft.ts';
import { isUnanswered } from '../agents/create/kept-request.ts';
import { useStepStart } from '../agents/create/use-step-start.ts';
import { useCreateAgent } from '../agents/create/use-create-agent.ts';
import { note } from '../getting-started/step-notes.ts';
import { useCurrency, useSlot } from '../use-store.ts';
import { useIsPlanUnknown } from '../subscription/use-known-plan.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { QuestionStep } from './QuestionStep.tsx';
import { PlanStep, type Entry } from './PlanStep.tsx';
import { profileOf } from './risk-questions.ts';
import { PLAN_AT, SETUP_DRAFT, START_AT } from './setup-progress.ts';
import { StartStep } from './StartStep.tsx';
import { useSetup, type Setup } from './use-setup.ts';

/** The most traded coins, chosen to begin with where the server offers them. */
const STARTERS = ['BTC', 'ETH', 'SOL'];
const STAGES = ['Questions', 'Review', 'Start'] as const;

/** The current stage, and how much is left. */
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

/** The plan's agents are all in use. Shown from the start, so that nobody answers in vain. */
function NoPlace({ cap, need }: { cap: number; need: Need }) {
  return (
    <div className="mt-5 border-l-2 border-amber py-1 pl-3">
      <p className="mb-2 text-amber">
        Your plan includes {cap} agents, and all are in use. To create another, upgrade or delete
        one under{' '}
        <Link href="/agents" className="underline underline-offset-2">
          Agents
        </Link>
        .
      </p>
      <UpgradeHere need={need} typed />
    </div>
  );
}

/** What the user's subscription allows. */
function usePlacesLeft(): {
  entry: Entry;
  mayCreate: boolean;
  placesLeft: boolean;
  cap: number;
  need: Need;
} {
  const { subscriptionTier, hasUsedTrial } = useAuth();
  const isUnknown = useIsPlanUnknown();
  const held = placesTaken(useSlot(agentsStore, loadAgents).data?.agents ?? []);
  const cap = agentCap(subscriptionTier);
  const mayCreate = tierPermits(subscriptionTier, 'agents', 'create');
  // What cannot be told is not offered.
  const untried: Entry = hasUsedTrial || isUnknown ? 'buy' : 'trial';
  const need: Need = { resource: 'agents', action: 'create', agents: held + 1 };
  return { entry: mayCreate ? 'plan' : untried, mayCreate, placesLeft: held < cap, cap, need };
}

/**
 * The draft that the answers lead to: the profile's position size, and the pairs chosen earlier or
 * the starters.
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

/** The most traded coins that the server offers against this currency. */
function startersIn(quote: string): string[] {
  const offered = serverBoard()?.symbols;
  return STARTERS.map((base) => `${base}/${quote}`).filter((pair) => offered?.[pair] !== undefined);
}

type Faults = Readonly<Record<string, string>>;

/** The step after a complete draft; starts the trial first where one is needed. */
function useNext(
  { progress: { draft }, to }: Setup,
  entry: Entry,
  onFaults: (faults: Faults) => void,
): { starting: boolean; next: () => void } {
  const [starting, setStarting] = useState(false);
  const next = async (): Promise<void> => {
    const checked = checkDraft(draft);
    if (!checked.ok) {
      onFaults(formIssues(checked.issues));
      return;
    }
    if (entry === 'trial') {
      const isHere = samePlace();
      setStarting(true);
      const started = await startTrial();
      setStarting(false);
      if (!started || !isHere()) return;
    }
    to(START_AT);
  };
  return {
    starting,
    next: () => {
      void next();
    },
  };
}

/** Creates the agent, opens its page and clears the setup; returns to the review on an error. */
function useSend(
  { progress: { draft }, settle, to }: Setup,
  onFaults: (faults: Faults) => void,
): { busy: boolean; failure: string | null; send: (start: boolean) => void } {
  const { busy, failure, create } = useCreateAgent({
    draftName: SETUP_DRAFT,
    onSettled: settle,
    onCreated: (agent) => {
      navigate(`/agents/${encodeURIComponent(agent.id)}`, { replace: true });
    },
  });
  const send = async (start: boolean): Promise<void> => {
    const faults = await create(draft, start);
    if (faults === null) return;
    onFaults(faults);
    to(PLAN_AT, {}, true);
  };
  return {
    busy,
    failure,
    send: (start) => {
      void send(start);
    },
  };
}

function StartOver({ onPress }: { onPress: () => void }) {
  return (
    <Button size="sm" tone="plain" className="-ml-3 text-ink-3" onClick={onPress}>
      Start over
    </Button>
  );
}

export default function GuidedSetupScreen() {
  const { entry, mayCreate, placesLeft, cap, need } = usePlacesLeft();
  const setup = useSetup(mayCreate);
  const { progress, at, keep, to, back, again } = setup;
  const { user } = useAuth();
  const [issues, setIssues] = useState<Faults>({});
  const { starting, next } = useNext(setup, entry, setIssues);
  const { busy, failure, send } = useSend(setup, setIssues);
  const steps = useStepStart(String(at), issues);
  const { answers, draft, risks } = progress;
  const quote = useCurrency();

  const answer = (given: number): void => {
    const all = [...answers.slice(0, at), given, ...answers.slice(at + 1)];
    if (at + 1 < PLAN_AT) to(at + 1, { answers: all });
    else to(PLAN_AT, { answers: all, draft: planned(draft, all, startersIn(quote)) });
  };
  const change = (part: Partial<AgentDraft>): void => {
    setIssues({});
    keep({ draft: { ...draft, ...part } });
  };
  const accept = (accepted: boolean): void => {
    if (accepted && user !== null) note(user.uid, 'risk');
    keep({ risks: accepted });
  };
  const startOver = (): void => {
    setIssues({});
    again();
  };
  const shared = { draft, quote, need, failure, onBack: back };
  return (
    <div className="mx-auto max-w-xl">
      <ScreenTitle title="Guided setup" note="Four questions, then a paper trading agent." />
      <Stages at={at} />
      <div ref={steps}>
        {at < PLAN_AT && <QuestionStep at={at} answers={answers} onAnswer={answer} onBack={back} />}
        {at === PLAN_AT && (
          <PlanStep
            {...shared}
            answers={answers}
            entry={entry}
            busy={starting}
            issues={issues}
            onChange={change}
            onNext={next}
          />
        )}
        {at === START_AT && (
          <StartStep
            {...shared}
            risks={risks}
            // One whose creation was not answered may have taken the last place itself.
            placesLeft={placesLeft || isUnanswered(SETUP_DRAFT)}
            busy={busy}
            onRisks={accept}
            onCreate={send}
          />
        )}
      </div>
      {at > 0 && <StartOver onPress={startOver} />}
      {/* Last: the agents may load after the answers are there, which then stay in place. */}
      {mayCreate && !placesLeft && at < START_AT && <NoPlace cap={cap} need={need} />}
    </div>
  );
}

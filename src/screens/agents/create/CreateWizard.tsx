/** Creates an agent in three steps: risk, name and pairs, preview. */
import { useRef, useState, type ReactNode } from 'react';
import * as z from 'zod/mini';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { keepsSnapshots } from '../../../commands.ts';
import { Button } from '../../../components/Button.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { PaperPart } from '../../../components/PaperPart.tsx';
import { Switch } from '../../../components/Switch.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { accountChoice } from '../../../stores/account-choice.ts';
import { connection } from '../../../stores/connection.ts';
import {
  AgentDraft,
  checkDraft,
  formIssues,
  isSameDraft,
  NEW_AGENT,
  previewOf,
  type GivenDraft,
} from './agent-draft.ts';
import { planText } from '../agent-text.ts';
import { NEW_AGENT_PATH, readDraft, useKeptDraft, WIZARD_DRAFT } from './kept-draft.ts';
import { carryDraft } from './kept-request.ts';
import { LiveRiskPresets } from './LiveRiskPresets.tsx';
import { RiskPresets } from './RiskPresets.tsx';
import { useStepStart } from './use-step-start.ts';
import { TermsFields } from './TermsFields.tsx';
import { useCreateAgent } from './use-create-agent.ts';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import PreviewPanel from '../preview/PreviewPanel.tsx';
import { usePairCount } from '../preview/use-pair-count.ts';
import BacktestPanel from '../backtest/BacktestPanel.tsx';

const Kept = z.object({ draft: AgentDraft, step: z.enum(['risk', 'terms', 'look']) });
type Kept = z.infer<typeof Kept>;
type Step = Kept['step'];
const INCOMPLETE = 'Some settings are missing. Go back to complete them.';

/** Whose money the new agent will trade. */
function LiveNote({
  connectionId,
  shadow,
  onShadow,
}: {
  connectionId: string;
  shadow: boolean;
  onShadow: (shadow: boolean) => void;
}) {
  const account = useSnapshot(accountChoice).known.find(({ id }) => id === connectionId);
  return (
    <div className="mb-3">
      <p>
        <LiveTag className="mr-2" />
        {account === undefined
          ? 'In an exchange account.'
          : `${exchangeName(account.exchange)}, ${account.label}.`}{' '}
        It trades real money, for good, and starts only after you have confirmed it.
      </p>
      <Switch
        label="Twin on paper"
        hint="The same agent on paper, started and stopped with this one. Its page shows where the two differ."
        checked={shadow}
        onChange={onShadow}
      />
    </div>
  );
}

/** A step's heading, focused when the step begins. */
function StepHead({ children }: { children: ReactNode }) {
  return (
    <h3 data-step-heading tabIndex={-1} className="mb-3 text-sm font-semibold outline-none">
      {children}
    </h3>
  );
}

/** Create alone, or create and start: one call either way, so that it cannot half succeed. */
export function CreateActs({
  draft,
  quote,
  busy,
  startable = true,
  onCreate,
}: {
  draft: AgentDraft;
  quote: string;
  busy: boolean;
  /** With real money a start is confirmed on the agent's own page. */
  startable?: boolean;
  onCreate: (start: boolean) => void;
}) {
  const { online } = useSnapshot(connection);
  const checked = checkDraft(draft);
  const sentence = checked.ok
    ? `Creates ${draft.name.trim()} and starts it at once. ${planText({ ...checked.value, quote, pool: draft.pool })}`
    : '';
  if (online === 'offline')
    return (
      <p role="status" className="border-l-2 border-amber py-1 pl-3 text-amber">
        You're offline. Create the agent when you're back online.
        {keepsSnapshots() && ' Your choices are saved on this device.'}
      </p>
    );
  return (
    <div className="flex flex-col gap-2 sm:flex-row-reverse">
      {!startable ? null : draft.risk_profile === 'Aggressive' ? (
        <HoldToConfirm
          label="Hold to create and start"
          sentence={sentence}
          tone="primary"
          disabled={busy}
          onConfirm={() => {
            onCreate(true);
          }}
        />
      ) : (
        <Button
          tone="primary"
          busy={busy}
          onClick={() => {
            onCreate(true);
          }}
        >
          Create and start
        </Button>
      )}
      <Button
        tone={startable ? 'quiet' : 'primary'}
        busy={busy}
        onClick={() => {
          onCreate(false);
        }}
      >
        Create agent
      </Button>
    </div>
  );
}

interface CreateWizardProps {
  quote: string;
  /** What to begin with, at the name: a copy of another agent, or a pair or pool. */
  given?: GivenDraft | undefined;
  /** The exchange account it will trade, for good; null for paper. */
  connectionId?: string | null;
  onCreated: (agent: Agent) => void;
}

function Failure({ message }: { message: string | null }) {
  if (message === null) return null;
  return (
    <p role="alert" className="mt-3 text-danger">
      {message}
    </p>
  );
}

interface StepProps {
  draft: AgentDraft;
  quote: string;
  onStep: (to: Step) => void;
}

function RiskStep({
  draft,
  quote,
  connectionId,
  onChange,
  onStep,
}: StepProps & { connectionId: string | null; onChange: (part: Partial<AgentDraft>) => void }) {
  const presets = { draft, quote, legend: 'Risk profile', onChange };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onStep('terms');
      }}
    >
      <StepHead>1 of 3. Risk</StepHead>
      {connectionId === null ? (
        <RiskPresets {...presets} />
      ) : (
        <LiveRiskPresets {...presets} connectionId={connectionId} />
      )}
      <Button type="submit" tone="primary" wide className="mt-4">
        Next: name and pairs
      </Button>
    </form>
  );
}

function TermsStep({
  draft,
  quote,
  issues,
  failure,
  onChange,
  onNext,
  onStep,
  keptAs,
}: StepProps & {
  /** The draft's name among the kept ones. */
  keptAs: string;
  issues: Readonly<Record<string, string>>;
  failure: string | null;
  onChange: (part: Partial<AgentDraft>) => void;
  onNext: () => void;
}) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <StepHead>2 of 3. Name and pairs</StepHead>
      <TermsFields
        draft={draft}
        quote={quote}
        issues={issues}
        onChange={onChange}
        upgrade={{
          from: NEW_AGENT_PATH,
          onLeave: () => {
            carryDraft(keptAs, WIZARD_DRAFT, { draft, step: 'terms' });
          },
        }}
      />
      <Failure message={failure} />
      <div className="mt-5 flex flex-col gap-2 sm:flex-row-reverse">
        <Button type="submit" tone="primary" className="sm:flex-1">
          Next: preview
        </Button>
        <Button
          onClick={() => {
            onStep('risk');
          }}
        >
          Back to risk: {draft.risk_profile}
        </Button>
      </div>
    </form>
  );
}

function PreviewStep({
  draft,
  quote,
  busy,
  failure,
  isLive,
  onCreate,
  onStep,
}: StepProps & {
  busy: boolean;
  failure: string | null;
  isLive: boolean;
  onCreate: (start: boolean) => void;
}) {
  return (
    <>
      <StepHead>
        3 of 3. {draft.name.trim()}, {draft.risk_profile}
      </StepHead>
      <EntriesOffNotice className="mb-3" />
      <PaperPart isBesideLive={isLive}>
        <PreviewPanel ask={previewOf(draft)} rows={usePairCount(draft)} missing={INCOMPLETE} />
        <div className="mt-5">
          <BacktestPanel ask={previewOf(draft)} missing={INCOMPLETE} />
        </div>
      </PaperPart>
      <Failure message={failure} />
      <div className="mt-5 flex flex-col gap-2">
        <CreateActs
          draft={draft}
          quote={quote}
          busy={busy}
          startable={!isLive}
          onCreate={onCreate}
        />
        {/* What is being created is what is shown: no edit meanwhile seems to be a part of it. */}
        <Button
          tone="plain"
          disabled={busy}
          onClick={() => {
            onStep('terms');
          }}
        >
          Back to name and pairs
        </Button>
      </div>
    </>
  );
}

/**
 * The draft and its step, saved on the device: a new agent's under one name, that of a copy, a pair
 * or a pool under its own.
 */
function useWizardDraft(given: GivenDraft | undefined) {
  const keptAs = given?.keptAs ?? WIZARD_DRAFT;
  const [first] = useState<Kept>(() =>
    given === undefined
      ? { draft: NEW_AGENT, step: 'risk' }
      : { draft: given.draft, step: 'terms' },
  );
  const [{ draft, step }, keep] = useKeptDraft(keptAs, Kept, first);
  const [isRestored, setRestored] = useState(
    () => given !== undefined && !isSameDraft(draft, first.draft),
  );
  /** As typed last: the server's answer may come after it. */
  const latest = useRef<Kept>({ draft, step });
  const put = (part: Partial<AgentDraft>, to?: Step): void => {
    const { draft: typed, step: at } = latest.current;
    latest.current = { draft: { ...typed, ...part }, step: to ?? at };
    keep(latest.current);
  };
  const startOver = (): void => {
    latest.current = first;
    keep(null);
    setRestored(false);
  };
  /** The sent draft is an agent now. False where it was changed since, which is kept. */
  const settle = (sent: AgentDraft): boolean => {
    const isDone = isSameDraft((readDraft(keptAs, Kept) ?? latest.current).draft, sent);
    if (isDone) keep(null);
    return isDone;
  };
  return { keptAs, draft, step, isRestored, put, startOver, settle };
}

function RestoredNotice({ busy, onStartOver }: { busy: boolean; onStartOver: () => void }) {
  return (
    <p
      role="status"
      className="mb-3 flex flex-wrap items-center justify-between gap-x-3 border-l-2 border-accent py-1 pl-3 text-ink-2"
    >
      <span>Your unfinished entries are restored.</span>
      <button
        type="button"
        disabled={busy}
        className="reach min-h-8 font-medium underline underline-offset-2"
        onClick={onStartOver}
      >
        Start over
      </button>
    </p>
  );
}

export default function CreateWizard({
  quote,
  given,
  connectionId = null,
  onCreated,
}: CreateWizardProps) {
  const { keptAs, draft, step, isRestored, put, startOver, settle } = useWizardDraft(given);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [shadow, setShadow] = useState(true);
  const { busy, failure, create } = useCreateAgent({
    draftName: keptAs,
    live: connectionId === null ? null : { connectionId, shadow },
    onSettled: settle,
    onCreated,
  });
  const steps = useStepStart(step, issues);
  const change = (part: Partial<AgentDraft>): void => {
    setIssues({});
    put(part);
  };
  const go = (to: Step): void => {
    put({}, to);
  };
  const again = (): void => {
    setIssues({});
    startOver();
  };
  const preview = (): void => {
    const checked = checkDraft(draft);
    if (checked.ok) go('look');
    else setIssues(formIssues(checked.issues));
  };
  const send = (start: boolean): void => {
    void create(draft, start).then((fields) => {
      if (fields !== null) {
        setIssues(fields);
        go('terms');
      }
    });
  };
  const shared: StepProps = { draft, quote, onStep: go };
  return (
    <div ref={steps} className={connectionId === null ? undefined : 'live-frame'}>
      {connectionId !== null && (
        <LiveNote connectionId={connectionId} shadow={shadow} onShadow={setShadow} />
      )}
      {isRestored && <RestoredNotice busy={busy} onStartOver={again} />}
      {step === 'risk' && <RiskStep {...shared} connectionId={connectionId} onChange={change} />}
      {step === 'terms' && (
        <TermsStep
          {...shared}
          keptAs={keptAs}
          issues={issues}
          failure={failure}
          onChange={change}
          onNext={preview}
        />
      )}
      {step === 'look' && (
        <PreviewStep
          {...shared}
          busy={busy}
          failure={failure}
          isLive={connectionId !== null}
          onCreate={send}
        />
      )}
    </div>
  );
}

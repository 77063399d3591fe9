/** Creates an agent in three steps: risk, name and pairs, preview. */
import { useState, type ReactNode } from 'react';
import * as z from 'zod/mini';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
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
} from './agent-draft.ts';
import { planText } from '../agent-text.ts';
import { keepDraft, NEW_AGENT_PATH, readDraft, useKeptDraft, WIZARD_DRAFT } from './kept-draft.ts';
import { LiveRiskPresets } from './LiveRiskPresets.tsx';
import { RiskPresets } from './RiskPresets.tsx';
import { useStepStart } from './use-step-start.ts';
import { TermsFields } from './TermsFields.tsx';
import { useCreateAgent } from './use-create-agent.ts';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import PreviewPanel from '../preview/PreviewPanel.tsx';
import BacktestPanel from '../backtest/BacktestPanel.tsx';

const Kept = z.object({ draft: AgentDraft, step: z.enum(['risk', 'terms', 'look']) });
type Step = z.infer<typeof Kept>['step'];
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
        You're offline. Create the agent when you're back online. Your choices are saved on this
        device.
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
  /** A copy of another agent: not saved on the device, starting at the name. */
  draft?: AgentDraft | undefined;
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
}: StepProps & {
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
            keepDraft(WIZARD_DRAFT, { draft, step: 'terms' });
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
        <PreviewPanel
          ask={previewOf(draft)}
          rows={draft.pairs.length === 0 ? 5 : draft.pairs.length}
          missing={INCOMPLETE}
        />
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
        <Button
          tone="plain"
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

/** The draft and its step. A new agent's is saved on the device; a copy's is not. */
function useWizardDraft(given: AgentDraft | undefined) {
  const [kept, keep] = useKeptDraft(given === undefined ? WIZARD_DRAFT : 'agent-copy', Kept, {
    draft: given ?? NEW_AGENT,
    step: given === undefined ? 'risk' : 'terms',
  });
  const [{ draft, step }, setState] = useState(
    given === undefined ? kept : { draft: given, step: 'terms' as Step },
  );
  const put = (next: { draft: AgentDraft; step: Step }): void => {
    setState(next);
    if (given === undefined) keep(next);
  };
  /** The sent draft is an agent now. False where it was changed since, which is kept. */
  const settle = (sent: AgentDraft): boolean => {
    const now = given === undefined ? readDraft(WIZARD_DRAFT, Kept) : null;
    if (now !== null && !isSameDraft(now.draft, sent)) return false;
    if (given === undefined) keep(null);
    return true;
  };
  return { draft, step, put, settle };
}

export default function CreateWizard({
  quote,
  draft: given,
  connectionId = null,
  onCreated,
}: CreateWizardProps) {
  const { draft, step, put, settle } = useWizardDraft(given);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [shadow, setShadow] = useState(true);
  const { busy, failure, create } = useCreateAgent({
    draftName: given === undefined ? WIZARD_DRAFT : 'agent-copy',
    live: connectionId === null ? null : { connectionId, shadow },
    onSettled: settle,
    onCreated,
  });
  const steps = useStepStart(step);
  const change = (part: Partial<AgentDraft>): void => {
    setIssues({});
    put({ draft: { ...draft, ...part }, step });
  };
  const go = (to: Step): void => {
    put({ draft, step: to });
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
      {step === 'risk' && <RiskStep {...shared} connectionId={connectionId} onChange={change} />}
      {step === 'terms' && (
        <TermsStep
          {...shared}
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

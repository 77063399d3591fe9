/**
 * Edits an agent's settings. If they were changed on another device, the user sees that before
 * saving again.
 */
import { Suspense, useRef, useState, type RefObject } from 'react';
import * as z from 'zod/mini';
import { Agent, AgentSettingsBody } from '../../../../contract/agents.ts';
import { PreviewTerms, type AgentPreviewBody } from '../../../../contract/preview.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { Button } from '../../../components/Button.tsx';
import { Skeleton } from '../../../components/EmptyState.tsx';
import { Field, Select } from '../../../components/Field.tsx';
import { PaperPart } from '../../../components/PaperPart.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { formatQuantity } from '../../../format/numbers.ts';
import { fieldText, typedNumber } from '../../../format/typed-numbers.ts';
import { byField, check } from '../../../format/validation.ts';
import { samePerson } from '../../../identity/session.ts';
import { backtestRecord } from '../../../stores/started-backtests.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { useIsHere } from '../../use-is-here.ts';
import { useSameKey, type SendOnce } from '../../use-same-key.ts';
import { serverIssues } from '../create/agent-draft.ts';
import { intervalText } from '../agent-text.ts';
import { readDraft, useKeptDraft } from '../create/kept-draft.ts';
import { INTERVALS } from '../create/TermsFields.tsx';

const PROFILES = ['Conservative', 'Moderate', 'Aggressive'].map((value) => ({
  value,
  label: value,
}));

const PreviewPanel = screenPart(() => import('../preview/PreviewPanel.tsx'));
const BacktestPanel = screenPart(() => import('../backtest/BacktestPanel.tsx'));

const EditDraft = z.object({
  risk_profile: z.string(),
  size: z.string(),
  execution_interval: z.string(),
});
type EditDraft = z.infer<typeof EditDraft>;
/** `base`: the version this edit was made on. Later changes of the agent do not move it. */
const Kept = z.object({ base: z.number(), draft: EditDraft });

const termsOf = (agent: Agent): EditDraft => ({
  risk_profile: agent.risk_profile,
  size: fieldText(agent.max_position_size),
  execution_interval: agent.execution_interval,
});
const isSame = (a: EditDraft, b: EditDraft): boolean =>
  a.risk_profile === b.risk_profile &&
  a.size === b.size &&
  a.execution_interval === b.execution_interval;

/** The body for a preview of the edited agent; null while it is not valid. */
function conflictQuestion(agent: Agent, draft: EditDraft): AgentPreviewBody | null {
  const checked = check(PreviewTerms, {
    trading_pairs: [],
    risk_profile: draft.risk_profile,
    max_position_size: typedNumber(draft.size),
    execution_interval: draft.execution_interval,
  });
  return checked.ok ? { agentId: agent.id, terms: checked.value } : null;
}

/** The server's settings if another edit came first; null otherwise. */
function changedElsewhere(error: unknown): Agent | null {
  if (!(error instanceof ApiError) || error.code !== 'agent_changed') return null;
  return Agent.safeParse(error.details?.agent).data ?? null;
}

/**
 * The agent as saved. One that has these terms by now is saved too: a request whose answer was lost
 * has done it.
 */
async function saveTerms(
  agent: Agent,
  terms: AgentSettingsBody,
  record: ReturnType<typeof backtestRecord>,
  sendOnce: SendOnce,
): Promise<Agent> {
  try {
    const reply = await sendOnce(terms, (commandId) =>
      api.call('updateAgent', {
        params: { id: agent.id },
        // Start and Stop have buttons of their own: one that this list lacks must not be undone.
        query: { enabled: 'keep' },
        body: { ...terms, ...record },
        commandId,
      }),
    );
    return reply.agent;
  } catch (error) {
    const theirs = changedElsewhere(error);
    const isSaved =
      theirs?.risk_profile === terms.risk_profile &&
      theirs.max_position_size === terms.max_position_size &&
      theirs.execution_interval === terms.execution_interval;
    if (theirs === null || !isSaved) throw error;
    return theirs;
  }
}

/** What another edit has made of the agent. */
const changedText = ({ risk_profile, max_position_size, execution_interval, quote }: Agent) =>
  `Changed on another device: ${risk_profile}, ${formatQuantity(String(max_position_size))} ${quote}, ${intervalText(execution_interval)}. ` +
  'Your edits are kept. Save again to apply them.';

/** An edit as typed, kept over a reload, and the version of the agent it was made on. */
function useEdit(agent: Agent, isHere: RefObject<boolean>) {
  const name = `agent-edit.${agent.id}`;
  const [first] = useState(() => ({ base: agent.version, draft: termsOf(agent) }));
  const [{ base, draft }, keep] = useKeptDraft(name, Kept, first);
  const [restored, setRestored] = useState(draft !== first.draft);
  /** As typed last: a reply may come after it. */
  const newest = useRef(draft);
  /** The edit that a reply finds: once this form was left, the kept one, which may be another's. */
  const present = (): z.infer<typeof Kept> | null =>
    isHere.current ? { base, draft: newest.current } : readDraft(name, Kept);
  const change = (part: Partial<EditDraft>): void => {
    const next = { ...draft, ...part };
    newest.current = next;
    keep(base === first.base && isSame(next, first.draft) ? null : { base, draft: next });
  };
  const discard = (): void => {
    keep(null);
    newest.current = first.draft;
    setRestored(false);
  };
  /** From then on the entries are an edit of that version. */
  const rebase = (version: number): void => {
    const edit = present();
    if (edit?.base === base) keep({ base: version, draft: edit.draft });
  };
  /** Whether nothing was typed after the press; what was is kept as an edit of what was saved. */
  const saved = ({ version }: Agent): boolean => {
    const edit = present();
    const isDone = edit === null || isSame(edit.draft, draft);
    if (isDone) keep(null);
    else rebase(version);
    return isDone;
  };
  return { base, draft, restored, change, discard, rebase, saved };
}

/** Why a save was refused: by field, for the whole form, or in a toast where the form was left. */
function useRefusal(agent: Agent, rebase: (version: number) => void, isHere: RefObject<boolean>) {
  const [issues, setIssues] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string>();
  const refused = (error: unknown): void => {
    const theirs = changedElsewhere(error);
    const { fields, form } =
      theirs === null ? serverIssues(error) : { fields: {}, form: changedText(theirs) };
    if (theirs !== null) rebase(theirs.version);
    if (isHere.current) {
      setIssues(fields);
      setFailure(form);
      return;
    }
    const sentence = form ?? Object.values(fields)[0];
    if (sentence !== undefined) pageToast('error', `${agent.name}: ${sentence}`);
  };
  const refuse = (fields: Record<string, string>): void => {
    setIssues(fields);
    setFailure(undefined);
  };
  return { issues, failure, refused, refuse };
}

/** Saves an edit. Who has closed the form meanwhile is told in a toast, and closes no other one. */
function useSave(
  agent: Agent,
  { base, draft, rebase, saved }: ReturnType<typeof useEdit>,
  onSaved: (agent: Agent) => void,
  isHere: RefObject<boolean>,
) {
  const { issues, failure, refused, refuse } = useRefusal(agent, rebase, isHere);
  const sendOnce = useSameKey();
  const [busy, setBusy] = useState(false);
  const settle = (isDone: boolean, reply: Agent): void => {
    if (isDone && isHere.current) {
      onSaved(reply);
      return;
    }
    const kept = isDone ? '' : ' Your entries since then are kept. Save again to apply them.';
    pageToast('blank', `${isHere.current ? '' : `${agent.name}: `}Saved.${kept}`);
  };
  const save = async (): Promise<void> => {
    const checked = check(AgentSettingsBody, {
      risk_profile: draft.risk_profile,
      max_position_size: typedNumber(draft.size),
      execution_interval: draft.execution_interval,
      enabled: agent.enabled,
      version: base,
    });
    refuse(checked.ok ? {} : byField(checked.issues));
    if (!checked.ok) return;
    const isTheirs = samePerson();
    setBusy(true);
    try {
      const record = backtestRecord(conflictQuestion(agent, draft), agent.version);
      const reply = await saveTerms(agent, checked.value, record, sendOnce);
      if (!isTheirs()) return;
      const isDone = saved(reply);
      await loadAgents(true);
      if (isTheirs()) settle(isDone, reply);
    } catch (error) {
      if (isTheirs()) refused(error);
    } finally {
      setBusy(false);
    }
  };
  const forget = (): void => {
    refuse({});
  };
  return { issues, failure, busy, save, forget };
}

function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  return (
    <p
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-3 border-l-2 border-accent py-1 pl-3 text-ink-2"
    >
      <span>Unsaved edits restored.</span>
      <button
        type="button"
        className="reach min-h-8 font-medium underline underline-offset-2"
        onClick={onDiscard}
      >
        Discard edits
      </button>
    </p>
  );
}

function EditFields({
  draft,
  quote,
  issues,
  onChange,
}: {
  draft: EditDraft;
  quote: string;
  issues: Readonly<Record<string, string>>;
  onChange: (part: Partial<EditDraft>) => void;
}) {
  return (
    <>
      <Select
        label="Risk profile"
        value={draft.risk_profile}
        error={issues.risk_profile}
        options={PROFILES}
        onChange={(event) => {
          onChange({ risk_profile: event.target.value });
        }}
      />
      <Field
        label="Largest position"
        unit={quote}
        inputMode="decimal"
        value={draft.size}
        error={issues.max_position_size}
        onChange={(event) => {
          onChange({ size: event.target.value });
        }}
      />
      <Select
        label="Checks the market"
        value={draft.execution_interval}
        error={issues.execution_interval}
        options={INTERVALS}
        onChange={(event) => {
          onChange({ execution_interval: event.target.value });
        }}
      />
    </>
  );
}

export default function EditAgentForm({
  agent,
  onSaved,
}: {
  agent: Agent;
  onSaved: (agent: Agent) => void;
}) {
  const isHere = useIsHere();
  const edit = useEdit(agent, isHere);
  const { draft, restored, change, discard } = edit;
  const { issues, failure, busy, save, forget } = useSave(agent, edit, onSaved, isHere);
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {restored && (
        <RestoredNotice
          onDiscard={() => {
            discard();
            forget();
          }}
        />
      )}
      <EditFields draft={draft} quote={agent.quote} issues={issues} onChange={change} />
      {failure !== undefined && (
        <p role="alert" className="text-danger">
          {failure}
        </p>
      )}
      <PaperPart isBesideLive={connectionOf(agent) !== null}>
        <div className="flex flex-col gap-4">
          <Suspense fallback={<Skeleton className="h-40 w-full" />}>
            <PreviewPanel
              ask={conflictQuestion(agent, draft)}
              rows={agent.trading_pairs.length}
              missing="Fix the highlighted fields first."
              running={agent.status === 'running'}
            />
          </Suspense>
          <Suspense fallback={<Skeleton className="h-20 w-full" />}>
            <BacktestPanel
              ask={conflictQuestion(agent, draft)}
              version={agent.version}
              missing="Fix the highlighted fields first."
            />
          </Suspense>
        </div>
      </PaperPart>
      <Button type="submit" tone="primary" busy={busy}>
        Save
      </Button>
    </form>
  );
}

/** The fields of an agent, to create one or to change one; keeps what was typed, refuses rules of its own. */
import { useMemo, useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { AgentCreateBody, Agent, AgentSettingsBody, type PoolId } from '../../../contract/agents.ts';
import { AGENT_PAIRS_MAX } from '../../../contract/limits.ts';
import { tierPermits } from '../../../contract/tiers.ts';
import { api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { errorSentence } from '../../format/errors.ts';
import { byField, check } from '../../format/validation.ts';
import { loadAgents } from '../../stores/agents.ts';
import { loadPools, poolsStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { useSlot } from '../reading.ts';
import { intervalText, POOL_LINE, POOL_NAME } from './agent-words.ts';

export interface AgentDraft {
  name: string;
  pool: PoolId;
  pairs: string[];
  risk_profile: string;
  size: string;
  execution_interval: string;
}

export const NEW_AGENT: AgentDraft = { name: '', pool: 'all_pools', pairs: [], risk_profile: 'Moderate', size: '1000', execution_interval: '5-minute' };

/** What is typed becomes a number only where it reads as one, so that the contract can say what is wrong with it. */
export const typedNumber = (text: string): number | undefined => (text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text));

export function createBody(draft: AgentDraft): unknown {
  return {
    name: draft.name, trading_pairs: draft.pairs, risk_profile: draft.risk_profile, max_position_size: typedNumber(draft.size),
    execution_interval: draft.execution_interval, enabled: false, pool: draft.pool,
  };
}

/** Errors by field, from the contract before sending and from the server after. */
export function serverIssues(error: unknown): { fields: Record<string, string>; form: string | undefined } {
  if (error instanceof ApiError) {
    const fields = byField(error.issues);
    if (error.field !== undefined) fields[error.field] ??= errorSentence(error);
    if (Object.keys(fields).length > 0) return { fields, form: undefined };
  }
  return { fields: {}, form: errorSentence(error) };
}

const PROFILES = ['Conservative', 'Moderate', 'Aggressive'].map((value) => ({ value, label: value }));
const INTERVALS = [{ value: '5-minute', label: 'Every 5 minutes' }, { value: '20-minute', label: 'Every 20 minutes' }, { value: 'daily', label: 'Once a day' }];
const POOL_IDS = Object.keys(POOL_NAME) as PoolId[];

export function PairPicker({ offered, chosen, onChange, error, hint }: { offered: readonly string[]; chosen: readonly string[]; onChange: (pairs: string[]) => void; error: string | undefined; hint: string }) {
  const [query, setQuery] = useState('');
  const matching = useMemo(() => offered.filter((pair) => pair.includes(query.trim().toUpperCase())).slice(0, 60), [offered, query]);
  const full = chosen.length >= AGENT_PAIRS_MAX;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Pairs</legend>
      <p className="text-xs text-ink-3">{hint}</p>
      {offered.length > 12 && <div className="mt-2"><Field label="Search pairs" value={query} placeholder="BTC" onChange={(event) => { setQuery(event.target.value); }} /></div>}
      <div className="mt-2 flex max-h-44 flex-wrap gap-1.5 overflow-y-auto">
        {matching.map((pair) => {
          const on = chosen.includes(pair);
          return (
            <button key={pair} type="button" aria-pressed={on} disabled={full && !on} onClick={() => { onChange(on ? chosen.filter((one) => one !== pair) : [...chosen, pair]); }}
              className={`min-h-11 rounded-md border px-2.5 text-sm disabled:opacity-40 pointer-fine:min-h-8 ${on ? 'border-accent bg-accent-wash font-medium text-accent' : 'border-line text-ink-2 hover:border-line-strong'}`}>{pair}</button>
          );
        })}
      </div>
      <p aria-live="polite" className="mt-1 text-sm text-danger">{error}</p>
    </fieldset>
  );
}

/** The pool, chosen where the plan lets a person choose; elsewhere the one that every plan has, and what another adds. */
function PoolChoice({ pool, error, onChange }: { pool: PoolId; error: string | undefined; onChange: (pool: PoolId) => void }) {
  const locked = !tierPermits(useAuth().subscriptionTier, 'trading', 'advanced');
  const hint = locked
    ? <>{POOL_LINE.all_pools} Choosing one of the five alone comes with Pro. <Link href="/subscription" className="underline underline-offset-2">View Plans</Link></>
    : POOL_LINE[pool];
  return (
    <Select label="Pool" hint={hint} value={pool} error={error} disabled={locked}
      options={POOL_IDS.map((value) => ({ value, label: POOL_NAME[value] }))} onChange={(event) => { onChange(event.target.value as PoolId); }} />
  );
}

export function CreateAgentForm({ quote, draft: given = NEW_AGENT, onDraft, onCreated }: { quote: string; draft?: AgentDraft; onDraft?: (draft: AgentDraft) => void; onCreated: (agent: Agent) => void }) {
  const [draft, setDraft] = useState(given);
  const [issues, setIssues] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  // One id for one wish: a second press after an unknown outcome cannot make a second agent.
  const [commandId, setCommandId] = useState(() => crypto.randomUUID());
  const pools = useSlot(poolsStore, loadPools);
  const offered = pools.data?.pools.find((pool) => pool.id === 'all_pools')?.pairs ?? [];
  const inPool = pools.data?.pools.find((pool) => pool.id === draft.pool)?.pairs.length ?? 0;
  const change = (part: Partial<AgentDraft>): void => { setDraft({ ...draft, ...part }); onDraft?.({ ...draft, ...part }); setIssues({}); setCommandId(crypto.randomUUID()); };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setFailure(undefined);
    const checked = check(AgentCreateBody, createBody(draft));
    if (!checked.ok) { setIssues(byField(checked.issues)); return; }
    setBusy(true);
    try {
      const reply = await api.call('createAgent', { body: checked.value, commandId });
      await loadAgents(true);
      onCreated(reply.agent);
    } catch (error) {
      const { fields, form } = serverIssues(error);
      setIssues(fields);
      setFailure(form);
    } finally {
      setBusy(false);
    }
  };
  const pairIssue = Object.entries(issues).find(([field]) => field.startsWith('trading_pairs'))?.[1];
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => { void submit(event); }}>
      <Field label="Name" value={draft.name} error={issues.name} autoComplete="off" maxLength={200} placeholder="Harbour" onChange={(event) => { change({ name: event.target.value }); }} />
      <PoolChoice pool={draft.pool} error={issues.pool} onChange={(pool) => { change({ pool }); }} />
      <PairPicker offered={offered} chosen={draft.pairs} onChange={(pairs) => { change({ pairs }); }} error={pairIssue}
        hint={offered.length === 0 ? (pools.error ?? 'The pairs on offer are being read.') : `None chosen means all ${inPool} of the pool. At most ${AGENT_PAIRS_MAX}.`} />
      <Select label="Risk profile" value={draft.risk_profile} error={issues.risk_profile} options={PROFILES} onChange={(event) => { change({ risk_profile: event.target.value }); }} />
      <Field label="Most in one position" unit={quote} inputMode="decimal" hint="From 1 to 1,000,000. A cap, not a target." value={draft.size} error={issues.max_position_size} onChange={(event) => { change({ size: event.target.value }); }} />
      <Select label="Looks at the market" value={draft.execution_interval} error={issues.execution_interval} options={INTERVALS} onChange={(event) => { change({ execution_interval: event.target.value }); }} />
      {failure !== undefined && <p role="alert" className="text-danger">{failure}</p>}
      <Button type="submit" tone="primary" busy={busy}>Create agent</Button>
    </form>
  );
}

export function EditAgentForm({ agent, onSaved }: { agent: Agent; onSaved: (agent: Agent) => void }) {
  /** The version this edit was made on; what is heard of the agent meanwhile does not move it. */
  const [base, setBase] = useState(agent.version);
  const [draft, setDraft] = useState<{ risk_profile: string; size: string; execution_interval: string }>({ risk_profile: agent.risk_profile, size: String(agent.max_position_size), execution_interval: agent.execution_interval });
  const [issues, setIssues] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setFailure(undefined);
    const checked = check(AgentSettingsBody, { risk_profile: draft.risk_profile, max_position_size: typedNumber(draft.size), execution_interval: draft.execution_interval, enabled: agent.enabled, version: base });
    if (!checked.ok) { setIssues(byField(checked.issues)); return; }
    setIssues({});
    setBusy(true);
    try {
      const reply = await api.call('updateAgent', { params: { id: agent.id }, body: checked.value });
      await loadAgents(true);
      onSaved(reply.agent);
    } catch (error) {
      const theirs = error instanceof ApiError && error.code === 'agent_changed' ? Agent.safeParse(error.details?.agent) : null;
      if (theirs?.success === true) {
        const { version, risk_profile, max_position_size, execution_interval } = theirs.data;
        setBase(version);
        setFailure(`Changed elsewhere meanwhile. The server has ${risk_profile}, ${max_position_size} ${agent.quote}, ${intervalText(execution_interval)}. What you typed is kept: save again to put it in place.`);
        return;
      }
      const { fields, form } = serverIssues(error);
      setIssues(fields);
      setFailure(form);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => { void submit(event); }}>
      <Select label="Risk profile" value={draft.risk_profile} error={issues.risk_profile} options={PROFILES} onChange={(event) => { setDraft({ ...draft, risk_profile: event.target.value }); }} />
      <Field label="Most in one position" unit={agent.quote} inputMode="decimal" value={draft.size} error={issues.max_position_size} onChange={(event) => { setDraft({ ...draft, size: event.target.value }); }} />
      <Select label="Looks at the market" value={draft.execution_interval} error={issues.execution_interval} options={INTERVALS} onChange={(event) => { setDraft({ ...draft, execution_interval: event.target.value }); }} />
      {failure !== undefined && <p role="alert" className="text-danger">{failure}</p>}
      <Button type="submit" tone="primary" busy={busy}>Save</Button>
    </form>
  );
}

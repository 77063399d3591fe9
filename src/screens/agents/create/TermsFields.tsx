/** The fields of a new agent's name, pool, pairs, size and interval. */
import { useState } from 'react';
import { AGENT_PAIRS_MAX } from '../../../../contract/limits.ts';
import type { PoolId } from '../../../../contract/agents.ts';
import type { Pool } from '../../../../contract/market.ts';
import { tierPermits } from '../../../../contract/tiers.ts';
import { Field, Select } from '../../../components/Field.tsx';
import { withLocalNumbers } from '../../../format/number-marks.ts';
import { loadPools, poolsStore } from '../../../stores/market-store.ts';
import { useAuth } from '../../../stores/use-security.ts';
import { useSlot } from '../../use-store.ts';
import { UpgradeHere } from '../../subscription/UpgradeHere.tsx';
import type { AgentDraft } from './agent-draft.ts';
import { POOL_LINE, POOL_NAME } from '../agent-text.ts';
import { PairPicker } from './PairPicker.tsx';

export const INTERVALS = [
  { value: '5-minute', label: 'Every 5 minutes' },
  { value: '20-minute', label: 'Every 20 minutes' },
  { value: 'daily', label: 'Once a day' },
];
const POOL_IDS = Object.keys(POOL_NAME) as PoolId[];

/** The server's pools: an exchange in its place cannot say what an agent may trade. */
function useServerPools(): { pools: readonly Pool[] | undefined; why: string } {
  const { data, origin, error } = useSlot(poolsStore, loadPools);
  if (origin === 'exchange')
    return { pools: undefined, why: 'Pairs are not available while the server is not responding.' };
  return { pools: data?.pools, why: error ?? 'Loading pairs.' };
}

function poolHint(pool: PoolId, locked: boolean): string {
  if (!locked) return POOL_LINE[pool];
  return pool === 'all_pools'
    ? `${POOL_LINE.all_pools} Single strategies need a larger plan.`
    : `Single strategies need a larger plan. Choose ${POOL_NAME.all_pools} to stay on your plan.`;
}

/** Chooses the pool where the plan allows it; otherwise shows the one that every plan has. */
function PoolChoice({
  pool,
  error,
  upgrade,
  onChange,
}: {
  pool: PoolId;
  error: string | undefined;
  upgrade: Upgrade;
  onChange: (pool: PoolId) => void;
}) {
  const locked = !tierPermits(useAuth().subscriptionTier, 'trading', 'advanced');
  // A draft of a larger plan has to give its pool up, and the field stays in use meanwhile.
  const [isEarlier] = useState(pool !== 'all_pools');
  const isBarred = locked && pool !== 'all_pools';
  const pools = useServerPools().pools;
  const empty = (id: PoolId): boolean => pools?.find((one) => one.id === id)?.pairs.length === 0;
  return (
    <div>
      <Select
        label="Pool"
        hint={poolHint(pool, locked)}
        value={pool}
        error={error}
        disabled={locked && !isBarred && !isEarlier}
        options={POOL_IDS.map((value) => ({
          value,
          label: `${POOL_NAME[value]}${empty(value) ? ' (no pairs here)' : ''}`,
          disabled: value !== pool && (empty(value) || (locked && value !== 'all_pools')),
        }))}
        onChange={(event) => {
          onChange(event.target.value as PoolId);
        }}
      />
      {locked && (
        <details className="mt-1">
          <summary className="reach min-h-8 cursor-pointer text-accent">
            Choose one strategy
          </summary>
          <div className="pt-2">
            <UpgradeHere need={{ resource: 'trading', action: 'advanced' }} typed {...upgrade} />
          </div>
        </details>
      )}
    </div>
  );
}

/** Where to return from choosing a plan, and what to save before. */
interface Upgrade {
  from: string;
  onLeave?: () => void;
}

interface FieldsProps {
  draft: AgentDraft;
  issues: Readonly<Record<string, string>>;
  onChange: (part: Partial<AgentDraft>) => void;
}

function NameField({ draft, issues, onChange }: FieldsProps) {
  return (
    <Field
      label="Name"
      value={draft.name}
      error={issues.name}
      autoComplete="off"
      maxLength={200}
      placeholder="Harbour"
      onChange={(event) => {
        onChange({ name: event.target.value });
      }}
    />
  );
}

function SizeAndInterval({ draft, quote, issues, onChange }: FieldsProps & { quote: string }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Largest position"
        unit={quote}
        inputMode="decimal"
        hint={withLocalNumbers('From 1 to 1,000,000. A limit, not a target.')}
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
        hint="Stop losses are always monitored in real time."
        onChange={(event) => {
          onChange({ execution_interval: event.target.value });
        }}
      />
    </div>
  );
}

/** What an agent trades for which no pair is chosen. */
function unchosenText(inPool: number): string {
  if (inPool === 0) return 'The pool has no pairs here. Choose pairs for it, or another pool.';
  return `Leave empty to trade ${inPool === 1 ? 'the only pair of the pool' : `all ${inPool} pairs`}.`;
}

interface TermsFieldsProps extends FieldsProps {
  quote: string;
  upgrade: Upgrade;
  named?: boolean;
}

export function TermsFields({
  draft,
  quote,
  issues,
  onChange,
  upgrade,
  named = true,
}: TermsFieldsProps) {
  const { pools, why } = useServerPools();
  const offered = pools?.find((pool) => pool.id === 'all_pools')?.pairs ?? [];
  const inPool = pools?.find((pool) => pool.id === draft.pool)?.pairs.length ?? 0;
  return (
    <div className="flex flex-col gap-4">
      {named && <NameField draft={draft} issues={issues} onChange={onChange} />}
      <PoolChoice
        pool={draft.pool}
        error={issues.pool}
        upgrade={upgrade}
        onChange={(pool) => {
          onChange({ pool });
        }}
      />
      <PairPicker
        offered={offered}
        chosen={draft.pairs}
        onChange={(pairs) => {
          onChange({ pairs });
        }}
        error={issues.trading_pairs}
        hint={offered.length === 0 ? why : `${unchosenText(inPool)} At most ${AGENT_PAIRS_MAX}.`}
      />
      <SizeAndInterval draft={draft} quote={quote} issues={issues} onChange={onChange} />
    </div>
  );
}

/** Every decision with its reason and the signal behind it, newest first, by pair or acts alone; refuses to leave out why nothing was done. */
import { useMemo, useState } from 'react';
import type { Decision } from '../../../contract/agents.ts';
import type { AgentPerformance } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { SignalMeter } from '../../components/SignalMeter.tsx';
import { formatWhen, withLocalTimes } from '../../format/times.ts';
import { useMarketNow } from '../reading.ts';
import { groupDecisions } from './decision-groups.ts';
import { reasonText } from './reason-words.ts';

const ACTION: Record<Decision['action'], string> = { enter: 'Entered', exit: 'Left', hold: 'Held', skip: 'No trade' };
const SHOWN = 12;
const REASONS_SHOWN = 6;

/** Older decisions, kept as counts: how often each reason, the most frequent first. */
export function reasonCounts(counts: AgentPerformance['decisionCounts']): { reason: string; count: number }[] {
  const by = new Map<string, number>();
  for (const { reason, count } of counts) by.set(reason, (by.get(reason) ?? 0) + count);
  return [...by].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

export function AgentDecisions({ decisions, older }: { decisions: readonly Decision[]; older: AgentPerformance['decisionCounts'] }) {
  const now = useMarketNow(60_000);
  const [all, setAll] = useState(false);
  const [pair, setPair] = useState('');
  const [acts, setActs] = useState(false);
  const pairs = useMemo(() => [...new Set(decisions.map((one) => one.pair))].sort(), [decisions]);
  const groups = useMemo(() => groupDecisions(decisions.filter((one) => (pair === '' || one.pair === pair) && (!acts || one.action === 'enter' || one.action === 'exit'))), [decisions, pair, acts]);
  const shown = all ? groups : groups.slice(0, SHOWN);
  const counted = reasonCounts(older).slice(0, REASONS_SHOWN);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pb-2 text-xs text-ink-3">
        {pairs.length > 1 && <label className="flex items-center gap-2">Pair
          <select value={pair} onChange={(event) => { setPair(event.target.value); }} className="h-11 rounded-md border border-line-strong/60 bg-surface px-2 text-ink pointer-fine:h-8"><option value="">All</option>{pairs.map((one) => <option key={one}>{one}</option>)}</select>
        </label>}
        <label className="flex min-h-11 items-center gap-2 pointer-fine:min-h-8"><input type="checkbox" checked={acts} onChange={(event) => { setActs(event.target.checked); }} className="size-4" />Trades only</label>
      </div>
      {groups.length === 0 && <p className="rule row flex items-center text-ink-3">{acts ? 'None of the last 200 decisions was a trade.' : 'None.'}</p>}
      <ul>
        {shown.map(({ decision, count, since }) => (
          <li key={decision.id} className="rule py-2">
            <div className="flex items-baseline justify-between gap-3">
              <span className={decision.action === 'enter' || decision.action === 'exit' ? 'font-medium' : 'text-ink-2'}>{ACTION[decision.action]} {decision.pair.split('/')[0]}</span>
              <time className="text-xs whitespace-nowrap text-ink-3" dateTime={new Date(decision.at).toISOString()}>{count > 1 && <span className="mr-2 text-ink-2">{count} times</span>}{count > 1 ? `${formatWhen(since, now)} – ` : ''}{formatWhen(decision.at, now)}</time>
            </div>
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5">
              <p className="min-w-0 text-xs text-ink-2">{withLocalTimes(decision.text, now)}</p>
              {decision.strength !== null && <SignalMeter strength={decision.strength} threshold={decision.threshold} className="text-ink-3" />}
            </div>
          </li>
        ))}
      </ul>
      {!all && groups.length > shown.length && <Button size="sm" tone="plain" className="-ml-3" onClick={() => { setAll(true); }}>Show all {decisions.length}</Button>}
      {counted.length > 0 && <p className="rule pt-2 text-xs text-ink-3">Older than 30 days, by reason: {counted.map(({ reason, count }) => `${reasonText(reason)} ${count}×`).join(', ')}.</p>}
    </>
  );
}

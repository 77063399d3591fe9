/** The PRO dashboard: exposure by pool and by asset, and what every agent decided last; refuses figures that are not the account's. */
import { useCallback, useMemo } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { add, parseFixed, toNumber, ZERO, type Fixed } from '../../../contract/money.ts';
import type { Agent } from '../../../contract/agents.ts';
import type { AgentPerformance, Position } from '../../../contract/trading.ts';
import { EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { Section } from '../../components/Section.tsx';
import { formatShare } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { agentsStore } from '../../stores/agents.ts';
import { loadPerformance, performanceStore } from '../../stores/analytics.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import type { Slot } from '../../stores/slot.ts';
import { POOL_NAME } from '../agents/agent-words.ts';
import { EquityFigure } from '../portfolio/Equity.tsx';
import { useAgentViews, useMarketNow, useSlot } from '../reading.ts';
import { formatFixed } from '../../../contract/money.ts';

export interface Exposure { name: string; value: string; share: number }

/** Value of positions by a key, largest first, as a share of equity. A position without a price counts at cost. */
export function exposureBy(positions: readonly Position[], equity: string, key: (position: Position) => string): Exposure[] {
  const sums = new Map<string, Fixed>();
  for (const position of positions) sums.set(key(position), add(sums.get(key(position)) ?? ZERO, parseFixed(position.value ?? position.cost)));
  const whole = toNumber(parseFixed(equity));
  return [...sums].map(([name, value]) => ({ name, value: formatFixed(value), share: whole === 0 ? 0 : toNumber(value) / whole }))
    .sort((a, b) => b.share - a.share);
}

function ExposureList({ rows, cash }: { rows: readonly Exposure[]; cash: Exposure }) {
  return (
    <ul>
      {[...rows, cash].map((row) => (
        <li key={row.name} className="rule grid grid-cols-[minmax(0,1fr)_auto_4.5rem] items-center gap-x-4 py-2">
          <span className="truncate">{row.name}</span><Amount value={row.value} /><span className="text-right text-ink-2">{formatShare(row.share, { signed: false, decimals: 1 })}</span>
          <span aria-hidden className="col-span-3 mt-1 h-0.5 bg-sunken"><span className="block h-full bg-accent" style={{ width: `${Math.min(100, Math.max(0, row.share * 100))}%` }} /></span>
        </li>
      ))}
    </ul>
  );
}

const FEED = 40;

function DecisionFeed({ agents }: { agents: readonly Agent[] }) {
  const ids = agents.map((agent) => agent.id).join(' ');
  const read = useCallback(async () => { for (const id of ids.split(' ').filter(Boolean)) await loadPerformance(id); }, [ids]);
  useSlot(agentsStore, read);
  const slots = useSnapshot(performanceStore).byAgent as Record<string, Slot<AgentPerformance>>;
  const now = useMarketNow(60_000);
  const names = new Map(agents.map((agent) => [agent.id, agent.name]));
  const feed = Object.values(slots).flatMap((slot) => slot.data?.decisions ?? []).sort((a, b) => b.at - a.at).slice(0, FEED);
  if (feed.length === 0) return <EmptyState title="No decisions yet">What each agent saw and did appears here as its candles close.</EmptyState>;
  return (
    <ul>
      {feed.map((decision) => (
        <li key={decision.id} className="rule py-2">
          <div className="flex justify-between gap-3"><span className={decision.action === 'enter' || decision.action === 'exit' ? 'font-medium' : 'text-ink-2'}>{decision.pair.split('/')[0]} · <Link href={`/agents/${encodeURIComponent(decision.agentId)}`} className="hover:text-accent">{names.get(decision.agentId) ?? 'a deleted agent'}</Link></span><span className="text-xs whitespace-nowrap text-ink-3">{formatWhen(decision.at, now)}</span></div>
          <p className="text-xs text-ink-2">{decision.text}</p>
        </li>
      ))}
    </ul>
  );
}

export default function ProDashboard() {
  const { data } = useSlot(portfolioStore, loadPortfolio);
  const { views } = useAgentViews();
  const agents = useMemo(() => views?.map((view) => view.agent) ?? [], [views]);
  const pools = new Map(agents.map((agent) => [agent.id, POOL_NAME[agent.pool]]));
  const cash: Exposure | null = data === null ? null : { name: 'Cash', value: data.cash, share: toNumber(parseFixed(data.equity)) === 0 ? 0 : toNumber(parseFixed(data.cash)) / toNumber(parseFixed(data.equity)) };
  return (
    <>
      <h1 className="sr-only">PRO Dashboard</h1>
      <EquityFigure portfolio={data} />
      <div className="mt-7 grid gap-x-10 gap-y-8 lg:grid-cols-2 xl:grid-cols-3">
        <Section title="Exposure by pool">{data === null || cash === null ? <SkeletonRows /> : <ExposureList cash={cash} rows={exposureBy(data.positions, data.equity, (position) => pools.get(position.agentId) ?? 'Deleted agent')} />}</Section>
        <Section title="Exposure by asset">{data === null || cash === null ? <SkeletonRows /> : <ExposureList cash={cash} rows={exposureBy(data.positions, data.equity, (position) => position.pair.split('/')[0] ?? position.pair)} />}</Section>
        <Section title="Decisions">{views === null ? <SkeletonRows /> : <DecisionFeed agents={agents} />}</Section>
      </div>
    </>
  );
}

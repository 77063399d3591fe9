/** What Pro adds to the dashboard: exposure, limits and how far they are, drawdown, agents that move alike, what was decided; refuses figures it was not told. */
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Agent } from '../../../contract/agents.ts';
import type { AgentInsight, RiskDistance } from '../../../contract/insight.ts';
import { add, formatFixed, parseFixed, toNumber, ZERO, type Fixed } from '../../../contract/money.ts';
import type { Portfolio, Position } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { formatRatio, formatShare } from '../../format/numbers.ts';
import { formatWhen, withLocalTimes } from '../../format/times.ts';
import { insightStore, loadInsight } from '../../stores/analytics.ts';
import { POOL_NAME } from '../agents/agent-words.ts';
import { groupDecisions } from '../agents/decision-groups.ts';
import { Explain } from '../explain/Explain.tsx';
import { useMarketNow, useSlot } from '../reading.ts';
import { drawdownOf, LEAST_MOVES, pairings } from './correlation.ts';

/** `ids`: of the positions in it; null for cash. */
export interface Exposure { name: string; value: string; share: number; ids: readonly string[] | null }

/** Value of positions by a key, largest first, as a share of equity. A position without a price counts at cost. */
export function exposureBy(positions: readonly Position[], equity: string, key: (position: Position) => string): Exposure[] {
  const sums = new Map<string, { value: Fixed; ids: string[] }>();
  for (const position of positions) {
    const known = sums.get(key(position)) ?? { value: ZERO, ids: [] };
    sums.set(key(position), { value: add(known.value, parseFixed(position.value ?? position.cost)), ids: [...known.ids, position.id] });
  }
  const whole = toNumber(parseFixed(equity));
  return [...sums].map(([name, { value, ids }]) => ({ name, value: formatFixed(value), share: whole === 0 ? 0 : toNumber(value) / whole, ids }))
    .sort((a, b) => b.share - a.share);
}

const unsigned = (share: number): string => formatShare(share, { signed: false, decimals: 1 });

function Meter({ share, tone = 'bg-accent' }: { share: number; tone?: string }) {
  return <span aria-hidden data-meter className="mt-1 block h-1 rounded-sm bg-sunken"><span className={`block h-full rounded-sm ${tone}`} style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} /></span>;
}

function ExposureList({ rows }: { rows: readonly Exposure[] }) {
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.name} className="rule py-2">
          <span className="grid grid-cols-[minmax(0,1fr)_auto_4.5rem] gap-x-4"><span className="truncate">{row.name}</span>{row.ids === null ? <Amount value={row.value} /> : <Explain ask={{ of: 'held', title: row.name, ids: row.ids }} name={`the value of ${row.name}`}><Amount value={row.value} /></Explain>}<span className="text-right text-ink-2">{unsigned(row.share)}</span></span>
          <Meter share={row.share} />
        </li>
      ))}
    </ul>
  );
}

const whole = (share: number): string => formatShare(share, { signed: false, decimals: 0 });
const NEAR = 0.75;
const used = (loss: number | null, limit: number): number => (loss === null || limit <= 0 ? 0 : loss / limit);
const nearest = (risk: RiskDistance): number => Math.max(used(risk.dayLoss, risk.dayLossLimit), used(risk.drawdown, risk.drawdownLimit));

function Limit({ name, loss, limit, why }: { name: string; loss: number | null; limit: number; why: string }) {
  const part = used(loss, limit);
  return (
    <div className="min-w-0">
      <p className="flex justify-between gap-2 text-xs"><span className="text-ink-3">{name}</span>
        {loss === null ? <span className="text-ink-3" title={why}>— of {whole(limit)}<span className="sr-only">. {why}</span></span>
          : <span className={part >= NEAR ? 'text-amber' : 'text-ink-2'}>{unsigned(loss)} of {whole(limit)}</span>}</p>
      <Meter share={part} tone={part >= NEAR ? 'bg-amber' : 'bg-accent'} />
      {loss !== null && <p className="mt-0.5 text-xs text-ink-3">{part >= 1 ? 'reached: no new trades' : `${unsigned(limit - loss)} left`}</p>}
    </div>
  );
}

const FEW = 5;

/** Shows a few, and the rest on demand. */
function useFew<T>(all: readonly T[], few = FEW): { shown: readonly T[]; more: React.ReactNode } {
  const [open, setOpen] = useState(false);
  return { shown: open ? all : all.slice(0, few), more: !open && all.length > few ? <Button size="sm" tone="plain" onClick={() => { setOpen(true); }}>Show all {all.length}</Button> : null };
}

function Risk({ risk, names }: { risk: readonly RiskDistance[]; names: ReadonlyMap<string, string> }) {
  const sorted = useMemo(() => [...risk].sort((a, b) => nearest(b) - nearest(a)), [risk]);
  const { shown, more } = useFew(sorted);
  if (risk.length === 0) return <p className="rule row flex items-center text-ink-3">No agents, no limits to reach.</p>;
  return (
    <>
      <ul>
        {shown.map((one) => (
          <li key={one.agentId} className="rule grid grid-cols-2 gap-x-4 gap-y-1 py-2">
            <Link href={`/agents/${encodeURIComponent(one.agentId)}`} className="col-span-2 truncate font-medium hover:text-accent">{names.get(one.agentId) ?? 'a deleted agent'}</Link>
            <Limit name="Day loss" loss={one.dayLoss} limit={one.dayLossLimit} why="It has not looked today" />
            <Limit name="Drawdown" loss={one.drawdown} limit={one.drawdownLimit} why="It has not looked since its start" />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function Alike({ insight, names }: { insight: AgentInsight; names: ReadonlyMap<string, string> }) {
  const all = useMemo(() => pairings(insight.series), [insight.series]);
  const known = useMemo(() => all.filter(({ value }) => value !== null), [all]);
  const { shown, more } = useFew(known);
  const few = all.length - known.length;
  if (all.length === 0) return <p className="rule row flex items-center text-ink-3">— Two agents are needed to compare.</p>;
  return (
    <>
      <ul>
        {shown.map((pair) => (
          <li key={`${pair.a} ${pair.b}`} className="rule grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
            <span className="min-w-0 truncate">{names.get(pair.a)} <span className="text-ink-3">and</span> {names.get(pair.b)}</span>
            <span className="text-right">{`${(pair.value ?? 0) > 0 ? '+' : ''}${formatRatio(pair.value)}`}</span>
            <span className="col-span-2 text-xs text-ink-3">{Math.abs(pair.value ?? 0) >= 0.7 ? ((pair.value ?? 0) > 0 ? 'move alike: together they are one larger bet' : 'move against each other') : 'move mostly on their own'}</span>
          </li>
        ))}
      </ul>
      {more}
      {few > 0 && <p className="rule row flex items-center py-2 text-ink-3">— {few === 1 ? 'One pair has' : `${few} pairs have`} not moved together often enough: {LEAST_MOVES} common moves are needed.</p>}
    </>
  );
}

function Feed({ insight, names }: { insight: AgentInsight; names: ReadonlyMap<string, string> }) {
  const now = useMarketNow(60_000);
  const groups = useMemo(() => groupDecisions(insight.pro?.decisions ?? []), [insight]);
  const { shown, more } = useFew(groups, 10);
  if (groups.length === 0) return <EmptyState title="No decisions yet">What each agent saw and did appears here as its candles close.</EmptyState>;
  return (
    <>
      <ul>
        {shown.map(({ decision, count }) => (
          <li key={decision.id} className="rule py-2">
            <div className="flex justify-between gap-3"><span className={`min-w-0 truncate ${decision.action === 'enter' || decision.action === 'exit' ? 'font-medium' : 'text-ink-2'}`}>{decision.pair.split('/')[0]} · <Link href={`/agents/${encodeURIComponent(decision.agentId)}`} className="hover:text-accent">{names.get(decision.agentId) ?? 'a deleted agent'}</Link></span><span className="text-xs whitespace-nowrap text-ink-3">{count > 1 ? `${count} times, ` : ''}{formatWhen(decision.at, now)}</span></div>
            <p className="text-xs text-ink-2">{withLocalTimes(decision.text)}</p>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function Drawdown({ portfolio: { equityCurve, asOf, equity } }: { portfolio: Portfolio }) {
  const now = useMarketNow(60_000);
  const fall = useMemo(() => drawdownOf([...equityCurve, [asOf, equity]]), [equityCurve, asOf, equity]);
  if (fall === null) return <p className="rule row flex items-center text-ink-3">— It begins with the second mark of this account.</p>;
  return (
    <dl>
      <Line term="Under the highest equity now"><Explain ask={{ of: 'drawdown' }} name="the fall from the highest equity">{unsigned(fall.now)}</Explain></Line>
      <Line term={fall.deepest === 0 ? 'Deepest so far' : `Deepest so far, ${formatWhen(fall.deepestAt, now)}`}>{unsigned(fall.deepest)}</Line>
    </dl>
  );
}

export default function ProParts({ agents, portfolio }: { agents: readonly Agent[]; portfolio: Portfolio }) {
  const { data: insight, error } = useSlot(insightStore, loadInsight);
  const names = useMemo(() => new Map(agents.map((agent) => [agent.id, agent.name])), [agents]);
  const pools = new Map(agents.map((agent) => [agent.id, POOL_NAME[agent.pool]]));
  const equity = toNumber(parseFixed(portfolio.equity));
  const cash: Exposure = { name: 'Cash', value: portfolio.cash, ids: null, share: equity === 0 ? 0 : toNumber(parseFixed(portfolio.cash)) / equity };
  const waiting = error === null ? <SkeletonRows rows={3} /> : <p className="rule row flex items-center text-ink-3">— Not read yet.</p>;
  return (
    <div className="mt-9">
      <ReadError message={error} hasData={insight !== null} onRetry={() => { void loadInsight(true); }} />
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2 xl:grid-cols-3">
        <Section title="Exposure by pool"><ExposureList rows={[...exposureBy(portfolio.positions, portfolio.equity, (position) => pools.get(position.agentId) ?? 'Deleted agent'), cash]} /></Section>
        <Section title="Exposure by asset"><ExposureList rows={[...exposureBy(portfolio.positions, portfolio.equity, (position) => position.pair.split('/')[0] ?? position.pair), cash]} /></Section>
        <Section title="Drawdown"><Drawdown portfolio={portfolio} /></Section>
        <Section title="Limits" aside="nearest first">{insight?.pro ? <Risk risk={insight.pro.risk} names={names} /> : waiting}</Section>
        <Section title="Agents that move alike" aside="correlation">{insight === null ? waiting : <Alike insight={insight} names={names} />}</Section>
        <Section title="Decisions" aside="newest first">{insight?.pro ? <Feed insight={insight} names={names} /> : waiting}</Section>
      </div>
    </div>
  );
}

/** What Pro adds to the dashboard: limits, drawdown, correlated agents and decisions. */
import { useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { Agent, Decision } from '../../../contract/agents.ts';
import type { AgentInsight, AgentSeries, RiskDistance } from '../../../contract/insight.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { Age } from '../../components/Age.tsx';
import { Button } from '../../components/Button.tsx';
import { EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { counted } from '../../format/counts.ts';
import { formatRatio, formatShare } from '../../format/numbers.ts';
import { localSentence } from '../../format/sentences.ts';
import { formatWhen } from '../../format/times.ts';
import { STALE_AFTER } from '../../stores/data-kinds.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { loadInsight } from '../../stores/analytics-store.ts';
import { connection } from '../../stores/connection.ts';
import type { Slot } from '../../stores/slot.ts';
import { groupDecisions } from '../agents/detail/decision-groups.ts';
import { Explain } from '../explain/Explain.tsx';
import { useInsight, useMarketNow } from '../use-store.ts';
import { ShareMeter } from './ShareMeter.tsx';
import { LEAST_MOVES, pairings } from './pair-correlation.ts';
import { seriesOf, toldOf } from './told-agents.ts';

const unsigned = (share: number): string => formatShare(share, { signed: false, decimals: 1 });

const whole = (share: number): string => formatShare(share, { signed: false, decimals: 0 });
const NEAR = 0.75;
const used = (loss: number | null, limit: number): number =>
  loss === null || limit <= 0 ? 0 : loss / limit;
const nearest = (risk: RiskDistance): number =>
  Math.max(used(risk.dayLoss, risk.dayLossLimit), used(risk.drawdown, risk.drawdownLimit));

function Limit({
  name,
  loss,
  limit,
  why,
}: {
  name: string;
  loss: number | null;
  limit: number;
  why: string;
}) {
  const part = used(loss, limit);
  return (
    <div className="min-w-0">
      <p className="flex justify-between gap-2 text-xs">
        <span className="text-ink-3">{name}</span>
        {loss === null ? (
          <span className="text-ink-3" title={why}>
            — of {whole(limit)}
            <span className="sr-only">. {why}</span>
          </span>
        ) : (
          <span className={part >= NEAR ? 'text-amber' : 'text-ink-2'}>
            {unsigned(loss)} of {whole(limit)}
          </span>
        )}
      </p>
      <ShareMeter share={part} tone={part >= NEAR ? 'bg-amber' : 'bg-accent'} />
      <p className="mt-0.5 min-h-4 text-xs text-ink-3">
        {loss === null
          ? ''
          : part >= 1
            ? 'reached: no new positions'
            : `${unsigned(limit - loss)} left`}
      </p>
    </div>
  );
}

const FEW = 3;
const FEED = 5;
/** Placeholders for the limits of agents. */
const LIMITS_PLACE: Readonly<Record<number, string>> = {
  1: 'min-h-30',
  2: 'min-h-50',
  3: 'min-h-71',
};

/** Shows a few, and the rest on demand. `list`: for the list of what is shown. */
function useFew<T>(
  all: readonly T[],
  few = FEW,
): { shown: readonly T[]; more: ReactNode; list: RefObject<HTMLUListElement | null> } {
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  /** The pressed button goes: a reader goes on with the first line that came. */
  const focusFirstNew = (): void => {
    const line = list.current?.children[few];
    if (!(line instanceof HTMLElement)) return;
    line.tabIndex = -1;
    line.focus({ preventScroll: true });
  };
  return {
    list,
    shown: open ? all : all.slice(0, few),
    more:
      !open && all.length > few ? (
        <Button
          size="sm"
          tone="plain"
          onClick={() => {
            flushSync(() => {
              setOpen(true);
            });
            focusFirstNew();
          }}
        >
          Show all {all.length}
        </Button>
      ) : null,
  };
}

function Risk({
  risk,
  names,
}: {
  risk: readonly RiskDistance[];
  names: ReadonlyMap<string, string>;
}) {
  const sorted = useMemo(() => [...risk].sort((a, b) => nearest(b) - nearest(a)), [risk]);
  const { shown, more, list } = useFew(sorted);
  if (risk.length === 0)
    return <p className="rule row flex items-center text-ink-3">No running agents.</p>;
  return (
    <>
      <ul ref={list}>
        {shown.map((one) => (
          <li key={one.agentId} className="rule grid grid-cols-2 gap-x-4 gap-y-1 py-2">
            <Link
              href={`/agents/${encodeURIComponent(one.agentId)}`}
              className="reach col-span-2 truncate font-medium hover:text-accent"
            >
              {names.get(one.agentId)}
            </Link>
            <Limit
              name="Day loss"
              loss={one.dayLoss}
              limit={one.dayLossLimit}
              why="No check yet today"
            />
            <Limit
              name="Drawdown"
              loss={one.drawdown}
              limit={one.drawdownLimit}
              why="No check since the start"
            />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function Alike({
  series,
  names,
}: {
  series: readonly AgentSeries[];
  names: ReadonlyMap<string, string>;
}) {
  const all = useMemo(() => pairings(series), [series]);
  const known = useMemo(() => all.filter(({ value }) => value !== null), [all]);
  const { shown, more, list } = useFew(known);
  const few = all.length - known.length;
  if (all.length === 0)
    return <p className="rule row flex items-center text-ink-3">— Needs two agents to compare.</p>;
  return (
    <>
      <ul ref={list}>
        {shown.map((pair) => (
          <li
            key={`${pair.a} ${pair.b}`}
            className="rule grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2"
          >
            <span className="min-w-0 truncate">
              {names.get(pair.a)} <span className="text-ink-3">and</span> {names.get(pair.b)}
            </span>
            <span className="text-right">{`${(pair.value ?? 0) > 0 ? '+' : ''}${formatRatio(pair.value)}`}</span>
            <span className="col-span-2 text-xs text-ink-3">
              {Math.abs(pair.value ?? 0) >= 0.7
                ? (pair.value ?? 0) > 0
                  ? 'move together: their risk adds up'
                  : 'move in opposite directions'
                : 'move mostly independently'}
            </span>
          </li>
        ))}
      </ul>
      {more}
      {few > 0 && (
        <p className="rule row flex items-center py-2 text-ink-3">
          — Not enough data for {counted(few, 'pair', 'pairs')} of agents: {LEAST_MOVES} common
          moves are needed.
        </p>
      )}
    </>
  );
}

function Feed({
  decisions,
  names,
}: {
  decisions: readonly Decision[];
  names: ReadonlyMap<string, string>;
}) {
  const now = useMarketNow(60_000);
  const groups = useMemo(() => groupDecisions(decisions), [decisions]);
  const { shown, more, list } = useFew(groups, FEED);
  if (groups.length === 0)
    return (
      <EmptyState title="No decisions yet">Every check appears here with its reason.</EmptyState>
    );
  return (
    <>
      <ul ref={list}>
        {shown.map(({ decision, count }) => (
          <li key={decision.id} className="rule py-2">
            <div className="flex justify-between gap-3">
              <span
                className={`min-w-0 truncate ${decision.action === 'enter' || decision.action === 'exit' ? 'font-medium' : 'text-ink-2'}`}
              >
                {decision.pair.split('/')[0]} ·{' '}
                <Link
                  href={`/agents/${encodeURIComponent(decision.agentId)}`}
                  className="reach hover:text-accent"
                >
                  {names.get(decision.agentId)}
                </Link>
              </span>
              <span className="text-xs whitespace-nowrap text-ink-3">
                {count > 1 ? `${count} times, ` : ''}
                {formatWhen(decision.at, now)}
              </span>
            </div>
            <p className="truncate text-xs text-ink-2" title={localSentence(decision.text)}>
              {localSentence(decision.text)}
            </p>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

/** A present fall as a share of the highest value. */
const fallFrom = (peak: string, equity: string): number =>
  Number(peak) <= 0 ? 0 : Math.max(0, 1 - Number(equity) / Number(peak));

function Drawdown({ portfolio: { drawdown, equity } }: { portfolio: Portfolio }) {
  const now = useMarketNow(60_000);
  if (drawdown == null)
    return (
      <p className="rule row flex items-center text-ink-3">
        —{' '}
        {drawdown === null
          ? 'Available after the first valuation of this account.'
          : 'Available after the next update.'}
      </p>
    );
  const { peak, deepest, deepestAt } = drawdown;
  return (
    <dl>
      <Line term="Current drawdown">
        <Explain ask={{ of: 'drawdown' }} name="the current drawdown">
          {unsigned(fallFrom(peak, equity))}
        </Explain>
      </Line>
      <Line
        term={
          deepest === 0 ? 'Maximum drawdown' : `Maximum drawdown, ${formatWhen(deepestAt, now)}`
        }
      >
        {unsigned(deepest)}
      </Line>
    </dl>
  );
}

/** The age of the data while the server is away or the data is stale. */
function InsightAge({ slot }: { slot: Slot<AgentInsight> }) {
  const { online } = useSnapshot(connection);
  return (
    <Age
      savedAt={slot.savedAt}
      staleAfterMs={STALE_AFTER.history}
      onlyStale={online !== 'offline'}
    />
  );
}

interface ProPartsProps {
  /** Null while loading: each part keeps its place. */
  agents: readonly Agent[] | null;
  portfolio: Portfolio | null;
}

export default function ProParts({ agents, portfolio }: ProPartsProps) {
  const slot = useInsight();
  const { data: insight, error } = slot;
  const names = useMemo(() => new Map(agents?.map((agent) => [agent.id, agent.name])), [agents]);
  const series = useMemo(() => seriesOf(agents, insight), [agents, insight]);
  const told = useMemo(() => toldOf(agents, insight?.pro), [agents, insight]);
  const waiting = (rows: number, rowClass: string): ReactNode =>
    error === null ? (
      <SkeletonRows rows={rows} rowClass={rowClass} />
    ) : (
      <p className="rule row flex items-center text-ink-3">— Not loaded yet.</p>
    );
  const limits = Math.min(FEW, agents?.length ?? FEW);
  return (
    <div>
      <ScreenError
        message={error}
        hasData={insight !== null}
        onRetry={() => {
          void loadInsight(true);
        }}
      />
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-3">
        <div className="flex flex-col gap-6">
          <Section
            title="Limits"
            aside={
              <span className="flex items-baseline gap-3">
                <InsightAge slot={slot} />
                nearest first
              </span>
            }
            className={LIMITS_PLACE[limits] ?? ''}
          >
            {told === null ? (
              waiting(limits, 'min-h-20.5')
            ) : (
              <Risk risk={told.risk} names={names} />
            )}
          </Section>
        </div>
        <div className="flex flex-col gap-6">
          <Section
            title="Drawdown"
            aside={<DataAge kind="portfolio" />}
            className="min-h-28 pointer-fine:min-h-26"
          >
            {portfolio === null ? waiting(2, '') : <Drawdown portfolio={portfolio} />}
          </Section>
          <Section title="Correlated agents" aside="correlation" className="min-h-36">
            {series === null ? waiting(2, 'min-h-14') : <Alike series={series} names={names} />}
          </Section>
        </div>
        <Section
          title="Decisions"
          aside="newest first"
          className="min-h-[23rem] pointer-fine:min-h-[22rem]"
        >
          {told === null ? (
            waiting(FEED, 'min-h-14')
          ) : (
            <Feed decisions={told.decisions} names={names} />
          )}
        </Section>
      </div>
    </div>
  );
}

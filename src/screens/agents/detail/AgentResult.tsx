/** An agent's result, its line over time and the figures of its trades. */
import { useMemo, useState, type ReactNode } from 'react';
import type { Agent } from '../../../../contract/agents.ts';
import { accountOf } from '../../../../contract/agent-account.ts';
import { RANGES, type Range } from '../../../../contract/chart-ranges.ts';
import type { AgentInsight } from '../../../../contract/insight.ts';
import {
  changeOver,
  pointsOf,
  spanOf,
  thinned,
  withNow,
} from '../../../components/EquityChart.tsx';
import { Age } from '../../../components/Age.tsx';
import { ChartPlace } from '../../../components/EmptyState.tsx';
import { Amount, Ratio } from '../../../components/Figures.tsx';
import { LiveFigure } from '../../../components/LiveMark.tsx';
import { RangeChoice } from '../../../components/RangeChoice.tsx';
import { TimeChart } from '../../../components/TimeChart.tsx';
import { Unknown } from '../../../components/Unknown.tsx';
import { noPriceText } from '../../../format/no-price.ts';
import { beyondResult } from '../../../format/other-fees.ts';
import { useAlone, useScreenTime } from '../../../shell/data-age.ts';
import { DataAge } from '../../../shell/DataAge.tsx';
import type { AgentMoney } from '../../../stores/agent-money.ts';
import type { AgentRecord } from '../../../stores/agent-record.ts';
import { STALE_AFTER } from '../../../stores/data-kinds.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { ExplainAgent } from '../../explain/ExplainAgent.tsx';
import { formatExact, formatNumber } from '../../../format/numbers.ts';

const HEIGHT = 160;
/** A range with fewer points is not offered. */
const LEAST_POINTS = 8;
type Line = readonly (readonly [number, string])[];

/** The ranges for which the line is long and fine enough; none if only the whole line is left. */
export function rangesOf(line: Line): Range[] {
  const some = RANGES.filter((range) => {
    if (range === 'ALL') return true;
    const points = pointsOf(line, range);
    return points.length >= LEAST_POINTS && points.length < line.length;
  });
  return some.length > 1 ? some : [];
}

interface ResultLineProps {
  agent: Pick<Agent, 'id' | 'name' | 'quote'>;
  insight: AgentInsight | null;
  failed: boolean;
  /** Market clock (ms) and current result: ends the line at the figure shown above it. */
  now: readonly [number, string] | undefined;
}

/** The agent's realised and unrealised result since its first trade. */
function ResultLine({ agent, insight, failed, now }: ResultLineProps) {
  const [wanted, setWanted] = useState<Range>('ALL');
  const [nowAt, nowResult] = now ?? [];
  const line = useMemo<Line>(() => {
    const points = insight?.series.find(({ agentId }) => agentId === agent.id)?.points ?? [];
    const drawn = points.map(([at, result]) => [at, result.toFixed(6)] as const);
    const end =
      nowAt === undefined || nowResult === undefined ? undefined : ([nowAt, nowResult] as const);
    return points.length === 0 ? [] : withNow(drawn, end);
  }, [insight, agent.id, nowAt, nowResult]);
  const ranges = useMemo(() => rangesOf(line), [line]);
  const range = ranges.includes(wanted) ? wanted : 'ALL';
  const stepMs = insight === null || insight.stepMs === 0 ? undefined : insight.stepMs;
  const shown = useMemo(() => {
    const points = pointsOf(line, range);
    return stepMs === undefined ? points : thinned(points, stepMs);
  }, [line, range, stepMs]);
  const change = useMemo(() => changeOver(shown), [shown]);
  if (insight === null)
    return (
      <ChartPlace
        what="Result over time"
        className="h-[204px] w-full pointer-fine:h-[192px]"
        failed={failed}
      />
    );
  // Over the whole line it equals the figure above it and is not shown again.
  const note =
    change === null ? undefined : (
      <>
        {range !== 'ALL' && <Amount value={change.amount} change />}{' '}
        <span className="text-ink-3">
          {spanOf(range, change.from, line.at(-1)?.[0] ?? 0, insight.stepMs)}
        </span>
      </>
    );
  return (
    <TimeChart
      label={`Result of ${agent.name} in ${agent.quote}`}
      lineName="Result"
      line={shown}
      height={HEIGHT}
      unit={agent.quote}
      {...(stepMs === undefined ? {} : { stepMs })}
      empty="Starts with the first valuation after a trade."
      note={note}
      controls={
        ranges.length === 0 ? undefined : (
          <RangeChoice ranges={ranges} range={range} onChoose={setWanted} />
        )
      }
    />
  );
}

function Figure({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="rule py-1.5">
      <dt className="text-xs text-ink-3">{term}</dt>
      <dd className="m-0">{children}</dd>
    </div>
  );
}

const NOTHING_CLOSED = 'no closed trade yet';
const NOT_TOLD = 'available after the next update';

function WinRate({ record: { sells, wins } }: { record: AgentRecord }) {
  if (sells === 0) return <Unknown why={NOTHING_CLOSED} />;
  if (wins === null) return <Unknown why={NOT_TOLD} />;
  return (
    <>
      <Ratio value={wins / sells} share />
      <span className="text-xs text-ink-3">
        , {formatNumber(wins)} of {formatNumber(sells)}
      </span>
    </>
  );
}

function ProfitFactor({ record: { sells, wins, profitFactor } }: { record: AgentRecord }) {
  if (sells === 0) return <Unknown why={NOTHING_CLOSED} />;
  if (wins === null) return <Unknown why={NOT_TOLD} />;
  return profitFactor === null ? (
    <Unknown why="no losing trade yet" />
  ) : (
    <Ratio value={profitFactor} />
  );
}

interface AgentResultProps extends ResultLineProps {
  agent: Pick<Agent, 'id' | 'name' | 'quote' | 'account' | 'connectionId'> & AgentMoney;
  /** Null where the portfolio has no results by agent. */
  record: AgentRecord | null;
}

interface TotalsProps {
  agent: Pick<Agent, 'id' | 'name' | 'quote' | 'account'>;
  money: AgentMoney;
}

function Total({ agent, money }: TotalsProps) {
  return (
    <ExplainAgent agent={agent} of="agent" shown={money.total} what="the result">
      <span className="block text-figure font-semibold tracking-[-0.02em]">
        {money.total === null ? (
          <Unknown why={noPriceText(money.unpriced)} />
        ) : (
          <>
            <Amount value={money.total} change />
            <span className="ml-1.5 text-base font-normal tracking-normal text-ink-3">
              {agent.quote}
            </span>
          </>
        )}
      </span>
    </ExplainAgent>
  );
}

function Fees({ money, quote }: { money: AgentMoney; quote: string }) {
  if (money.otherFees === undefined) return <Amount value={money.fees} />;
  return (
    <>
      <Amount value={money.fees} quote={quote} />
      {money.otherFees.map(({ asset, amount, inResult }) => (
        <span key={`${asset} ${inResult}`} className="whitespace-nowrap">
          {' '}
          + <LiveFigure>{formatExact(amount)}</LiveFigure>{' '}
          <span className="text-ink-3">{asset}</span>
        </span>
      ))}
    </>
  );
}

function MoneyFigures({ agent, money }: TotalsProps) {
  const beyond = beyondResult(money.otherFees);
  return (
    <>
      <Figure term={beyond === '' ? 'Realised, net of fees' : `Realised, before fees in ${beyond}`}>
        <ExplainAgent
          agent={agent}
          of="agent-realized"
          shown={money.realized}
          what="the realised result"
        >
          <Amount value={money.realized} change />
        </ExplainAgent>
      </Figure>
      <Figure term="Unrealised">
        <ExplainAgent
          agent={agent}
          of="agent-unrealized"
          shown={money.unrealized}
          what="the unrealised result"
        >
          {money.unrealized === null ? (
            <Unknown why={noPriceText(money.unpriced)} />
          ) : (
            <Amount value={money.unrealized} change />
          )}
        </ExplainAgent>
      </Figure>
      <Figure term="Fees">
        <Fees money={money} quote={agent.quote} />
      </Figure>
    </>
  );
}

function TradeFigures({ record }: { record: AgentRecord | null }) {
  return (
    <>
      <Figure term="Trades">
        {record === null ? (
          <Unknown why={NOT_TOLD} />
        ) : (
          <>
            {formatNumber(record.trades)}
            <span className="text-xs text-ink-3">, {formatNumber(record.sells)} closed</span>
          </>
        )}
      </Figure>
      <Figure term="Win rate">
        {record === null ? <Unknown why={NOT_TOLD} /> : <WinRate record={record} />}
      </Figure>
      <Figure term="Profit factor">
        {record === null ? <Unknown why={NOT_TOLD} /> : <ProfitFactor record={record} />}
      </Figure>
      <Figure term="Expectancy per trade">
        {record?.expectancy == null ? (
          <Unknown why={record === null ? NOT_TOLD : NOTHING_CLOSED} />
        ) : (
          <Amount value={record.expectancy} change />
        )}
      </Figure>
    </>
  );
}

/** Of real money: its figures come from the list or from the account, and the older one counts. */
function LiveAge({ id }: Pick<Agent, 'id'>) {
  return (
    <Age
      savedAt={useScreenTime(`/agents/${encodeURIComponent(id)}`)}
      staleAfterMs={STALE_AFTER.agents}
      onlyStale={!useAlone('agents')}
    />
  );
}

export function AgentResult({ agent, record, insight, failed, now }: AgentResultProps) {
  const money: AgentMoney = record ?? agent;
  const isLive = accountOf(agent).kind === 'live';
  const beyond = beyondResult(money.otherFees);
  return (
    <section aria-label="Result" className="min-w-0">
      <h2 className="sr-only">Result</h2>
      <Total agent={agent} money={money} />
      <p className="flex min-h-6 flex-wrap items-baseline gap-x-3 text-ink-3">
        {beyond === '' ? 'after fees' : `before fees in ${beyond}`}{' '}
        {connectionOf(agent) === null ? <DataAge kind="portfolio" /> : <LiveAge id={agent.id} />}
      </p>
      <div className="mt-2">
        <ResultLine agent={agent} insight={insight} failed={failed} now={now} />
      </div>
      <dl className="mt-2 grid grid-cols-2 gap-x-6 sm:grid-cols-4">
        <MoneyFigures agent={agent} money={money} />
        {!isLive && <TradeFigures record={record} />}
      </dl>
    </section>
  );
}

/** Compares a running agent with its backtest: result against the expected range, and costs. */
import { useEffect, useMemo } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import type { AgentInsight } from '../../../../contract/insight.ts';
import type { AgentTest, NoBand } from '../../../../contract/backtest-record.ts';
import { Age } from '../../../components/Age.tsx';
import { Amount, Percent } from '../../../components/Figures.tsx';
import { HowCalculated } from '../../../components/HowCalculated.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { TimeChart } from '../../../components/TimeChart.tsx';
import { formatNumber, formatRatio, formatShare } from '../../../format/numbers.ts';
import { formatDate, formatWhen } from '../../../format/times.ts';
import { insightStore, loadInsight } from '../../../stores/analytics-store.ts';
import { connection } from '../../../stores/connection.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import type { Slot } from '../../../stores/slot.ts';
import { useMarketNow } from '../../use-store.ts';
import { reasonText } from '../reason-text.ts';

const CHART_HEIGHT = 140;
const HASH_SHOWN = 12;

const days = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;
/** A guard that halts entries is part of what was backtested. */
const runs = (status: Agent['status']): boolean => status === 'running' || status === 'halted';
const share = (value: number): string => formatShare(value, { decimals: 2 });

/** Position of the live result in the band; null without a band for these settings. */
export function bandPosition({
  band,
  change,
  equity,
  sameSettings,
}: Pick<AgentTest, 'band' | 'change' | 'equity' | 'sameSettings'>): {
  is: 'below' | 'inside' | 'above';
  low: number;
  high: number;
} | null {
  const end = band.at(-1);
  if (end === undefined || !sameSettings || Number(equity) <= 0) return null;
  const [, low, , high] = end;
  const result = Number(change) / Number(equity);
  return { is: result < low ? 'below' : result > high ? 'above' : 'inside', low, high };
}

function whyNoBand(why: NoBand, test: AgentTest): string {
  switch (why) {
    case 'too_few_days':
      return `No expected range: the backtest covers ${days(test.days)}, and 20 are needed.`;
    case 'flat':
      return 'No expected range: equity did not change in the backtest.';
    case 'too_soon':
      return 'No expected range yet. It appears after one day.';
    case 'beyond':
      return `No expected range: the agent has run longer than the ${days(test.days)} backtested. Run a new backtest and start it again.`;
  }
}

function BandPosition({ test, isRunning }: { test: AgentTest; isRunning: boolean }) {
  const found = bandPosition(test);
  // The range widens with every day since the start, traded or not.
  if (!isRunning) return <p className="text-ink-2">No expected range: the agent is not running.</p>;
  if (!test.sameSettings)
    return <p className="text-ink-2">No expected range: the backtest used other settings.</p>;
  if (found === null)
    return <p className="text-ink-2">{whyNoBand(test.noBand ?? 'too_soon', test)}</p>;
  const span = `${share(found.low)} to ${share(found.high)} after ${days(Math.floor(test.liveDays))}`;
  if (found.is === 'inside')
    return (
      <p role="status" className="text-ink-2">
        Inside the expected range: {span}.
      </p>
    );
  if (found.is === 'above')
    return (
      <p role="status" className="text-ink-2">
        Above the expected range: {span}.
      </p>
    );
  return (
    <p role="status" className="border-l-2 border-amber py-1 pl-3 text-amber">
      Below the expected range: {span}. By chance alone, 1 in 20 results falls this low. The market
      may also differ from the backtest.
    </p>
  );
}

/**
 * The band interpolated between its points, so that it has a value at every point of the live line.
 */
export function edgeAt(band: AgentTest['band'], index: 1 | 2 | 3, at: number): number {
  const next = band.findIndex(([time]) => time >= at);
  const after = band[next === -1 ? band.length - 1 : next];
  const before = band[Math.max(0, next - 1)];
  if (after === undefined || before === undefined || after[0] <= before[0] || next === -1)
    return after?.[index] ?? 0;
  return (
    before[index] + ((after[index] - before[index]) * (at - before[0])) / (after[0] - before[0])
  );
}

/** Live result and limits of the band in money, since the start. */
function useLines(test: AgentTest, insight: AgentInsight) {
  return useMemo(() => {
    const then = Number(test.resultThen);
    const live = (insight.series.find(({ agentId }) => agentId === test.agentId)?.points ?? [])
      .filter(([at]) => at > test.since)
      .map(([at, result]) => [at, (result - then).toFixed(6)] as const);
    const line = [[test.since, '0'] as const, ...live];
    const edge = (index: 1 | 3) =>
      line.map(
        ([at]) => [at, (edgeAt(test.band, index, at) * Number(test.equity)).toFixed(6)] as const,
      );
    return {
      live: line,
      edges:
        test.band.length === 0
          ? []
          : [
              { name: 'Lower limit', points: edge(1) },
              { name: 'Upper limit', points: edge(3), alike: true },
            ],
    };
  }, [test, insight]);
}

function Bps({ value, why }: { value: number | null; why?: string }) {
  return value === null ? (
    <span title={why}>
      <span aria-hidden>—</span>
      <span className="sr-only">{why}</span>
    </span>
  ) : (
    <span className="whitespace-nowrap">{formatRatio(value, 1)} bps</span>
  );
}

/** Of fills of an exchange: the middle of its book at that moment is not known. */
const NO_QUOTE = 'Exchanges do not report the quote of a fill';

const NOT_TRADED = 'No trade by this agent in the last week';
const UNREAD = 'Prices at its decisions unavailable right now';

function Costs({ test, isLive }: { test: AgentTest; isLive: boolean }) {
  const why = isLive && test.fills > 0 ? NO_QUOTE : 'No trade since the start';
  return (
    <dl>
      <Line
        term={
          <>
            Spread and price impact paid
            <span className="block text-xs text-ink-3">
              in the backtest <Bps value={test.testedSlippageBps} why="No trade in the backtest" />
            </span>
          </>
        }
      >
        <Bps value={test.slippageBps} why={why} />
      </Line>
      {test.fills > 0 && (
        <Line term="Of which half-spread">
          <Bps value={test.halfSpreadBps} why={why} />
        </Line>
      )}
      {test.fills > 0 && (
        <Line term="Price move between decision and fill">
          <Bps value={test.delayBps} why={test.delayUnread === true ? UNREAD : NOT_TRADED} />
        </Line>
      )}
      <Line term="Partially filled buys">{test.partFills}</Line>
      <Line term="Entries blocked">
        {test.missed.reduce((sum, { count }) => sum + count, 0)}
        {test.missed.length > 0 && (
          <span className="block text-xs text-ink-3">
            {test.missed
              .map(({ count, reason }) => `${reasonText(reason)} ${formatNumber(count)}`)
              .join(', ')}
          </span>
        )}
      </Line>
    </dl>
  );
}

interface ComparisonProps {
  test: AgentTest;
  insight: AgentInsight;
  agent: Pick<Agent, 'quote' | 'account' | 'connectionId' | 'status'>;
}

/** The backtested settings, and whether agent and engine are still the same. */
function BacktestFacts({ test }: { test: AgentTest }) {
  const over = `${formatDate(test.from)} to ${formatDate(test.to)}`;
  return (
    <p
      className={test.sameSettings ? 'text-ink-2' : 'border-l-2 border-amber py-1 pl-3 text-amber'}
    >
      {test.sameSettings ? (
        <>
          Backtest of {over} with these settings: {formatNumber(test.trades)}{' '}
          {test.trades === 1 ? 'trade' : 'trades'},{' '}
          <Percent value={test.totalReturn === null ? null : test.totalReturn * 100} />.
        </>
      ) : (
        <>Settings have changed since the backtest of {over}.</>
      )}
      {test.sameEngine === false && ' The engine has changed too. A new backtest may differ.'}
    </p>
  );
}

function ResultSince({ test, quote }: { test: AgentTest; quote: string }) {
  const now = useMarketNow(60_000);
  return (
    <dl>
      <Line term={`Result since ${formatWhen(test.since, now)}`}>
        <Amount value={test.change} change quote={quote} />{' '}
        <span className="ml-1">
          <Percent
            value={
              Number(test.equity) > 0 ? (Number(test.change) / Number(test.equity)) * 100 : null
            }
            why="No equity at the start"
          />
        </span>
      </Line>
    </dl>
  );
}

/** The result so far within the expected range. */
function BandChart({ test, insight, agent: { quote, status } }: ComparisonProps) {
  const { live, edges } = useLines(test, insight);
  if (!runs(status) || bandPosition(test) === null || live.length <= 1) return null;
  return (
    <TimeChart
      label={`Result in ${quote} since the start, with the range expected from the backtest`}
      line={live}
      lineName="Live"
      compared={edges}
      height={CHART_HEIGHT}
      unit={quote}
      note={`${quote}. Dotted: expected range`}
      empty="No trades yet."
    />
  );
}

/** The statistics behind the range, and fingerprints that show which backtest it was. */
function Method({ test, isLive }: { test: AgentTest; isLive: boolean }) {
  return (
    <HowCalculated>
      <p>
        If coming days resemble the {days(test.days)} backtested and do not depend on each other, 90
        % of results fall inside the range. Real days seldom do. Formula: h·m ± t·s·√(h + h²/n), a
        prediction interval (Hahn and Meeker, Statistical Intervals).
      </p>
      <p>
        The backtest used the whole account. Live, agents share the cash.{' '}
        {isLive
          ? 'Prices, fees and partial fills of real trades are the exchange’s own, so costs differ from those of the backtest.'
          : 'Paper fills follow the same rules as the backtest, so costs differ by spread and size only.'}{' '}
        Percentages are of the account's equity at the start.
      </p>
      <p className="break-all">
        Fingerprints: settings {test.settings.slice(0, HASH_SHOWN)}, data{' '}
        {test.data.slice(0, HASH_SHOWN)}, engine{' '}
        {test.engine === '' ? 'unknown' : test.engine.slice(0, HASH_SHOWN)}. Equal fingerprints mean
        the same settings, candles and engine. They do not prove that the backtest ran.
      </p>
    </HowCalculated>
  );
}

function Comparison({ test, insight, agent }: ComparisonProps) {
  const isLive = connectionOf(agent) !== null;
  return (
    <div className="flex flex-col gap-3">
      <BacktestFacts test={test} />
      <ResultSince test={test} quote={agent.quote} />
      <BandPosition test={test} isRunning={runs(agent.status)} />
      <BandChart test={test} insight={insight} agent={agent} />
      <Costs test={test} isLive={isLive} />
      <p className="text-xs text-ink-3">{isLive ? 'Real money.' : 'Paper money.'}</p>
      <Method test={test} isLive={isLive} />
    </div>
  );
}

export default function LiveAgainstBacktest({
  agent,
}: {
  agent: Pick<
    Agent,
    'id' | 'quote' | 'generation' | 'startedAt' | 'account' | 'connectionId' | 'status'
  >;
}) {
  const { online } = useSnapshot(connection);
  const slot = useSnapshot(insightStore) as Slot<AgentInsight>;
  // A start or an edit begins a new comparison: load it again.
  useEffect(() => {
    if (online !== 'offline') void loadInsight(true);
  }, [agent.generation, online]);
  const insight = slot.data;
  const test = insight?.tests?.find(({ agentId }) => agentId === agent.id);
  if (
    insight === null ||
    insight.tests === undefined ||
    (test === undefined && agent.startedAt === null)
  )
    return null;
  return (
    <Section
      title="Live vs. backtest"
      aside={
        slot.origin === 'snapshot' && slot.savedAt !== null ? (
          <Age savedAt={slot.savedAt} staleAfterMs={0} />
        ) : undefined
      }
    >
      {test === undefined ? (
        <p className="rule py-2 text-ink-3">
          No backtest to compare with. Run a backtest before you start the agent, and it is kept.
        </p>
      ) : (
        <Comparison test={test} insight={insight} agent={agent} />
      )}
    </Section>
  );
}

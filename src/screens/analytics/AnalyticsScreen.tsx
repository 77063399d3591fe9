/**
 * The account's metrics, days and results by agent, pair and hour. An undefined figure is never
 * shown as zero.
 */
import { Lock } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { lastDays } from '../../../contract/last-days.ts';
import { ANALYTICS_VIEW_DAYS } from '../../../contract/limits.ts';
import type { Analytics, Fill } from '../../../contract/trading.ts';
import { ChartPlace, EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Amount, Percent, Ratio } from '../../components/Figures.tsx';
import { HowCalculated } from '../../components/HowCalculated.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { may } from '../../identity/security-context.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { loadAnalytics } from '../../stores/analytics-store.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { useSecurity } from '../../stores/use-security.ts';
import { heldOf, whyNotHeld } from '../portfolio/held-value.ts';
import { useAnalytics, useSlot } from '../use-store.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { Breakdown, Hours } from './Breakdown.tsx';
import { HeatMap } from './HeatMap.tsx';
import { BASIC, DEEP, whyMissing, type MetricText } from './metric-text.ts';
import { formatNumber } from '../../format/numbers.ts';

function Figure({ words, analytics }: { words: MetricText; analytics: Analytics }) {
  const value = analytics.metrics[words.name];
  const why = whyMissing(words.name, analytics);
  if (value === null)
    return (
      <>
        <span aria-hidden>—</span>
        <span className="ml-2 text-xs font-normal text-ink-3">{why}</span>
      </>
    );
  if (words.kind === 'money')
    return <Amount value={value.toFixed(2)} change quote={analytics.quote} />;
  return words.kind === 'share' && words.signed === true ? (
    <Percent value={value * 100} />
  ) : (
    <Ratio value={value} share={words.kind === 'share'} why={why} />
  );
}

function Measures({ list, analytics }: { list: readonly MetricText[]; analytics: Analytics }) {
  return (
    <div>
      <dl className="grid gap-x-10 sm:grid-cols-2">
        {list.map((words) => (
          <div
            key={words.name}
            className="rule grid grid-cols-[minmax(0,1fr)_auto] content-start items-baseline gap-x-4 py-2.5"
          >
            <dt className="text-ink-2">{words.label}</dt>
            <dd className="text-right font-medium">
              <Figure words={words} analytics={analytics} />
            </dd>
            <dd className="col-span-2 mt-0.5 text-xs text-ink-3">{words.says}</dd>
          </div>
        ))}
      </dl>
      <HowCalculated>
        <ul>
          {list.map(({ name, label, made }) => (
            <li key={name}>
              {label} = {made}
            </li>
          ))}
        </ul>
      </HowCalculated>
    </div>
  );
}

/** What the plan lacks, with what it would show. */
function Locked({ days }: { days: number }) {
  return (
    <Section
      title="With Standard and the free trial"
      aside={<Lock className="inline size-4" aria-hidden />}
    >
      <div className="rule py-4">
        <p className="max-w-[64ch] text-ink-2">
          Your plan shows four measures and the last {ANALYTICS_VIEW_DAYS} days
          {days > ANALYTICS_VIEW_DAYS ? ` of ${formatNumber(days)}` : ''}. Standard, Pro and the
          free trial add:
        </p>
        <ul className="mt-3 grid gap-x-10 sm:grid-cols-2">
          {DEEP.map(({ name, label, says }) => (
            <li key={name} className="rule py-2">
              <span className="text-ink-2">{label}</span>
              <span className="block text-xs text-ink-3">{says}</span>
            </li>
          ))}
          <li className="rule py-2">
            <span className="text-ink-2">By agent, by pair, by hour</span>
            <span className="block text-xs text-ink-3">
              Results by agent, pair and time of day.
            </span>
          </li>
          <li className="rule py-2">
            <span className="text-ink-2">Every day</span>
            <span className="block text-xs text-ink-3">The whole calendar since you started.</span>
          </li>
        </ul>
        <div className="mt-4">
          <UpgradeHere need={{ resource: 'analytics', action: 'read' }} />
        </div>
      </div>
    </Section>
  );
}

function Deep({
  analytics,
  fills,
}: {
  analytics: Analytics;
  fills: Parameters<typeof HeatMap>[0]['fills'];
}) {
  const book = { analytics, fills };
  return (
    <>
      <Section title="Risk and return">
        <Measures list={DEEP} analytics={analytics} />
      </Section>
      {analytics.perAgent.length > 0 && (
        <Section title="By agent">
          <Breakdown
            head="Agent"
            ask={{ of: 'by-agent', book }}
            name="the result of all agents"
            parts={analytics.perAgent.map((row) => ({
              ...row,
              key: row.agentId,
              name: (
                <Link
                  href={`/agents/${encodeURIComponent(row.agentId)}`}
                  className="reach inline-block hover:text-accent"
                >
                  {row.agentName}
                </Link>
              ),
            }))}
          />
        </Section>
      )}
      {analytics.perPair.length > 0 && (
        <Section title="By pair">
          <Breakdown
            head="Pair"
            ask={{ of: 'by-pair', book }}
            name="the result of all pairs"
            parts={analytics.perPair.map((row) => ({
              ...row,
              key: row.pair,
              name: row.pair,
              ask: { of: 'pair', pair: row.pair, book },
            }))}
          />
        </Section>
      )}
      {(analytics.perHour?.length ?? 0) > 0 && (
        <Section title="By hour of sale">
          <Hours hours={analytics.perHour ?? []} ask={{ of: 'by-hour', book }} />
        </Section>
      )}
    </>
  );
}

function DayByDay({
  analytics: data,
  fills,
  deep,
}: {
  analytics: Analytics;
  fills: readonly Fill[];
  deep: boolean;
}) {
  return (
    <Section title="Day by day" aside={deep ? undefined : `the last ${ANALYTICS_VIEW_DAYS} days`}>
      {(data.daily?.length ?? 0) > 0 ? (
        <HeatMap
          analytics={
            deep ? data : { ...data, daily: lastDays(data.daily ?? [], ANALYTICS_VIEW_DAYS) }
          }
          fills={fills}
        />
      ) : (
        <EmptyState title="No days yet">
          {data.daily === undefined
            ? 'Available after the next update.'
            : 'Available after the first valuation of this account.'}
        </EmptyState>
      )}
    </Section>
  );
}

interface ToldProps {
  analytics: Analytics;
  fills: readonly Fill[];
  deep: boolean;
  /** The plan includes more than has been loaded so far. */
  behind: boolean;
}

/** What the plan includes beyond the basics. */
function BeyondBasics({ analytics, fills, deep, behind }: ToldProps) {
  if (deep) return <Deep analytics={analytics} fills={fills} />;
  if (behind) return <SkeletonRows rows={8} label="Risk and return" />;
  return <Locked days={analytics.days} />;
}

function Told({ analytics: data, fills, deep, behind }: ToldProps) {
  const held = useMemo(() => heldOf(data), [data]);
  return (
    <div className="flex flex-col gap-8">
      <EquityChart
        curve={data.equity}
        quote={data.quote}
        height={200}
        held={held}
        whyNotHeld={whyNotHeld(data, data.quote)}
      />
      <Section title="Results" aside={<DataAge kind="analytics" />}>
        <Measures list={BASIC} analytics={data} />
      </Section>
      <DayByDay analytics={data} fills={fills} deep={deep} />
      <BeyondBasics analytics={data} fills={fills} deep={deep} behind={behind} />
      <p className="text-xs text-ink-3">
        Paper results after fees, spread and price impact. No forecast. Bitcoin held: the starting
        equity in Bitcoin at the first known price, without fees.
      </p>
    </div>
  );
}

export default function AnalyticsScreen() {
  const { data, error } = useAnalytics();
  const fills = useSlot(historyStore, loadHistory).data?.fills ?? [];
  // The server sends no more than the plan includes; what was loaded under an earlier plan is
  // hidden.
  const allowed = may(useSecurity(), 'analytics', 'read');
  const isComplete = data !== null && data.depth !== 'view';
  const deep = allowed && isComplete;
  // A plan that has just begun includes more than what was loaded before.
  const behind = allowed && data !== null && !isComplete;
  useEffect(() => {
    if (behind) void loadAnalytics(true);
  }, [behind]);
  return (
    <>
      <ScreenTitle
        title="Analytics"
        note={
          data === null ? undefined : (
            <>
              {formatNumber(data.trades)} {data.trades === 1 ? 'trade' : 'trades'} over{' '}
              {formatNumber(data.days)} {data.days === 1 ? 'day' : 'days'}, daily equity at 00:00
              UTC
            </>
          )
        }
      />
      <ScreenError
        message={error}
        hasData={data !== null}
        onRetry={() => {
          void loadAnalytics(true);
        }}
      />
      {data === null && error === null && (
        <div className="flex flex-col gap-8">
          <ChartPlace what="Analytics" className="h-[244px] w-full pointer-fine:h-[232px]" />
          <SkeletonRows rows={8} label="Analytics" />
        </div>
      )}
      {data !== null && <Told analytics={data} fills={fills} deep={deep} behind={behind} />}
    </>
  );
}

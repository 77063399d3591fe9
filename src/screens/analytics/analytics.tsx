/** Metrics of the account as the server computed them, and who earned or lost what; refuses to show an undefined figure as zero. */
import type { Analytics } from '../../../contract/trading.ts';
import { LinkButton } from '../../components/Button.tsx';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Amount, Ratio } from '../../components/Figures.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { may } from '../../identity/security-context.ts';
import { analyticsStore, loadAnalytics } from '../../stores/analytics.ts';
import { useSecurity } from '../../stores/security.ts';
import { useSlot } from '../reading.ts';

const FEW = 'Not enough days or trades yet';
type MetricName = keyof Analytics['metrics'];
const BASIC: readonly [MetricName, string, boolean][] = [
  ['totalReturn', 'Total return', true], ['maxDrawdown', 'Largest drawdown', true], ['winRate', 'Win rate', true], ['profitFactor', 'Profit factor', false],
];
const DEEP: readonly [MetricName, string, boolean][] = [
  ['cagr', 'Annual growth', true], ['volatility', 'Volatility, annual', true], ['sharpe', 'Sharpe', false], ['sortino', 'Sortino', false],
  ['calmar', 'Calmar', false], ['expectancy', 'Expectancy a trade', false], ['exposure', 'Exposure', true], ['turnover', 'Turnover', false],
];

function Measures({ metrics, rows }: { metrics: Analytics['metrics']; rows: typeof BASIC }) {
  return <dl>{rows.map(([name, label, share]) => <Line key={name} term={label}><Ratio value={metrics[name]} share={share} why={FEW} /></Line>)}</dl>;
}

function Breakdown({ head, rows }: { head: string; rows: readonly { key: string; name: string; trades: number; realized: string; unrealized: string; fees: string }[] }) {
  return (
    <div className="sheet-scroll">
      <table className="sheet-table">
        <thead><tr><th scope="col">{head}</th><th scope="col" className="num">Trades</th><th scope="col" className="num">Realised</th><th scope="col" className="num">Unrealised</th><th scope="col" className="num">Fees</th></tr></thead>
        <tbody>{rows.map((row) => <tr key={row.key}><td>{row.name}</td><td className="num">{row.trades}</td><td className="num"><Amount value={row.realized} change /></td><td className="num"><Amount value={row.unrealized} change /></td><td className="num"><Amount value={row.fees} /></td></tr>)}</tbody>
      </table>
    </div>
  );
}

export default function AnalyticsScreen() {
  const { data, error } = useSlot(analyticsStore, loadAnalytics);
  const deep = may(useSecurity(), 'analytics', 'read');
  return (
    <>
      <ScreenTitle title="Analytics" note={data === null ? undefined : `${data.trades} trades over ${data.days} ${data.days === 1 ? 'day' : 'days'}, daily equity at 00:00 UTC`} />
      <ReadError message={error} hasData={data !== null} onRetry={() => { void loadAnalytics(true); }} />
      {data === null && error === null && <SkeletonRows rows={8} label="Analytics" />}
      {data !== null && (
        <div className="flex flex-col gap-8">
          <EquityChart curve={data.equity} quote={data.quote} height={200} />
          <div className="grid gap-8 md:grid-cols-2">
            <Section title="Results"><Measures metrics={data.metrics} rows={BASIC} /></Section>
            <Section title="Risk and return">
              {deep ? <Measures metrics={data.metrics} rows={DEEP} /> : <EmptyState title="In Standard and the free trial" action={<LinkButton to="/subscription">View Plans</LinkButton>}>Sharpe, Sortino, Calmar, volatility, expectancy, exposure and turnover, and the results by agent and by pair.</EmptyState>}
            </Section>
          </div>
          {deep && data.perAgent.length > 0 && <Section title="By agent"><Breakdown head="Agent" rows={data.perAgent.map((row) => ({ ...row, key: row.agentId, name: row.agentName }))} /></Section>}
          {deep && data.perPair.length > 0 && <Section title="By pair"><Breakdown head="Pair" rows={data.perPair.map((row) => ({ ...row, key: row.pair, name: row.pair }))} /></Section>}
          <p className="text-xs text-ink-3">A dash means that the figure is not defined yet. Paper results, after fees, spread and impact; no forecast.</p>
        </div>
      )}
    </>
  );
}

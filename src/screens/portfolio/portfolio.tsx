/** The portfolio: equity with its equation, positions, every trade, and a new paper book; refuses to close anything by a slip. */
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ReadError, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Amount } from '../../components/Figures.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { loadAgents } from '../../stores/agents.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { applyPortfolio, loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { tried } from '../act.ts';
import { useSlot } from '../reading.ts';
import { download, fillsCsv } from './csv.ts';
import { EquityFigure } from './Equity.tsx';
import { Fills } from './Fills.tsx';
import { Positions } from './Positions.tsx';

const PAGE = 25;

export default function PortfolioScreen() {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const history = useSlot(historyStore, loadHistory);
  const { online } = useSnapshot(connection);
  const [shown, setShown] = useState(PAGE);
  const { data } = portfolio;
  const fills = history.data?.fills ?? [];
  const quote = data?.quote ?? '';
  const reset = async (): Promise<void> => {
    const done = api.call('resetPaper', {}).then((reply) => { applyPortfolio(reply.portfolio, 'network'); });
    if (await tried(done, 'A new paper book has begun. The old one is kept.')) await Promise.all([loadAgents(true), loadHistory(true), loadPortfolio(true)]);
  };
  return (
    <>
      <h1 className="sr-only">Portfolio</h1>
      <div className="grid gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-8">
          <div>
            <EquityFigure portfolio={data} />
            <ReadError message={portfolio.error} hasData={data !== null} onRetry={() => { void loadPortfolio(true); }} />
            <div className="mt-2">{data === null ? <Skeleton className="h-[264px] w-full" /> : <EquityChart curve={data.equityCurve} quote={quote} height={220} />}</div>
          </div>
          <Section title="Positions" aside={data === null || data.positions.length === 0 ? undefined : `${data.positions.length} open`}>
            {data === null && portfolio.error === null && <SkeletonRows rows={3} label="Positions" />}
            {data !== null && (data.positions.length === 0
              ? <EmptyState title="No open positions">What agents hold appears here with its stop, its value at the bid, and a way to close it.</EmptyState>
              : <Positions portfolio={data} />)}
          </Section>
          <Section title="Trades" aside={fills.length === 0 ? undefined : <Button size="sm" tone="plain" onClick={() => { download('tradewind-trades.csv', fillsCsv(fills)); }}><Download className="size-4" aria-hidden />CSV</Button>}>
            <ReadError message={history.error} hasData={history.data !== null} onRetry={() => { void loadHistory(true); }} />
            {history.data === null && history.error === null && <SkeletonRows rows={5} label="Trades" />}
            {history.data !== null && fills.length === 0 && <EmptyState title="No trades yet">Every fill is kept for good, with price, fee and the decision behind it.</EmptyState>}
            {fills.length > 0 && <Fills fills={fills.slice(0, shown)} quote={quote} />}
            {fills.length > shown && <Button wide tone="plain" onClick={() => { setShown(shown + 4 * PAGE); }}>Show more</Button>}
          </Section>
        </div>
        <aside className="flex min-w-0 flex-col gap-8" aria-label="Account">
          {data !== null && (
            <Section title="Account">
              <dl>
                <Line term="Cash"><Amount value={data.cash} quote={quote} /></Line>
                <Line term="Positions at the bid"><Amount value={data.positionsValue} /></Line>
                <Line term="Deposits"><Amount value={data.deposits} /></Line>
                <Line term="Realised, net of fees"><Amount value={data.realized} change /></Line>
                <Line term="Unrealised"><Amount value={data.unrealized} change /></Line>
                <Line term="Fees"><Amount value={data.fees} /></Line>
                <Line term="Paper book">{data.book}</Line>
              </dl>
            </Section>
          )}
          <Section title="Paper account">
            <p className="rule py-3 text-ink-2">Begins a new book with a fresh deposit. All agents are stopped and their positions closed in the books; the old book stays readable.</p>
            <HoldToConfirm label="Reset paper account" sentence={`Begins a new paper book. ${data === null ? '' : `The present one ends with ${data.positions.length} open ${data.positions.length === 1 ? 'position' : 'positions'}.`}`} disabled={online === 'offline' || data === null} onConfirm={() => { void reset(); }} />
            {online === 'offline' && <p className="mt-2 text-xs text-ink-3">Needs the server.</p>}
          </Section>
        </aside>
      </div>
    </>
  );
}

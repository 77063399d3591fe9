/** Equity as the one large figure, the day's change, and the equation behind both; refuses sums that do not add up in silence. */
import { useState } from 'react';
import { add, formatFixed, parseFixed, subtract, ZERO } from '../../../contract/money.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { Amount, Percent } from '../../components/Figures.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { Line } from '../../components/Section.tsx';
import { DataAge } from '../../shell/DataAge.tsx';

/** equity − (deposits + realised + unrealised): zero, or what the rows leave unexplained. */
export function unexplained(portfolio: Pick<Portfolio, 'equity' | 'deposits' | 'realized' | 'unrealized'>): string {
  const parts = [portfolio.deposits, portfolio.realized, portfolio.unrealized].reduce((total, text) => add(total, parseFixed(text)), ZERO);
  return formatFixed(subtract(parseFixed(portfolio.equity), parts));
}

export function EquityFigure({ portfolio }: { portfolio: Portfolio | null }) {
  const [asking, setAsking] = useState(false);
  if (portfolio === null) return <div role="status" aria-label="Portfolio"><Skeleton className="h-10 w-56" /><Skeleton className="mt-2 h-4 w-40" /></div>;
  const rest = unexplained(portfolio);
  return (
    <>
      <button type="button" onClick={() => { setAsking(true); }} title="Explain the equity" className="block text-left"><span className="sr-only">Explain the equity </span>
        <span className="block text-figure font-semibold tracking-[-0.02em]"><Amount value={portfolio.equity} /><span className="ml-1.5 text-base font-normal tracking-normal text-ink-3">{portfolio.quote}</span></span>
        <span className="flex min-h-6 flex-wrap items-baseline gap-x-3">
          <Percent value={portfolio.dayChangePercent} why="No mark before today" />
          <Amount value={portfolio.dayChange} change why="No mark before today" /><span className="text-ink-3">today</span>
          <DataAge kind="portfolio" />
        </span>
      </button>
      <Dialog open={asking} onOpenChange={setAsking} title="Equity" description="Marked at the bid. Paper money.">
        <dl>
          <Line term="Cash"><Amount value={portfolio.cash} /></Line>
          <Line term="Positions at the bid"><Amount value={portfolio.positionsValue} /></Line>
          <Line term={<strong className="text-ink">Equity = cash + positions</strong>}><strong><Amount value={portfolio.equity} quote={portfolio.quote} /></strong></Line>
        </dl>
        <dl className="mt-5">
          <Line term="Deposits"><Amount value={portfolio.deposits} /></Line>
          <Line term="Realised, net of fees"><Amount value={portfolio.realized} change /></Line>
          <Line term="Unrealised"><Amount value={portfolio.unrealized} change /></Line>
          {parseFixed(rest) !== ZERO && <Line term="Not explained by these rows"><Amount value={rest} change /></Line>}
          <Line term={<strong className="text-ink">Equity</strong>}><strong><Amount value={portfolio.equity} quote={portfolio.quote} /></strong></Line>
        </dl>
        <p className="mt-4 text-ink-2">Fees paid so far <Amount value={portfolio.fees} />, already inside realised and cost.{portfolio.unpriced.length > 0 ? ` No price yet for ${portfolio.unpriced.join(', ')}: valued at cost.` : ''}</p>
      </Dialog>
    </>
  );
}

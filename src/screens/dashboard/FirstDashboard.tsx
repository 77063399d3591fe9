/** The dashboard of a person who has no agent yet: the paper account, and the way to the first trade; refuses charts of nothing. */
import { X } from 'lucide-react';
import { Link } from 'wouter';
import { ReadError } from '../../components/EmptyState.tsx';
import { StepList, ProgressLine } from '../getting-started/StepList.tsx';
import { useSteps } from '../getting-started/use-steps.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { EquityFigure } from '../portfolio/Equity.tsx';
import { useSlot } from '../reading.ts';

export default function FirstDashboard({ onHide }: { onHide: () => void }) {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const { steps, progress } = useSteps();
  return (
    <>
      <h1 className="sr-only">Dashboard</h1>
      <EquityFigure portfolio={portfolio.data} />
      <ReadError message={portfolio.error} hasData={portfolio.data !== null} onRetry={() => { void loadPortfolio(true); }} />
      <section aria-label="Getting started" className="mt-6 max-w-5xl">
        <div className="flex items-start justify-between gap-4 pb-4">
          <div><h2 className="text-lg">Getting started</h2><div className="mt-1"><ProgressLine progress={progress} /></div></div>
          <button type="button" onClick={onHide} className="-mr-2 flex min-h-11 items-center gap-1.5 px-2 text-ink-3 hover:text-ink pointer-fine:min-h-9"><X className="size-4" aria-hidden />Hide</button>
        </div>
        <div className="grid gap-x-14 gap-y-8 lg:grid-cols-2"><StepList steps={steps} next={progress.next} /></div>
        <p className="mt-6 text-ink-3">Meanwhile: <Link href="/market" className="underline underline-offset-2 hover:text-ink">the markets</Link>, or <Link href="/library" className="underline underline-offset-2 hover:text-ink">how agents decide</Link>.</p>
      </section>
    </>
  );
}

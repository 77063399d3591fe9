/** The dashboard of a user without agents: the paper account and one button to the first agent. */
import { X } from 'lucide-react';
import { Link } from 'wouter';
import { ReadError } from '../../components/EmptyState.tsx';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { NextStep } from '../getting-started/NextStep.tsx';
import { StepsPanel } from '../getting-started/StepList.tsx';
import { useSteps } from '../getting-started/use-steps.ts';
import { EquityFigure } from '../portfolio/EquityFigure.tsx';
import { useSlot } from '../use-store.ts';

const LINK = 'underline underline-offset-2 hover:text-ink';

export default function FirstDashboard({ onHide }: { onHide: () => void }) {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const { steps, progress } = useSteps();
  return (
    <>
      <h1 className="sr-only">Dashboard</h1>
      <EquityFigure portfolio={portfolio.data} />
      <ReadError
        message={portfolio.error}
        hasData={portfolio.data !== null}
        onRetry={() => {
          void loadPortfolio(true);
        }}
      />
      <section aria-label="Getting started" className="mt-6 max-w-5xl">
        <NextStep />
        <div className="mt-10 flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <StepsPanel steps={steps} progress={progress} />
          </div>
          <button
            type="button"
            onClick={onHide}
            aria-label="Hide getting started"
            className="flex size-11 shrink-0 items-center justify-center text-ink-3 hover:text-ink"
          >
            <X className="size-4" aria-hidden />
          </button>
        </div>
        <p className="mt-6 text-ink-3">
          Explore{' '}
          <Link href="/market" className={LINK}>
            the markets{' '}
          </Link>{' '}
          or read{' '}
          <Link href="/library" className={LINK}>
            how agents decide
          </Link>
          .
        </p>
      </section>
    </>
  );
}

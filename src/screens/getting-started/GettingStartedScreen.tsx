/** Getting started: the next step, and the list of first steps below it. */
import { useSnapshot } from 'valtio';
import { LinkButton } from '../../components/Button.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { checkSubscription, subscriptionStore } from '../../stores/subscription-store.ts';
import { NextStep, useNextStep } from './NextStep.tsx';
import { StepsPanel } from './StepList.tsx';
import { useSteps } from './use-steps.ts';

/** What the steps follow from. */
const READS: readonly (readonly [{ error: string | null }, (force: boolean) => Promise<void>])[] = [
  [agentsStore, loadAgents],
  [historyStore, loadHistory],
  [portfolioStore, loadPortfolio],
  [subscriptionStore, checkSubscription],
];

/** The first of them that could not be read, and the way to try it again. */
function NotAllRead() {
  const agents = useSnapshot(agentsStore);
  const history = useSnapshot(historyStore);
  const portfolio = useSnapshot(portfolioStore);
  const subscription = useSnapshot(subscriptionStore);
  const failed = [agents, history, portfolio, subscription].find(({ error }) => error !== null);
  return (
    <ScreenError
      message={failed?.error ?? null}
      hasData={failed !== undefined && failed.data !== null}
      onRetry={() => {
        for (const [slot, load] of READS) if (slot.error !== null) void load(true);
      }}
    />
  );
}

export default function GettingStartedScreen() {
  const { steps, progress } = useSteps();
  const next = useNextStep();
  return (
    <>
      <ScreenTitle title="Getting started">
        {next === null && <LinkButton to="/dashboard">Dashboard</LinkButton>}
      </ScreenTitle>
      <NotAllRead />
      <NextStep />
      {next !== undefined && (
        <div className="mt-8">
          <StepsPanel steps={steps} progress={progress} open={next === null} />
        </div>
      )}
    </>
  );
}

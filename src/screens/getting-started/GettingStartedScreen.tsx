/** Getting started: the next step, and the list of first steps below it. */
import { LinkButton } from '../../components/Button.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { NextStep, useNextStep } from './NextStep.tsx';
import { StepsPanel } from './StepList.tsx';
import { useSteps } from './use-steps.ts';

export default function GettingStartedScreen() {
  const { steps, progress } = useSteps();
  const next = useNextStep();
  return (
    <>
      <ScreenTitle title="Getting started">
        {next === null && <LinkButton to="/dashboard">Dashboard</LinkButton>}
      </ScreenTitle>
      <NextStep />
      {next !== undefined && (
        <div className="mt-8">
          <StepsPanel steps={steps} progress={progress} open={next === null} />
        </div>
      )}
    </>
  );
}

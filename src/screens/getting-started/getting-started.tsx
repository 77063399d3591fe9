/** The first steps as a screen of their own; refuses a box that a person ticks. */
import { LinkButton } from '../../components/Button.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { ProgressLine, StepList } from './StepList.tsx';
import { useSteps } from './use-steps.ts';

export default function GettingStarted() {
  const { steps, progress } = useSteps();
  return (
    <>
      <ScreenTitle title="Getting started" note={<div className="mt-1"><ProgressLine progress={progress} /></div>}>
        {progress.next === null && progress.done === progress.of && <LinkButton to="/dashboard" tone="primary">Dashboard</LinkButton>}
      </ScreenTitle>
      <div className="grid max-w-5xl gap-x-14 gap-y-8 lg:grid-cols-2"><StepList steps={steps} next={progress.next} /></div>
      <p className="mt-8 max-w-[68ch] text-ink-3">Each step ticks itself when it is so: by the server’s word, or by what is on this device. Nothing here has to be done in order, and nothing is lost by leaving it.</p>
    </>
  );
}

/** The first steps as a list with their progress; refuses more than one call to act. */
import { Check, Circle, CircleDashed, Minus } from 'lucide-react';
import { Link } from 'wouter';
import { LinkButton } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import type { Progress, Step, StepState } from './steps.ts';

const MARK: Record<StepState, { Icon: typeof Check; look: string; said: string }> = {
  done: { Icon: Check, look: 'text-accent', said: 'done' },
  open: { Icon: Circle, look: 'text-line-strong', said: 'to do' },
  unknown: { Icon: CircleDashed, look: 'text-line-strong', said: 'not known on this device' },
  none: { Icon: Minus, look: 'text-ink-3', said: 'not possible in this browser' },
};

const LINK = 'flex min-h-11 shrink-0 items-center text-ink-2 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8';

function StepRow({ step, isNext }: { step: Step; isNext: boolean }) {
  const { Icon, look, said } = MARK[step.state];
  const isDone = step.state === 'done';
  return (
    <li aria-current={isNext ? 'step' : undefined} className="rule flex items-start gap-3 py-3">
      <Icon className={`mt-0.5 size-5 shrink-0 ${look}`} strokeWidth={isDone ? 2.25 : 1.5} aria-hidden />
      <div className={classes('flex min-w-0 flex-1 items-start justify-between gap-x-4 gap-y-2', isNext && 'max-sm:flex-col')}>
        <div className="min-w-0 flex-1">
          <p className={isDone ? 'text-ink-2' : 'font-medium'}>{step.title}<span className="sr-only">: {said}</span></p>
          <p className="text-ink-3">{step.state === 'unknown' ? 'Not known on this device. It shows when the server is back.' : step.text}</p>
        </div>
        {isNext ? <LinkButton to={step.to} tone="primary" size="sm">{step.action}</LinkButton>
          : (step.state === 'open' || step.state === 'unknown') && <Link href={step.to} className={LINK}>{step.action}</Link>}
      </div>
    </li>
  );
}

export function ProgressLine({ progress }: { progress: Progress }) {
  const text = `${progress.done} of ${progress.of} done`;
  return (
    <div className="flex items-center gap-3">
      <div role="progressbar" aria-label="First steps" aria-valuemin={0} aria-valuemax={progress.of} aria-valuenow={progress.done} aria-valuetext={text} className="h-1 w-40 max-w-[40vw] overflow-hidden rounded-full bg-line">
        <div className="h-full rounded-full bg-accent" style={{ width: `${(progress.done / progress.of) * 100}%` }} />
      </div>
      <span className="text-ink-3">{text}</span>
    </div>
  );
}

export function StepList({ steps, next, headings = true }: { steps: readonly Step[]; next: Step | null; headings?: boolean }) {
  return (['trade', 'device'] as const).map((group) => {
    const title = group === 'trade' ? 'To the first trade' : 'On this device';
    return (
      <section key={group} aria-label={title} className="min-w-0">
        {headings && <h2 className="pb-1 text-sm font-semibold">{title}</h2>}
        <ol>{steps.filter((step) => step.group === group).map((step) => <StepRow key={step.id} step={step} isNext={step.id === next?.id} />)}</ol>
      </section>
    );
  });
}

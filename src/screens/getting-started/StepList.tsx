/** The list of first steps, in a panel that shows the progress while closed. */
import { Check, ChevronDown, Circle, CircleDashed, Minus } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { connection } from '../../stores/connection.ts';
import type { Progress, Step, StepState } from './first-steps.ts';

const MARK: Record<StepState, { Icon: typeof Check; look: string; said: string }> = {
  done: { Icon: Check, look: 'text-accent', said: 'done' },
  open: { Icon: Circle, look: 'text-line-strong', said: 'to do' },
  unknown: { Icon: CircleDashed, look: 'text-line-strong', said: 'unknown' },
  none: { Icon: Minus, look: 'text-ink-3', said: 'not supported by this browser' },
};

const LINK =
  'flex min-h-11 shrink-0 items-center text-ink-2 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8';

function StepRow({ step, isNext }: { step: Step; isNext: boolean }) {
  const { Icon, look, said } = MARK[step.state];
  const { online } = useSnapshot(connection);
  const isDone = step.state === 'done';
  const isOpen = step.state === 'open' || step.state === 'unknown';
  return (
    <li aria-current={isNext ? 'step' : undefined} className="rule flex items-start gap-3 py-3">
      <Icon
        className={`mt-0.5 size-5 shrink-0 ${look}`}
        strokeWidth={isDone ? 2.25 : 1.5}
        aria-hidden
      />
      <div className="flex min-w-0 flex-1 items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1">
          <p className={isDone ? 'text-ink-2' : 'font-medium'}>
            {step.title}
            <span className="sr-only">: {said}</span>
          </p>
          <p className="text-ink-3">
            {step.state !== 'unknown'
              ? step.text
              : online === 'offline'
                ? 'Unknown while you are offline.'
                : 'Not loaded yet.'}
          </p>
        </div>
        {isOpen && (
          <Link href={step.to} className={LINK}>
            {step.action}
          </Link>
        )}
      </div>
    </li>
  );
}

const GROUPS = [
  ['trade', 'Your first trade'],
  ['device', 'On this device'],
] as const;

function StepList({ steps, next }: { steps: readonly Step[]; next: Step | null }) {
  return GROUPS.map(([group, title]) => (
    <section key={group} aria-label={title} className="min-w-0">
      <h3 className="pb-1 text-sm font-semibold">{title}</h3>
      <ol>
        {steps
          .filter((step) => step.group === group)
          .map((step) => (
            <StepRow key={step.id} step={step} isNext={step.id === next?.id} />
          ))}
      </ol>
    </section>
  ));
}

function Bar({ progress: { done, of }, text }: { progress: Progress; text: string }) {
  return (
    <div
      role="progressbar"
      aria-label="First steps"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={done}
      aria-valuetext={text}
      className="h-1 w-24 overflow-hidden rounded-full bg-line"
    >
      <div className="h-full rounded-full bg-accent" style={{ width: `${(done / of) * 100}%` }} />
    </div>
  );
}

/** All steps in a panel that starts closed: nobody has to do them in order, or at all. */
export function StepsPanel({
  steps,
  progress,
  open = false,
}: {
  steps: readonly Step[];
  progress: Progress;
  open?: boolean;
}) {
  const text = `${progress.done} of ${progress.of} done`;
  return (
    <details open={open} className="rule group max-w-5xl">
      <summary className="flex min-h-12 cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 py-2">
        <span className="font-medium">First steps</span>
        <Bar progress={progress} text={text} />
        <span className="text-ink-3">{text}</span>
        <ChevronDown
          className="ml-auto size-4 shrink-0 text-ink-3 group-open:rotate-180"
          aria-hidden
        />
      </summary>
      <p className="pb-3 text-ink-3">Steps check off automatically. Do them in any order.</p>
      <div className="grid gap-x-14 gap-y-8 pb-4 lg:grid-cols-2">
        <StepList steps={steps} next={progress.next} />
      </div>
    </details>
  );
}

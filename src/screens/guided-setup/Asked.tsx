/** One risk question at a time, answered by a press or its number, and gone back to with its answer marked; refuses to skip one. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { QUESTIONS } from './profile.ts';

/** A step's own heading: it takes the keyboard as the step comes, so that a reader hears where it is. */
export function Head({ children, of }: { children: ReactNode; of: string }) {
  const head = useRef<HTMLHeadingElement>(null);
  const shown = useRef(of);
  useEffect(() => {
    if (shown.current !== of) head.current?.focus();
    shown.current = of;
  }, [of]);
  return <h2 ref={head} tabIndex={-1} className="text-lg font-semibold text-balance outline-none">{children}</h2>;
}

export function Asked({ at, answers, onAnswer, onBack }: { at: number; answers: readonly number[]; onAnswer: (answer: number) => void; onBack: () => void }) {
  const question = QUESTIONS[at];
  if (question === undefined) return null;
  return (
    <section aria-label={`Question ${at + 1} of ${QUESTIONS.length}`}
      onKeyDown={(event) => { const picked = Number(event.key) - 1; if (!event.ctrlKey && !event.metaKey && !event.altKey && question.answers[picked] !== undefined) onAnswer(picked); }}>
      <p className="mb-1 text-xs text-ink-3">Question {at + 1} of {QUESTIONS.length} · {question.side === 'capacity' ? 'what you can bear' : 'what you would choose'}</p>
      <Head of={question.id}>{question.text}</Head>
      {question.note !== undefined && <p className="mt-1 text-ink-2">{question.note}</p>}
      <div role="group" aria-label="Answers" className="mt-4 flex flex-col gap-2">
        {question.answers.map((answer, index) => (
          <button key={answer} type="button" aria-pressed={answers[at] === index} onClick={() => { onAnswer(index); }}
            className={classes('flex min-h-13 w-full items-center gap-3 rounded-md border px-3 py-2 text-left text-base hover:border-accent hover:bg-accent-wash', answers[at] === index ? 'border-accent bg-accent-wash text-accent' : 'border-line-strong/60')}>
            <kbd aria-hidden className="hidden size-6 shrink-0 items-center justify-center rounded-sm bg-sunken text-xs text-ink-3 pointer-fine:flex">{index + 1}</kbd>{answer}
          </button>
        ))}
      </div>
      <div className="mt-4 flex min-h-11 flex-wrap items-center justify-between gap-3">
        {at > 0 ? <Button tone="plain" className="-ml-4" onClick={onBack}>Previous question</Button> : <span />}
        <span className="text-xs text-ink-3 max-sm:hidden">Press a number to answer</span>
      </div>
    </section>
  );
}

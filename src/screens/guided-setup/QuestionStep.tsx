/** One risk question at a time, answered by one press or by the answer's number. */
import type { ReactNode } from 'react';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { QUESTIONS, type Question } from './risk-questions.ts';

/** The heading of a step, which takes the keyboard focus when the step begins. */
export function StepHeading({ children }: { children: ReactNode }) {
  return (
    <h2 data-step-heading tabIndex={-1} className="text-lg font-semibold text-balance outline-none">
      {children}
    </h2>
  );
}

const SIDE_NAME: Record<Question['side'], string> = {
  capacity: 'risk capacity',
  comfort: 'risk comfort',
};

interface AskedProps {
  at: number;
  answers: readonly number[];
  onAnswer: (answer: number) => void;
  onBack: () => void;
}

export function QuestionStep({ at, answers, onAnswer, onBack }: AskedProps) {
  const question = QUESTIONS[at];
  if (question === undefined) return null;
  const place = `Question ${at + 1} of ${QUESTIONS.length}`;
  return (
    <section
      aria-label={place}
      onKeyDown={(event) => {
        const picked = Number(event.key) - 1;
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
        if (plain && question.answers[picked] !== undefined) onAnswer(picked);
      }}
    >
      <p className="mb-1 text-xs text-ink-3">
        {place} · {SIDE_NAME[question.side]}
      </p>
      <StepHeading>{withLocalNumbers(question.text)}</StepHeading>
      {question.note !== undefined && <p className="mt-1 text-ink-2">{question.note}</p>}
      <div role="group" aria-label="Answers" className="mt-4 flex flex-col gap-2">
        {question.answers.map((answer, index) => (
          <button
            key={answer}
            type="button"
            aria-pressed={answers[at] === index}
            onClick={() => {
              onAnswer(index);
            }}
            className={classes(
              'flex min-h-13 w-full items-center gap-3 rounded-md border px-3 py-2 text-left text-base',
              'pointer-fine:hover:border-accent pointer-fine:hover:bg-accent-wash',
              answers[at] === index
                ? 'border-accent bg-accent-wash text-accent'
                : 'border-line-strong/60',
            )}
          >
            <kbd
              aria-hidden
              className="hidden size-6 shrink-0 items-center justify-center rounded-sm bg-sunken text-xs text-ink-3 pointer-fine:flex"
            >
              {index + 1}
            </kbd>
            {answer}
          </button>
        ))}
      </div>
      <div className="mt-4 flex min-h-11 flex-wrap items-center justify-between gap-3">
        {at > 0 ? (
          <Button tone="plain" className="-ml-4" onClick={onBack}>
            Previous question
          </Button>
        ) : (
          <span />
        )}
        <span className="hidden text-xs text-ink-3 pointer-fine:block">
          Press a number to answer
        </span>
      </div>
    </section>
  );
}

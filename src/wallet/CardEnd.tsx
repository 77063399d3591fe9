/** What became of what a card of the kit began, where the kit says it wrong, and a way to begin anew. */
import { Button } from '../components/Button.tsx';
import type { CardOutcome } from './card-outcome.ts';
import type { CardRun } from './card-run.ts';

export function CardEnd({
  outcome,
  words,
  onAgain,
  className,
}: Pick<CardRun, 'outcome'> & {
  /** Where the kit says it right there is nothing to add. */
  words: Partial<Record<CardOutcome, string>>;
  /** Null while the kit's card is of use. */
  onAgain: (() => void) | null;
  className: string;
}) {
  const said = outcome === null || outcome === 'running' ? undefined : words[outcome];
  return (
    <>
      {said !== undefined && (
        <p role="alert" className={`${className} text-amber`}>
          {said}
        </p>
      )}
      {onAgain !== null && (
        <Button size="sm" className={className} onClick={onAgain}>
          Try again
        </Button>
      )}
    </>
  );
}

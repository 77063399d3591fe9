/** The word beside real money; by itself, because a start draws it and nothing else of that. */
import { classes } from './class-names.ts';

/** Shown wherever money is real. */
export function LiveTag({ where, className }: { where?: string; className?: string }) {
  return (
    <span
      title={where === undefined ? 'Real money' : `Real money at ${where}`}
      className={classes(
        'inline-flex h-5 items-center rounded-sm border border-live bg-live px-1.5 text-[0.6875rem] font-semibold tracking-[0.08em] text-live-ink',
        className,
      )}
    >
      LIVE
    </span>
  );
}

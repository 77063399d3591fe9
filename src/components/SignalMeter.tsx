/** Signal strength as a bar with the threshold marked, and both numbers. */
import { formatRatio } from '../format/numbers.ts';
import { classes } from './class-names.ts';

/** Rounded down, so that a strength just below its threshold never reads as equal to it. */
const strengthText = (value: number): string => formatRatio(Math.floor(value * 100 + 1e-9) / 100);

const percent = (value: number): string => `${(Math.min(1, Math.max(0, value)) * 100).toFixed(1)}%`;

export function SignalMeter({
  strength,
  threshold,
  className,
}: {
  strength: number | null;
  threshold: number | null;
  className?: string;
}) {
  if (strength === null)
    return <span className={classes('text-xs text-ink-3', className)}>No signal yet</span>;
  const enough = threshold !== null && strength >= threshold;
  return (
    <span
      className={classes(
        'inline-flex items-center gap-2 text-xs whitespace-nowrap text-ink-2',
        className,
      )}
    >
      <span aria-hidden className="relative block h-1.5 w-16 rounded-sm bg-line">
        <span
          className={classes(
            'absolute inset-y-0 left-0 rounded-sm',
            enough ? 'bg-accent' : 'bg-line-strong',
          )}
          style={{ width: percent(strength) }}
        />
        {threshold !== null && (
          <span
            className="absolute -inset-y-0.5 w-0.5 -translate-x-1/2 bg-ink"
            style={{ left: percent(threshold) }}
          />
        )}
      </span>
      <span>
        <span className="sr-only">Signal </span>
        {strengthText(strength)}
        {threshold !== null && <span className="text-ink-3">, needs {formatRatio(threshold)}</span>}
      </span>
    </span>
  );
}

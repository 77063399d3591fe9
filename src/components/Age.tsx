/** Shows how old a figure is, and counts on. */
import { Clock } from 'lucide-react';
import { AHEAD_MS, formatAge } from '../format/ages.ts';
import { classes } from './class-names.ts';
import { useNow, usePast } from './use-now.ts';

/** Older than this, an age turns amber. */
const STALE_AFTER_MS = 20_000;

export interface AgeProps {
  /** Device clock, ms; null when there is no data. */
  savedAt: number | null;
  staleAfterMs?: number;
  /** Show only once it is older than `staleAfterMs`. */
  onlyStale?: boolean;
  icon?: boolean;
  className?: string;
}

export function Age({
  savedAt,
  staleAfterMs = STALE_AFTER_MS,
  onlyStale = false,
  icon = false,
  className,
}: AgeProps) {
  const now = useNow();
  const past = usePast((savedAt ?? 0) + staleAfterMs + 1);
  if (savedAt === null)
    return onlyStale ? null : (
      <span
        className={classes(
          'inline-flex items-center text-xs whitespace-nowrap text-ink-3',
          className,
        )}
      >
        No data yet
      </span>
    );
  const stale = past || savedAt > now + AHEAD_MS;
  if (onlyStale && !stale) return null;
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 text-xs whitespace-nowrap',
        stale ? 'text-amber' : 'text-ink-3',
        className,
      )}
    >
      {icon && <Clock className="size-3.5" aria-hidden />}
      <span className="sr-only">Data </span>
      <span data-age-since={savedAt}>{formatAge(savedAt, now)}</span>
    </span>
  );
}

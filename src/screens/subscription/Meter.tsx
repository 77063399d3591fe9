/** Use of a limit, as a bar and in words. */
import { classes } from '../../components/class-names.ts';

export function Meter({
  label,
  used,
  limit,
  words,
}: {
  label: string;
  used: number;
  limit: number;
  words: string;
}) {
  // 0 of 0 does not count as full.
  const full = used > 0 && used >= limit;
  return (
    <div className="rule py-2.5">
      <div className="flex items-baseline justify-between gap-4">
        <span className="text-ink-2">{label}</span>
        <span className="font-medium">
          {used} of {limit}
        </span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${used} of ${limit}. ${words}`}
        className="my-1.5 h-1.5 overflow-hidden rounded-full bg-sunken outline outline-1 outline-line"
      >
        <div
          className={classes('h-full rounded-full', full ? 'bg-amber' : 'bg-accent')}
          style={{ width: `${limit === 0 ? 0 : Math.min(100, (used / limit) * 100)}%` }}
        />
      </div>
      <p className={classes('text-xs', full ? 'text-amber' : 'text-ink-3')}>{words}</p>
    </div>
  );
}

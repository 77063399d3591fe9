/** The time ranges of a chart as a row of buttons. */
import { classes } from './class-names.ts';

export function RangeChoice<Range extends string>({
  ranges,
  range,
  onChoose,
}: {
  ranges: readonly Range[];
  range: Range;
  onChoose: (range: Range) => void;
}) {
  return (
    <span role="group" aria-label="Range" className="-ml-2 flex">
      {ranges.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={range === name}
          onClick={() => {
            onChoose(name);
          }}
          className={classes(
            'min-h-11 min-w-9 rounded-sm px-1.5 text-xs pointer-fine:min-h-8',
            range === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink',
          )}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

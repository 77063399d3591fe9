/** The results of chosen agents over time in one chart, at most four at a time. */
import { useMemo, useState } from 'react';
import type { AgentInsight } from '../../../contract/insight.ts';
import { classes } from '../../components/class-names.ts';
import { ChartPlace } from '../../components/EmptyState.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';

const LINES_MAX = 4;
/** How each line is drawn: the first filled in the accent, the others as in `COMPARED_STYLES`. */
const SWATCH = [
  'border-solid border-accent',
  'border-dashed border-ink-3',
  'border-solid border-amber',
  'border-dotted border-[var(--blue)]',
] as const;

type NamedAgents = readonly { id: string; name: string }[];

/** The lines that can be drawn and those that are chosen: the first ones by default. */
function useLines(agents: NamedAgents, insight: AgentInsight | null) {
  const drawn = useMemo(
    () =>
      agents.flatMap(({ id, name }) => {
        const points = insight?.series.find(({ agentId }) => agentId === id)?.points ?? [];
        return points.length < 2
          ? []
          : [{ id, name, points: points.map(([at, result]) => [at, result.toFixed(6)] as const) }];
      }),
    [agents, insight],
  );
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const ids = useMemo(
    () => chosen ?? drawn.slice(0, LINES_MAX).map(({ id }) => id),
    [chosen, drawn],
  );
  const lines = useMemo(
    () => ids.flatMap((id) => drawn.filter((one) => one.id === id)),
    [ids, drawn],
  );
  const toggle = (id: string): void => {
    setChosen(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(-LINES_MAX));
  };
  return { drawn, lines, toggle };
}

function AgentChoice({ drawn, lines, toggle }: ReturnType<typeof useLines>) {
  return (
    <div
      role="group"
      aria-label="Agents in the chart"
      className="flex min-h-11 flex-wrap gap-x-1 gap-y-0.5 pointer-fine:min-h-8"
    >
      {drawn.map(({ id, name }) => {
        const place = lines.findIndex((one) => one.id === id);
        return (
          <button
            key={id}
            type="button"
            aria-pressed={place >= 0}
            onClick={() => {
              toggle(id);
            }}
            className={classes(
              '-ml-2 flex min-h-11 items-center gap-2 rounded-sm px-2 text-xs pointer-fine:min-h-8',
              place >= 0 ? 'text-ink' : 'text-ink-3 hover:text-ink',
            )}
          >
            <span
              aria-hidden
              className={classes(
                'w-5 border-t-2',
                place >= 0 ? SWATCH[place] : 'border-transparent',
              )}
            />
            {name}
          </button>
        );
      })}
    </div>
  );
}

export function Curves({
  agents,
  insight,
  quote,
}: {
  agents: NamedAgents;
  insight: AgentInsight | null;
  quote: string;
}) {
  const choice = useLines(agents, insight);
  const { drawn, lines } = choice;
  const [first, ...others] = lines;
  if (insight === null)
    return (
      <ChartPlace what="Results over time" className="h-[328px] w-full pointer-fine:h-[304px]" />
    );
  return (
    <>
      <TimeChart
        label={`Results of agents in ${quote}`}
        height={240}
        unit={quote}
        lineName={first?.name ?? ''}
        line={first?.points ?? []}
        compared={others}
        empty={
          drawn.length === 0 ? 'Starts with the first trade of an agent.' : 'Choose an agent below.'
        }
      />
      <AgentChoice {...choice} />
      {drawn.length > LINES_MAX && (
        <p className="text-xs text-ink-3">Up to {LINES_MAX} at a time.</p>
      )}
    </>
  );
}

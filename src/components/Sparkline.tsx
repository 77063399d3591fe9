/** A line of at most 64 points without axes, coloured by its change. */
import { useMemo } from 'react';

const MAX_POINTS = 64;
const WIDTH = 96;
const HEIGHT = 28;

/** The line's path in a 96 × 28 box, or null with nothing to draw. */
export function sparklinePath(values: readonly number[]): string | null {
  const finite = values.filter(Number.isFinite);
  if (finite.length < 2) return null;
  const step = Math.max(1, (finite.length - 1) / (MAX_POINTS - 1));
  const points: number[] = [];
  for (let at = 0; at < finite.length - 1; at += step) points.push(finite[Math.round(at)] ?? 0);
  points.push(finite.at(-1) ?? 0);
  const low = Math.min(...points);
  const span = Math.max(...points) - low || 1;
  return points
    .map((value, index) => {
      const x = (index / (points.length - 1)) * WIDTH;
      const y = 2 + (1 - (value - low) / span) * (HEIGHT - 4);
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

function toneOf(way: number): string {
  if (way > 0) return 'text-gain';
  return way < 0 ? 'text-loss' : 'text-ink-3';
}

/** Green if the line ends above its start. `level`: the figure beside it reads zero. */
export function Sparkline({
  values,
  label,
  level = false,
  className = '',
}: {
  values: readonly number[];
  label: string;
  level?: boolean;
  className?: string;
}) {
  const path = useMemo(() => sparklinePath(values), [values]);
  const way = level ? 0 : (values.at(-1) ?? 0) - (values[0] ?? 0);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className={`h-7 w-24 ${toneOf(way)} ${className}`}
    >
      {path !== null && (
        <path
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.25"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

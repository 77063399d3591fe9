/** How the value of an account changed by itself: what was paid in or out is no result. */
import { formatFixed, parseFixed, subtract, sum } from '../../../../contract/money.ts';
import { changeOver } from '../../../components/EquityChart.tsx';
import { Amount, Percent } from '../../../components/Figures.tsx';
import type { Points } from '../../../components/line-geometry.ts';

/** `[ms, amount]` paid in, negative where paid out; null where it is not known. */
export type Flows = readonly (readonly [number, string | null])[];

/**
 * The change over a range, signed; null with fewer than two points. Without knowing what was paid
 * there is no amount, and of money that was not there all the time no percentage.
 */
export function valueChange(
  points: Points,
  flows: Flows | null,
): { amount: string | null; percent: number | null } | null {
  const whole = changeOver(points);
  if (whole === null) return null;
  const last = points.at(-1)?.[0] ?? whole.from;
  const paid = flows?.filter(([at]) => at > whole.from && at <= last) ?? [[last, null]];
  const known = paid.flatMap(([, amount]) => (amount === null ? [] : parseFixed(amount)));
  if (known.length < paid.length) return { amount: null, percent: null };
  return {
    amount: formatFixed(subtract(parseFixed(whole.amount), sum(known))),
    percent: paid.length > 0 ? null : whole.percent,
  };
}

/** `span`: the range in words. */
export function ValueChange({
  shown,
  flows,
  span,
}: {
  shown: Points;
  flows: Flows | null;
  span: string;
}) {
  const change = valueChange(shown, flows);
  if (change === null) return null;
  if (change.amount === null)
    return (
      <>
        Value, deposits and withdrawals included <span className="text-ink-3">{span}</span>
      </>
    );
  return (
    <>
      <Percent value={change.percent} why="Money was paid in or out" />{' '}
      <Amount value={change.amount} change />{' '}
      <span className="text-ink-3">{span}, deposits and withdrawals left out</span>
    </>
  );
}

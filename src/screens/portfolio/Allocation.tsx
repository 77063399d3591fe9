/** What equity consists of, as a bar and a table. */
import {
  add,
  formatFixed,
  parseFixed,
  toNumber,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { formatShare } from '../../format/numbers.ts';

export interface Slice {
  asset: string;
  value: string;
  share: number | null;
  atCost: boolean;
}

/**
 * Assets by value, largest first, cash last; together they are the equity. Without a price an asset
 * counts at cost.
 */
export function allocationOf({
  cash,
  equity,
  quote,
  positions,
  positionsValue,
}: Pick<Portfolio, 'cash' | 'equity' | 'quote' | 'positions' | 'positionsValue'>): Slice[] {
  const whole = toNumber(parseFixed(equity));
  const share = (value: Fixed): number | null => (whole <= 0 ? null : toNumber(value) / whole);
  const slice = (asset: string, value: Fixed, atCost: boolean): Slice => ({
    asset,
    value: formatFixed(value),
    share: share(value),
    atCost,
  });
  const byAsset = new Map<string, { value: Fixed; atCost: boolean }>();
  for (const { pair, value, cost } of positions) {
    const asset = pair.split('/')[0] ?? pair;
    const known = byAsset.get(asset) ?? { value: ZERO, atCost: false };
    byAsset.set(asset, {
      value: add(known.value, parseFixed(value ?? cost)),
      atCost: known.atCost || value === null,
    });
  }
  const held = [...byAsset]
    .map(([asset, one]) => slice(asset, one.value, one.atCost))
    .sort((a, b) => Number(b.value) - Number(a.value));
  // A closed account was valued as a whole: only the sum of its positions is known.
  const sum = held.reduce((total, one) => add(total, parseFixed(one.value)), ZERO);
  const parts =
    sum === parseFixed(positionsValue) || held.length === 0
      ? held
      : [slice('Positions', parseFixed(positionsValue), false)];
  return [...parts, slice(quote, parseFixed(cash), false)];
}

/** Neighbours differ in lightness in both themes. */
const STRENGTH = [100, 62, 84, 46, 72, 36, 56, 28] as const;
const fill = (index: number, last: boolean): string =>
  last
    ? 'var(--line)'
    : `color-mix(in oklch, var(--accent) ${STRENGTH[index % STRENGTH.length] ?? 50}%, var(--ground))`;

export function Allocation({ portfolio }: { portfolio: Portfolio }) {
  const slices = allocationOf(portfolio);
  return (
    <>
      <div aria-hidden className="mb-2 flex h-2.5 gap-px overflow-hidden rounded-sm">
        {slices.map(
          (slice, index) =>
            (slice.share ?? 0) > 0 && (
              <span
                key={slice.asset}
                style={{
                  width: `${(slice.share ?? 0) * 100}%`,
                  background: fill(index, index === slices.length - 1),
                }}
                className="min-w-[2px]"
              />
            ),
        )}
      </div>
      <table className="sheet-table">
        <thead className="sr-only">
          <tr>
            <th scope="col">Asset</th>
            <th scope="col">Value</th>
            <th scope="col">Share of equity</th>
          </tr>
        </thead>
        <tbody>
          {slices.map((slice, index) => (
            <tr key={slice.asset}>
              <th scope="row" className="static! h-[var(--row)] text-sm! font-normal! text-ink!">
                <span
                  aria-hidden
                  style={{ background: fill(index, index === slices.length - 1) }}
                  className="mr-2 inline-block size-2.5 rounded-sm"
                />
                {slice.asset}
                {index === slices.length - 1 && <span className="text-ink-3"> cash</span>}
                {slice.atCost && <span className="text-ink-3"> at cost</span>}
              </th>
              <td className="num">
                <Amount value={slice.value} />
              </td>
              <td className="num w-20 text-ink-2">
                {formatShare(slice.share, { signed: false, decimals: 1 })}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

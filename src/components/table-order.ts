/** The order of a table's rows by one of its columns. */
import { parseFixed } from '../../contract/money.ts';

/**
 * Money, prices and quantities are exact: a `Fixed` is a bigint. Null is unknown and comes last.
 */
export type SortValue = bigint | number | string | null;
export interface TableSort<Key extends string = string> {
  key: Key;
  down: boolean;
}

/** Decimal text as a value to sort by. */
export const exactly = (text: string | null | undefined): SortValue =>
  text == null ? null : parseFixed(text);

function compare(a: Exclude<SortValue, null>, b: Exclude<SortValue, null>): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** Equal rows keep their order in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: (row: Row) => SortValue,
  down: boolean,
): Row[] {
  const way = down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: value(row) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null)
      return Number(a.value === null) - Number(b.value === null);
    return way * compare(a.value, b.value);
  });
  return keyed.map(({ row }) => row);
}

/**
 * The order after a press on a header: reversed, or by a new column, names from A and figures from
 * the top.
 */
export function pressed<Key extends string>(
  sort: TableSort<Key>,
  key: Key,
  isText: boolean,
): TableSort<Key> {
  return { key, down: sort.key === key ? !sort.down : !isText };
}

/** Updates a frozen order: gone rows leave, new ones come last. */
export function heldOrder(held: readonly string[], order: readonly string[]): string[] {
  const present = new Set(order);
  const known = new Set(held);
  return [...held.filter((id) => present.has(id)), ...order.filter((id) => !known.has(id))];
}

/**
 * The button in a column header that sorts by it. The header itself states the direction by `aria-
 * sort`.
 */
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import { pressed, type TableSort } from './table-order.ts';

export interface SortButtonProps<Key extends string> {
  name: Key;
  label: string;
  sort: TableSort<Key>;
  /** Names begin with A, figures with the largest. */
  isText?: boolean;
  onSort: (sort: TableSort<Key>) => void;
  children?: ReactNode;
}

export function ariaSort(sort: TableSort, name: string): 'ascending' | 'descending' | 'none' {
  if (sort.key !== name) return 'none';
  return sort.down ? 'descending' : 'ascending';
}

export function SortButton<Key extends string>({
  name,
  label,
  sort,
  isText = false,
  onSort,
  children,
}: SortButtonProps<Key>) {
  const on = sort.key === name;
  const Arrow = sort.down ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      aria-label={`Sort by ${label}`}
      onClick={() => {
        onSort(pressed(sort, name, isText));
      }}
      className={classes(
        'inline-flex min-h-11 items-center gap-1 text-xs whitespace-nowrap pointer-fine:min-h-8',
        on ? 'font-medium text-ink' : 'text-ink-3 hover:text-ink',
      )}
    >
      {on && <Arrow className="size-3" aria-hidden />}
      {children ?? label}
    </button>
  );
}

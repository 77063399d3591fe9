/** Chooses the order of a list on a phone, where there is no column header. */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useId } from 'react';
import { pressed, type TableSort } from './table-order.ts';

export interface SortMenuProps<Key extends string> {
  columns: readonly { key: Key; title: string; note?: string; isText?: boolean }[];
  sort: TableSort<Key>;
  onSort: (sort: TableSort<Key>) => void;
}

export function SortMenu<Key extends string>({ columns, sort, onSort }: SortMenuProps<Key>) {
  const id = useId();
  const Arrow = sort.down ? ArrowDown : ArrowUp;
  const change = (value: string): void => {
    const to = columns.find(({ key }) => key === value);
    if (to !== undefined) onSort({ key: to.key, down: to.isText !== true });
  };
  return (
    <span className="flex items-center gap-1 text-xs text-ink-3">
      <label htmlFor={id}>Sort by</label>
      <select
        id={id}
        value={sort.key}
        onChange={(event) => {
          change(event.target.value);
        }}
        className="h-11 min-w-0 rounded-sm bg-transparent text-xs! text-ink pointer-fine:h-8"
      >
        {columns.map(({ key, title, note }) => (
          <option key={key} value={key}>
            {note ?? title}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label={sort.down ? 'Largest first' : 'Smallest first'}
        onClick={() => {
          onSort(pressed(sort, sort.key, false));
        }}
        className="inline-flex size-11 items-center justify-center hover:text-ink pointer-fine:size-8"
      >
        <Arrow className="size-4" aria-hidden />
      </button>
    </span>
  );
}

/**
 * A table for wide windows: sticky header, sorting by column, rows that open by mouse or keyboard.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { classes } from './class-names.ts';
import { ariaSort, SortButton } from './SortButton.tsx';
import type { SortValue, TableSort } from './table-order.ts';
import type { HeldOrder } from './use-held-order.ts';

export interface DataColumn<Row, Key extends string = string> {
  key: Key;
  title: string;
  /** Label in the column menu, where the title is too short. */
  note?: string;
  /** Text: left-aligned and sorted from A. */
  isText?: boolean;
  /** A time: left-aligned, and sorted from the newest. */
  isLeft?: boolean;
  /** The column that names the row. It cannot be hidden. */
  names?: boolean;
  value: (row: Row) => SortValue;
  cell: (row: Row) => ReactNode;
}

export interface DataTableProps<Row, Key extends string> {
  label: string;
  columns: readonly DataColumn<Row, Key>[];
  rows: ReadonlyMap<string, Row>;
  order: HeldOrder;
  sort: TableSort<Key>;
  onSort: (sort: TableSort<Key>) => void;
  /** Opens a row; `said` is its name for screen readers. */
  onOpen?: (id: string) => void;
  said?: (row: Row) => string;
}

/** Whether the table is wider than its container: it then scrolls in a box of its own. */
function useTooWide(
  columns: readonly unknown[],
): [React.RefObject<HTMLDivElement | null>, boolean] {
  const place = useRef<HTMLDivElement>(null);
  const [tooWide, setTooWide] = useState(false);
  useEffect(() => {
    const box = place.current;
    if (box === null || typeof ResizeObserver !== 'function') return undefined;
    const measure = (): void => {
      setTooWide((box.firstElementChild?.scrollWidth ?? 0) > box.clientWidth + 1);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    if (box.firstElementChild !== null) observer.observe(box.firstElementChild);
    return () => {
      observer.disconnect();
    };
  }, [columns]);
  return [place, tooWide];
}

function HeadRow<Row, Key extends string>({
  columns,
  sort,
  onSort,
}: Pick<DataTableProps<Row, Key>, 'columns' | 'sort' | 'onSort'>) {
  return (
    <tr>
      {columns.map(({ key, title, note, isText = false, isLeft = isText }) => (
        <th
          key={key}
          scope="col"
          aria-sort={ariaSort(sort, key)}
          className={classes(!isLeft && 'num')}
        >
          <SortButton name={key} label={note ?? title} sort={sort} isText={isText} onSort={onSort}>
            {title}
          </SortButton>
        </th>
      ))}
    </tr>
  );
}

function BodyRow<Row, Key extends string>({
  id,
  row,
  columns,
  onOpen,
  said,
}: Pick<DataTableProps<Row, Key>, 'columns' | 'onOpen' | 'said'> & { id: string; row: Row }) {
  return (
    <tr
      className={classes(onOpen !== undefined && 'cursor-pointer hover:bg-sunken/60')}
      onClick={() => {
        onOpen?.(id);
      }}
    >
      {columns.map(({ key, cell, names = false, isText = false, isLeft = isText }) =>
        names ? (
          <th key={key} scope="row">
            {onOpen === undefined ? (
              cell(row)
            ) : (
              <button
                type="button"
                aria-haspopup="dialog"
                className="reach font-medium hover:text-accent"
              >
                {said !== undefined && <span className="sr-only">{said(row)} </span>}
                {cell(row)}
              </button>
            )}
          </th>
        ) : (
          <td key={key} className={classes(!isLeft && 'num')}>
            {cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}

export function DataTable<Row, Key extends string>({
  label,
  columns,
  rows,
  order,
  sort,
  onSort,
  onOpen,
  said,
}: DataTableProps<Row, Key>) {
  const [place, tooWide] = useTooWide(columns);
  return (
    <div
      ref={place}
      className={classes(tooWide && 'sheet-scroll')}
      {...(tooWide ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
    >
      <table className="data-table" aria-label={label}>
        <thead>
          <HeadRow columns={columns} sort={sort} onSort={onSort} />
        </thead>
        <tbody {...order.hold}>
          {order.order.map((id) => {
            const row = rows.get(id);
            if (row === undefined) return null;
            return (
              <BodyRow key={id} id={id} row={row} columns={columns} onOpen={onOpen} said={said} />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

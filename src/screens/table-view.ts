/** A table as the user has set it: columns, sort, and rows that do not move under a finger. */
import { useMemo } from 'react';
import { useSnapshot } from 'valtio';
import type { DataColumn } from '../components/DataTable.tsx';
import { sortRows, type TableSort } from '../components/table-order.ts';
import { useHeldOrder, type HeldOrder } from '../components/use-held-order.ts';
import { chooseTable, tableChoices, type TableName } from '../stores/table-choices.ts';

export interface TableView<Row, Key extends string> {
  sort: TableSort<Key>;
  onSort: (sort: TableSort<Key>) => void;
  chosen: readonly Key[];
  onChoose: (chosen: readonly Key[]) => void;
  /** The chosen columns, in the table's own order. */
  shown: readonly DataColumn<Row, Key>[];
  rows: ReadonlyMap<string, Row>;
  order: HeldOrder;
}

export interface TableSetup<Row, Key extends string> {
  name: TableName;
  columns: readonly DataColumn<Row, Key>[];
  usual: { sort: TableSort<Key>; columns: readonly Key[] };
  idOf: (row: Row) => string;
}

export function useTableView<Row, Key extends string>(
  { name, columns, usual, idOf }: TableSetup<Row, Key>,
  rows: readonly Row[],
): TableView<Row, Key> {
  const kept = useSnapshot(tableChoices)[name];
  const by = columns.find(({ key }) => key === kept?.sort?.key);
  const key = by?.key ?? usual.sort.key;
  const down = by === undefined ? usual.sort.down : (kept?.sort?.down ?? usual.sort.down);
  const chosenText = (kept?.columns ?? usual.columns).join(' ');
  const shown = useMemo(() => {
    const chosen = new Set(chosenText.split(' '));
    return columns.filter((column) => column.names === true || chosen.has(column.key));
  }, [columns, chosenText]);
  const byId = useMemo(() => new Map(rows.map((row) => [idOf(row), row])), [rows, idOf]);
  const order = useMemo(() => {
    const value = columns.find((column) => column.key === key)?.value;
    return (value === undefined ? rows : sortRows(rows, value, down)).map(idOf);
  }, [columns, rows, idOf, key, down]);
  return {
    sort: { key, down },
    shown,
    rows: byId,
    order: useHeldOrder(order),
    chosen: shown.filter((column) => column.names !== true).map((column) => column.key),
    onSort: (sort) => {
      void chooseTable(name, { sort });
    },
    onChoose: (chosen) => {
      void chooseTable(name, { columns: [...chosen] });
    },
  };
}

/** What the choice of columns offers: all but the one that names the row. */
export const menuColumns = <Row, Key extends string>({
  columns,
}: TableSetup<Row, Key>): { key: Key; note: string }[] =>
  columns
    .filter(({ names }) => names !== true)
    .map(({ key, title, note }) => ({ key, note: note ?? title }));

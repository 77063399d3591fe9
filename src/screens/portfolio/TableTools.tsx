/** Chooses the columns of a table, or the order of a list, which has no headers. */
import { ColumnMenu } from '../../components/ColumnMenu.tsx';
import { SortMenu } from '../../components/SortMenu.tsx';
import { menuColumns, type TableSetup, type TableView } from '../table-view.ts';

export interface TableToolsProps<Row, Key extends string> {
  /** Of the menu of columns. */
  label: string;
  asTable: boolean;
  setup: TableSetup<Row, Key>;
  view: TableView<Row, Key>;
}

export function TableTools<Row, Key extends string>({
  label,
  asTable,
  setup,
  view,
}: TableToolsProps<Row, Key>) {
  return (
    <div className="flex items-center justify-end">
      {asTable ? (
        <ColumnMenu
          label={label}
          columns={menuColumns(setup)}
          chosen={view.chosen}
          onChoose={view.onChoose}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-3 hover:text-ink"
        />
      ) : (
        <SortMenu columns={setup.columns} sort={view.sort} onSort={view.onSort} />
      )}
    </div>
  );
}

/** The choice of the columns that a table shows. */
import { Columns3 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Popover } from './Popover.tsx';

export const MENU_ROW = 'flex min-h-9 items-center gap-3 rounded-sm px-2 hover:bg-sunken';

export interface ColumnMenuProps<Key extends string> {
  /** In the order of the table; `note` is the label in the menu. */
  columns: readonly { key: Key; note: string }[];
  chosen: readonly Key[];
  onChoose: (chosen: Key[]) => void;
  label?: string;
  className?: string;
  /** More options below the columns. */
  children?: ReactNode;
}

export function ColumnMenu<Key extends string>({
  columns,
  chosen,
  onChoose,
  label = 'Columns',
  className = '',
  children,
}: ColumnMenuProps<Key>) {
  const turn = (key: Key, on: boolean): void => {
    onChoose(
      columns.map((one) => one.key).filter((one) => (one === key ? on : chosen.includes(one))),
    );
  };
  return (
    <Popover
      buttonLabel={label}
      button={
        <>
          <Columns3 className="size-4" aria-hidden />
          Columns
        </>
      }
      buttonClass={className}
    >
      {() => (
        <>
          {columns.map(({ key, note }) => (
            <label key={key} className={MENU_ROW}>
              <input
                type="checkbox"
                checked={chosen.includes(key)}
                onChange={(event) => {
                  turn(key, event.target.checked);
                }}
              />
              <span>{note}</span>
            </label>
          ))}
          {children}
        </>
      )}
    </Popover>
  );
}

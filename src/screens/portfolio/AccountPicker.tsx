/** Chooses the paper account to view. Hidden while there is only one. */
import { useSnapshot } from 'valtio';
import type { BookSummary } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { Select } from '../../components/Field.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';

export function AccountPicker({
  books,
  open,
  book,
  onPick,
}: {
  books: readonly BookSummary[];
  open: number | null;
  book: number | null;
  onPick: (book: number | null) => void;
}) {
  const { online } = useSnapshot(connection);
  if (books.length < 2) return null;
  const options = [...books].reverse().map((one) => ({
    value: String(one.book),
    disabled: online === 'offline' && one.closedAt !== null,
    label:
      one.closedAt === null
        ? `Account ${one.book}, since ${formatDate(one.openedAt)}`
        : `Account ${one.book}, ${formatDate(one.openedAt)} to ${formatDate(one.closedAt)}` +
          (one.equity === null ? '' : `, closed at ${formatAmount(one.equity)}`),
  }));
  return (
    <div className="mb-5 flex flex-wrap items-end gap-x-4 gap-y-2">
      <div className="w-full max-w-md">
        <Select
          label="Paper account"
          value={String(book ?? open ?? '')}
          options={options}
          {...(online === 'offline' ? { hint: 'Closed accounts are available online.' } : {})}
          onChange={(event) => {
            const next = Number(event.target.value);
            onPick(next === open ? null : next);
          }}
        />
      </div>
      {book !== null && (
        <Button
          onClick={() => {
            onPick(null);
          }}
        >
          Back to current account
        </Button>
      )}
    </div>
  );
}

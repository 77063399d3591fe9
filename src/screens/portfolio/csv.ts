/** The trade history as a CSV file. Cells that a spreadsheet would run as a formula are escaped. */
import type { Fill } from '../../../contract/trading.ts';

const COLUMNS = [
  'filledAt',
  'pair',
  'side',
  'quantity',
  'price',
  'notional',
  'fee',
  'realized',
  'agentName',
  'reason',
  'id',
] as const;

/** The paper account that a file is of. */
export interface TradedAccount {
  /** Its number; null where that is not known. */
  number: number | null;
  /** Its currency. */
  quote: string;
}

/** Numbers stay as they are; a text that begins like a formula is quoted as text. */
export function csvCell(value: string): string {
  const safe =
    /^[=+@\t\r]/.test(value) || (value.startsWith('-') && Number.isNaN(Number(value)))
      ? `'${value}`
      : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Whose trade it is stands in each row: what is cut out of the file is still paper. */
export function fillsCsv(fills: readonly Fill[], { number, quote }: TradedAccount): string {
  const account = number === null ? 'PAPER' : `PAPER account ${number}`;
  const rows = fills.map((fill) =>
    [
      account,
      quote,
      ...COLUMNS.map((column) =>
        column === 'filledAt' ? new Date(fill.filledAt).toISOString() : (fill[column] ?? ''),
      ),
    ]
      .map(csvCell)
      .join(','),
  );
  return [['paper_account', 'currency', ...COLUMNS].join(','), ...rows].join('\r\n');
}

/** `newest`: how many the file is made of, where older ones are missing. */
export function tradesFileName({ number }: TradedAccount, newest: number | null): string {
  const account = number === null ? '' : `-account-${number}`;
  return `PAPER-tradewind-trades${account}${newest === null ? '' : `-newest-${newest}`}.csv`;
}

/** Saves the file by the browser. */
export function download(name: string, content: BlobPart, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

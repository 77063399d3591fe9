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

/** Numbers stay as they are; a text that begins like a formula is quoted as text. */
export function csvCell(value: string): string {
  const safe =
    /^[=+@\t\r]/.test(value) || (value.startsWith('-') && Number.isNaN(Number(value)))
      ? `'${value}`
      : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function fillsCsv(fills: readonly Fill[]): string {
  const rows = fills.map((fill) =>
    COLUMNS.map((column) =>
      csvCell(column === 'filledAt' ? new Date(fill.filledAt).toISOString() : (fill[column] ?? '')),
    ).join(','),
  );
  return [COLUMNS.join(','), ...rows].join('\r\n');
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

/** Loads tax lots page by page and writes them as a CSV file. */
import type { TaxLot, TaxLots } from '../../../contract/tax.ts';
import { api } from '../../api/api.ts';
import { csvCell } from './csv.ts';

export interface TaxAsk {
  book?: number | undefined;
  year: number | null;
  held: boolean;
}

const query = ({ book, year, held }: TaxAsk, more: { after?: number; through?: number } = {}) => ({
  ...(book === undefined ? {} : { book }),
  ...(year === null ? {} : { year }),
  ...(held ? { held: 'yes' as const } : {}),
  ...more,
});

/** The sums and the first rows. */
export function readTaxLots(ask: TaxAsk, signal: AbortSignal): Promise<TaxLots> {
  return api.call('taxLots', { query: query(ask), signal });
}

/**
 * Loads all rows from the first reply on. `onProgress` receives the number loaded so far. @throws
 * ApiError when any page fails: an incomplete file is never saved.
 */
export async function readRows(
  ask: TaxAsk,
  first: TaxLots,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<TaxLot[]> {
  const rows = [...first.rows];
  for (let { next } = first; next !== null;) {
    signal.throwIfAborted();
    const page = await api.call('taxLots', {
      query: query(ask, { after: next, through: first.through }),
      signal,
    });
    rows.push(...page.rows);
    onProgress(rows.length);
    ({ next } = page);
  }
  return rows;
}

const iso = (at: number | null): string => (at === null ? '' : new Date(at).toISOString());

function termOf(long: boolean | null): string {
  if (long === null) return 'held';
  return long ? 'long' : 'short';
}

/**
 * Columns by the names that tax programs use; amounts in the account's currency with all digits.
 */
const COLUMNS: readonly [string, (lot: TaxLot, of: TaxLots) => string][] = [
  ['paper_account', (_lot, { book, source }) => `PAPER account ${book}, ${source}`],
  ['asset', ({ pair }) => pair.split('/')[0] ?? pair],
  ['pair', ({ pair }) => pair],
  ['quantity', ({ quantity }) => quantity],
  ['acquired', ({ acquiredAt }) => iso(acquiredAt)],
  ['disposed', ({ disposedAt }) => iso(disposedAt)],
  ['proceeds', ({ proceeds }) => proceeds ?? ''],
  ['basis', ({ basis }) => basis],
  ['gain', ({ gain }) => gain ?? ''],
  ['fees', ({ fees }) => fees],
  ['currency', (_lot, { quote }) => quote],
  ['term', ({ long }) => termOf(long)],
  ['bought_by', ({ acquiredBy }) => acquiredBy],
  ['sold_by', ({ disposedBy }) => disposedBy ?? ''],
  ['reason', ({ reason }) => reason ?? ''],
];

export function taxCsv(rows: readonly TaxLot[], of: TaxLots): string {
  const lines = rows.map((lot) => COLUMNS.map(([, read]) => csvCell(read(lot, of))).join(','));
  return [COLUMNS.map(([name]) => name).join(','), ...lines].join('\r\n');
}

export const taxFileName = (
  { year }: Pick<TaxAsk, 'year'>,
  { book }: Pick<TaxLots, 'book'>,
): string => `PAPER-tradewind-fifo-lots-account-${book}-${year ?? 'all-years'}.csv`;

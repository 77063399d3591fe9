/** Loads tax lots page by page and writes them as a CSV file. */
import type { LiveTaxLots } from '../../../contract/live.ts';
import type { TaxLot, TaxLots } from '../../../contract/tax.ts';
import { api } from '../../api/api.ts';
import { feesIn } from '../../format/other-fees.ts';
import { fullNameOf } from '../live/live-text.ts';
import { csvCell } from '../portfolio/csv.ts';

/** The paper account, an earlier one by its number, or an account at an exchange. */
export type TaxAccount =
  | { kind: 'paper'; book?: number | undefined }
  | { kind: 'live'; connectionId: string };

export type TaxReport = TaxLots | LiveTaxLots;

export interface TaxAsk {
  account: TaxAccount;
  year: number | null;
  held: boolean;
}

function readPage(
  { account, year, held }: TaxAsk,
  signal: AbortSignal,
  page: { after?: number; through?: number } = {},
): Promise<TaxReport> {
  const query = {
    ...(year === null ? {} : { year }),
    ...(held ? { held: 'yes' as const } : {}),
    ...page,
  };
  if (account.kind === 'live')
    return api.call('liveTaxLots', { params: { id: account.connectionId }, query, signal });
  const { book } = account;
  return api.call('taxLots', { query: book === undefined ? query : { book, ...query }, signal });
}

/** The sums and the first rows. */
export const readTaxLots = (ask: TaxAsk, signal: AbortSignal): Promise<TaxReport> =>
  readPage(ask, signal);

/** The account of the first reply, by its number: the open one may be another by the next page. */
const sameAccount = (ask: TaxAsk, first: TaxReport): TaxAsk =>
  'live' in first ? ask : { ...ask, account: { kind: 'paper', book: first.book } };

/**
 * Loads all rows from the first reply on. `onProgress` receives the number loaded so far. @throws
 * ApiError when any page fails, Error when rows are missing: an incomplete file is never saved.
 */
export async function readRows(
  ask: TaxAsk,
  first: TaxReport,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<TaxLot[]> {
  const rows = [...first.rows];
  const same = sameAccount(ask, first);
  for (let { next } = first; next !== null;) {
    signal.throwIfAborted();
    const page = await readPage(same, signal, { after: next, through: first.through });
    rows.push(...page.rows);
    onProgress(rows.length);
    ({ next } = page);
  }
  if (rows.length !== first.total) throw new Error('The lots changed while they were loaded.');
  return rows;
}

const iso = (at: number | null): string => (at === null ? '' : new Date(at).toISOString());

function termOf({ long, disposedAt }: TaxLot): string {
  if (disposedAt === null) return 'held';
  return long === true ? 'long' : 'short';
}

/** Whose lot it is stands in each row: what is cut out of the file is still paper, or is not. */
function accountColumn(of: TaxReport): [string, string] {
  return 'live' in of
    ? ['exchange_account', fullNameOf(of)]
    : ['paper_account', `PAPER account ${of.book}, ${of.source}`];
}

/**
 * Columns by the names that tax programs use; amounts in the account's currency with all digits.
 */
const COLUMNS: readonly [string, (lot: TaxLot, of: TaxReport) => string][] = [
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
  ['term', termOf],
  ['bought_by', ({ acquiredBy }) => acquiredBy],
  ['sold_by', ({ disposedBy }) => disposedBy ?? ''],
  ['reason', ({ reason }) => reason ?? ''],
];

const feesText = (lot: TaxLot, inResult: boolean): string =>
  feesIn(lot.otherFees, inResult)
    .map(({ asset, amount }) => `${amount} ${asset}`)
    .join('; ');

/**
 * At an exchange, fees in other coins: those of the asset itself, which its quantity has already, and
 * those in a third coin, which no amount has.
 */
const LIVE_COLUMNS: typeof COLUMNS = [
  ...COLUMNS,
  ['asset_fees', (lot) => feesText(lot, true)],
  ['other_fees', (lot) => feesText(lot, false)],
];

export function taxCsv(rows: readonly TaxLot[], of: TaxReport): string {
  const [name, account] = accountColumn(of);
  const columns = 'live' in of ? LIVE_COLUMNS : COLUMNS;
  const heading = [name, ...columns.map(([column]) => column)].join(',');
  const lines = rows.map((lot) =>
    [csvCell(account), ...columns.map(([, read]) => csvCell(read(lot, of)))].join(','),
  );
  return [heading, ...lines].join('\r\n');
}

/** A name that every system takes: letters and digits of the account's own, nothing else. */
const plain = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

export function taxFileName({ year }: Pick<TaxAsk, 'year'>, of: TaxReport): string {
  const whose =
    'live' in of
      ? `LIVE-tradewind-fifo-lots-${plain(fullNameOf(of))}`
      : `PAPER-tradewind-fifo-lots-account-${of.book}`;
  return `${whose}-${year ?? 'all-years'}.csv`;
}

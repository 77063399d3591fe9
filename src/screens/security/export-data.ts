/**
 * Loads all data of a user page by page and makes files of it. A missing part fails the whole
 * export.
 */
import { strToU8, zipSync } from 'fflate';
import { EXPORT_PARTS, type ExportPart, type ExportRows } from '../../../contract/account.ts';
import type { CallableRequest } from '../../../contract/callables.ts';
import { retrying } from '../../../contract/retry.ts';
import { ApiError } from '../../api/api-error.ts';
import { callFunction } from '../../callables/call-function.ts';
import { csvCell } from '../portfolio/csv.ts';

export type Exported = Map<ExportPart, Pick<ExportRows, 'columns' | 'rows'>>;

/** Columns that hold JSON text: parsed in the JSON file, text in the CSV. */
const NESTED = new Set([
  'settings',
  'hold',
  'memory',
  'reply',
  'event',
  'facts',
  'diagnostics',
  'tested',
  'differences',
]);

/** Of one page. A server where many read at once takes it a moment later. */
const BUSY_TRIES = 5;
const BUSY_PAUSE_MS = 1_000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const loadPage = (
  asked: CallableRequest<'exportPage'>,
  aborted: AbortSignal,
): Promise<ExportRows> =>
  retrying(
    () => {
      aborted.throwIfAborted();
      return callFunction('exportPage', asked);
    },
    (error, failures) =>
      error instanceof ApiError && error.code === 'server_busy' && failures < BUSY_TRIES
        ? BUSY_PAUSE_MS * failures * (1 + Math.random())
        : null,
    pause,
  );

/**
 * `onProgress` receives how many parts are done. @throws ApiError when any page fails: an incomplete
 * export is never saved.
 */
export async function collect(
  onProgress: (done: number, of: number) => void,
  aborted: AbortSignal,
): Promise<Exported> {
  const found: Exported = new Map();
  for (const [index, part] of EXPORT_PARTS.entries()) {
    const whole: Pick<ExportRows, 'columns' | 'rows'> = { columns: [], rows: [] };
    let after: string | null = null;
    do {
      const page = await loadPage({ part, ...(after === null ? {} : { after }) }, aborted);
      whole.columns = page.columns;
      whole.rows.push(...page.rows);
      after = page.next;
    } while (after !== null);
    found.set(part, whole);
    onProgress(index + 1, EXPORT_PARTS.length);
  }
  return found;
}

const parsed = (column: string, value: unknown): unknown => {
  if (!NESTED.has(column) || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

export function asJson(data: Exported, at: Date): string {
  const parts = Object.fromEntries(
    [...data].map(([part, { columns, rows }]) => [
      part,
      rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column, parsed(column, row[index])])),
      ),
    ]),
  );
  return JSON.stringify({ product: 'Tradewind', exportedAt: at.toISOString(), parts }, null, 1);
}

export function asCsv({ columns, rows }: Pick<ExportRows, 'columns' | 'rows'>): string {
  return [columns, ...rows]
    .map((row) => row.map((cell) => csvCell(cell === null ? '' : String(cell))).join(','))
    .join('\r\n');
}

/** One CSV file per part. */
export function asZip(data: Exported, at: Date): Uint8Array<ArrayBuffer> {
  const files = Object.fromEntries(
    [...data].map(([part, table]) => [
      `${part}.csv`,
      [strToU8(asCsv(table)), { mtime: at }] as [Uint8Array, { mtime: Date }],
    ]),
  );
  return new Uint8Array(zipSync(files, { level: 6 }));
}

/**
 * Small display choices, stored in the user's database and deleted with it. Each key must be listed
 * here.
 */
import * as z from 'zod/mini';
import { SYMBOL_CHOICES_MAX } from '../../contract/limits.ts';
import { heldDatabase, StorageFault } from './user-database.ts';

const TABLE_COLUMNS_MAX = 40;

const SCHEMAS = {
  /** Favourite symbols, in the order in which they were added. */
  favourites: z.array(z.string().check(z.maxLength(40))).check(z.maxLength(SYMBOL_CHOICES_MAX)),
  /** Timeframe and indicators of all charts. */
  chart: z.object({
    interval: z.nullable(z.string()),
    sma: z.array(z.number()).check(z.maxLength(8)),
    ema: z.array(z.number()).check(z.maxLength(8)),
    rsi: z.nullable(z.number()),
    volume: z.boolean(),
  }),
  marketView: z.object({ columns: z.array(z.string()), favouritesFirst: z.boolean() }),
  /** By table: sort column, direction, and visible columns. */
  tables: z.record(
    z.string(),
    z.object({
      sort: z.optional(z.object({ key: z.string().check(z.maxLength(40)), down: z.boolean() })),
      columns: z.optional(
        z.array(z.string().check(z.maxLength(40))).check(z.maxLength(TABLE_COLUMNS_MAX)),
      ),
    }),
  ),
  /** The account that is shown, null for paper, and the exchange accounts there are. */
  account: z.object({
    chosen: z.nullable(z.string()),
    known: z.array(
      z.object({
        id: z.string(),
        exchange: z.enum(['kraken', 'coinbase', 'binance']),
        label: z.string(),
      }),
    ),
  }),
} as const;

export type PreferenceName = keyof typeof SCHEMAS;
export type Preference<N extends PreferenceName> = z.output<(typeof SCHEMAS)[N]>;

function parsed<N extends PreferenceName>(name: N, raw: unknown): Preference<N> | null {
  const read = SCHEMAS[name].safeParse(raw);
  return read.success ? (read.data as Preference<N>) : null;
}

/** The stored choice, or null where there is none or it is invalid. Never throws for storage. */
export async function readPreference<N extends PreferenceName>(
  uid: string,
  name: N,
): Promise<Preference<N> | null> {
  const database = heldDatabase(uid);
  if (database === null) return null;
  try {
    return await database.transact(
      ['meta'],
      'readonly',
      (transaction) =>
        new Promise<Preference<N> | null>((resolve, reject) => {
          const request = transaction.objectStore('meta').get(name);
          request.onsuccess = () => {
            resolve(parsed(name, request.result));
          };
          request.onerror = () => {
            reject(request.error ?? new Error('get failed'));
          };
        }),
    );
  } catch (error) {
    if (error instanceof StorageFault) return null;
    throw error;
  }
}

/**
 * Updates a choice from what is stored at that moment, so that two tabs do not undo each other.
 * @returns the stored choice; null where it could not be saved.
 */
export async function changePreference<N extends PreferenceName>(
  uid: string,
  name: N,
  change: (present: Preference<N> | null) => Preference<N>,
): Promise<Preference<N> | null> {
  const database = heldDatabase(uid);
  if (database === null) return null;
  try {
    return await database.transact(
      ['meta'],
      'readwrite',
      (transaction) =>
        new Promise<Preference<N> | null>((resolve, reject) => {
          const meta = transaction.objectStore('meta');
          const request = meta.get(name);
          request.onsuccess = () => {
            const next = parsed(name, change(parsed(name, request.result)));
            if (next === null) {
              resolve(null);
              return;
            }
            const written = meta.put(next, name);
            written.onsuccess = () => {
              resolve(next);
            };
            written.onerror = () => {
              reject(written.error ?? new Error('put failed'));
            };
          };
          request.onerror = () => {
            reject(request.error ?? new Error('get failed'));
          };
        }),
    );
  } catch (error) {
    if (error instanceof StorageFault) return null;
    throw error;
  }
}

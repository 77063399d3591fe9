/**
 * Small display choices, stored in the user's database and deleted with it. Each key must be listed
 * here.
 */
import { LIVE_EXCHANGES } from '../../contract/exchanges.ts';
import { SYMBOL_CHOICES_MAX } from '../../contract/limits.ts';
import {
  byKey,
  fields,
  list,
  maybe,
  number,
  oneOf,
  orNull,
  readAs,
  text,
  textUpTo,
  yesOrNo,
  type Read,
  type Reader,
} from '../../contract/readers.ts';
import { heldDatabase, StorageFault } from './user-database.ts';

const TABLE_COLUMNS_MAX = 40;

const PREFERENCES = {
  /** Favourite symbols, in the order in which they were added. */
  favourites: list(textUpTo(40), SYMBOL_CHOICES_MAX),
  /** Timeframe and indicators of all charts. */
  chart: fields({
    interval: orNull(text),
    sma: list(number, 8),
    ema: list(number, 8),
    rsi: orNull(number),
    volume: yesOrNo,
  }),
  marketView: fields({ columns: list(text), favouritesFirst: yesOrNo }),
  /** By table: sort column, direction, and visible columns. */
  tables: byKey(
    fields({
      sort: maybe(fields({ key: textUpTo(40), down: yesOrNo })),
      columns: maybe(list(textUpTo(40), TABLE_COLUMNS_MAX)),
    }),
  ),
  /** The account that is shown, null for paper, and the exchange accounts there are. */
  account: fields({
    chosen: orNull(text),
    known: list(fields({ id: text, exchange: oneOf(LIVE_EXCHANGES), label: text })),
  }),
};

export type PreferenceName = keyof typeof PREFERENCES;
export type Preference<N extends PreferenceName> = Read<(typeof PREFERENCES)[N]>;

const parsed = <N extends PreferenceName>(name: N, raw: unknown): Preference<N> | null =>
  readAs(PREFERENCES[name] as Reader<Preference<N>>, raw);

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

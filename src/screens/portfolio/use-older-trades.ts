/** Loads older trades on demand and keeps them in one list without a gap. */
import { useEffect, useMemo, useState } from 'react';
import type { Fill } from '../../../contract/trading.ts';
import { HISTORY_LIMIT_MAX } from '../../../contract/limits.ts';
import { api } from '../../api/api.ts';
import { showFailure } from '../show-result.ts';

export const READ_AT_ONCE = 500;

const newestFirst = (a: Fill, b: Fill): number =>
  b.filledAt - a.filledAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/**
 * Both lists as one, newest first; null where no trade is in both: others may lie between them.
 * `held` itself where `known` adds nothing.
 */
export function joinTrades(known: readonly Fill[], held: readonly Fill[]): readonly Fill[] | null {
  if (known.length === 0 || held.length === 0) return known;
  const byId = new Map(held.map((fill) => [fill.id, fill]));
  if (!known.some(({ id }) => byId.has(id))) return null;
  if (known.every((fill) => byId.get(fill.id) === fill)) return held;
  for (const fill of known) byId.set(fill.id, fill);
  return [...byId.values()].sort(newestFirst);
}

const readBefore = async (
  last: Fill,
  book: number | undefined,
  signal?: AbortSignal,
  limit = READ_AT_ONCE,
): Promise<readonly Fill[]> => {
  const { fills } = await api.call('history', {
    query: { limit, before: last.id, ...(book === undefined ? {} : { book }) },
    ...(signal === undefined ? {} : { signal }),
  });
  return fills;
};

/** Reads on from `known` until it meets what is held, or there are no more. */
async function bridge(
  known: readonly Fill[],
  held: readonly Fill[],
  book: number | undefined,
  signal: AbortSignal,
): Promise<readonly Fill[]> {
  const ids = new Set(held.map(({ id }) => id));
  const read = [...known];
  for (let last = known.at(-1); last !== undefined;) {
    const page = await readBefore(last, book, signal);
    read.push(...page);
    if (page.some(({ id }) => ids.has(id))) return joinTrades(read, held) ?? read;
    last = page.at(-1);
  }
  // None of what is held is in this account.
  return read;
}

/**
 * `fills` and everything older. `onProgress` receives how many are read. @throws ApiError when any
 * page fails.
 */
async function readToTheFirst(
  fills: readonly Fill[],
  book: number | undefined,
  signal: AbortSignal,
  onProgress: (read: number) => void,
): Promise<readonly Fill[]> {
  const read = [...fills];
  for (let last = read.at(-1); last !== undefined;) {
    signal.throwIfAborted();
    const page = await readBefore(last, book, signal, HISTORY_LIMIT_MAX);
    read.push(...page);
    onProgress(read.length);
    last = page.at(-1);
  }
  return read;
}

export interface OlderTrades {
  fills: readonly Fill[];
  /** Reads some older ones. */
  read: () => Promise<void>;
  /** Reads all older ones, which the list does not take. @throws ApiError when any of them fails. */
  readAll: (signal: AbortSignal, onProgress: (read: number) => void) => Promise<readonly Fill[]>;
  busy: boolean;
}

/**
 * Trades beyond `known`, which the store replaces by the newest ones when the app comes back. What
 * was loaded is kept until the list goes, and on no device.
 */
export function useOlderTrades(
  known: readonly Fill[],
  total: number | undefined,
  book: number | undefined,
): OlderTrades {
  const [older, setOlder] = useState<readonly Fill[]>([]);
  const [reading, setReading] = useState(false);
  const [bridging, setBridging] = useState(false);
  const joined = useMemo(() => joinTrades(known, older), [known, older]);
  const fills = joined ?? known;
  useEffect(() => {
    if (joined !== null) {
      // A trade that `known` drops stays; before anything older is loaded, `known` is all there is.
      setOlder((held) => (held.length === 0 ? held : joined));
      return;
    }
    if (total !== undefined && total <= known.length) {
      setOlder([]);
      return;
    }
    const stop = new AbortController();
    setBridging(true);
    bridge(known, older, book, stop.signal)
      .then(setOlder, () => undefined)
      .finally(() => {
        if (!stop.signal.aborted) setBridging(false);
      });
    return () => {
      stop.abort();
      setBridging(false);
    };
  }, [joined, known, older, total, book]);
  const read = async (): Promise<void> => {
    const last = fills.at(-1);
    if (last === undefined) return;
    setReading(true);
    await showFailure(
      readBefore(last, book).then((page) => {
        const list = [...fills, ...page];
        // Nothing is older, and yet some are missing: one lies in between. Begin anew from the top.
        setOlder((held) => (page.length === 0 ? [] : (joinTrades(list, held) ?? list)));
      }),
    );
    setReading(false);
  };
  const readAll: OlderTrades['readAll'] = async (signal, onProgress) => {
    let list = await readToTheFirst(fills, book, signal, onProgress);
    // One lies in between: a stop over missed candles is booked at its own, earlier time.
    if (list.length < (total ?? 0)) list = await readToTheFirst(known, book, signal, onProgress);
    if (list.length < (total ?? 0)) throw new Error('Some trades could not be read');
    return list;
  };
  return { fills, read, readAll, busy: reading || bridging };
}

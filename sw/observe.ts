/**
 * Keeps the server's replies to the page as snapshots, without delaying them and outside Cache
 * Storage.
 */
import { ASLEEP_MS, SEND_TIMEOUT_MS } from '../contract/limits.ts';
import { unreached } from '../contract/unreached.ts';
import type { UserDatabase } from '../src/offline/user-database.ts';
import type { SnapshotKind, SnapshotValue } from '../src/offline/snapshot-registry.ts';
import { writeSnapshot } from '../src/offline/snapshots.ts';
import { bearerClaims } from '../src/offline/token-claims.ts';
import { isStream, watchedKind } from './routing.ts';

export interface Watched {
  uid: string;
  kind: SnapshotKind;
}

/** Whose snapshot the answer to this request would be; null where it is none of ours. */
export function watched(request: Request, apiOrigin: string): Watched | null {
  const url = new URL(request.url);
  if (isStream(request.headers, url)) return null;
  const kind = watchedKind(request.method, url, apiOrigin);
  const claims = kind === null ? null : bearerClaims(request.headers.get('authorization'));
  return kind === null || claims === null ? null : { uid: claims.uid, kind };
}

export interface Split {
  /** The answer for the page: never a rejection, which every browser writes into its console. */
  page: Promise<Response>;
  /** A copy to keep; rejects where the network gave no answer. */
  copy: Promise<Response>;
}

/**
 * The copy is made before the page is given the answer: in WebKit its body is taken from then on.
 */
export function split(answer: Promise<Response>): Split {
  const both = answer.then((response) => ({ response, copy: response.clone() }));
  return {
    page: both.then(({ response }) => response, unreached),
    copy: both.then(({ copy }) => copy),
  };
}

/**
 * Stores a copy of a good reply that no sleep delayed. `database` was opened when the request began,
 * at `askedAt` (device clock, ms): a logout since then makes this fail.
 */
export async function keep(
  response: Response,
  { uid, kind }: Watched,
  database: UserDatabase,
  at: number,
  askedAt: number,
): Promise<boolean> {
  // The answer may be hours old, as to the page, which does not count it either.
  if (at - askedAt > SEND_TIMEOUT_MS + ASLEEP_MS) return false;
  if (!response.ok || !(response.headers.get('content-type') ?? '').includes('application/json'))
    return false;
  let value: unknown;
  try {
    value = await response.json();
  } catch {
    // Cut off on the way: the last good one stays.
    return false;
  }
  return writeSnapshot(uid, kind, value as SnapshotValue<typeof kind>, at, database, askedAt);
}

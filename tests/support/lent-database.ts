/**
 * Databases in memory that are emptied and lent again: to open one takes seconds of processor time,
 * to empty one a fraction of a second.
 */
import { RevivingPglite } from '../../server/db/pglite-client.ts';
import { pgliteOver, SILENT, type PgliteClient } from '../../server/db/pglite.ts';
import type { Database } from '../../server/db/database.ts';

/** More than this many at once are only needed by a test that compares several. */
const IDLE_MOST = 2;
/** A transaction that a test left open keeps its database for good. */
const EMPTIED_MS = 10_000;

const SHAPE = `select count(*)::int as parts, max(oid)::text as newest from pg_class
  where relnamespace = 'public'::regnamespace`;
const EMPTY = `do $$ begin
  execute (
    select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ') || ' restart identity'
    from pg_tables where schemaname = 'public'
  );
end $$`;

interface Kept {
  client: RevivingPglite;
  /** Of the schema as it was opened; a test that changed that keeps its database. */
  shape: string;
}

const idle: Kept[] = [];

const shapeOf = async (client: RevivingPglite): Promise<string> =>
  JSON.stringify((await client.query(SHAPE)).rows);

async function open(contents: Blob): Promise<Kept> {
  const client = await RevivingPglite.open(
    { loadDataDir: contents, relaxedDurability: false },
    undefined,
    SILENT,
  );
  return { client, shape: await shapeOf(client) };
}

async function isEmptied({ client, shape }: Kept): Promise<boolean> {
  try {
    await client.query(EMPTY);
    return (await shapeOf(client)) === shape;
  } catch {
    return false;
  }
}

async function takeBack(kept: Kept): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, EMPTIED_MS, null);
  });
  const emptied = await Promise.race([isEmptied(kept), late]);
  clearTimeout(timer);
  if (emptied === true && idle.length < IDLE_MOST) idle.push(kept);
  // It cannot be closed while a transaction holds it: it ends with the process.
  else if (emptied !== null) await kept.client.close();
}

/** An empty one that holds `contents`, a dump of an empty database, until it is closed. */
export async function lend(contents: Blob): Promise<Database> {
  const kept = idle.pop() ?? (await open(contents));
  const { client } = kept;
  let isClosed = false;
  // Whoever still works when its test is over must not write into the next one's database.
  const ifOpen = <T>(work: () => Promise<T>): Promise<T> =>
    isClosed ? Promise.reject(new Error('The database is closed')) : work();
  const own: PgliteClient = {
    query: (...args) => ifOpen(() => client.query(...args)) as never,
    transaction: (work) => ifOpen(() => client.transaction(work)),
    onReturn: (listener) => client.onReturn(listener),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await takeBack(kept);
    },
  };
  return pgliteOver(own);
}

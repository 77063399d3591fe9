/**
 * Messages between the processes of one PostgreSQL, by LISTEN and NOTIFY. They may be lost: a
 * subscriber must also poll.
 */
import { sql } from 'drizzle-orm';
import pg from 'pg';
import type { Log } from '../log.ts';
import type { Db, PubSub } from './database.ts';

const CHANNEL = 'tradewind_events';
const AGAIN_MS = 1_000;
const END_LIMIT_MS = 2_000;
/** PostgreSQL takes at most 8,000 bytes a payload. */
const PAYLOAD_MAX_BYTES = 7_000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Names joined by line ends, in as few payloads as they fit into. */
export function payloadsOf(names: readonly string[]): string[] {
  const payloads: string[] = [];
  let size = Infinity;
  for (const name of new Set(names)) {
    const bytes = Buffer.byteLength(name) + 1;
    if (size + bytes > PAYLOAD_MAX_BYTES) payloads.push(name);
    else payloads.push(`${payloads.pop() ?? ''}\n${name}`);
    size = size + bytes > PAYLOAD_MAX_BYTES ? bytes : size + bytes;
  }
  return payloads;
}

/** Null where the database has no NOTIFY, as some that speak PostgreSQL's protocol have not. */
export async function openPubSub(
  pool: pg.Pool,
  connection: pg.ClientConfig,
  log: Log,
): Promise<PubSub | null> {
  try {
    await pool.query("select pg_notify($1, '')", [CHANNEL]);
  } catch (error) {
    log.warn(
      { reason: String(error) },
      'The database cannot notify: streams poll for events of other processes',
    );
    return null;
  }
  return {
    async publish(db: Db, names) {
      const payloads = payloadsOf(names);
      if (payloads.length > 0)
        await db.execute(
          sql`select pg_notify(${CHANNEL}, word) from json_array_elements_text(${JSON.stringify(payloads)}::json) as word`,
        );
    },
    subscribe: (listener) => subscribe(connection, log, listener),
  };
}

/**
 * Holds a connection of its own and reconnects when it is lost. Each connection starts with `null`,
 * because messages may have been missed.
 */
async function subscribe(
  connection: pg.ClientConfig,
  log: Log,
  listener: (name: string | null) => void,
): Promise<() => Promise<void>> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const connect = async (): Promise<void> => {
    const fresh = new pg.Client(connection);
    client = fresh;
    const lost = (reason: string): void => {
      if (ended || client !== fresh) return;
      client = null;
      log.warn({ reason }, 'the connection to other processes was lost and is being reopened');
      fresh.end().catch(() => undefined);
      timer = setTimeout(() => {
        void connect();
      }, AGAIN_MS);
    };
    fresh.on('error', (error) => {
      lost(error.message);
    });
    fresh.on('end', () => {
      lost('the connection ended');
    });
    fresh.on('notification', ({ payload }) => {
      for (const name of (payload ?? '').split('\n')) if (name !== '') listener(name);
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
      listener(null);
    } catch (error) {
      lost(String(error));
    }
  };
  await connect();
  return async () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
    // A host that has vanished never confirms the end.
    await Promise.race([client?.end(), pause(END_LIMIT_MS)]);
  };
}

/** A PostgreSQL whose host vanishes: connections stay open, and nothing on them is answered. */
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../server/db/database.ts';
import { isUnavailable } from '../../../server/db/faults.ts';
import { PersonVersions } from '../../../server/db/person-versions.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { silentLog } from '../../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { startSocketFault, type SocketFault } from '../../support/socket-fault.ts';
import { until } from '../../support/until.ts';

const ANSWER_LIMIT_MS = 1_000;
/** Less than two limits: nothing may wait for a second answer on the same connection. */
const ONE_LIMIT_MS = 1_900;
const POOL = 2;

describe.skipIf(postgresBinaries() === null)('a PostgreSQL that vanishes without a word', () => {
  let cluster: TestPostgres | null = null;
  let proxy: SocketFault;
  let database: Database;
  let url = '';

  beforeAll(async () => {
    cluster = await startPostgres();
    const direct = new URL(cluster?.fresh('silent') ?? '');
    proxy = await startSocketFault(Number(direct.port));
    direct.port = String(proxy.port);
    url = direct.href;
  }, 120_000);
  afterAll(async () => {
    await proxy.close();
    cluster?.stop();
  });
  beforeEach(async () => {
    proxy.set('pass');
    database = await openPostgres(url, {
      poolMax: POOL,
      log: silentLog,
      answerLimitMs: ANSWER_LIMIT_MS,
    });
  });
  afterEach(() => database.close());

  const one = (): Promise<unknown> => database.db.execute(sql`select 1`);
  const ends = async (work: Promise<unknown>): Promise<{ unavailable: boolean; ms: number }> => {
    const from = Date.now();
    const unavailable = await work.then(
      () => false,
      (error: unknown) => isUnavailable(error),
    );
    return { unavailable, ms: Date.now() - from };
  };

  it('holds each query up to the limit, and no connection of the pool after it', async () => {
    await Promise.all(Array.from({ length: POOL }, one));
    proxy.silence();
    for (const { unavailable, ms } of await Promise.all(
      Array.from({ length: POOL }, () => ends(one())),
    )) {
      expect(unavailable).toBe(true);
      expect(ms).toBeLessThan(ONE_LIMIT_MS);
    }
    // The address leads to a host that answers: every place in the pool is free for it.
    const from = Date.now();
    await Promise.all(Array.from({ length: POOL * 2 }, one));
    expect(Date.now() - from).toBeLessThan(ANSWER_LIMIT_MS);
  }, 20_000);

  it('ends a transaction at one limit, its savepoint and rollback included', async () => {
    const lost = await ends(
      database.transaction(async (tx) => {
        await tx.db.execute(sql`select 1`);
        proxy.silence();
        await tx.savepoint((inner) => inner.db.execute(sql`select 2`));
      }),
    );
    expect(lost.unavailable).toBe(true);
    expect(lost.ms).toBeLessThan(ONE_LIMIT_MS);
    await Promise.all(
      Array.from({ length: POOL }, () =>
        database.transaction((tx) => tx.db.execute(sql`select 1`)),
      ),
    );
  }, 20_000);

  it('leaves the versions of people readable afterwards', async () => {
    const versions = new PersonVersions(database, 'simulated');
    expect(await versions.of('nobody')).toBeNull();
    proxy.silence();
    expect((await ends(versions.of('nobody'))).unavailable).toBe(true);
    expect(await versions.of('nobody')).toBeNull();
  }, 20_000);

  it('is listened to again after a connection that was never answered', async () => {
    proxy.set('hang');
    let connected = 0;
    const close = await database.pubsub?.subscribe((name) => {
      if (name === null) connected += 1;
    });
    expect(connected).toBe(0);
    // What hangs is left hanging; what comes now is answered.
    proxy.set('pass');
    await until(
      async () => connected,
      (count) => count === 1,
      5_000,
    );
    await close?.();
  }, 20_000);

  it('does not keep a subscriber from closing', async () => {
    const close = await database.pubsub?.subscribe(() => undefined);
    proxy.silence();
    const from = Date.now();
    await close?.();
    expect(Date.now() - from).toBeLessThan(5_000);
  }, 20_000);
});

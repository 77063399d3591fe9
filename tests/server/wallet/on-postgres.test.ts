/**
 * Linking on a real PostgreSQL, where commands truly cross: one use of a message, one owner of an
 * address, ten to an account, and nobody waits for ever.
 */
import { count, eq, isNotNull, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINKED_ADDRESSES_MAX } from '../../../contract/wallet.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { linkedAddresses, linkMessages } from '../../../server/db/schema-wallet.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { buildTestApp, ErrorLog, silentLog, type TestApp } from '../../support/app.ts';
import {
  linkKey,
  linkOf,
  messageFor,
  newKey,
  newPerson,
  sendProof,
  unlink,
  walletOf,
} from '../../support/linking.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';

const POOL = 12;
let cluster: TestPostgres | null = null;
let database: Database;
let test: TestApp;
const log = new ErrorLog();
const codes = (answers: readonly { code: string }[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { code } of answers) found[code] = (found[code] ?? 0) + 1;
  return found;
};

describe.skipIf(postgresBinaries() === null)(
  'linking on PostgreSQL (skipped where it cannot be installed)',
  () => {
    beforeAll(async () => {
      cluster = await startPostgres(WITHOUT_SYNC);
      if (cluster === null) throw new Error('PostgreSQL did not start');
      database = await openPostgres(cluster.fresh('linking'), { poolMax: POOL, log: silentLog });
      test = await buildTestApp({ database, log });
    }, 120_000);
    afterAll(async () => {
      await test?.close();
      await database?.close();
      cluster?.stop();
    });

    it('lets one of fifty uses of one message through', async () => {
      const [who, account] = [await newPerson(test), newKey()];
      const message = await messageFor(test, who, account.address);
      const signature = await account.signMessage({ message });
      expect(
        codes(
          await Promise.all(
            Array.from({ length: 50 }, () => sendProof(test, who, message, signature)),
          ),
        ),
      ).toEqual({ ok: 1, link_message_used: 49 });
      expect((await walletOf(test, who)).links).toHaveLength(1);
    });

    it('gives an address to one of eight people who prove it at the same moment, and leaves the others their messages', async () => {
      const account = newKey();
      const people = await Promise.all(Array.from({ length: 8 }, () => newPerson(test)));
      expect(codes(await Promise.all(people.map((who) => linkKey(test, who, account))))).toEqual({
        ok: 1,
        address_linked_elsewhere: 7,
      });
      const used = await database.db
        .select()
        .from(linkMessages)
        .where(eq(linkMessages.address, account.address));
      expect(used.filter(({ usedAt }) => usedAt !== null)).toHaveLength(1);
    });

    it('holds ten to an account, however many come at once', async () => {
      const who = await newPerson(test);
      const answers = await Promise.all(
        Array.from({ length: LINKED_ADDRESSES_MAX + 5 }, () => linkKey(test, who)),
      );
      expect(codes(answers)).toEqual({ ok: LINKED_ADDRESSES_MAX, address_limit_reached: 5 });
    });

    it('survives links and unlinks that cross: every answer is one of ours, every link has its used message, and nothing waited in a circle', async () => {
      const people = await Promise.all(Array.from({ length: 4 }, () => newPerson(test)));
      const accounts = Array.from({ length: 3 }, newKey);
      const answers = await Promise.all(
        people.flatMap((who) =>
          accounts.map(async (account) => {
            const first = await linkKey(test, who, account);
            return [
              first,
              ...(first.code === 'ok'
                ? await Promise.all([
                    unlink(test, who, linkOf(first).id),
                    linkKey(test, who, account),
                    unlink(test, who, linkOf(first).id),
                  ])
                : []),
            ];
          }),
        ),
      );
      for (const { code } of answers.flat())
        expect(['ok', 'address_linked_elsewhere', 'not_found']).toContain(code);
      const held = await database.db.select().from(linkedAddresses);
      expect(new Set(held.map(({ address, chainId }) => `${chainId} ${address}`)).size).toBe(
        held.length,
      );
      const [burnt] = await database.db
        .select({ count: count() })
        .from(linkMessages)
        .where(isNotNull(linkMessages.usedAt));
      expect(burnt?.count).toBeGreaterThanOrEqual(held.length);
      const [found] = await rowsOf<{ n: string }>(
        database.db,
        sql`select deadlocks::text as n from pg_stat_database where datname = current_database()`,
      );
      expect(Number(found?.n)).toBe(0);
      expect(log.errors).toEqual([]);
    });
  },
);

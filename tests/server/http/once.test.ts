/** One key, one effect. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../../contract/calls.ts';
import { receipts, users } from '../../../server/db/schema.ts';
import { requestHash } from '../../../server/http/command-receipts.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { buildTestApp, silentLog, type TestApp } from '../../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../../support/postgres.ts';

const settings = (displayName: string): CallBody<'updateTradingSettings'> => ({
  displayName,
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'weekly',
  riskProfile: 'moderate',
  maxTradeAmount: 500,
  notificationsEnabled: true,
});

let cluster: TestPostgres | null = null;
beforeAll(async () => {
  cluster = await startPostgres();
}, 120_000);
afterAll(() => {
  cluster?.stop();
});

const bodies = postgresBinaries() === null ? ['PGlite'] : ['PGlite', 'PostgreSQL'];

describe.each(bodies)('a command on %s', (body) => {
  let test: TestApp;
  let token = '';
  beforeAll(async () => {
    const database =
      body === 'PGlite'
        ? undefined
        : await openPostgres(cluster?.fresh('once') ?? '', { poolMax: 20, log: silentLog });
    test = await buildTestApp(database === undefined ? {} : { database });
    token = await test.signToken('Alice1');
  }, 60_000);
  afterAll(async () => {
    await test.close();
    if (body !== 'PGlite') await test.database.close();
  });

  const version = async () =>
    (await test.database.db.select().from(users).where(eq(users.uid, 'Alice1')))[0]
      ?.settingsVersion;

  it('sent fifty times at once has one effect and one answer (F40)', async () => {
    await test.call('tradingSettings', { token });
    const before = (await version()) ?? 0;
    const commandId = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        test.call('updateTradingSettings', { token, commandId, body: settings('Fifty') }),
      ),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.json))).size).toBe(1);
    expect(replies[0]?.json).toMatchObject({ commandId });
    expect(await version()).toBe(before + 1);
  });

  it('is the same command in whatever case its key is written', async () => {
    const commandId = randomUUID();
    const first = await test.call('updateTradingSettings', {
      token,
      commandId,
      body: settings('Case'),
    });
    const second = await test.call('updateTradingSettings', {
      token,
      commandId: commandId.toUpperCase(),
      body: settings('Case'),
    });
    expect(second.json).toEqual(first.json);
  });

  it('with the key of another request is refused, and changes nothing (F41)', async () => {
    const commandId = randomUUID();
    await test.call('updateTradingSettings', { token, commandId, body: settings('One') });
    const before = await version();
    const other = await test.call('updateTradingSettings', {
      token,
      commandId,
      body: settings('Two'),
    });
    expect([other.status, other.json]).toMatchObject([
      422,
      { error: { code: 'idempotency_mismatch' } },
    ]);
    const elsewhere = await test.call('trialStart', {
      token,
      commandId,
      body: { userId: 'Alice1' },
    });
    expect(elsewhere.status).toBe(422);
    expect(await version()).toBe(before);
  });

  it('of one person says nothing about the same key of another', async () => {
    const commandId = randomUUID();
    await test.call('updateTradingSettings', { token, commandId, body: settings('One') });
    const bob = await test.call('updateTradingSettings', {
      token: await test.signToken('Bob'),
      commandId,
      body: settings('Two'),
    });
    expect(bob.status).toBe(200);
  });

  it('that was refused leaves no receipt, and may be tried again once the reason is gone', async () => {
    const commandId = randomUUID();
    const refused = await test.call('updateTradingSettings', {
      token,
      commandId,
      body: { ...settings('Late'), version: 999 },
    });
    expect(refused.status).toBe(409);
    expect(
      await test.database.db.select().from(receipts).where(eq(receipts.commandId, commandId)),
    ).toEqual([]);
    expect(
      (await test.call('updateTradingSettings', { token, commandId, body: settings('Late') }))
        .status,
    ).toBe(200);
  });
});

describe('what makes a request the same', () => {
  it('is its content, not the order of its fields nor how long it waited', () => {
    expect(requestHash('stopAll', {}, { a: 1, b: { c: 2, d: 3 }, ageMs: 5 })).toBe(
      requestHash('stopAll', {}, { b: { d: 3, c: 2 }, a: 1, ageMs: 900 }),
    );
    expect(requestHash('stopAll', {}, { a: 1 })).not.toBe(requestHash('startAll', {}, { a: 1 }));
    expect(requestHash('stopAgent', { id: 'x' }, {})).not.toBe(
      requestHash('stopAgent', { id: 'y' }, {}),
    );
    expect(requestHash('stopAgent', {}, { list: [1, 2] })).not.toBe(
      requestHash('stopAgent', {}, { list: [2, 1] }),
    );
  });
});

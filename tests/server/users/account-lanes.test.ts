/** Hosted functions on the whole server: on which lane of the database they run, and how many wait. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallableName, CallableRequest } from '../../../contract/callables.ts';
import type { Database } from '../../../server/db/database.ts';
import type { Lane } from '../../../server/db/lanes.ts';
import { buildTestApp, HostedFailed, TestClock, type TestApp } from '../../support/app.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { IdentityBook } from '../../support/identity-accounts.ts';

const used = new Set<Lane>();

/** The same database, which notes the lanes that are asked. */
const noting = (inner: Database, lane: Lane): Database => ({
  ...inner,
  get db() {
    used.add(lane);
    return inner.db;
  },
  transaction: (work) => {
    used.add(lane);
    return inner.transaction(work);
  },
  on: (other) => noting(inner.on(other), other),
});

const clock = new TestClock();
const people = new IdentityBook(() => clock.now());
let database: Database;
let test: TestApp;
let token: string;
beforeAll(async () => {
  database = await openEmptyDatabase();
  test = await buildTestApp({
    clock,
    accounts: people,
    administration: people,
    database: noting(database, 'work'),
    env: { PUSH_ALLOW_LOCAL: 'true' },
  });
  token = await test.signToken('uid-lanes', { email: 'lanes@example.com' });
  await test.call('agents', { token });
}, 60_000);
afterAll(async () => {
  await test.close();
  await database.close();
});
beforeEach(() => {
  used.clear();
});

const subscription = {
  endpoint: 'https://push.example.com/one',
  keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
};
const requestId = randomUUID();
const ASKED: { [N in CallableName]?: CallableRequest<N> } = {
  registerPush: { subscription },
  pushSettings: {},
  unregisterOtherPush: { endpoint: subscription.endpoint },
  unregisterPush: { endpoint: subscription.endpoint },
  referral: {},
  openSupportRequest: { id: requestId, category: 'billing', text: 'A question', diagnostics: null },
  supportRequests: {},
  closeSupportRequest: { requestId },
  exportPage: { part: 'decisions' },
  deletionPreview: {},
};

describe('a hosted function', () => {
  it.each(Object.keys(ASKED) as CallableName[])(
    '%s is not in line with ticks and stop losses',
    async (name) => {
      await test.hosted(name, token, ASKED[name] as never);
      expect([...used]).not.toContain('work');
    },
  );

  it('that exports is on the lane of reads', async () => {
    await test.hosted('exportPage', token, { part: 'fills' });
    expect([...used]).toContain('read');
  });

  it('that exports waits its turn among heavy reads, and what finds no place is refused (F66)', async () => {
    const asked = await Promise.all(
      Array.from({ length: 40 }, () =>
        test.hosted('exportPage', token, { part: 'decisions' }).then(
          () => 'read',
          (error: unknown) => (error instanceof HostedFailed ? error.code : 'failed'),
        ),
      ),
    );
    expect(new Set(asked)).toEqual(new Set(['read', 'server_busy']));
    expect(asked.filter((answer) => answer === 'read').length).toBeGreaterThanOrEqual(17);
  });
});

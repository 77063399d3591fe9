/**
 * Support requests on the whole server over PGlite: asked, answered, added to, limited; each
 * person's own.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  SUPPORT_MESSAGES_A_DAY,
  SUPPORT_REQUESTS_A_DAY,
  SUPPORT_TEXT_MAX,
  type SupportDiagnostics,
} from '../../../contract/support.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import {
  answerRequest,
  askerText,
  closeRequest,
  requestsForOperator,
} from '../../../server/support/requests.ts';
import {
  buildTestApp,
  ErrorLog,
  TestClock,
  type HostedFailed,
  type TestApp,
} from '../../support/app.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock();
const log = new ErrorLog();
let test: TestApp;
beforeAll(async () => {
  test = await buildTestApp({ clock, log });
}, 60_000);
afterAll(() => test.close());

const DIAGNOSTICS: SupportDiagnostics = {
  appVersion: '0.1.0',
  browser: 'Firefox',
  screen: '390×844',
  language: 'en',
  online: 'online',
  stream: 'open',
  prices: 'Simulated prices',
  plan: 'free',
  installed: false,
  errors: ['10:02:11 A screen failed'],
};
let people = 0;
async function person(tier?: 'pro' | 'pro-max'): Promise<{ uid: string; token: string }> {
  people += 1;
  const uid = `Asker${people}x${randomUUID().slice(0, 6)}`;
  if (tier !== undefined)
    await test.database.db
      .insert(subscriptions)
      .values({ uid, provider: 'test', status: 'active', tier, updatedAt: clock.now() });
  return { uid, token: await test.signToken(uid) };
}
const ask = (
  token: string,
  more: Partial<{
    id: string;
    text: string;
    diagnostics: SupportDiagnostics | null;
    category: 'billing' | 'agents';
  }> = {},
) =>
  test.hosted('openSupportRequest', token, {
    id: randomUUID(),
    category: 'billing',
    text: 'Where is my invoice?',
    diagnostics: null,
    ...more,
  });
const failure = (work: Promise<unknown>): Promise<HostedFailed> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => error as HostedFailed,
  );
const operate = <T>(work: (tx: Parameters<typeof answerRequest>[0]) => Promise<T>): Promise<T> =>
  test.database.transaction(work);

describe('a support request', () => {
  it('is kept once however often it is sent, and is shown with its answer (R2-18, R1-05)', async () => {
    const { token } = await person();
    const id = randomUUID();
    await Promise.all([
      ask(token, { id }),
      ask(token, { id }),
      ask(token, { id: id.toUpperCase() }),
    ]);
    const asked = await test.hosted('supportRequests', token, {});
    expect(asked.requests).toMatchObject([
      {
        id,
        category: 'billing',
        state: 'open',
        priority: false,
        hasDiagnostics: false,
        messages: [{ author: 'person', text: 'Where is my invoice?' }],
      },
    ]);
    clock.advance(1_000);
    await operate((tx) =>
      answerRequest(tx, id.slice(0, 8), ' Under Plan, in the billing portal. ', clock.now()),
    );
    const answered = await test.hosted('supportRequests', token, {});
    expect(answered.requests[0]).toMatchObject({
      state: 'answered',
      messages: [
        { author: 'person' },
        { author: 'operator', text: 'Under Plan, in the billing portal.' },
      ],
    });
  });

  it('refuses other words under an id that is taken, and forgets none of the ones it has (R2-18)', async () => {
    const { token } = await person();
    const id = randomUUID();
    const asked = await Promise.allSettled(
      ['Where is it?', 'Where is it? It is the one of May.'].map((text) =>
        ask(token, { id, text }),
      ),
    );
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await failure(ask(token, { id, text: 'Something else' }))).toMatchObject({
      code: 'idempotency_mismatch',
      status: 422,
    });
    clock.advance(1_000);
    const messageId = randomUUID();
    const add = (text: string) =>
      test.hosted('addToSupportRequest', token, { requestId: id, messageId, text });
    await add('And the one of June.');
    expect(await failure(add('And the one of July.'))).toMatchObject({
      code: 'idempotency_mismatch',
      status: 422,
    });
    const { requests } = await add(' And the one of June. ');
    expect(requests).toHaveLength(1);
    expect(requests[0]?.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('Where is it?'),
      'And the one of June.',
    ]);
  });

  it('is open again when the person adds to it, and takes nothing once it is closed', async () => {
    const { token } = await person();
    const requestId = (await ask(token)).requests[0]?.id ?? '';
    await operate((tx) => answerRequest(tx, requestId, 'Is it better now?', clock.now()));
    const messageId = randomUUID();
    const added = await Promise.all(
      [1, 2].map(() =>
        test.hosted('addToSupportRequest', token, { requestId, messageId, text: 'No.' }),
      ),
    );
    expect(added[1]?.requests[0]?.messages).toHaveLength(3);
    expect(added[1]?.requests[0]?.state).toBe('open');
    expect(
      (await test.hosted('closeSupportRequest', token, { requestId })).requests[0]?.state,
    ).toBe('closed');
    expect(
      await failure(
        test.hosted('addToSupportRequest', token, {
          requestId,
          messageId: randomUUID(),
          text: 'One more',
        }),
      ),
    ).toMatchObject({ code: 'support_request_closed', status: 409 });
  });

  it("is its owner's alone: others cannot read, add to, close or overwrite it", async () => {
    const [mine, other] = [await person(), await person()];
    const requestId = (await ask(mine.token)).requests[0]?.id ?? '';
    expect((await test.hosted('supportRequests', other.token, {})).requests).toEqual([]);
    for (const tried of [
      test.hosted('addToSupportRequest', other.token, {
        requestId,
        messageId: randomUUID(),
        text: 'x',
      }),
      test.hosted('closeSupportRequest', other.token, { requestId }),
      ask(other.token, { id: requestId, text: 'taken over' }),
    ])
      expect(await failure(tried)).toMatchObject({ code: 'not_found', status: 404 });
    const messageId =
      (await test.hosted('supportRequests', mine.token, {})).requests[0]?.messages[0]?.id ?? '';
    const own = (await ask(other.token)).requests[0]?.id ?? '';
    expect(
      (
        await failure(
          test.hosted('addToSupportRequest', other.token, { requestId: own, messageId, text: 'x' }),
        )
      ).code,
    ).toBe('not_found');
    expect(
      (await test.hosted('supportRequests', mine.token, {})).requests[0]?.messages.map(
        ({ text }) => text,
      ),
    ).toEqual(['Where is my invoice?']);
  });

  it('stands in front with pro-max, and keeps its place for those who waited longest (R6-06)', async () => {
    await operate(async (tx) => {
      for (const { id } of await requestsForOperator(tx.db, false))
        await closeRequest(tx, id, clock.now());
    });
    const [free, pro, max] = [await person(), await person('pro'), await person('pro-max')];
    for (const [index, one] of [free, pro, max].entries()) {
      clock.advance(1_000);
      await ask(one.token, { text: `Question ${index}` });
    }
    expect(
      await Promise.all(
        [free, pro, max].map(
          async ({ token }) => (await test.hosted('supportRequests', token, {})).priority,
        ),
      ),
    ).toEqual([false, false, true]);
    const waiting = await requestsForOperator(test.database.db, false);
    expect(waiting.map(({ uid, priority }) => [uid, priority])).toEqual([
      [max.uid, true],
      [free.uid, false],
      [pro.uid, false],
    ]);
    expect(waiting[0]?.email).toBe(`${max.uid.toLowerCase()}@example.com`);
  });

  it('names the asker to the operator with a mark until the address is confirmed', async () => {
    const { token, uid } = await person();
    await ask(token);
    const asker = async () => {
      const rows = await requestsForOperator(test.database.db, true);
      const row = rows.find((one) => one.uid === uid);
      return row === undefined ? '' : askerText(row);
    };
    const address = `${uid.toLowerCase()}@example.com`;
    expect(await asker()).toBe(`${address} (not confirmed)`);
    clock.advance(1_000);
    await test.hosted('supportRequests', await test.signToken(uid, { email_verified: true }), {});
    expect(await asker()).toBe(address);
    expect(askerText({ email: null, emailVerified: null, uid })).toBe(uid);
    // An older server does not say.
    expect(askerText({ email: address, emailVerified: undefined, uid })).toBe(
      `${address} (not confirmed)`,
    );
  });

  it('carries diagnostics only where they were agreed to, and nothing that was not shown', async () => {
    const { token, uid } = await person();
    await ask(token, { diagnostics: DIAGNOSTICS });
    expect((await test.hosted('supportRequests', token, {})).requests[0]?.hasDiagnostics).toBe(
      true,
    );
    expect(
      (await requestsForOperator(test.database.db, true)).find((row) => row.uid === uid)
        ?.diagnostics,
    ).toEqual(DIAGNOSTICS);
    const tooMuch = { ...DIAGNOSTICS, token: 'ey…' } as SupportDiagnostics;
    expect((await failure(ask(token, { diagnostics: tooMuch }))).code).toBe('invalid_request');
  });

  it('is taken five times a day, with twenty messages, also when they are sent at once', async () => {
    const { token } = await person();
    const sent = await Promise.allSettled(Array.from({ length: 9 }, () => ask(token)));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(
      SUPPORT_REQUESTS_A_DAY,
    );
    const over = await failure(ask(token));
    expect([over.code, over.status]).toEqual(['limit_reached', 429]);
    expect(over.message).toContain('24 hours');
    const requestId = (await test.hosted('supportRequests', token, {})).requests[0]?.id ?? '';
    const added = await Promise.allSettled(
      Array.from({ length: 20 }, (_none, index) =>
        test.hosted('addToSupportRequest', token, {
          requestId,
          messageId: randomUUID(),
          text: `more ${index}`,
        }),
      ),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(
      SUPPORT_MESSAGES_A_DAY - SUPPORT_REQUESTS_A_DAY,
    );
    clock.advance(DAY_MS + 1_000);
    expect(
      (
        await ask(
          await test.signToken(
            (await requestsForOperator(test.database.db, true)).find(({ id }) => id === requestId)
              ?.uid ?? '',
          ),
        )
      ).requests,
    ).toHaveLength(6);
  });

  it('refuses what is empty, too long, or no text, with 4xx, and keeps what is odd as it is (R7-01)', async () => {
    const { token } = await person();
    for (const text of ['', '   \n ', 'x'.repeat(SUPPORT_TEXT_MAX + 1)])
      expect((await failure(ask(token, { text }))).code).toBe('invalid_request');
    for (const [id, category] of [
      ['not-a-uuid', 'billing'],
      [randomUUID(), 'gossip'],
    ] as const)
      expect((await failure(ask(token, { id, category: category as 'billing' }))).status).toBe(400);
    expect((await failure(ask(token, { text: 'before\u0000after' }))).status).toBe(400);
    await ask(token, { text: '<script>alert(1)</script> “quotes” 😀' });
    expect(
      (await test.hosted('supportRequests', token, {})).requests.some(
        ({ messages }) => messages[0]?.text === '<script>alert(1)</script> “quotes” 😀',
      ),
    ).toBe(true);
    expect(log.errors).toEqual([]);
  });
});

describe('the operator', () => {
  it('answers by the beginning of an id, and is told where that is not enough', async () => {
    const { token } = await person();
    const head = randomUUID().slice(0, 23);
    await ask(token, { id: `${head}-aaaaaaaaaaa1` });
    await ask(token, { id: `${head}-aaaaaaaaaaa2` });
    await expect(operate((tx) => answerRequest(tx, head, 'x', clock.now()))).rejects.toThrow(
      'more of the id',
    );
    await expect(
      operate((tx) => answerRequest(tx, 'ffffffff-0000', 'x', clock.now())),
    ).rejects.toThrow('Request not found');
    await expect(operate((tx) => answerRequest(tx, '', 'x', clock.now()))).rejects.toThrow();
    await expect(operate((tx) => answerRequest(tx, '%', 'x', clock.now()))).rejects.toThrow(
      'Request not found',
    );
    await expect(
      operate((tx) => answerRequest(tx, `${head}-aaaaaaaaaaa2`, '  ', clock.now())),
    ).rejects.toThrow('empty');
    await operate((tx) => answerRequest(tx, `${head}-aaaaaaaaaaa2`, 'Done.', clock.now()));
    expect(
      (await test.hosted('supportRequests', token, {})).requests
        .map(({ id, state }) => `${id.slice(-1)} ${state}`)
        .sort(),
    ).toEqual(['1 open', '2 answered']);
  });
});

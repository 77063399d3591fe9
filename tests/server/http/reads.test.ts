/** Reads over HTTP: validators, what is never stored, and a flood of them beside a stop. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentList } from '../../../contract/agents.ts';
import { buildTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let ann = '';
let ben = '';

beforeAll(async () => {
  test = await buildTestApp();
  ann = await test.signToken('Ann');
  ben = await test.signToken('Ben');
  for (const [token, userId] of [
    [ann, 'Ann'],
    [ben, 'Ben'],
  ] as const)
    await test.call('trialStart', { token, body: { userId } });
}, 60_000);
afterAll(() => test.close());

const portfolio = (token: string, headers: Record<string, string> = {}) =>
  test.app.inject({
    method: 'GET',
    url: '/api/trading/portfolio',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

async function agentOf(token: string): Promise<string> {
  const symbol = test.market.pairs()[0]?.pair ?? '';
  const made = await test.call('createAgent', {
    token,
    body: {
      name: 'Harbour',
      trading_pairs: [symbol],
      risk_profile: 'Moderate',
      max_position_size: 1_000,
      execution_interval: '5-minute',
      enabled: false,
    },
  });
  return (made.json as { agent: { id: string } }).agent.id;
}

describe('a read over HTTP', () => {
  it('has a validator, is 304 without a body to whoever has it, and is stored by nobody', async () => {
    const first = await portfolio(ann);
    expect(first.statusCode).toBe(200);
    expect(first.headers['cache-control']).toBe('no-store');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W\/"[\w-]{20,}"$/);
    const again = await portfolio(ann, { 'if-none-match': etag });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
    expect(again.headers.etag).toBe(etag);
    expect(again.headers['cache-control']).toBe('no-store');
    expect((await portfolio(ann)).headers.etag).toBe(etag);
  });

  it("is never 304 to another person, or without one's own token", async () => {
    const etag = String((await portfolio(ann)).headers.etag);
    const other = await portfolio(ben, { 'if-none-match': etag });
    expect(other.statusCode).toBe(200);
    expect(other.headers.etag).not.toBe(etag);
    expect((await portfolio('no-token', { 'if-none-match': etag })).statusCode).toBe(401);
  });

  it('shows a command the moment that it was answered', async () => {
    const id = await agentOf(ann);
    for (let n = 0; n < 10; n += 1) {
      const name = n % 2 === 0 ? 'startAgent' : 'stopAgent';
      await test.call(name, { token: ann, params: { id }, body: {} });
      const list = (await test.call('agents', { token: ann })).json as AgentList;
      expect(list.agents.find((agent) => agent.id === id)?.status).toBe(
        n % 2 === 0 ? 'running' : 'stopped',
      );
    }
  });

  it('of a chart is the same for all who look at it', async () => {
    const query = { symbol: test.market.pairs()[0]?.pair ?? '', interval: '1h' as const, limit: 5 };
    const before = String(Date.now() - 86_400_000);
    const asked = { query: { ...query, before: Number(before) } };
    const mine = await test.call('candles', { token: ann, ...asked });
    const theirs = await test.call('candles', { token: ben, ...asked });
    expect(mine.status).toBe(200);
    expect(theirs.headers.etag).toBe(mine.headers.etag);
    expect(theirs.json).toEqual(mine.json);
  });
});

describe('a flood of heavy reads', () => {
  it('beyond its places is 503 with a time to come back, while a stop goes through (F66)', async () => {
    const id = await agentOf(ben);
    await test.call('startAgent', { token: ben, params: { id }, body: {} });
    let stopped = false;
    let readsAfterStop = 0;
    // Another account each, none of which there is: nothing of it is ever known beforehand.
    const flood = Array.from({ length: 60 }, async (_none, n) => {
      const response = await test.app.inject({
        method: 'GET',
        url: `/api/trading/portfolio?book=${n + 2}`,
        headers: { authorization: `Bearer ${ann}` },
      });
      if (stopped) readsAfterStop += 1;
      return response;
    });
    const stop = test.call('stopAgent', { token: ben, params: { id }, body: {} }).then((reply) => {
      stopped = true;
      return reply;
    });
    const answers = await Promise.all(flood);
    expect((await stop).status).toBe(200);
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, json } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(json()).toMatchObject({ error: { code: 'server_busy' } });
    }
    // The others were answered, each in its turn.
    expect(answers.filter(({ statusCode }) => statusCode === 404).length).toBe(
      answers.length - refused.length,
    );
    // Seventeen reads had places; the stop did not wait for all of them.
    expect(readsAfterStop).toBeGreaterThan(0);
  });
});

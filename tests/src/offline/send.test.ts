/** One request for one queued command over a real connection. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CONTRACT_HEADER,
  CONTRACT_VERSION,
  IDEMPOTENCY_HEADER,
} from '../../../contract/version.ts';
import { probe, requestOf, send, type Line } from '../../../src/offline/send.ts';
import { startReplyServer, type ReplyServer } from '../../support/reply-server.ts';
import { entryOf, start, startAll, stop, stopAll, T0 } from './samples.ts';

let server: ReplyServer;
let line: Line;
beforeAll(async () => {
  server = await startReplyServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  line = { baseUrl: server.url, now: () => T0 + 5_000, timeoutMs: 2_000 };
});

describe('one send of a command', () => {
  it('carries the id of the command, the contract, the token and what the person saw (R7-17, R7-18)', async () => {
    server.answer(() => ({ status: 200, body: { ok: true } }));
    const entry = entryOf(start('a b', 7));
    expect(await send(line, entry, 'tok')).toEqual({
      status: 200,
      json: { ok: true },
      retryAfterMs: undefined,
    });
    expect(server.asked).toMatchObject([
      {
        method: 'POST',
        path: '/api/agents/a%20b/start',
        headers: {
          authorization: 'Bearer tok',
          [IDEMPOTENCY_HEADER.toLowerCase()]: entry.commandId,
          [CONTRACT_HEADER.toLowerCase()]: String(CONTRACT_VERSION),
        },
        body: { requestedAt: T0, ageMs: 5_000, seenGeneration: 7 },
      },
    ]);
    const tested = {
      settings: 'a1'.repeat(32),
      data: 'b2'.repeat(32),
      engine: '' as const,
      from: 0,
      to: 1,
      trades: 0,
      totalReturn: null,
      daily: [0.01],
      slippageBps: null,
    };
    expect(requestOf(entryOf({ ...start('x', 7), tested }), T0).body).toEqual({
      requestedAt: T0,
      ageMs: 0,
      seenGeneration: 7,
      tested,
    });
    expect(requestOf(entryOf({ ...stop('x'), tested }), T0).body).not.toHaveProperty('tested');
    expect(requestOf(entryOf(stop('x')), T0).path).toBe('/api/agents/x/stop');
    expect(requestOf(entryOf(stopAll('x')), T0)).toEqual({
      method: 'POST',
      path: '/api/agents/stop-all',
      body: { requestedAt: T0, ageMs: 0, agents: [{ id: 'x', seenGeneration: 1 }] },
    });
    expect(requestOf({ ...entryOf(startAll('x')), confirmed: true }, T0 - 9).body).toMatchObject({
      ageMs: 0,
      confirmed: true,
    });
  });

  it('never follows a redirect and never takes a page for an answer (F04)', async () => {
    server.answer(({ path }) =>
      path === '/portal'
        ? { status: 200, body: { commandId: 'x' } }
        : {
            status: 302,
            headers: { location: '/portal' },
            body: '<html>Log in to the Wi-Fi</html>',
          },
    );
    const moved = await send(line, entryOf(stop('x')), 'tok');
    expect([moved.status, moved.json]).toEqual([302, undefined]);
    server.answer(() => ({ status: 200, body: '<html>Log in to the Wi-Fi</html>' }));
    expect(await send(line, entryOf(stop('x')), 'tok')).toMatchObject({
      status: 200,
      json: undefined,
    });
    expect(server.asked.map((one) => one.path)).not.toContain('/portal');
  });

  it('ends a stalled request and says so; a cut one is told apart (F06)', async () => {
    server.answer(() => 'hang');
    expect(await send(line, entryOf(stop('x')), 'tok')).toEqual({
      status: 0,
      json: undefined,
      why: 'timeout',
    });
    server.answer(() => 'reset');
    expect(await send(line, entryOf(stop('x')), 'tok')).toEqual({
      status: 0,
      json: undefined,
      why: 'network',
    });
  });

  it('reads how long to wait from the body, else from the header, as seconds or as a date', async () => {
    const asked = async (
      headers: Record<string, string>,
      body: unknown,
    ): Promise<number | undefined> => {
      server.answer(() => ({ status: 429, headers, body }));
      return (await send(line, entryOf(stop('x')), 'tok')).retryAfterMs;
    };
    expect(
      await asked(
        { 'retry-after': '7' },
        { error: { code: 'rate_limited', message: 'Slow down', retryAfterMs: 1_500 } },
      ),
    ).toBe(1_500);
    expect(await asked({ 'retry-after': '7' }, {})).toBe(7_000);
    expect(await asked({ 'retry-after': new Date(T0 + 65_000).toUTCString() }, {})).toBe(60_000);
    expect(await asked({ 'retry-after': 'soon' }, {})).toBeUndefined();
  });
});

describe('the proof that the server is there', () => {
  it('is none where the page slept over it: its clock would be hours behind (F104)', async () => {
    let at = T0;
    server.answer(() => {
      at += 5 * 3_600_000;
      return { status: 200, body: { app: 'tradewind', status: 'ok', contract: 1, time: T0 } };
    });
    expect(await probe({ ...line, now: () => at })).toBeNull();
  });

  it("is Tradewind's own word with its clock, and nobody else's (F04, F05)", async () => {
    server.answer(() => ({
      status: 200,
      body: { app: 'tradewind', status: 'ok', contract: 1, time: T0 + 65_000 },
    }));
    expect(await probe(line)).toBe(60_000);
    for (const other of [
      { status: 200, body: '<html>portal</html>' },
      { status: 302, headers: { location: '/' } },
      { status: 503, body: {} },
      { status: 200, body: { app: 'other', status: 'ok', contract: 1, time: 1 } },
      'reset',
    ] as const) {
      server.answer(() => other);
      expect(await probe(line)).toBeNull();
    }
    expect(server.asked.every((one) => one.headers.authorization === undefined)).toBe(true);
  });
});

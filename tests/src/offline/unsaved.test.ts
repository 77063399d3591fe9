/** A command that no disk would take, sent at once over a real connection. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { sendUnsaved } from '../../../src/offline/unsaved.ts';
import { startReplyServer, type Asked, type ReplyServer } from '../../support/reply-server.ts';
import { newId, start, startAll, stop, T0 } from './samples.ts';

let server: ReplyServer;
beforeAll(async () => {
  server = await startReplyServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
});

const id = (asked: Asked): string => String(asked.headers['idempotency-key']);
const agent = recordAgent('x', 'Harbour', 0);
let forced: boolean[] = [];
const press = (request = stop('x'), uid = 'ada') => {
  forced = [];
  return sendUnsaved('ada', request, {
    line: { baseUrl: server.url, timeoutMs: 1_500 },
    token: (force) => {
      forced.push(force);
      return Promise.resolve({ uid, token: `token-${forced.length}` });
    },
  });
};
const refusal = (status: number, code: string, message: string) => ({
  status,
  body: { error: { code, message } },
});

describe('a command without a disk', () => {
  it('is done by the echo of its own id and hands on the agents', async () => {
    server.answer((asked) => ({
      status: 200,
      body: { commandId: id(asked), outcome: 'stopped', agent },
    }));
    expect(await press()).toMatchObject({ outcome: 'done', agents: [{ id: 'x' }] });
  });
  it('is unknown without that echo, and the words send the person to look first (F04)', async () => {
    for (const answer of [
      { status: 200, body: { commandId: 'somebody-else' } },
      { status: 200, body: '<html>' },
      refusal(503, 'busy', 'Busy'),
      'reset',
      'hang',
    ] as const) {
      server.answer(() => answer);
      const sent = await press();
      expect(sent?.outcome).toBe('unknown');
      expect(sent?.outcome === 'unknown' && sent.message).toMatch(/^Not saved on this device/);
    }
    expect(server.asked).toHaveLength(5);
  });
  it('renews the token once and keeps the same id (F28)', async () => {
    server.answer((asked) =>
      asked.headers.authorization === 'Bearer token-2'
        ? { status: 200, body: { commandId: id(asked), outcome: 'stopped', agent } }
        : refusal(401, 'token_expired', 'Expired'),
    );
    expect(await press()).toMatchObject({ outcome: 'done' });
    expect(forced).toEqual([false, true]);
    expect(new Set(server.asked.map(id)).size).toBe(1);
  });
  it('goes under the id and the time of its press, and what the disk has of it is not called unsent (F109)', async () => {
    const said: (string | boolean | undefined)[] = [];
    const unmarked = new Map<string, boolean>();
    const sendPressed = (by: { id: string; at: number }) =>
      sendUnsaved(
        'ada',
        { ...stop('x'), press: by },
        {
          line: { baseUrl: server.url, timeoutMs: 1_500 },
          token: () => Promise.resolve({ uid: 'ada', token: 'token' }),
          outbox: { unmarked, changed: (sent) => said.push(sent, unmarked.get(sent ?? '')) },
        },
      );
    const [lost, done] = [newId(), newId()];
    server.answer(() => 'reset');
    expect(await sendPressed({ id: lost, at: T0 })).toMatchObject({ outcome: 'unknown' });
    server.answer((asked) => ({
      status: 200,
      body: { commandId: id(asked), outcome: 'stopped', agent },
    }));
    expect(await sendPressed({ id: done, at: T0 })).toMatchObject({ outcome: 'done' });
    expect(server.asked.map(id)).toEqual([lost, done]);
    expect(server.asked.map(({ body }) => body)).toMatchObject([
      { requestedAt: T0, seenGeneration: 1 },
      { requestedAt: T0 },
    ]);
    expect([...unmarked]).toEqual([
      [lost, false],
      [done, true],
    ]);
    // Before anything went out.
    expect(said).toEqual([lost, false, done, false]);
  });
  it('is over on the disk only where every agent went, and says which did not (F109)', async () => {
    const unmarked = new Map<string, boolean>();
    const by = { id: newId(), at: T0 };
    server.answer((asked) => ({
      status: 200,
      body: {
        commandId: id(asked),
        results: [
          { agentId: 'x', outcome: 'started' },
          { agentId: 'y', outcome: 'refused', message: 'Its pair is not traded any more' },
        ],
        agents: [agent, recordAgent('y', 'Reef', 1)],
      },
    }));
    const sent = await sendUnsaved(
      'ada',
      { ...startAll('x', 'y'), press: by },
      {
        line: { baseUrl: server.url, timeoutMs: 1_500 },
        token: () => Promise.resolve({ uid: 'ada', token: 'token' }),
        outbox: { unmarked, changed: () => undefined },
      },
    );
    expect(sent).toMatchObject({
      outcome: 'done',
      said: 'refused',
      message:
        'Sent to the server. It could not be saved on this device. 1 of 2 started. Reef: Its pair is not traded any more.',
    });
    // Sent again from there, it has the same answer, and stays as a failure.
    expect([...unmarked]).toEqual([[by.id, false]]);
  });
  it('says what the server refused, in its own words', async () => {
    server.answer(() => refusal(403, 'forbidden', 'Your plan does not start agents'));
    expect(await press(start('x'))).toEqual({
      outcome: 'refused',
      message: 'Your plan does not start agents',
    });
    server.answer(() => refusal(401, 'reauth_required', 'Log in again'));
    expect(await press()).toEqual({ outcome: 'refused', message: 'Log in again' });
  });
  it('is never sent in the name of another user (F34)', async () => {
    expect(await press(stop('x'), 'eve')).toBeNull();
    expect(server.asked).toEqual([]);
  });
});

/** A stop pressed outside any page, on a disk that takes nothing. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest';
import { recordAgent } from '../../src/api/recorded-replies.ts';
import { openChannel } from '../../src/offline/channel.ts';
import { deliver } from '../../src/offline/deliver.ts';
import type { Bearer, Drained } from '../../src/offline/drain.ts';
import { createOutbox } from '../../src/offline/outbox.ts';
import { databaseStore } from '../../src/offline/queue-store.ts';
import { writeSnapshot } from '../../src/offline/snapshots.ts';
import { StorageFault, UserDatabase } from '../../src/offline/user-database.ts';
import { cancelCommandIn } from '../../src/offline/review.ts';
import { openUserQueue, type UserQueue } from '../../src/offline/user-queue.ts';
import { outcomeIn, stopWithoutPage, type StopWithoutPage } from '../../sw/stop-without-page.ts';
import { startReplyServer, type Answering, type Asked } from '../support/reply-server.ts';
import { stop } from '../src/offline/samples.ts';

let server: Awaited<ReturnType<typeof startReplyServer>>;
let users = 0;
let uid = '';
/** Whose token the worker has. */
let held: Bearer | null = null;
let database: UserDatabase;
let queue: UserQueue;
const taken = new Set<string>();
const channel = openChannel('stop-without-page');

beforeAll(async () => {
  server = await startReplyServer();
});
afterAll(async () => {
  channel.close();
  await server.close();
});
beforeEach(async () => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  server.asked.length = 0;
  uid = `worker-${++users}`;
  held = { uid, token: 'a.e30.' };
  // A page has made the user's database; the worker makes none.
  const page = new UserDatabase(uid, { mayCreate: () => true });
  await page.transact(['meta'], 'readonly', () => undefined);
  await page.close();
  openWorker();
});
afterEach(() => {
  queue.close();
});

function openWorker(): void {
  database = new UserDatabase(uid, { mayCreate: () => false });
  queue = openUserQueue(database, {
    line: { baseUrl: server.url },
    deliver,
    channel,
    token: () => Promise.resolve(held),
    onDelivered: ({ commandId }) => {
      taken.add(commandId);
    },
  });
}

const echo = (asked: Asked): Answering =>
  asked.path === '/healthz'
    ? {
        status: 200,
        body: { app: 'tradewind', status: 'ok', contract: 1, time: Date.now() },
      }
    : {
        status: 200,
        body: {
          commandId: asked.headers['idempotency-key'],
          outcome: 'stopped',
          agent: recordAgent('x', 'Harbour', 0),
        },
      };
const posts = (): Asked[] => server.asked.filter(({ method }) => method === 'POST');

/** Presses Stop. `sentBefore`: how much had been sent when it was to be shown as unsaved. */
async function press(
  forMs = 400,
  send = () => queue.drain(),
): Promise<{ said: string; sentBefore: number | null }> {
  const { said, sentBefore } = await pressed(forMs, send);
  return { said, sentBefore };
}

/** The same, with how the delivery of a saved stop ended. */
async function pressed(
  forMs = 400,
  send = () => queue.drain(),
  request = stop('x'),
): Promise<StopWithoutPage & { sentBefore: number | null }> {
  let sentBefore: number | null = null;
  const stopped = await stopWithoutPage(request, {
    queue,
    database,
    line: { baseUrl: server.url },
    token: () => Promise.resolve(held),
    deliver: send,
    outcomeOf: async (commandId) => {
      const outcome = outcomeIn(await queue.outbox.state(), commandId);
      return taken.has(commandId) ? 'delivered' : outcome;
    },
    beforeUnsaved: () => {
      sentBefore = posts().length;
      return Promise.resolve();
    },
    patience: { forMs, everyMs: 50 },
  });
  return { ...stopped, sentBefore };
}

function fillDisk(): void {
  const real = database.transact.bind(database);
  database.transact = (stores, mode, work, durability) =>
    mode === 'readwrite'
      ? Promise.reject(new StorageFault('quota', 'This device is out of storage'))
      : real(stores, mode, work, durability);
}

describe('a stop pressed outside any page', () => {
  it('is saved and sent where the disk takes it', async () => {
    server.answer(echo);
    expect(await press()).toEqual({ said: 'delivered', sentBefore: null });
    expect(posts()).toHaveLength(1);
  });

  it('is called delivered where an open page sent it first, before any message of that is heard (F22)', async () => {
    server.answer(echo);
    const silent = openChannel('stop-without-page, not heard');
    const page = openUserQueue(new UserDatabase(uid, { mayCreate: () => false }), {
      line: { baseUrl: server.url },
      deliver,
      channel: silent,
      token: () => Promise.resolve(held),
    });
    onTestFinished(() => {
      page.close();
      silent.close();
    });
    const pageFirst = async (): Promise<Drained> => {
      await page.drain();
      return queue.drain();
    };
    expect((await press(400, pageFirst)).said).toBe('delivered');
    expect(posts()).toHaveLength(1);
  });

  it('has the name by which its agent is kept, where its notification says none', async () => {
    server.answer(() => 'reset');
    const nameless = { ...stop('x'), agentName: '' };
    const named = async (): Promise<string[]> => {
      await pressed(400, () => queue.drain(), nameless);
      return (await queue.outbox.state()).entries.map(({ agentName }) => agentName);
    };
    expect(await named()).toEqual(['']);
    await cancelCommandIn(queue.outbox, (await queue.outbox.state()).entries[0]!.commandId);
    const agents = { agents: [recordAgent('x', 'Harbour', 0)], sequence: 1, asOf: 1 };
    await writeSnapshot(uid, 'agents', agents, Date.now(), database);
    expect(await named()).toEqual(['Harbour']);
  });

  it('is not called delivered where it left the queue and no server took it', async () => {
    const { commandId } = await queue.outbox.enqueue(stop('x'));
    await cancelCommandIn(queue.outbox, commandId);
    expect(outcomeIn(await queue.outbox.state(), commandId)).toBe('gone');
  });

  it('is remembered as taken among the last twenty commands', async () => {
    server.answer(echo);
    const ids: string[] = [];
    for (let turn = 0; turn < 22; turn += 1) {
      ids.push((await queue.outbox.enqueue(stop(`x${turn}`))).commandId);
      await queue.drain();
    }
    expect((await queue.outbox.state()).meta.taken).toEqual(ids.slice(-20));
  });

  it('is sent without the disk, again and under one id until the server answers (F13)', async () => {
    fillDisk();
    let calls = 0;
    server.answer((asked) => ((calls += 1) < 3 ? 'reset' : echo(asked)));
    // A machine at work may take long over a try; this ends with the answer.
    expect(await press(20_000)).toEqual({ said: 'delivered', sentBefore: 0 });
    expect(posts()).toHaveLength(3);
    expect(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const bodies = posts().map(({ body }) => ({ ...(body as object), ageMs: 0 }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it('has one id where the disk takes it after it was given up (F109)', async () => {
    server.answer(echo);
    const real = database.transact.bind(database);
    database.transact = async (stores, mode, work, durability) => {
      await real(stores, mode, work, durability);
      throw new StorageFault('no-storage', 'The storage of this browser did not answer in time');
    };
    expect((await press()).said).toBe('delivered');
    database.transact = real;
    const [entry] = (await createOutbox(databaseStore(database)).state()).entries;
    expect(posts().map(({ headers }) => headers['idempotency-key'])).toEqual([entry?.commandId]);
    expect(posts()[0]?.body).toMatchObject({ requestedAt: entry?.createdAt });
    // This worker has heard that it is over, and sends it no more.
    expect((await queue.outbox.state()).entries).toEqual([]);
  });

  it('is not confirmed where the server did not answer, and never called delivered or saved', async () => {
    fillDisk();
    server.answer(() => 'reset');
    expect((await press()).said).toBe('unconfirmed');
    expect(posts().length).toBeGreaterThan(1);
  });

  it('stays unconfirmed where an answer was lost and the session ended after it', async () => {
    fillDisk();
    let calls = 0;
    server.answer(() =>
      (calls += 1) < 2
        ? 'reset'
        : { status: 401, body: { error: { code: 'reauth_required', message: 'Log in again' } } },
    );
    expect((await press()).said).toBe('unconfirmed');
    expect(posts()).toHaveLength(2);
  });

  it('is called rejected where the server rejects it', async () => {
    fillDisk();
    server.answer(() => ({
      status: 422,
      body: { error: { code: 'invalid_request', message: 'No' } },
    }));
    expect((await press()).said).toBe('refused');
    expect(posts()).toHaveLength(1);
  });

  it('is neither saved nor sent without a token of its user', async () => {
    fillDisk();
    server.answer(echo);
    held = null;
    expect((await press()).said).toBe('not-saved');
    held = { uid: 'eve', token: 'a.e30.' };
    expect((await press()).said).toBe('not-saved');
    expect(posts()).toEqual([]);
  });

  it('is not sent again once its user has logged out meanwhile (F23)', async () => {
    fillDisk();
    server.answer(async () => {
      await database.retire();
      return 'reset' as const;
    });
    expect((await press()).said).toBe('unconfirmed');
    expect(posts()).toHaveLength(1);
  });

  it('is called saved where it was saved and the queue does not read after that', async () => {
    server.answer(() => 'reset');
    const real = database.transact.bind(database);
    let saved = false;
    database.transact = async (stores, mode, work, durability) => {
      if (saved) throw new StorageFault('broken', 'This device could not save this');
      const result = await real(stores, mode, work, durability);
      saved ||= mode === 'readwrite';
      return result;
    };
    expect((await press()).said).toBe('waiting');
  });

  it.each([
    [401, 'reauth_required', 'sign-in'],
    [401, 'token_revoked', 'sign-in'],
    [426, 'upgrade_required', 'update'],
  ])('is saved and waits for the person after %i %s, and says so', async (status, code, end) => {
    server.answer((asked) =>
      asked.path === '/healthz'
        ? echo(asked)
        : { status, body: { error: { code, message: 'Log in again' } } },
    );
    expect(await pressed()).toMatchObject({ said: 'waiting', end });
  });

  it('says of a saved stop whether the server was there and nobody had a token', async () => {
    server.answer(echo);
    held = null;
    expect(await pressed()).toMatchObject({ said: 'waiting', end: 'signed-out' });
    server.answer(() => 'reset');
    expect(await pressed()).toMatchObject({ said: 'waiting', end: 'offline' });
    const fails = (): Promise<Drained> => Promise.reject(new Error('No delivery'));
    expect(await pressed(400, fails)).toMatchObject({ said: 'waiting', end: null });
  });

  it('sends nothing of a user who has logged out here (F23)', async () => {
    server.answer(echo);
    queue.close();
    uid = 'nobody';
    held = { uid, token: 'a.e30.' };
    openWorker();
    expect((await press()).said).toBe('signed-out');
    expect(posts()).toEqual([]);
  });
});

/** One user's queue wired to a real line, a real channel and an IndexedDB implementation. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { afterDelivery } from '../../../src/offline/after-delivery.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { openChannel, type OfflineMessage } from '../../../src/offline/channel.ts';
import { deliver } from '../../../src/offline/deliver.ts';
import { isStop, type OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import { createOutbox } from '../../../src/offline/outbox.ts';
import { claimIn, deliveredIn, settleIn } from '../../../src/offline/delivery-changes.ts';
import { cancelCommandIn } from '../../../src/offline/review.ts';
import { databaseStore } from '../../../src/offline/queue-store.ts';
import { StorageFault, UserDatabase } from '../../../src/offline/user-database.ts';
import { openUserQueue, type UserQueue } from '../../../src/offline/user-queue.ts';
import {
  startReplyServer,
  type Answering,
  type Asked,
  type ReplyServer,
} from '../../support/reply-server.ts';
import { start, startAll, stop, stopAll } from './samples.ts';

let server: ReplyServer;
let opened: UserQueue[] = [];
const closers: (() => void)[] = [];
let users = 0;
let uid = '';

beforeAll(async () => {
  server = await startReplyServer();
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  server.asked.length = 0;
  uid = `user-${++users}`;
});
afterEach(() => {
  for (const queue of opened) queue.close();
  opened = [];
  for (const close of closers.splice(0)) close();
});

/** A realm of its own: its own connection, its own end of the channel. */
function realm(
  heard: { delivered: string[]; changes: number } = { delivered: [], changes: 0 },
  token = () => 'a.e30.',
): {
  queue: UserQueue;
  heard: typeof heard;
  database: UserDatabase;
} {
  const channel = openChannel(`test-${uid}`);
  const database = new UserDatabase(uid, { mayCreate: () => true });
  const queue = openUserQueue(database, {
    line: { baseUrl: server.url },
    deliver,
    channel,
    token: () => Promise.resolve({ uid, token: token() }),
    onDelivered: (entry) => {
      heard.delivered.push(entry.commandId);
    },
    onChange: () => {
      heard.changes += 1;
    },
  });
  opened.push(queue);
  closers.push(() => {
    channel.close();
  });
  return { queue, heard, database };
}
const health = {
  status: 200,
  body: { app: 'tradewind', status: 'ok', contract: 1, time: Date.now() },
};
const echo = (asked: Asked): Answering =>
  asked.path === '/healthz'
    ? health
    : {
        status: 200,
        body: {
          commandId: asked.headers['idempotency-key'],
          outcome: 'stopped',
          agent: recordAgent('x', 'Harbour', 0),
        },
      };
const posts = (): Asked[] => server.asked.filter((asked) => asked.method === 'POST');
const commandIds = (): unknown[] => posts().map((asked) => asked.headers['idempotency-key']);

describe('a queue of one realm', () => {
  it('asks nobody while nothing waits', async () => {
    expect(await realm().queue.drain()).toEqual({ end: 'empty', dueAt: null });
    expect(server.asked).toEqual([]);
  });

  it('answers many calls during a run by one further run, which finds what was pressed meanwhile', async () => {
    server.answer(echo);
    const { queue, heard } = realm();
    await queue.outbox.enqueue(stop('x'));
    const first = queue.drain();
    const [second, third] = [queue.drain(), queue.drain()];
    expect(second).toBe(third);
    await queue.outbox.enqueue(stop('y'));
    expect([(await first).end, (await second).end]).toEqual(['empty', 'empty']);
    expect(
      posts()
        .map((asked) => asked.path)
        .sort(),
    ).toEqual(['/api/agents/x/stop', '/api/agents/y/stop']);
    expect(heard.delivered).toHaveLength(2);
  });

  it('sends a stop that is pressed while a start is being answered, before the turn ends', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.answer(async (asked) => {
      if (asked.path.endsWith('/start')) await gate;
      return echo(asked);
    });
    const { queue } = realm();
    await queue.outbox.enqueue(start('x'));
    const turn = queue.drain();
    await expect.poll(() => posts().length).toBe(1);
    await queue.outbox.enqueue(stop('y'));
    await expect.poll(() => posts().map((asked) => asked.path)).toContain('/api/agents/y/stop');
    release();
    expect(await turn).toEqual({ end: 'empty', dueAt: null });
  });

  it('keeps everything when only a portal answers, and attempts nothing (F04, F05)', async () => {
    server.answer(() => ({ status: 200, body: '<html>Wi-Fi</html>' }));
    const { queue } = realm();
    const entry = await queue.outbox.enqueue(stop('x'));
    expect((await queue.drain()).end).toBe('offline');
    expect((await queue.outbox.state()).entries).toEqual([entry]);
    expect(posts()).toEqual([]);
  });

  it('tells the other realms of a change and of a delivery, and hears theirs', async () => {
    server.answer(echo);
    const [one, two] = [realm(), realm()];
    const words: OfflineMessage[] = [];
    const ear = openChannel(`test-${uid}`);
    closers.push(() => {
      ear.close();
    });
    ear.listen((message) => {
      words.push(message);
    });
    const entry = await one.queue.outbox.enqueue(stop('x'));
    await expect.poll(() => two.heard.changes).toBeGreaterThan(0);
    await one.queue.drain();
    await expect.poll(() => words.map((word) => word.type)).toContain('delivered');
    expect(words.find((word) => word.type === 'delivered')).toMatchObject({
      uid,
      entry: { commandId: entry.commandId },
      agents: [{ id: 'x' }],
    });
  });

  it('sends nothing more once the data of its user is retired, and says that nobody is there (F23)', async () => {
    server.answer(echo);
    const { queue, database } = realm();
    await queue.outbox.enqueue(stop('x'));
    await database.retire();
    expect(await queue.drain()).toEqual({ end: 'signed-out', dueAt: null });
    expect(posts()).toEqual([]);
  });

  it('does not send again after a renewed token when its user has gone meanwhile (F23)', async () => {
    const { queue, database } = realm();
    await queue.outbox.enqueue(stop('x'));
    server.answer(async (asked) => {
      if (asked.path === '/healthz') return health;
      await database.retire();
      return { status: 401, body: { error: { code: 'token_expired', message: 'Expired' } } };
    });
    await queue.drain().catch(() => undefined);
    expect(posts()).toHaveLength(1);
  });

  it('goes on by itself after two refusals of a token that say nothing of the session', async () => {
    const { queue } = realm();
    await queue.outbox.enqueue(stop('x'));
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 401, body: { error: { code: 'invalid_token', message: 'Invalid' } } },
    );
    expect((await queue.drain()).end).toBe('waiting');
    expect(posts()).toHaveLength(2);
    server.answer(echo);
    await expect
      .poll(async () => {
        await queue.drain();
        return (await queue.outbox.state()).entries;
      })
      .toEqual([]);
    expect(new Set(commandIds()).size).toBe(1);
  });

  it('stops the others of its turn when its user has gone between two sends (F23)', async () => {
    const { queue, database } = realm();
    for (const id of ['a', 'b', 'c']) await queue.outbox.enqueue(start(id));
    server.answer(async (asked) => {
      if (asked.path !== '/healthz') await database.retire();
      return echo(asked);
    });
    expect((await queue.drain()).end).toBe('signed-out');
    expect(posts()).toHaveLength(1);
  });
});

/** From now on nothing can be written. Returns a function that makes room again. */
function fillDisk(database: UserDatabase): () => void {
  const real = database.transact.bind(database);
  database.transact = (stores, mode, work, durability) =>
    mode === 'readwrite'
      ? Promise.reject(new StorageFault('quota', 'This device is out of storage'))
      : real(stores, mode, work, durability);
  return () => {
    database.transact = real;
  };
}

describe('Undo of a stop that was never sent', () => {
  /** A start that was sent without an answer. */
  const attempted = async (queue: UserQueue) => {
    const { commandId } = await queue.outbox.enqueue(start('x'));
    server.answer((asked) => (asked.path === '/healthz' ? health : 'reset'));
    await queue.drain();
    server.answer(echo);
    const [entry] = (await queue.outbox.state()).entries;
    expect(entry).toMatchObject({ commandId, attempts: 1 });
    return entry;
  };

  it('puts back a start that may have arrived, under its id, so that it has one effect', async () => {
    const { queue } = realm();
    const sent = await attempted(queue);
    const pressed = await queue.outbox.enqueue(stop('x'));
    expect((await queue.outbox.state()).entries).toEqual([pressed]);
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('start-unknown');
    expect((await queue.outbox.state()).entries).toEqual([sent]);
    await queue.outbox.enqueue(stop('y'));
    await queue.drain();
    await expect
      .poll(async () => {
        await queue.drain();
        return posts().map(({ path }) => path);
      })
      .toEqual(['/api/agents/x/start', '/api/agents/y/stop', '/api/agents/x/start']);
    expect(new Set([0, 2].map((place) => commandIds()[place]))).toEqual(new Set([sent?.commandId]));
  });

  it('puts back starts that were not sent, also those of Stop all, and nothing was sent', async () => {
    const { queue } = realm();
    const waiting = [
      await queue.outbox.enqueue(start('x')),
      await queue.outbox.enqueue(start('y')),
    ];
    const pressed = await queue.outbox.enqueue(stopAll());
    expect((await queue.outbox.state()).entries).toEqual([pressed]);
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual(waiting);
  });

  it('puts nothing back before another stop that waits, nor once the stop was sent', async () => {
    const { queue } = realm();
    await attempted(queue);
    const first = await queue.outbox.enqueue(stop('x'));
    const all = await queue.outbox.enqueue(stopAll());
    expect(await cancelCommandIn(queue.outbox, first.commandId)).toBe('start-unknown');
    expect((await queue.outbox.state()).entries).toMatchObject([{ commandId: all.commandId }]);
    const second = await queue.outbox.enqueue(stop('x'));
    await claimIn(queue.outbox, second.commandId);
    expect(await cancelCommandIn(queue.outbox, second.commandId)).toBe('already-sent');
    expect((await queue.outbox.state()).entries).toMatchObject([
      { intent: 'stop-all' },
      { intent: 'stop' },
    ]);
  });

  it('hands a start that a later stop covers to that stop, which gives it back in its turn', async () => {
    const { queue } = realm();
    const sent = await attempted(queue);
    const unsent = await queue.outbox.enqueue(start('y'));
    const one = await queue.outbox.enqueue(stop('x'));
    const other = await queue.outbox.enqueue(stop('y'));
    const all = await queue.outbox.enqueue(stopAll());
    expect(await cancelCommandIn(queue.outbox, one.commandId)).toBe('start-unknown');
    expect(await cancelCommandIn(queue.outbox, other.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toMatchObject([{ commandId: all.commandId }]);
    expect(await cancelCommandIn(queue.outbox, all.commandId)).toBe('start-unknown');
    expect((await queue.outbox.state()).entries).toEqual([sent, unsent]);
  });

  it('gives a start back whichever of two stops is undone first', async () => {
    const { queue } = realm();
    const waiting = await queue.outbox.enqueue(start('x'));
    const one = await queue.outbox.enqueue(stop('x'));
    const all = await queue.outbox.enqueue(stopAll());
    await cancelCommandIn(queue.outbox, all.commandId);
    expect((await queue.outbox.state()).entries).toEqual([one]);
    await cancelCommandIn(queue.outbox, one.commandId);
    expect((await queue.outbox.state()).entries).toEqual([waiting]);
  });

  it('gives back what a stop withdrew when it was pressed again', async () => {
    const { queue } = realm();
    const first = await queue.outbox.enqueue(stop('x'));
    const waiting = await queue.outbox.enqueue(start('x'));
    const again = await queue.outbox.enqueue(stop('x'));
    expect(again.commandId).toBe(first.commandId);
    expect((await queue.outbox.state()).entries).toEqual([again]);
    expect(await cancelCommandIn(queue.outbox, first.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual([waiting]);
  });

  it('gives two presses of Start back as one, like two presses in a row', async () => {
    const { queue } = realm();
    await queue.outbox.enqueue(stop('x'));
    const first = await queue.outbox.enqueue(start('x'));
    await queue.outbox.enqueue(stop('x'));
    await queue.outbox.enqueue(start('x'));
    const last = await queue.outbox.enqueue(stop('x'));
    expect(await cancelCommandIn(queue.outbox, last.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual([first]);
  });

  it('gives no start back that asks where a later press of Start has answered it', async () => {
    const { queue } = realm();
    const asking = await queue.outbox.enqueue(start('x'));
    await settleIn(queue.outbox, { ...asking, state: 'needs-you' });
    const first = await queue.outbox.enqueue(stop('x'));
    const answer = await queue.outbox.enqueue(start('x'));
    await queue.outbox.enqueue(stop('x'));
    expect(await cancelCommandIn(queue.outbox, first.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual([answer]);
  });

  it('gives no start back that a repeated Stop all has covered since', async () => {
    const { queue } = realm();
    const all = await queue.outbox.enqueue(stopAll());
    const waiting = await queue.outbox.enqueue(start('x'));
    const one = await queue.outbox.enqueue(stop('x'));
    await queue.outbox.enqueue(stopAll());
    await cancelCommandIn(queue.outbox, one.commandId);
    expect((await queue.outbox.state()).entries).toMatchObject([{ commandId: all.commandId }]);
    await cancelCommandIn(queue.outbox, all.commandId);
    expect((await queue.outbox.state()).entries).toEqual([waiting]);
  });

  it('gives back the part of a start of many that a later stop leaves of it, once', async () => {
    const { queue } = realm();
    const many = await queue.outbox.enqueue(startAll('x', 'y'));
    const all = await queue.outbox.enqueue(stopAll());
    const one = await queue.outbox.enqueue(stop('x'));
    expect(await cancelCommandIn(queue.outbox, all.commandId)).toBe('undone');
    const { entries } = await queue.outbox.state();
    const commandId = entries[0]?.commandId ?? '';
    const rest = { ...many, commandId, agents: [{ id: 'y', seenGeneration: 1 }] };
    expect(entries).toEqual([rest, { ...one, withdrawn: [many] }]);
    await claimIn(queue.outbox, commandId);
    const more = await queue.outbox.enqueue(stopAll());
    const last = await queue.outbox.enqueue(stop('y'));
    expect(await cancelCommandIn(queue.outbox, more.commandId)).toBe('start-unknown');
    expect(await cancelCommandIn(queue.outbox, last.commandId)).toBe('start-unknown');
    expect((await queue.outbox.state()).entries.filter((entry) => !isStop(entry))).toMatchObject([
      { commandId, agents: [{ id: 'y' }] },
    ]);
  });

  it('does not say that nothing was sent of a start of many that had been, and sends no part of it twice', async () => {
    const { queue } = realm();
    const all = await queue.outbox.enqueue(startAll('x', 'y'));
    await claimIn(queue.outbox, all.commandId);
    const pressed = await queue.outbox.enqueue(stop('x'));
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('start-unknown');
    const { entries } = await queue.outbox.state();
    expect(entries).toMatchObject([{ intent: 'start-all', agents: [{ id: 'y' }], attempts: 0 }]);
  });

  it('is not kept from giving a start back by a stop before it, nor by one that failed', async () => {
    const { queue } = realm();
    const all = await queue.outbox.enqueue(stopAll());
    await settleIn(queue.outbox, { ...all, state: 'failed', attempts: 1 });
    const earlier = await queue.outbox.enqueue(stop('x'));
    await claimIn(queue.outbox, earlier.commandId);
    const waiting = await queue.outbox.enqueue(start('x'));
    const pressed = await queue.outbox.enqueue(stop('x'));
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries.at(-1)).toEqual(waiting);
  });

  /** The server has taken an entry; `generation` is that of agent x after it. */
  const takenAt = (queue: UserQueue, entry: OutboxEntry, generation: number): Promise<void> =>
    deliveredIn(queue.outbox, entry.commandId, (entries) =>
      afterDelivery(entries, entry, new Map([['x', generation]]), null),
    );

  it('does not give back a start that the server took meanwhile', async () => {
    const { queue } = realm();
    const started = await queue.outbox.enqueue(start('x'));
    await claimIn(queue.outbox, started.commandId);
    const pressed = await queue.outbox.enqueue(stop('x'));
    await takenAt(queue, started, 2);
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual([]);
  });

  it('gives a start back as based on what an earlier stop of ours made of the agent', async () => {
    const { queue } = realm();
    const first = await queue.outbox.enqueue(stop('x', 1));
    await claimIn(queue.outbox, first.commandId);
    const waiting = await queue.outbox.enqueue(start('x', 1));
    const second = await queue.outbox.enqueue(stop('x', 1));
    await takenAt(queue, first, 2);
    await cancelCommandIn(queue.outbox, second.commandId);
    expect((await queue.outbox.state()).entries).toEqual([{ ...waiting, seenGeneration: 2 }]);
  });

  it('sends a stop whose withdrawn starts do not read, and leaves them out', async () => {
    const { queue, database } = realm();
    const pressed = await queue.outbox.enqueue(stop('x'));
    await database.transact(['outbox'], 'readwrite', (transaction) => {
      const record = { ...pressed, withdrawn: [{ version: 99 }, 'nothing'] };
      transaction.objectStore('outbox').put(record, pressed.commandId);
    });
    expect((await queue.outbox.state()).entries).toHaveLength(1);
    expect(await cancelCommandIn(queue.outbox, pressed.commandId)).toBe('undone');
    expect((await queue.outbox.state()).entries).toEqual([]);
  });
});

describe('a pause until a login', () => {
  const tokenOf = (authTime: number): string =>
    `a.${Buffer.from(JSON.stringify({ sub: uid, auth_time: authTime })).toString('base64url')}.`;

  /** Drains with a login of that time; returns what is left of the pause. */
  const pauseAfter = async (authTime: number): Promise<unknown> => {
    const { queue } = realm(undefined, () => tokenOf(authTime));
    await queue.drain();
    return (await queue.outbox.state()).meta.pause;
  };

  it('that a late answer has noted after a newer login ends with what that login delivers', async () => {
    server.answer(echo);
    const { outbox } = realm().queue;
    await outbox.enqueue(stop('x'));
    // The worker's answer to the old token came after the page had logged in again.
    await outbox.pause({ why: 'sign-in', authTime: 100, contractVersion: 1 });
    expect(await pauseAfter(200)).toBeNull();
    expect(posts()).toHaveLength(1);
  });

  it('stays where a command of the same login was taken beside the one that was rejected', async () => {
    const { outbox } = realm().queue;
    await outbox.enqueue(stop('x'));
    await outbox.enqueue(stop('y'));
    server.answer(async (asked) => {
      if (!asked.path.startsWith('/api/agents/x')) return echo(asked);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      await outbox.pause({ why: 'sign-in', authTime: 100, contractVersion: 1 });
      return echo(asked);
    });
    expect(await pauseAfter(100)).toMatchObject({ why: 'sign-in' });
  });
});

describe('the numbers of commands', () => {
  it('go on where the queue is empty, so that a start after an accepted stop is the later one', async () => {
    server.answer(echo);
    const { queue } = realm();
    const first = await queue.outbox.enqueue(stop('x'));
    await queue.drain();
    const second = await queue.outbox.enqueue(start('x'));
    await cancelCommandIn(queue.outbox, second.commandId);
    const third = await realm().queue.outbox.enqueue(stop('x'));
    expect([second, third].map(({ sequence }) => sequence - first.sequence)).toEqual([1, 2]);
  });

  it('follow those in the queue where an earlier build has noted none', async () => {
    const { queue, database } = realm();
    const first = await queue.outbox.enqueue(stop('x'));
    await database.transact(['meta'], 'readwrite', (transaction) => {
      const old = { clockOffsetMs: null, lastSeenAt: 1, pause: null };
      transaction.objectStore('meta').put(old, 'queue');
    });
    const second = await queue.outbox.enqueue(start('x'));
    expect(second.sequence).toBe(first.sequence + 1);
    expect((await queue.outbox.state()).meta).toMatchObject({ lastSequence: second.sequence });
  });
});

describe('a disk that takes nothing', () => {
  it('holds up no stop, and every start: each stop goes under its stored id, once, and waits no more (F13)', async () => {
    server.answer(echo);
    const { queue, heard, database } = realm();
    const anHourAgo = { now: () => Date.now() - 3_600_000 };
    await createOutbox(databaseStore(database), anHourAgo).enqueue(start('old'));
    const fresh = await queue.outbox.enqueue(start('s'));
    const ids: string[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f'])
      ids.push((await queue.outbox.enqueue(stop(id))).commandId);
    const makeRoom = fillDisk(database);
    expect((await queue.drain()).end).toBe('no-storage');
    expect([new Set(commandIds()), new Set(heard.delivered), posts().length]).toEqual([
      new Set(ids),
      new Set(ids),
      ids.length,
    ]);
    const waiting = async (one: UserQueue): Promise<unknown[]> =>
      (await one.outbox.state()).entries.map(({ intent, agentId }) => `${intent} ${agentId}`);
    expect(await waiting(queue)).toEqual(['start old', 'start s']);
    // Whoever starts the app now finds them on the disk still.
    expect(await waiting(realm().queue)).toHaveLength(ids.length + 2);
    makeRoom();
    expect((await queue.drain()).end).toBe('empty');
    expect(posts()).toHaveLength(ids.length + 1);
    expect(new Set(commandIds())).toEqual(new Set([...ids, fresh.commandId]));
    expect(await waiting(realm().queue)).toEqual(['start old']);
    expect((await queue.outbox.state()).entries).toMatchObject([
      { agentId: 'old', state: 'needs-you' },
    ]);
  });

  it('does not make a stop that was sent look unsent: it is not undone, and a later Stop is its own command', async () => {
    server.answer(echo);
    const [one, two] = [realm(), realm()];
    const sent = await one.queue.outbox.enqueue(stop('x'));
    const makeRoom = fillDisk(one.database);
    await one.queue.drain();
    makeRoom();
    await expect.poll(() => two.queue.outbox.unmarked.size).toBe(1);
    expect((await two.queue.outbox.state()).entries[0]).toMatchObject({ attempts: 1 });
    expect(await cancelCommandIn(two.queue.outbox, sent.commandId)).toBe('already-sent');
    expect(await cancelCommandIn(one.queue.outbox, sent.commandId)).toBe('gone');
    const later = await two.queue.outbox.enqueue(stop('x'));
    expect(later.commandId).not.toBe(sent.commandId);
  });

  it('tells the other realms of a stop that is under way, before it has an answer', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.answer(async (asked) => {
      if (asked.path !== '/healthz') await gate;
      return echo(asked);
    });
    const [one, two] = [realm(), realm()];
    const sent = await one.queue.outbox.enqueue(stop('x'));
    await expect.poll(() => two.heard.changes).toBe(1);
    fillDisk(one.database);
    const changes = one.heard.changes;
    const turn = one.queue.drain();
    await expect.poll(() => posts().length).toBe(1);
    await expect.poll(() => two.heard.changes).toBe(2);
    expect((await two.queue.outbox.state()).entries).toMatchObject([{ attempts: 1 }]);
    expect(await cancelCommandIn(two.queue.outbox, sent.commandId)).toBe('already-sent');
    // Its own screen shows it as sent as well.
    expect(one.heard.changes).toBeGreaterThan(changes);
    release();
    await turn;
  });

  it('does not bring back a stop that is over when another realm sends it again', async () => {
    server.answer(echo);
    const [one, two] = [realm(), realm()];
    const sent = await one.queue.outbox.enqueue(stop('x'));
    fillDisk(one.database);
    fillDisk(two.database);
    await one.queue.drain();
    expect((await one.queue.outbox.state()).entries).toEqual([]);
    await two.queue.drain();
    expect(commandIds()).toEqual([sent.commandId, sent.commandId]);
    // What the other realm has told arrives in order: this is the last of it.
    const { changes } = one.heard;
    two.queue.outbox.changed();
    await expect.poll(() => one.heard.changes).toBeGreaterThan(changes);
    expect((await one.queue.outbox.state()).entries).toEqual([]);
  });

  it('sends no stop of a user who has gone (F23)', async () => {
    const { queue, database } = realm();
    await queue.outbox.enqueue(stop('x'));
    fillDisk(database);
    server.answer(async (asked) => {
      await database.retire();
      return echo(asked);
    });
    expect((await queue.drain()).end).toBe('signed-out');
    expect(posts()).toEqual([]);
  });
});

it('a start-all that the server took in part stays with the reason of each agent, in the queue and after a restart', async () => {
  server.answer((asked) =>
    asked.path === '/healthz'
      ? health
      : {
          status: 200,
          body: {
            commandId: asked.headers['idempotency-key'],
            agents: [recordAgent('x', 'Harbour', 0), recordAgent('y', 'Drift', 0)],
            results: [
              { agentId: 'x', outcome: 'started' },
              {
                agentId: 'y',
                outcome: 'refused',
                code: 'agent_changed',
                message: 'It has changed',
              },
            ],
          },
        },
  );
  const { queue, heard } = realm();
  await queue.outbox.enqueue({
    ...start('x'),
    intent: 'start-all',
    agentId: null,
    agentName: '',
    agents: [{ id: 'x' }, { id: 'y' }],
  });
  await queue.drain();
  expect(heard.delivered).toHaveLength(1);
  const [left] = (await realm().queue.outbox.state()).entries;
  expect(left).toMatchObject({
    state: 'failed',
    agents: [{ id: 'y' }],
    results: [
      { name: 'Harbour', went: true },
      { name: 'Drift', went: false, message: 'It has changed' },
    ],
  });
  await queue.drain();
  expect(posts()).toHaveLength(1);
});

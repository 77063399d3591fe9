/**
 * What the device knows once a command has been delivered and before the next word of the server:
 * by the real queue, its line and an IndexedDB implementation.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { Alert } from '../../../contract/alerts.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { openChannel } from '../../../src/offline/channel.ts';
import { deliver } from '../../../src/offline/deliver.ts';
import type { CommandRequest } from '../../../src/offline/outbox-entry.ts';
import { keepSnapshots, readSnapshot, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { openUserDatabase, type UserDatabase } from '../../../src/offline/user-database.ts';
import { openUserQueue } from '../../../src/offline/user-queue.ts';
import { startReplyServer, type ReplyServer } from '../../support/reply-server.ts';
import { alertId, deleteAlert, setAlert, stop, stopAll, T0 } from './samples.ts';

let server: ReplyServer;
let users = 0;

beforeAll(async () => {
  server = await startReplyServer();
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  users += 1;
});

const agent = (id: string, change: Partial<Agent> = {}): Agent => ({
  ...recordAgent(id, id, T0),
  status: 'running',
  ...change,
});
const stopped = (id: string, generation = 2): Agent => agent(id, { status: 'stopped', generation });
const alert = (place: number, price: string, version = 1): Alert => ({
  id: alertId(place),
  symbol: 'BTC/USDT',
  condition: { kind: 'above', price },
  repeatMinutes: null,
  note: '',
  active: true,
  phase: 'watching',
  version,
  restsUntil: null,
  lastFiredAt: null,
  createdAt: T0,
});

async function device(agents: Agent[], alerts: Alert[] = []): Promise<UserDatabase> {
  const database = openUserDatabase(`told-${users}`, { mayCreate: () => true });
  const { uid } = database;
  await writeSnapshot(uid, 'agents', { agents, sequence: 7, asOf: T0 }, T0, database);
  await writeSnapshot(
    uid,
    'alerts',
    { alerts, firings: [], sequence: 7, servedAt: T0 },
    T0,
    database,
  );
  return database;
}

/** Queues the requests and delivers them to a server that answers each with `reply`. */
async function delivered(
  database: UserDatabase,
  requests: CommandRequest[],
  reply: object,
): Promise<string> {
  server.answer((asked) =>
    asked.path === '/healthz'
      ? { status: 200, body: { app: 'tradewind', status: 'ok', contract: 1, time: Date.now() } }
      : { status: 200, body: { commandId: asked.headers['idempotency-key'], ...reply } },
  );
  const channel = openChannel(`test-${database.uid}`);
  const queue = openUserQueue(database, {
    line: { baseUrl: server.url },
    deliver,
    channel,
    token: () => Promise.resolve({ uid: database.uid, token: 'a.e30.' }),
  });
  for (const request of requests) await queue.outbox.enqueue(request);
  const { end } = await queue.drain();
  expect((await queue.outbox.state()).entries).toEqual([]);
  queue.close();
  channel.close();
  return end;
}

const keptAgents = async (database: UserDatabase) => readSnapshot(database.uid, 'agents', database);
const statuses = async (database: UserDatabase): Promise<string[]> =>
  ((await keptAgents(database))?.value.agents ?? []).map(({ id, status }) => `${id} ${status}`);
const prices = async (database: UserDatabase): Promise<string[]> =>
  ((await readSnapshot(database.uid, 'alerts', database))?.value.alerts ?? []).map(
    ({ condition }) => (condition.kind === 'move' ? 'move' : condition.price),
  );

describe('a delivered stop', () => {
  it('leaves its agent stopped on the device, and the list as old as it was (R7-17)', async () => {
    const database = await device([agent('x'), agent('y')]);
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    expect(await statuses(database)).toEqual(['x stopped', 'y running']);
    const kept = await keptAgents(database);
    expect([kept?.savedAt, kept?.value.sequence]).toEqual([T0, 7]);
  });

  it('is not taken back by a list that was on its way (F81)', async () => {
    const database = await device([agent('x')]);
    const askedAt = Date.now() - 1;
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    const late = { agents: [agent('x')], sequence: 7, asOf: T0 };
    const { uid } = database;
    expect(await writeSnapshot(uid, 'agents', late, Date.now(), database, askedAt)).toBe(false);
    expect(await statuses(database)).toEqual(['x stopped']);
  });

  it('of all leaves each of them stopped', async () => {
    const database = await device([agent('x'), agent('y'), agent('z')]);
    await delivered(database, [stopAll('x', 'y', 'z')], {
      agents: [stopped('x'), stopped('z')],
      results: [],
    });
    expect(await statuses(database)).toEqual(['x stopped', 'y running', 'z stopped']);
  });

  it('takes nothing back that is known to be later, and brings no deleted agent back', async () => {
    const database = await device([agent('x', { generation: 5 })]);
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x', 4) });
    await delivered(database, [stop('gone')], { outcome: 'stopped', agent: stopped('gone') });
    expect(await statuses(database)).toEqual(['x running']);
  });

  it('that is answered again as it was then changes no figures that were told since', async () => {
    const sold = { ...stopped('x'), openPositions: 0 };
    const database = await device([sold]);
    await delivered(database, [stop('x')], {
      outcome: 'stopped',
      agent: { ...stopped('x'), openPositions: 2 },
    });
    expect((await keptAgents(database))?.value.agents[0]?.openPositions).toBe(0);
  });

  it('leaves the queue where the list of the device cannot be read at all', async () => {
    const database = await device([agent('x')]);
    const held = await database.transact(['meta'], 'readonly', ({ db }) => db);
    const real = held.transaction.bind(held);
    held.transaction = (...args: [string[], IDBTransactionMode, IDBTransactionOptions]) => {
      const transaction = real(...args);
      const open = transaction.objectStore.bind(transaction);
      transaction.objectStore = (name: string) => {
        const store = open(name);
        if (name === 'snapshots')
          store.put = () => {
            throw new DOMException('unreadable value', 'DataError');
          };
        return store;
      };
      return transaction;
    };
    expect(
      await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') }),
    ).not.toBe('no-storage');
  });

  it('is in the queue or in the list at every moment (F80)', async () => {
    const database = await device([agent('x')]);
    const moments: string[] = [];
    let isOver = false;
    const looking = (async () => {
      while (!isOver)
        moments.push(
          await database.transact(
            ['outbox', 'snapshots'],
            'readonly',
            (transaction) =>
              new Promise<string>((resolve, reject) => {
                const waiting = transaction.objectStore('outbox').count();
                const list = transaction.objectStore('snapshots').get('agents') as IDBRequest<{
                  value: { agents: Agent[] };
                }>;
                list.onsuccess = () => {
                  resolve(`${waiting.result} waits, ${list.result.value.agents[0]?.status ?? '-'}`);
                };
                list.onerror = () => {
                  reject(list.error ?? new Error('not read'));
                };
              }),
          ),
        );
    })();
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    isOver = true;
    await looking;
    const changes = moments.filter((moment, place) => moment !== moments[place - 1]);
    expect(changes.slice(-2)).toEqual(['1 waits, running', '0 waits, stopped']);
  });

  it('leaves nothing on a device that is to keep nothing, and what cannot be read as it lay', async () => {
    const database = await device([agent('x')]);
    await keepSnapshots(database.uid, false);
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    expect(await keptAgents(database)).toBeNull();

    const odd = { version: 0, savedAt: T0, value: 'of another build' };
    await database.transact(['snapshots'], 'readwrite', (transaction) => {
      transaction.objectStore('snapshots').put(odd, 'agents');
    });
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    const lies = await database.transact(
      ['snapshots'],
      'readonly',
      (transaction) =>
        new Promise((resolve) => {
          const read = transaction.objectStore('snapshots').get('agents') as IDBRequest<unknown>;
          read.onsuccess = () => {
            resolve(read.result);
          };
        }),
    );
    expect(lies).toEqual(odd);
  });

  it('leaves the queue on a full disk too: the snapshots go instead (F13)', async () => {
    const database = await device([agent('x')]);
    const held = await database.transact(['meta'], 'readonly', ({ db }) => db);
    const real = held.transaction.bind(held);
    held.transaction = (...args: [string[], IDBTransactionMode, IDBTransactionOptions]) => {
      const transaction = real(...args);
      const open = transaction.objectStore.bind(transaction);
      transaction.objectStore = (name: string) => {
        const store = open(name);
        if (name === 'snapshots')
          store.put = () => {
            throw new DOMException('no room', 'QuotaExceededError');
          };
        return store;
      };
      return transaction;
    };
    await delivered(database, [stop('x')], { outcome: 'stopped', agent: stopped('x') });
    expect(await keptAgents(database)).toBeNull();
  });
});

describe('a delivered alert', () => {
  it('is in the list of the device: a new one, a changed one, and no deleted one', async () => {
    const database = await device([], [alert(1, '100'), alert(2, '200')]);
    await delivered(database, [setAlert(3, '300')], { alert: alert(3, '300') });
    expect(await prices(database)).toEqual(['100', '200', '300']);
    await delivered(database, [setAlert(1, '110', 1)], { alert: alert(1, '110', 2) });
    expect(await prices(database)).toEqual(['110', '200', '300']);
    await delivered(database, [deleteAlert(2, 1)], { alertId: alertId(2) });
    expect(await prices(database)).toEqual(['110', '300']);
  });

  it('takes no later change back, and brings no deleted one back', async () => {
    const database = await device([], [alert(1, '150', 4)]);
    await delivered(database, [setAlert(1, '110', 1)], { alert: alert(1, '110', 2) });
    await delivered(database, [setAlert(9, '900', 3)], { alert: alert(9, '900', 4) });
    expect(await prices(database)).toEqual(['150']);
  });
});

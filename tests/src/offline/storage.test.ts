/** Storage and its faults on a real IndexedDB implementation. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { keys } from 'idb-keyval';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  deleteUserDatabase,
  openUserDatabase,
  StorageFault,
  UserDatabase,
} from '../../../src/offline/user-database.ts';
import { createOutbox } from '../../../src/offline/outbox.ts';
import { claimIn } from '../../../src/offline/delivery-changes.ts';
import { cancelCommandIn } from '../../../src/offline/review.ts';
import { databaseStore } from '../../../src/offline/queue-store.ts';
import { readEntry } from '../../../src/offline/outbox-entry.ts';
import { keepSnapshots, readSnapshot, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { portfolio, start, stop, subscription, T0 } from './samples.ts';
import { SNAPSHOT_KINDS } from '../../../src/offline/snapshot-registry.ts';
import { heldDatabase } from '../../../src/offline/user-database.ts';

/** Which snapshots are saved for a user. */
async function snapshotKinds(uid: string): Promise<string[]> {
  const database = heldDatabase(uid);
  if (database === null) return [];
  const saved = await keys(database.store('snapshots'));
  return SNAPSHOT_KINDS.filter((kind) => saved.includes(kind));
}

let factory: IDBFactory;
beforeEach(() => {
  factory = new IDBFactory();
  Object.assign(globalThis, { indexedDB: factory, IDBKeyRange });
});

let users = 0;
const fresh = (mayCreate = true) =>
  openUserDatabase(`user-${++users}`, { mayCreate: () => mayCreate });
const outboxOf = (database: UserDatabase) =>
  createOutbox(databaseStore(database), { now: () => T0 });
const store = (database: UserDatabase) => database.store('outbox');
const promisified = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
  });
const names = async () => (await factory.databases()).map((one) => one.name);

function spyTransactions(
  database: UserDatabase,
): Promise<{ calls: [string[], string, { durability?: string } | undefined][]; db: IDBDatabase }> {
  return database.transact(['meta'], 'readonly', (transaction) => {
    const calls: [string[], string, { durability?: string } | undefined][] = [];
    const real = transaction.db.transaction.bind(transaction.db);
    transaction.db.transaction = ((
      ...args: [string[], IDBTransactionMode, IDBTransactionOptions]
    ) => {
      calls.push(args);
      return real(...args);
    }) as typeof real;
    return { calls, db: transaction.db };
  });
}

/** Every write of the given stores fails like a full disk, as long as `full` says. */
function fillDisk(db: IDBDatabase, full: (name: string) => boolean): void {
  const real = db.transaction.bind(db);
  db.transaction = (...args: [string[], IDBTransactionMode, IDBTransactionOptions]) => {
    const transaction = real(...args);
    const objectStore = transaction.objectStore.bind(transaction);
    transaction.objectStore = (name: string) => {
      const opened = objectStore(name);
      const put = opened.put.bind(opened);
      opened.put = (value: unknown, key: IDBValidKey) => {
        if (full(name)) throw new DOMException('no room', 'QuotaExceededError');
        return put(value, key);
      };
      return opened;
    };
    return transaction;
  };
}

describe('a page that is left', () => {
  it('gives its connection back, with its locks, and goes on where it is shown again', async () => {
    const page = new EventTarget();
    const database = openUserDatabase(`user-${++users}`, { mayCreate: () => true, page });
    const held = await database.transact(['meta'], 'readonly', (transaction) => transaction.db);
    page.dispatchEvent(new Event('pagehide'));
    await vi.waitFor(() => {
      expect(() => held.transaction('meta')).toThrow();
    });
    let wrote = false;
    const write = database
      .transact(['meta'], 'readwrite', (transaction) =>
        promisified(transaction.objectStore('meta').put(1, 'one')),
      )
      .then(() => {
        wrote = true;
      });
    // Whoever comes next is not held up by what waits here.
    await promisified(factory.open(`tradewind-${database.uid}`)).then((db) => {
      db.close();
    });
    expect(wrote).toBe(false);
    page.dispatchEvent(new Event('pageshow'));
    await write;
    expect(
      await database.transact(['meta'], 'readonly', (transaction) =>
        promisified(transaction.objectStore('meta').get('one')),
      ),
    ).toBe(1);
  });
});

describe('saying "saved"', () => {
  it('asks for strict durability for every change of the queue and resolves after the transaction is complete', async () => {
    const database = fresh();
    const { calls, db } = await spyTransactions(database);
    let complete = false;
    const real = db.transaction.bind(db);
    db.transaction = (...args: [string[], IDBTransactionMode, IDBTransactionOptions]) => {
      const transaction = real(...args);
      transaction.addEventListener('complete', () => {
        complete = true;
      });
      return transaction;
    };
    await outboxOf(database).enqueue(stop('x'));
    expect(complete).toBe(true);
    expect(
      calls
        .filter(([stores, mode]) => stores.includes('outbox') && mode === 'readwrite')
        .map(([, , options]) => options?.durability),
    ).toEqual(['strict']);
  });
  it('survives the end of its realm: another handle finds the entry', async () => {
    const database = fresh();
    const entry = await outboxOf(database).enqueue(stop('x'));
    await database.close();
    const other = new UserDatabase(database.uid, { mayCreate: () => false });
    expect((await outboxOf(other).state()).entries).toEqual([entry]);
  });
  it('undoes what was never attempted, and says so where it was', async () => {
    const outbox = outboxOf(fresh());
    const [first, second] = [await outbox.enqueue(stop('x')), await outbox.enqueue(stop('y'))];
    await claimIn(outbox, second.commandId);
    expect([
      await cancelCommandIn(outbox, first.commandId),
      await cancelCommandIn(outbox, second.commandId),
      await cancelCommandIn(outbox, 'gone'),
    ]).toEqual(['undone', 'already-sent', 'gone']);
    expect((await outbox.state()).entries.map((entry) => entry.agentId)).toEqual(['y']);
  });
});

describe('a full disk', () => {
  it('trims snapshots for the queue, and says "not saved" only when that does not help', async () => {
    const database = fresh();
    await writeSnapshot(database.uid, 'portfolio', portfolio(T0));
    const { db } = await spyTransactions(database);
    let refusals = 1;
    fillDisk(db, (name) => name === 'outbox' && refusals-- > 0);
    await outboxOf(database).enqueue(stop('x'));
    expect(await snapshotKinds(database.uid)).toEqual([]);
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
    refusals = Infinity;
    await expect(outboxOf(database).enqueue(stop('y'))).rejects.toMatchObject({
      name: 'StorageFault',
      code: 'quota',
    });
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
  });
  it('trims other snapshots for a snapshot, never the queue', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    await writeSnapshot(database.uid, 'subscription', subscription);
    const { db } = await spyTransactions(database);
    let refusals = 1;
    fillDisk(db, (name) => name === 'snapshots' && refusals-- > 0);
    expect(await writeSnapshot(database.uid, 'portfolio', portfolio(T0))).toBe(true);
    expect(await snapshotKinds(database.uid)).toEqual(['portfolio']);
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
  });
});

/** Another tab's transaction that does not end: whoever wants one of its stores waits. Returns its end. */
async function holdStores(uid: string, stores: string[]): Promise<() => void> {
  const db = await promisified(factory.open(`tradewind-${uid}`));
  const transaction = db.transaction(stores, 'readwrite');
  let held = true;
  const ask = (): void => {
    if (held) transaction.objectStore(stores[0] ?? '').count().onsuccess = ask;
  };
  ask();
  return () => {
    held = false;
    db.close();
  };
}

describe('a disk that hangs', () => {
  const DEADLINE_MS = 60;
  const hanging = (): UserDatabase =>
    new UserDatabase(`user-${++users}`, {
      mayCreate: () => true,
      transactionDeadlineMs: DEADLINE_MS,
    });
  let laterMs = 0;
  beforeEach(() => {
    laterMs = 0;
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + laterMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is given up after a while, and what it was to save is not saved later', async () => {
    const database = hanging();
    const modes: string[] = [];
    database.onMode((mode) => modes.push(mode));
    const outbox = outboxOf(database);
    await outbox.enqueue(stop('x'));
    const letGo = await holdStores(database.uid, ['outbox']);
    await expect(outbox.enqueue(stop('y'))).rejects.toMatchObject({ code: 'no-storage' });
    // The next press does not wait for it again.
    const began = performance.now();
    await expect(outbox.enqueue(stop('z'))).rejects.toMatchObject({ code: 'no-storage' });
    expect(performance.now() - began).toBeLessThan(DEADLINE_MS / 2);
    expect(modes).toEqual(['disk', 'memory']);
    letGo();
    laterMs = 31_000;
    const { entries } = await outbox.state();
    expect(entries.map(({ agentId }) => agentId)).toEqual([stop('x').agentId]);
    expect(modes).toEqual(['disk', 'memory', 'disk']);
  });

  it('is waited for while it answers within the time, and by a page that slept', async () => {
    const database = hanging();
    const outbox = outboxOf(database);
    await outbox.enqueue(stop('x'));
    const letGo = await holdStores(database.uid, ['outbox']);
    const saved = outbox.enqueue(stop('y'));
    // The page's clock jumps as after a sleep: the timer comes late by more than it was to wait.
    setTimeout(() => {
      laterMs = 60_000;
    }, DEADLINE_MS / 3);
    setTimeout(letGo, DEADLINE_MS * 1.5);
    expect((await saved).agentId).toBe(stop('y').agentId);
    expect(database.mode).toBe('disk');
  });

  it('holds up nothing that is read of other stores', async () => {
    const database = hanging();
    await outboxOf(database).enqueue(stop('x'));
    const letGo = await holdStores(database.uid, ['outbox']);
    expect(
      await database.transact(['meta'], 'readonly', (transaction) =>
        promisified(transaction.objectStore('meta').get('keepSnapshots')),
      ),
    ).toBe(true);
    letGo();
  });
});

describe('a browser that lets us down', () => {
  it('opens again once when the browser has closed the connection', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    const { db } = await spyTransactions(database);
    db.close();
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
    const again = await spyTransactions(database);
    again.db.close();
    again.db.onclose?.(new Event('close'));
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
  });
  it('goes on in memory when opening hangs, and does not wait again for every press', async () => {
    const hanging = { open: () => ({}) } as unknown as IDBFactory;
    const database = new UserDatabase('hangs', {
      mayCreate: () => true,
      factory: hanging,
      deadlineMs: 20,
    });
    const modes: string[] = [];
    database.onMode((mode) => modes.push(mode));
    await expect(outboxOf(database).enqueue(stop('x'))).rejects.toMatchObject({
      code: 'no-storage',
    });
    const open = vi.spyOn(hanging, 'open');
    await expect(outboxOf(database).enqueue(stop('x'))).rejects.toMatchObject({
      code: 'no-storage',
    });
    expect(open).not.toHaveBeenCalled();
    expect(modes).toEqual(['memory']);
  });
  it('says that there is no storage where there is none or it throws', async () => {
    const throwing = {
      open: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    } as unknown as IDBFactory;
    const database = new UserDatabase('denied', { mayCreate: () => true, factory: throwing });
    await expect(outboxOf(database).enqueue(stop('x'))).rejects.toMatchObject({
      code: 'no-storage',
    });
    expect(database.mode).toBe('memory');
    expect(await readSnapshot('denied', 'portfolio', database)).toBeNull();
    expect(await writeSnapshot('denied', 'portfolio', portfolio(T0), T0, database)).toBe(false);
  });
  it('closes when another tab asks for a newer form, so that it is not blocked', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    await new Promise<void>((resolve, reject) => {
      const upgrade = factory.open(`tradewind-${database.uid}`, 2);
      upgrade.onblocked = () => {
        reject(new Error('blocked'));
      };
      upgrade.onsuccess = () => {
        upgrade.result.close();
        resolve();
      };
    });
  });
  it('gives way to a newer build: the data is its own from then on, and what is pressed here is not called saved (F16)', async () => {
    const database = fresh();
    const modes: string[] = [];
    database.onMode((mode) => modes.push(mode));
    await outboxOf(database).enqueue(stop('x'));
    await new Promise<void>((resolve) => {
      const upgrade = factory.open(`tradewind-${database.uid}`, 2);
      upgrade.onsuccess = () => {
        upgrade.result.close();
        resolve();
      };
    });
    expect(database.mode).toBe('newer');
    await expect(outboxOf(database).enqueue(stop('y'))).rejects.toMatchObject({ code: 'newer' });
    expect(await writeSnapshot(database.uid, 'portfolio', portfolio(T0))).toBe(false);
    expect(modes).toEqual(['disk', 'newer']);
  });
  it('says that something was lost where a database that was here has to be made again, until it is read (F19)', async () => {
    const noted = new Set<string>();
    const note = (uid: string) => ({
      had: () => noted.has(uid),
      made: () => {
        noted.add(uid);
      },
    });
    const first = new UserDatabase('evicted', { mayCreate: () => true, note: note('evicted') });
    await outboxOf(first).enqueue(stop('x'));
    expect(first.lost).toBe(false);
    await first.close();
    factory = new IDBFactory();
    Object.assign(globalThis, { indexedDB: factory });
    const told: boolean[] = [];
    const next = new UserDatabase('evicted', { mayCreate: () => true, note: note('evicted') });
    next.onMode(() => told.push(next.lost));
    expect((await outboxOf(next).state()).entries).toEqual([]);
    expect([next.lost, told[0]]).toEqual([true, true]);
    next.noteLossRead();
    await next.close();
    await outboxOf(next).enqueue(stop('y'));
    expect(next.lost).toBe(false);
  });
  it('says so too where it goes while it is open (F14, F19)', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    const { db } = await spyTransactions(database);
    db.close();
    factory = new IDBFactory();
    Object.assign(globalThis, { indexedDB: factory });
    await outboxOf(database).enqueue(stop('y'));
    expect((await outboxOf(database).state()).entries.map((entry) => entry.agentId)).toEqual(['y']);
    expect(database.lost).toBe(true);
  });
  it('sets garbage aside and works on with the rest', async () => {
    const database = fresh();
    const outbox = outboxOf(database);
    const good = await outbox.enqueue(stop('x'));
    await store(database)('readwrite', (records) => {
      records.put('garbage', 'bad-key');
      records.put(
        { ...good, uid: 'somebody-else', commandId: '00000000-0000-4000-8000-bbbbbbbbbbbb' },
        '00000000-0000-4000-8000-bbbbbbbbbbbb',
      );
    });
    expect((await outbox.state()).entries).toEqual([good]);
    expect(await outbox.quarantined()).toEqual(
      expect.arrayContaining([null, { intent: 'stop', agentName: 'x' }]),
    );
    await outbox.enqueue(start('y'));
    expect((await outbox.state()).entries).toHaveLength(2);
  });
});

describe('records of other builds', () => {
  /**
   * As the first build with a queue wrote it, before starts remembered prices and commands for many
   * their results.
   */
  const FIRST = {
    version: 1,
    commandId: '00000000-0000-4000-8000-aaaaaaaaaaaa',
    uid: '',
    intent: 'start',
    agentId: 'x',
    agentName: 'Harbour',
    agents: [],
    seenGeneration: 3,
    sequence: 1,
    createdAt: T0,
    clockOffsetMs: null,
    clockMoved: false,
    contractVersion: 1,
    attempts: 0,
    failures: 0,
    nextAttemptAt: null,
    state: 'saved',
    reason: null,
    confirmed: false,
  };
  const lay = (database: UserDatabase, record: Record<string, unknown>) =>
    store(database)('readwrite', (records) => {
      records.put({ ...record, uid: database.uid }, record.commandId as string);
    });

  it('of the first are sent as they are', async () => {
    const database = fresh();
    await lay(database, FIRST);
    const claimed = await claimIn(outboxOf(database), FIRST.commandId);
    expect(claimed).toEqual({ ...FIRST, uid: database.uid, state: 'sending', attempts: 1 });
    expect(await outboxOf(database).quarantined()).toEqual([]);
  });
  it('of a newer one are left to it: not sent, not set aside, not lost by what is pressed here', async () => {
    const database = fresh();
    const newer = { ...FIRST, version: 3, intent: 'pause' };
    await lay(database, newer);
    await outboxOf(database).enqueue(stop('y'));
    expect((await outboxOf(database).state()).entries.map((entry) => entry.agentId)).toEqual(['y']);
    expect(
      await store(database)('readonly', (records) => promisified(records.get(FIRST.commandId))),
    ).toEqual({ ...newer, uid: database.uid });
    expect(await outboxOf(database).quarantined()).toEqual([]);
  });
  it('that nothing leads from are shown by name as not to be sent, until they are put away', async () => {
    const database = fresh();
    await lay(database, { ...FIRST, version: 0 });
    const outbox = outboxOf(database);
    expect((await outbox.state()).entries).toEqual([]);
    expect(await outbox.quarantined()).toEqual([{ intent: 'start', agentName: 'Harbour' }]);
    await outbox.dismissQuarantined();
    expect(await outbox.quarantined()).toEqual([]);
  });
  it('go from version to version by the steps between', () => {
    const steps = {
      [-1]: ({ agent, ...old }: Record<string, unknown>) => ({ ...old, agentName: agent }),
      0: (old: Record<string, unknown>) => ({ ...old, confirmed: false }),
    };
    const { agentName, confirmed, ...rest } = { ...FIRST, uid: 'ada' };
    expect(confirmed).toBe(false);
    expect(readEntry({ ...rest, version: -1, agent: agentName }, steps)).toEqual({
      is: 'entry',
      entry: { ...FIRST, uid: 'ada' },
    });
    expect(readEntry({ ...rest, version: -2 }, steps)).toEqual({ is: 'unreadable' });
  });
});

describe('snapshots', () => {
  it('keeps and gives back what the contract knows, with its time', async () => {
    const { uid } = fresh();
    expect(await writeSnapshot(uid, 'portfolio', portfolio(T0), 123)).toBe(true);
    expect(await readSnapshot(uid, 'portfolio')).toEqual({ savedAt: 123, value: portfolio(T0) });
  });
  it('refuses what the contract does not know and throws away what no longer reads', async () => {
    const database = fresh();
    expect(await writeSnapshot(database.uid, 'portfolio', { cash: 5 } as never)).toBe(false);
    for (const bad of [
      { version: 0, savedAt: 1, value: portfolio(T0) },
      { version: 1, savedAt: 1, value: {} },
      'garbage',
    ]) {
      await database.store('snapshots')('readwrite', (records) => {
        records.put(bad, 'portfolio');
      });
      expect(await readSnapshot(database.uid, 'portfolio')).toBeNull();
      expect(await snapshotKinds(database.uid)).toEqual([]);
    }
  });
  it('does not let a late reply replace a newer word', async () => {
    const { uid } = fresh();
    await writeSnapshot(uid, 'portfolio', portfolio(T0, '2'));
    expect(await writeSnapshot(uid, 'portfolio', portfolio(T0 - 1, '1'))).toBe(false);
    expect((await readSnapshot(uid, 'portfolio'))?.value.cash).toBe('2');
  });
  it('does not let a tab that was hidden for long write its list over a newer one', async () => {
    const { uid } = fresh();
    const list = (sequence: number) => ({ agents: [], sequence, asOf: T0 });
    const heardAt = Date.now() - 1_000;
    expect(await writeSnapshot(uid, 'agents', list(50), heardAt)).toBe(true);
    expect(await writeSnapshot(uid, 'agents', list(40), heardAt - 1_800_000)).toBe(false);
    expect(await readSnapshot(uid, 'agents')).toMatchObject({ value: { sequence: 50 } });
    expect(await writeSnapshot(uid, 'agents', list(51), heardAt)).toBe(true);
  });
  it('takes a list in place of one from a time to come: the clock was set back', async () => {
    const { uid } = fresh();
    const list = (sequence: number) => ({ agents: [], sequence, asOf: T0 });
    await writeSnapshot(uid, 'agents', list(50), Date.now() + 86_400_000);
    expect(await writeSnapshot(uid, 'agents', list(51), Date.now())).toBe(true);
  });
  it('keeps nothing when the person does not want it, and leaves the queue alone', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    await writeSnapshot(database.uid, 'portfolio', portfolio(T0));
    await keepSnapshots(database.uid, false);
    expect(await writeSnapshot(database.uid, 'portfolio', portfolio(T0 + 1))).toBe(false);
    expect(await snapshotKinds(database.uid)).toEqual([]);
    expect((await outboxOf(database).state()).entries).toHaveLength(1);
  });
});

describe('sign-out', () => {
  it('deletes everything, and a late write by another realm makes nothing again', async () => {
    const database = fresh();
    const { uid } = database;
    await writeSnapshot(uid, 'portfolio', portfolio(T0));
    const worker = new UserDatabase(uid, { mayCreate: () => false });
    await worker.transact(['meta'], 'readonly', () => undefined);
    await deleteUserDatabase(uid);
    expect(await names()).toEqual([]);
    for (const late of [database, worker, new UserDatabase(uid, { mayCreate: () => false })]) {
      expect(await writeSnapshot(uid, 'portfolio', portfolio(T0), T0, late)).toBe(false);
      await expect(outboxOf(late).enqueue(stop('x'))).rejects.toBeInstanceOf(StorageFault);
    }
    expect(await names()).toEqual([]);
  });
  it('lets the same user begin anew', async () => {
    const database = fresh();
    await outboxOf(database).enqueue(stop('x'));
    await deleteUserDatabase(database.uid);
    const again = openUserDatabase(database.uid, { mayCreate: () => true });
    expect((await outboxOf(again).state()).entries).toEqual([]);
  });
  it('shows one user nothing of another', async () => {
    const [ada, ben] = [fresh(), fresh()];
    await outboxOf(ada).enqueue(stop('x'));
    await writeSnapshot(ada.uid, 'portfolio', portfolio(T0));
    expect((await outboxOf(ben).state()).entries).toEqual([]);
    expect(await readSnapshot(ben.uid, 'portfolio')).toBeNull();
  });
});

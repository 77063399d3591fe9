// @vitest-environment jsdom
/**
 * The page's side of the queue: triggers, what is shown, what is deleted; on IndexedDB and a real
 * line.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { openChannel, type OfflineChannel } from '../../../src/offline/channel.ts';
import { StorageFault, UserDatabase } from '../../../src/offline/user-database.ts';
import {
  createLifecycle,
  loadDelivery,
  unsent,
  type Lifecycle,
  type LifecycleOptions,
  type QueueView,
} from '../../../src/offline/queue-lifecycle.ts';
import { claimIn } from '../../../src/offline/delivery-changes.ts';
import { createOutbox } from '../../../src/offline/outbox.ts';
import { databaseStore } from '../../../src/offline/queue-store.ts';
import { cancelCommandIn } from '../../../src/offline/review.ts';
import { writeSnapshot } from '../../../src/offline/snapshots.ts';
import { sendUnsaved } from '../../../src/offline/unsaved.ts';
import {
  startReplyServer,
  type Answering,
  type Asked,
  type ReplyServer,
} from '../../support/reply-server.ts';
import { exclusiveLocks } from '../../support/exclusive-locks.ts';
import { entryOf, portfolio, start, stop, T0 } from './samples.ts';

let server: ReplyServer;
let factory: IDBFactory;
let uid = '';
let users = 0;
let channels: OfflineChannel[] = [];
let lives: Lifecycle[] = [];
const realFetch = fetch;
/** The page's abort signals are jsdom's, which Node's own fetch does not know. */
const pageFetch: typeof fetch = (input, init) => realFetch(input, { ...init, signal: null });

beforeAll(async () => {
  // The first test must not wait for the code that sends.
  [server] = await Promise.all([startReplyServer(), loadDelivery()]);
});
afterAll(() => server.close());
beforeEach(() => {
  factory = new IDBFactory();
  Object.assign(globalThis, { indexedDB: factory, IDBKeyRange });
  server.asked.length = 0;
  uid = `life-${++users}`;
});
afterEach(() => {
  for (const life of lives) life.detach();
  for (const channel of channels) channel.close();
  [lives, channels] = [[], []];
});

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
const rest = (): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
const posts = (): string[] =>
  server.asked.filter((asked) => asked.method === 'POST').map((asked) => asked.path);

function tab(change: Partial<LifecycleOptions> = {}) {
  const views: QueueView[] = [];
  const wakers = new Set<() => void>();
  const agents: string[] = [];
  const ends: string[] = [];
  const channel = openChannel(`life-${uid}`);
  const life = createLifecycle(
    {
      line: { baseUrl: server.url, fetch: pageFetch },
      token: () => Promise.resolve({ uid, token: 'a.e30.' }),
      signedIn: () => true,
      keepSnapshots: () => true,
      made: { had: () => false, note: () => undefined },
      hidden: () => false,
      holdsToken: () => true,
      onWake(listener) {
        wakers.add(listener);
        return () => {
          wakers.delete(listener);
        };
      },
      onView: (view) => {
        views.push(view);
      },
      onDelivered: () => undefined,
      onAgents: (list) => {
        agents.push(...list.map((agent) => agent.id));
      },
      onAlert: () => undefined,
      onSettled: () => undefined,
      onDrained: ({ end }) => {
        ends.push(end);
      },
      onError: (error) => {
        throw error;
      },
      ...change,
    },
    channel,
  );
  channels.push(channel);
  lives.push(life);
  return {
    life,
    views,
    agents,
    ends,
    wake: () => {
      for (const waker of wakers) waker();
    },
    wakers,
    view: () => views.at(-1),
    states: () => views.at(-1)?.entries.map((entry) => entry.state),
  };
}
const names = async (): Promise<(string | undefined)[]> =>
  (await factory.databases()).map((one) => one.name);

describe('attaching a user', () => {
  it('sends what an earlier life of the page has left, and shows it accepted for a while', async () => {
    const earlier = new UserDatabase(uid, { mayCreate: () => true });
    await createOutbox(databaseStore(earlier)).enqueue(stop('x'));
    await earlier.close();
    server.answer(echo);
    const { life, agents, states } = tab();
    life.attach(uid);
    await expect.poll(states).toEqual(['accepted']);
    expect([posts(), agents]).toEqual([['/api/agents/x/stop'], ['x']]);
  });

  it('shows a start that was accepted right after a stop as the later of the two', async () => {
    server.answer(echo);
    const { life, view } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    await life.queue?.outbox.enqueue(start('x'));
    await life.drainNow();
    await expect
      .poll(() => view()?.entries.map(({ intent, state }) => `${intent} ${state}`), {
        timeout: 4_000,
      })
      .toEqual(['stop accepted', 'start accepted']);
    const numbers = view()?.entries.map(({ sequence }) => sequence) ?? [];
    expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
  });

  it('twice is once; another user takes the place of the first, whose queue is no longer shown (F34)', async () => {
    server.answer(() => 'reset');
    const { life, view } = tab();
    life.attach(uid);
    const { queue } = life;
    life.attach(uid);
    expect(life.queue).toBe(queue);
    await queue?.outbox.enqueue(stop('x'));
    await expect.poll(() => view()?.entries.length).toBe(1);
    life.attach(`${uid}-other`);
    await expect.poll(() => view()?.entries.length).toBe(0);
    expect(life.queue?.uid).toBe(`${uid}-other`);
  });
});

describe('when it sends', () => {
  it('tries again by itself after the server was away, without a press', async () => {
    server.answer(() => 'reset');
    const { life, ends } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    expect([ends.at(-1), posts()]).toEqual(['offline', []]);
    server.answer(echo);
    await expect.poll(posts, { timeout: 8_000 }).toEqual(['/api/agents/x/stop']);
  });

  it('tries again by itself when no token could be had, as while the identity provider is away', async () => {
    server.answer(echo);
    let token: { uid: string; token: string } | null = null;
    const { life, ends } = tab({ token: () => Promise.resolve(token) });
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    expect([ends.at(-1), posts()]).toEqual(['signed-out', []]);
    token = { uid, token: 'a.e30.' };
    await expect.poll(posts, { timeout: 8_000 }).toEqual(['/api/agents/x/stop']);
  });

  it('tries again by itself after a drain that could not read the disk (F13)', async () => {
    server.answer(echo);
    const { life, ends } = tab();
    life.attach(uid);
    await life.drainNow();
    await life.queue?.outbox.enqueue(stop('x'));
    const failing = vi
      .spyOn(UserDatabase.prototype, 'transact')
      .mockRejectedValue(new StorageFault('broken', 'This device could not save this'));
    await life.drainNow();
    failing.mockRestore();
    expect([ends.at(-1), posts()]).toEqual(['no-storage', []]);
    await expect.poll(posts, { timeout: 8_000 }).toEqual(['/api/agents/x/stop']);
  });

  it('tries again by itself after a drain that failed in a way nobody foresaw', async () => {
    server.answer(echo);
    const errors: unknown[] = [];
    let fails = true;
    const { life } = tab({
      token: () =>
        fails ? Promise.reject(new Error('unforeseen')) : Promise.resolve({ uid, token: 'a.e30.' }),
      onError: (error) => {
        errors.push(error);
      },
    });
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    fails = false;
    expect([errors.length > 0, posts()]).toEqual([true, []]);
    await expect.poll(posts, { timeout: 8_000 }).toEqual(['/api/agents/x/stop']);
  });

  it('tries when the app is shown again, and rests while it is hidden', async () => {
    let hidden = true;
    server.answer(() => 'reset');
    const { life, wake } = tab({ hidden: () => hidden });
    life.attach(uid);
    await life.queue?.outbox.enqueue(start('x'));
    await life.drainNow();
    server.answer(echo);
    wake();
    await rest();
    expect(posts()).toEqual([]);
    hidden = false;
    wake();
    await expect.poll(posts).toEqual(['/api/agents/x/start']);
  });

  describe('with a stop that waits while it is hidden', () => {
    const hiddenTab = async (change: Partial<LifecycleOptions> = {}) => {
      server.answer(() => 'reset');
      const world = tab({ hidden: () => true, ...change });
      world.life.attach(uid);
      await world.life.queue?.outbox.enqueue(stop('x'));
      await world.life.drainNow();
      await world.life.refresh();
      return world;
    };

    it('sends when the network is back, for nobody may look for long', async () => {
      const { wake } = await hiddenTab();
      server.answer(echo);
      wake();
      await expect.poll(posts).toEqual(['/api/agents/x/stop']);
    });

    it('tries again by itself, calmly, until it is sent', async () => {
      const waits = vi.spyOn(globalThis, 'setTimeout');
      await hiddenTab();
      const [again, ms] = waits.mock.calls.filter(([, wait]) => (wait ?? 0) >= 30_000).at(-1) ?? [];
      vi.restoreAllMocks();
      expect(ms).toBe(30_000);
      server.answer(echo);
      (again as () => void)();
      await expect.poll(posts).toEqual(['/api/agents/x/stop']);
    });

    it('rests where its token has run out, which a hidden tab must not renew', async () => {
      const token = vi.fn(() => Promise.resolve({ uid, token: 'a.e30.' }));
      const { wake } = await hiddenTab({ holdsToken: () => false, token });
      server.answer(echo);
      wake();
      await rest();
      expect(posts()).toEqual([]);
      expect(token).not.toHaveBeenCalled();
    });

    it('renews no token that the server refuses; the stop waits until the tab is seen', async () => {
      const forced: boolean[] = [];
      let hidden = true;
      const { wake, ends, states } = await hiddenTab({
        hidden: () => hidden,
        token: (force) => {
          forced.push(force);
          return Promise.resolve({ uid, token: 'a.e30.' });
        },
      });
      const refused = { status: 401, body: { error: { code: 'token_expired', message: 'Over' } } };
      server.answer((asked) => (asked.path === '/healthz' ? health : refused));
      wake();
      await expect.poll(() => ends.at(-1)).toBe('signed-out');
      expect([posts(), forced]).toEqual([['/api/agents/x/stop'], [false]]);
      await expect.poll(states).toEqual(['saved']);
      server.answer(echo);
      // The token that was refused is not tried again, by the timer or by the network.
      wake();
      await rest();
      expect(posts()).toEqual(['/api/agents/x/stop']);
      hidden = false;
      wake();
      await expect.poll(states).toEqual(['accepted']);
    });
  });

  it('holds everything when the session is over, and goes on after a sign-in (F29)', async () => {
    const over = {
      status: 401,
      body: { error: { code: 'reauth_required', message: 'Log in again' } },
    };
    server.answer((asked) => (asked.path === '/healthz' ? health : over));
    const { life, view } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    await expect.poll(() => view()?.paused).toBe('sign-in');
    const tried = posts().length;
    await life.drainNow();
    expect(posts()).toHaveLength(tried);
    server.answer(echo);
    await life.signedInAgain();
    expect(posts()).toHaveLength(tried + 1);
    await expect.poll(() => view()?.paused).toBeNull();
  });

  describe('what a page was sending when it was killed', () => {
    beforeEach(async () => {
      const killed = new UserDatabase(uid, { mayCreate: () => true });
      const outbox = createOutbox(databaseStore(killed));
      for (const { commandId } of [
        await outbox.enqueue(stop('x')),
        await outbox.enqueue(start('y')),
      ])
        await claimIn(outbox, commandId);
      await killed.close();
    });
    const waits = [
      { intent: 'stop', state: 'saved', attempts: 1 },
      { intent: 'start', state: 'saved', attempts: 1 },
    ];

    it('waits, sent and not confirmed, and is not called being sent where there is no network (F10)', async () => {
      server.answer(() => 'reset');
      const { life, view, ends } = tab();
      life.attach(uid);
      await expect.poll(() => ends).toContain('offline');
      await expect.poll(() => view()?.entries).toMatchObject(waits);
      const [stopped] = view()?.entries ?? [];
      expect(await cancelCommandIn(life.queue!.outbox, stopped!.commandId)).toBe('already-sent');
      server.answer(echo);
      await life.drainNow();
      expect(posts()).toEqual(['/api/agents/x/stop', '/api/agents/y/start']);
    });

    it('is not called being sent in a pause, which sends nothing either (F10, F29)', async () => {
      const paused = new UserDatabase(uid, { mayCreate: () => false });
      await createOutbox(databaseStore(paused)).pause({
        why: 'sign-in',
        authTime: null,
        contractVersion: 1,
      });
      await paused.close();
      server.answer(echo);
      const { life, view, ends } = tab();
      life.attach(uid);
      await expect.poll(() => ends).toContain('sign-in');
      await expect.poll(() => view()?.entries).toMatchObject(waits);
      expect(posts()).toEqual([]);
    });
  });

  it('keeps the queue and says so when the server wants a newer app (F25)', async () => {
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 426, body: { error: { code: 'client_outdated', message: 'Update' } } },
    );
    const { life, view, ends } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    expect(ends.at(-1)).toBe('update');
    await expect.poll(() => [view()?.paused, view()?.entries.length]).toEqual(['update', 1]);
  });

  it('sends it without an update where the server takes this app again, as after a rollback (F25)', async () => {
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 426, body: { error: { code: 'client_outdated', message: 'Update' } } },
    );
    const { life, view } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    await expect.poll(() => view()?.paused).toBe('update');
    server.answer(echo);
    const tried = posts().length;
    await life.drainNow();
    expect(posts()).toHaveLength(tried);
    const later = Date.now() + 61_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    await life.drainNow();
    vi.restoreAllMocks();
    expect(posts()).toHaveLength(tried + 1);
    await expect.poll(() => view()?.paused).toBeNull();
    expect(await life.queue?.outbox.state()).toMatchObject({ entries: [], meta: { pause: null } });
  });

  it('asks by itself, a minute later, whether the server takes this app again (F25)', async () => {
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 426, body: { error: { code: 'client_outdated', message: 'Update' } } },
    );
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const { life, view } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.drainNow();
    await expect.poll(() => view()?.paused).toBe('update');
    await expect.poll(() => waits.mock.calls.map(([, ms]) => ms)).toContain(60_000);
    vi.restoreAllMocks();
  });
});

describe('a page that is left while it sends', () => {
  const left = (): void => {
    dispatchEvent(new Event('pagehide'));
  };
  const shown = (): void => {
    dispatchEvent(new Event('pageshow'));
  };
  let locks: LockManager;
  beforeEach(() => {
    locks = exclusiveLocks();
    Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  });
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'locks');
  });
  /** What another page asks with. */
  const granted = (): Promise<string> =>
    Promise.race([
      locks.request(`outbox:${uid}`, () => 'granted'),
      new Promise<string>((resolve) => {
        setTimeout(resolve, 500, 'waits');
      }),
    ]);

  it('gives back the lock, so that a stop goes out from the next page', async () => {
    server.answer((asked) => (asked.path === '/healthz' ? health : 'hang'));
    const { life } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const turn = life.drainNow();
    await expect.poll(() => posts().length).toBe(1);
    expect(await granted()).toBe('waits');
    left();
    expect(await granted()).toBe('granted');
    await turn;
    shown();
  });

  it('takes no lock while it waits in line, which it would keep', async () => {
    server.answer(echo);
    let release: () => void = () => undefined;
    void locks.request(
      `outbox:${uid}`,
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const { life } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const turn = life.drainNow();
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    left();
    release();
    expect(await granted()).toBe('granted');
    await turn;
    expect(posts()).toEqual([]);
    shown();
    await life.drainNow();
    expect(posts()).toEqual(['/api/agents/x/stop']);
  });

  it('sends the stop again under its id when it is shown again', async () => {
    server.answer((asked) => (asked.path === '/healthz' ? health : 'hang'));
    const { life } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const turn = life.drainNow();
    await expect.poll(() => posts().length).toBe(1);
    left();
    await turn;
    server.answer(echo);
    shown();
    await life.drainNow();
    expect(posts()).toEqual(['/api/agents/x/stop', '/api/agents/x/stop']);
    const ids = server.asked.map(({ headers }) => headers['idempotency-key']).filter(Boolean);
    expect(new Set(ids).size).toBe(1);
  });

  it('sends nothing more from the turn before, which has no lock, when it is shown again', async () => {
    const refused = { status: 401, body: { error: { code: 'token_expired', message: 'Expired' } } };
    let answer: (answering: Answering) => void = () => undefined;
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : new Promise((resolve) => {
            answer = resolve;
          }),
    );
    const { life, states } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.queue?.outbox.enqueue(start('y'));
    const turn = life.drainNow();
    await expect.poll(() => posts().length).toBe(1);
    left();
    await turn;
    shown();
    answer(refused);
    await expect.poll(states).toEqual(['saved', 'saved']);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(posts()).toEqual(['/api/agents/x/stop']);
  });

  it('sends without the lock what another holds up for longer than a send may take', async () => {
    server.answer(echo);
    void locks.request(`outbox:${uid}`, () => new Promise(() => undefined));
    const { life } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const turn = life.drainNow();
    await expect.poll(() => waits.mock.calls.some(([, ms]) => ms === 20_000)).toBe(true);
    const [patience] = waits.mock.calls.find(([, ms]) => ms === 20_000) ?? [];
    (patience as () => void)();
    vi.restoreAllMocks();
    await turn;
    expect(posts()).toEqual(['/api/agents/x/stop']);
  });
});

describe('while the disk does not answer', () => {
  const failing = () =>
    vi
      .spyOn(UserDatabase.prototype, 'transact')
      .mockRejectedValue(new StorageFault('no-storage', 'It did not answer in time'));
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('shows what waits as last read, and without what was sent meanwhile', async () => {
    server.answer(() => 'reset');
    const { life, view, states } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const sent = await life.queue?.outbox.enqueue(stop('y'));
    await life.refresh();
    failing();
    await life.refresh();
    expect(view()?.entries.map(({ agentId }) => agentId)).toEqual(['x', 'y']);
    expect(view()?.unread).toBe(false);
    const elsewhere = openChannel(`life-${uid}`);
    channels.push(elsewhere);
    if (sent !== undefined)
      elsewhere.post({ type: 'delivered', uid, entry: sent, agents: [], alert: null });
    await expect.poll(states).toEqual(['saved', 'accepted']);
    await expect.poll(states, { timeout: 8_000 }).toEqual(['saved']);
  });

  it('says that a queue was never read, where there is one, instead of calling it empty', async () => {
    failing();
    let had = true;
    const { life, view } = tab({ made: { had: () => had, note: () => undefined } });
    life.attach(uid);
    expect(view()?.unread).toBe(true);
    await life.refresh();
    expect(view()).toMatchObject({ entries: [], unread: true });
    // No database was ever made here: nothing can wait in it.
    had = false;
    await life.refresh();
    expect(view()).toMatchObject({ entries: [], unread: false });
    had = true;
    vi.restoreAllMocks();
    await life.refresh();
    expect(view()?.unread).toBe(false);
  });

  it('shows nothing of a user whose data is deleted, nor of the one before (F34)', async () => {
    server.answer(() => 'reset');
    const { life, view } = tab({ made: { had: () => true, note: () => undefined } });
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    await life.refresh();
    await life.database?.retire();
    await life.refresh();
    expect(view()).toMatchObject({ entries: [], unread: false });
    failing();
    life.attach(`${uid}-other`);
    await life.refresh();
    expect(view()).toMatchObject({ entries: [], unread: true });
  });
});

describe('a command that went past a disk that took it all the same (F109)', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  /** The change is stored, and the page is told too late. */
  async function sendLate(life: Lifecycle): Promise<string> {
    const { queue, database } = life;
    if (queue === null || database === null) throw new Error('Nobody is attached');
    const request = { ...stop('x'), press: { id: crypto.randomUUID(), at: Date.now() } };
    const transact = database.transact.bind(database);
    vi.spyOn(database, 'transact').mockImplementationOnce(async (...asked) => {
      await transact(...asked);
      throw new StorageFault('no-storage', 'It did not answer in time');
    });
    await expect(queue.outbox.enqueue(request)).rejects.toBeInstanceOf(StorageFault);
    await sendUnsaved(uid, request, {
      line: { baseUrl: server.url, fetch: pageFetch },
      token: () => Promise.resolve({ uid, token: 'a.e30.' }),
      outbox: queue.outbox,
      told: queue.told,
    });
    return request.press.id;
  }
  /** The disk is away for a moment. */
  async function away(life: Lifecycle, view: () => QueueView | undefined): Promise<void> {
    const open = factory.open.bind(factory);
    factory.open = () => {
      throw new DOMException('It is away', 'InvalidStateError');
    };
    await life.database?.close();
    await life.refresh();
    expect(view()?.storage).toBe('memory');
    factory.open = open;
    await life.refresh();
    expect(view()?.storage).toBe('disk');
  }
  /** What the next page finds. */
  const nextPage = () =>
    createOutbox(databaseStore(new UserDatabase(uid, { mayCreate: () => false })));

  it('is over there once the disk is back, and the other tabs hear what the server said', async () => {
    server.answer((asked) => (asked.path === '/healthz' ? 'reset' : echo(asked)));
    const { life, view } = tab();
    const other = tab();
    life.attach(uid);
    other.life.attach(uid);
    await expect.poll(() => view()?.storage).toBe('disk');
    const id = await sendLate(life);
    await expect.poll(() => other.agents).toEqual(['x']);
    expect((await nextPage().state()).entries.map(({ attempts }) => attempts)).toEqual([0]);
    await away(life, view);
    await expect.poll(async () => (await nextPage().state()).meta.taken).toEqual([id]);
    expect((await nextPage().state()).entries).toEqual([]);
  });

  it('is there as sent once the disk is back, where no answer came: no next page undoes it as unsent', async () => {
    server.answer(() => 'reset');
    const { life, view } = tab();
    life.attach(uid);
    await expect.poll(() => view()?.storage).toBe('disk');
    const id = await sendLate(life);
    await away(life, view);
    await expect
      .poll(async () => (await nextPage().state()).entries.map(({ attempts }) => attempts))
      .toEqual([1]);
    expect((await nextPage().state()).meta.taken ?? []).toEqual([]);
    expect(await cancelCommandIn(nextPage(), id)).toBe('already-sent');
  });
});

/** The browser's side of workers, as a page sees it. */
function workers() {
  const worker = { postMessage: vi.fn() };
  const register = vi.fn((_tag: string) => Promise.resolve());
  const container: { controller: unknown; getRegistration: () => Promise<unknown> } = {
    controller: worker,
    getRegistration: () => Promise.resolve({ active: worker, sync: { register } }),
  };
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true });
  return { container, asked: worker.postMessage, register };
}

describe('a page that may be closed', () => {
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'serviceWorker');
  });
  it('has the browser wake the worker once it is hidden, while the network keeps it waiting', async () => {
    const { register } = workers();
    let hidden = false;
    server.answer(() => 'hang');
    const { life, wake } = tab({ hidden: () => hidden });
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    void life.drainNow();
    await expect.poll(() => server.asked.length).toBeGreaterThan(0);
    expect(register).not.toHaveBeenCalled();
    hidden = true;
    wake();
    await expect.poll(() => register.mock.calls).toEqual([['outbox']]);
  });

  it('does so as well between its tries, and not with nothing to send', async () => {
    const { register } = workers();
    let hidden = false;
    server.answer(() => 'reset');
    const { life, wake } = tab({ hidden: () => hidden });
    life.attach(uid);
    await life.drainNow();
    await life.refresh();
    hidden = true;
    wake();
    await rest();
    expect(register).not.toHaveBeenCalled();
    hidden = false;
    await life.queue?.outbox.enqueue(start('x'));
    await life.drainNow();
    await life.refresh();
    await expect.poll(() => register.mock.calls.length).toBe(1);
    hidden = true;
    wake();
    await expect.poll(() => register.mock.calls.length).toBe(2);
  });
});

describe('a page that has lost its storage for good, as in WebKit', () => {
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'serviceWorker');
  });
  async function lostWithStop() {
    server.answer(() => 'reset');
    const world = tab();
    world.life.attach(uid);
    await world.life.queue?.outbox.enqueue(stop('x'));
    await world.life.refresh();
    await world.life.database?.close();
    factory.open = () => {
      const request = { error: new DOMException('Connection lost', 'UnknownError') } as {
        error: DOMException;
        onerror?: () => void;
      };
      queueMicrotask(() => request.onerror?.());
      return request as unknown as IDBOpenDBRequest;
    };
    server.answer(echo);
    return world;
  }

  it('has the worker send the stop that it cannot read (F105)', async () => {
    const { asked } = workers();
    const { life, ends, states, view } = await lostWithStop();
    await life.drainNow();
    expect([ends.at(-1), posts()]).toEqual(['no-storage', []]);
    expect(view()).toMatchObject({ storage: 'memory', wasOnDisk: true });
    await expect.poll(() => asked.mock.calls).toEqual([[{ type: 'drain' }]]);
    // What the worker says is shown, with no disk.
    const sent = view()?.entries[0];
    const worker = openChannel(`life-${uid}`);
    channels.push(worker);
    if (sent !== undefined)
      worker.post({ type: 'delivered', uid, entry: sent, agents: [], alert: null });
    await expect.poll(states).toEqual(['accepted']);
  });

  it('asks the worker of its registration where none controls the page (F105)', async () => {
    const { asked, container } = workers();
    container.controller = null;
    const { life } = await lostWithStop();
    await life.drainNow();
    await expect.poll(() => asked.mock.calls).toEqual([[{ type: 'drain' }]]);
  });

  it('asks nobody while it reads its queue, though the disk takes nothing', async () => {
    const { asked } = workers();
    server.answer(echo);
    const { life, ends } = tab();
    life.attach(uid);
    await life.queue?.outbox.enqueue(stop('x'));
    const { database } = life;
    if (database === null) throw new Error('The user is attached');
    const real = database.transact.bind(database);
    vi.spyOn(database, 'transact').mockImplementation((stores, mode, ...rest) =>
      mode === 'readwrite'
        ? Promise.reject(new StorageFault('quota', 'This device is out of storage'))
        : real(stores, mode, ...rest),
    );
    await life.drainNow();
    await life.refresh();
    vi.restoreAllMocks();
    expect([ends.at(-1), posts()]).toEqual(['no-storage', ['/api/agents/x/stop']]);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('signing out', () => {
  it('deletes the database and every word of it, with other tabs open, and none of them sends (F23, F35)', async () => {
    server.answer(() => 'reset');
    const [one, two] = [tab(), tab()];
    one.life.attach(uid);
    two.life.attach(uid);
    await one.life.queue?.outbox.enqueue(stop('x'));
    await writeSnapshot(uid, 'portfolio', portfolio(T0, '4242'));
    await expect.poll(() => two.view()?.entries.length).toBe(1);
    expect(await names()).toEqual([`tradewind-${uid}`]);
    server.answer(echo);
    await one.life.purge(uid);
    expect(await names()).toEqual([]);
    await expect
      .poll(() => [one.view()?.entries.length, two.view()?.entries.length])
      .toEqual([0, 0]);
    expect([one.life.queue, two.life.queue]).toEqual([null, null]);
    one.wake();
    two.wake();
    await two.life.drainNow();
    expect(posts()).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('is not undone by a late write of what was opened before it (F35)', async () => {
    server.answer(() => 'reset');
    const { life } = tab();
    life.attach(uid);
    const { database } = life;
    await writeSnapshot(uid, 'portfolio', portfolio(T0));
    await life.purge(uid);
    expect(await writeSnapshot(uid, 'portfolio', portfolio(T0 + 1), T0, database)).toBe(false);
    expect(await names()).toEqual([]);
  });

  it('names what would be lost: waiting, sent without an answer, or asking, and not what is over', () => {
    const entries = (
      ['saved', 'sending', 'needs-you', 'failed', 'lapsed', 'cancelled', 'accepted'] as const
    ).map((state) => entryOf(start(state), { state }));
    expect(unsent(entries).map((entry) => entry.state)).toEqual(['saved', 'sending', 'needs-you']);
  });
});

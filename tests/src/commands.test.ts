// @vitest-environment jsdom
/**
 * What a press comes to: saved, sent without a disk, refused; over IndexedDB, a session and a real
 * line.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cancelCommand,
  confirmCommand,
  keepsSnapshots,
  openCommands,
  queue,
  sendQueued,
  setAlert,
  setKeepSnapshots,
  startAgent,
  startAll,
  stopAgent,
  stopAll,
  unsentCommands,
  type CommandResult,
} from '../../src/commands.ts';
import type { Alert, AlertTerms } from '../../contract/alerts.ts';
import { OUTBOX_MAX } from '../../contract/limits.ts';
import { recordAgent } from '../../src/api/recorded-replies.ts';
import type { AuthPort } from '../../src/identity/auth-port.ts';
import type { AuthUser } from '../../src/identity/auth-user.ts';
import { recordedToken } from '../../src/identity/recorded-auth.ts';
import {
  connectIdentity,
  endSession,
  resetSession,
  session,
  signIn,
  signOut,
} from '../../src/identity/session.ts';
import { createOutbox } from '../../src/offline/outbox.ts';
import { databaseStore } from '../../src/offline/queue-store.ts';
import { requestOf } from '../../src/offline/send.ts';
import { StorageFault, UserDatabase } from '../../src/offline/user-database.ts';
import type { OutboxEntry } from '../../src/offline/outbox-entry.ts';
import { readSnapshot, writeSnapshot } from '../../src/offline/snapshots.ts';
import { agentsStore, applyAgents, clearAgents } from '../../src/stores/agents-store.ts';
import {
  alertsStore,
  applyAlert,
  applyAlerts,
  clearAlerts,
  removeAlert,
} from '../../src/stores/alerts-store.ts';
import { connection } from '../../src/stores/connection.ts';
import { offerUndo, stopOffer } from '../../src/stores/stop-offer.ts';
import {
  startReplyServer,
  type Answering,
  type Asked,
  type ReplyServer,
} from '../support/reply-server.ts';
import { entryOf, portfolio, start, stop, T0 } from './offline/samples.ts';

const PROJECT = 'demo-tradewind';
const realFetch = fetch;
const agent = { ...recordAgent('x', 'Harbour', 0), generation: 3 };
let server: ReplyServer;
let factory: IDBFactory;
let users = 0;
let uid = '';

let hasToken = true;
/** Asks for a token that never get one, as where the provider's store hangs. */
let unanswered = 0;
function provider(): AuthPort {
  let user: AuthUser | null = null;
  const listeners = new Set<(next: AuthUser | null) => void>();
  const become = (next: AuthUser | null): void => {
    user = next;
    for (const listener of listeners) listener(next);
  };
  const enter = (email: string): Promise<AuthUser> => {
    const id = email.split('@')[0] ?? '';
    const next: AuthUser = {
      uid: id,
      email,
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
      getIdToken: () => {
        if (unanswered > 0) {
          unanswered -= 1;
          return new Promise(() => undefined);
        }
        return hasToken
          ? Promise.resolve(recordedToken(id, email, PROJECT, Date.now()))
          : Promise.reject(new Error('The provider is away'));
      },
    };
    become(next);
    return Promise.resolve(next);
  };
  return {
    observe(listener) {
      listeners.add(listener);
      listener(user);
      return () => {
        listeners.delete(listener);
      };
    },
    currentUser: () => user,
    holdsToken: () => true,
    signIn: enter,
    signUp: enter,
    signInWithGoogle: () => enter('google@example.com'),
    sendPasswordReset: () => Promise.resolve(),
    updateProfile: () => Promise.resolve(),
    signOut: () => {
      become(null);
      return Promise.resolve();
    },
    account: () => Promise.reject(new Error('Not asked for here')),
  };
}

const health = {
  status: 200,
  body: { app: 'tradewind', status: 'ok', contract: 1, time: Date.now() },
};
const echo = (asked: Asked): Answering =>
  asked.path === '/healthz'
    ? health
    : asked.method === 'POST'
      ? {
          status: 200,
          body: {
            commandId: asked.headers['idempotency-key'],
            outcome: 'stopped',
            agent: { ...agent, generation: 4 },
            results: [],
            agents: [],
          },
        }
      : 'reset';
const posts = (): Asked[] => server.asked.filter((asked) => asked.method === 'POST');
const onDisk = async (): Promise<OutboxEntry[]> => {
  const database = new UserDatabase(uid, { mayCreate: () => false });
  try {
    return (await createOutbox(databaseStore(database)).state()).entries;
  } finally {
    await database.close();
  }
};
/** A browser that has no IndexedDB to give, in the way that Firefox's private windows had none. */
const refuseStorage = (): void => {
  factory.open = () => {
    throw new DOMException(
      'A mutation operation was attempted on a database that did not allow mutations.',
      'InvalidStateError',
    );
  };
};

beforeAll(async () => {
  server = await startReplyServer();
  // The page's abort signals are jsdom's, which Node's own fetch does not know.
  vi.stubGlobal('fetch', (input: string, init: RequestInit = {}) =>
    realFetch(new URL(input, server.url), { ...init, signal: null }),
  );
  openCommands();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.close();
});
beforeEach(() => {
  hasToken = true;
  factory = new IDBFactory();
  Object.assign(globalThis, { indexedDB: factory, IDBKeyRange });
  localStorage.clear();
  server.asked.length = 0;
  server.answer(() => 'reset');
  connectIdentity(provider(), PROJECT);
  uid = `trader-${++users}`;
});
afterEach(async () => {
  await signOut();
  clearAgents();
  clearAlerts();
});
const enter = (): Promise<void> => signIn(`${uid}@example.com`, 'secret');

describe('a press', () => {
  it('is "saved" only when the disk has it, and is delivered when the server is back', async () => {
    await enter();
    const said = await stopAgent(agent);
    expect(said).toMatchObject({
      said: 'saved',
      entry: { intent: 'stop', agentId: 'x', agentName: agent.name, seenGeneration: 3 },
    });
    expect((await onDisk()).map((entry) => entry.commandId)).toEqual([
      said.said === 'saved' ? said.entry.commandId : '',
    ]);
    expect(posts()).toEqual([]);
    server.answer(echo);
    await sendQueued();
    await sendQueued();
    expect(posts().map((asked) => asked.path)).toEqual(['/api/agents/x/stop']);
    expect(await onDisk()).toEqual([]);
    await expect.poll(() => queue.entries.map((entry) => entry.state)).toEqual(['accepted']);
  });

  it('is sent by a later turn where the provider never answers the first: no turn waits for good', async () => {
    await enter();
    expect(await stopAgent(agent)).toMatchObject({ said: 'saved' });
    server.answer(echo);
    unanswered = 1;
    await sendQueued();
    await sendQueued();
    expect(posts().map((asked) => asked.path)).toEqual(['/api/agents/x/stop']);
  });

  it('names the agents that were seen for all of them, so that no other is started (R7-18)', async () => {
    await enter();
    applyAgents({ agents: [agent], sequence: 1, asOf: T0 }, 'network');
    expect(await startAll([agent])).toMatchObject({
      entry: { intent: 'start-all', agents: [{ id: 'x', seenGeneration: 3 }] },
    });
    expect(await stopAll()).toMatchObject({
      entry: { intent: 'stop-all', agents: [{ id: 'x', seenGeneration: 3 }] },
    });
    expect((await onDisk()).map((entry) => entry.intent)).toEqual(['stop-all']);
  });

  it('is refused while nobody is signed in', async () => {
    expect(await stopAgent(agent)).toEqual({ said: 'refused', message: 'Not authenticated' });
  });

  it('past the session takes a stop and nothing else, not even a start that waits to be confirmed (R5-18)', async () => {
    await enter();
    const database = new UserDatabase(uid, { mayCreate: () => true });
    await createOutbox(databaseStore(database), { now: () => Date.now() - 3_600_000 }).enqueue(
      start('y'),
    );
    await database.close();
    await sendQueued();
    await expect.poll(() => queue.entries.map((entry) => entry.state)).toEqual(['needs-you']);
    endSession();
    expect(session.status).toBe('expired');
    expect(await startAgent(agent)).toMatchObject({ said: 'refused' });
    expect(await startAll([agent])).toMatchObject({ said: 'refused' });
    expect(await confirmCommand(queue.entries[0]?.commandId ?? '')).toMatchObject({
      said: 'refused',
      message: expect.stringContaining('Log in again') as string,
    });
    expect(await stopAgent(agent)).toMatchObject({ said: 'saved' });
  });

  it('is, for a stop that finds the queue full, sent at once, and says the truth where that fails', async () => {
    await enter();
    await expect.poll(() => queue.storage).toBe('disk');
    const database = new UserDatabase(uid, { mayCreate: () => false });
    await databaseStore(database).change((state) => ({
      ...state,
      entries: Array.from({ length: OUTBOX_MAX }, (_, place) => ({
        ...entryOf(stop(`other-${place}`)),
        uid,
        sequence: place + 1,
      })),
      result: undefined,
    }));
    await database.close();
    expect(await startAgent(agent)).toMatchObject({ said: 'refused' });
    expect(await stopAgent(agent)).toMatchObject({
      said: 'not-saved',
      message: expect.stringMatching(
        /commands are already waiting.* Not saved on this device, and the server did not answer\. Check whether it took effect before you try again\.$/,
      ) as string,
    });
    server.answer((asked) => (asked.path === '/healthz' ? 'reset' : echo(asked)));
    server.asked.length = 0;
    expect(await stopAgent(agent)).toMatchObject({ said: 'sent' });
    expect(posts().map(({ path }) => path)).toEqual(['/api/agents/x/stop']);
    hasToken = false;
    expect(await stopAgent(agent)).toMatchObject({
      said: 'not-saved',
      message: expect.stringMatching(/commands are already waiting/) as string,
    });
  });

  it('can be taken back until it is sent, and says which', async () => {
    await enter();
    const said = await stopAgent(agent);
    const id = said.said === 'saved' ? said.entry.commandId : '';
    await expect.poll(() => unsentCommands().map((entry) => entry.commandId)).toEqual([id]);
    expect(await cancelCommand(id)).toBe('undone');
    expect(await cancelCommand(id)).toBe('gone');
    server.answer(echo);
    await sendQueued();
    expect(posts()).toEqual([]);
  });

  it('gives back, taken back, the start that it had withdrawn, which is then sent', async () => {
    await enter();
    const started = await startAgent(agent);
    const id = started.said === 'saved' ? started.entry.commandId : '';
    const said = await stopAgent(agent);
    server.answer(echo);
    expect(await cancelCommand(said.said === 'saved' ? said.entry.commandId : '')).toBe('undone');
    await expect
      .poll(posts, { timeout: 8_000 })
      .toMatchObject([{ path: '/api/agents/x/start', headers: { 'idempotency-key': id } }]);
  });

  it('says that it was not taken back where the disk fails at that moment, and still waits', async () => {
    await enter();
    const said = await stopAgent(agent);
    const id = said.said === 'saved' ? said.entry.commandId : '';
    const failing = vi
      .spyOn(UserDatabase.prototype, 'transact')
      .mockRejectedValue(new StorageFault('quota', 'The disk is full'));
    const result = await cancelCommand(id).finally(() => {
      failing.mockRestore();
    });
    expect(result).toBe('not-done');
    expect((await onDisk()).map((entry) => entry.commandId)).toEqual([id]);
    expect(await cancelCommand(id)).toBe('undone');
  });

  describe('whose code to take it back is late', () => {
    const REVIEW = '../../src/offline/review.ts';
    afterEach(async () => {
      vi.doUnmock(REVIEW);
      // Done with the next import: a stand-in of the next test would go with it.
      await import(REVIEW);
    });

    it('is taken back once that code is here', async () => {
      const { come } = late();
      await enter();
      const id = await savedId(stopAgent(agent));
      const undone = cancelCommand(id);
      come();
      expect(await undone).toBe('undone');
      expect(await onDisk()).toEqual([]);
    });

    it('keeps waiting where it was pressed again before that code came', async () => {
      const { come } = late();
      await enter();
      const id = await savedId(stopAgent(agent));
      const undone = cancelCommand(id);
      expect(await savedId(stopAgent(agent))).toBe(id);
      come();
      expect(await undone).toBe('not-done');
      expect((await onDisk()).map((entry) => entry.commandId)).toEqual([id]);
      expect(await cancelCommand(id)).toBe('undone');
    });

    it('keeps waiting where that code cannot be had, and says so', async () => {
      late().fail();
      await enter();
      const id = await savedId(stopAgent(agent));
      expect(await cancelCommand(id)).toBe('not-done');
      expect(await confirmCommand('0b6f2f6e-93a5-4c1c-9f4a-000000000001')).toMatchObject({
        said: 'not-saved',
        message: expect.stringMatching(/could not be loaded/) as string,
      });
      expect((await onDisk()).map((entry) => entry.commandId)).toEqual([id]);
    });

    it('is confirmed for nobody but its own user', async () => {
      const { come } = late();
      await enter();
      const confirmed = confirmCommand('0b6f2f6e-93a5-4c1c-9f4a-000000000001');
      await signOut();
      come();
      expect(await confirmed).toEqual({ said: 'refused', message: 'Not authenticated' });
    });

    /** The code comes, or fails to, when the test says so. */
    function late(): { come: () => void; fail: () => void } {
      let settle: (arrived: boolean) => void;
      const arrived = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      vi.doMock(REVIEW, async (original) => {
        if (!(await arrived)) throw new Error('The code is away');
        return original();
      });
      return {
        come() {
          settle(true);
        },
        fail() {
          settle(false);
        },
      };
    }

    async function savedId(pressed: Promise<CommandResult>): Promise<string> {
      const said = await pressed;
      return said.said === 'saved' ? said.entry.commandId : '';
    }
  });

  it('is, for a stop that failed and is tried again, sent at once where the disk takes nothing (F13)', async () => {
    await enter();
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 422, body: { error: { code: 'invalid_request', message: 'No' } } },
    );
    const said = await stopAgent(agent);
    const id = said.said === 'saved' ? said.entry.commandId : '';
    await expect.poll(() => queue.entries[0]?.state, { timeout: 8_000 }).toBe('failed');
    server.asked.length = 0;
    server.answer(echo);
    const failing = vi
      .spyOn(UserDatabase.prototype, 'transact')
      .mockRejectedValue(new StorageFault('quota', 'The disk is full'));
    const result = await confirmCommand(id).finally(() => {
      failing.mockRestore();
    });
    expect(result).toMatchObject({ said: 'sent' });
    expect(posts().map(({ path }) => path)).toEqual(['/api/agents/x/stop']);
    expect(posts()[0]?.headers['idempotency-key']).not.toBe(id);
  });

  it('that is confirmed goes out as a new command on the agent as it is now', async () => {
    await enter();
    const database = new UserDatabase(uid, { mayCreate: () => true });
    const old = await createOutbox(databaseStore(database), {
      now: () => Date.now() - 3_600_000,
    }).enqueue(start('x', 1));
    await database.close();
    applyAgents({ agents: [agent], sequence: 1, asOf: T0 }, 'network');
    await sendQueued();
    await expect.poll(() => queue.entries[0]?.state).toBe('needs-you');
    const said = await confirmCommand(old.commandId);
    expect(said).toMatchObject({ said: 'saved', entry: { seenGeneration: 3, confirmed: true } });
    expect(said.said === 'saved' && said.entry.commandId !== old.commandId).toBe(true);
    expect(await confirmCommand(old.commandId)).toEqual({
      said: 'refused',
      message: 'This command is no longer waiting',
    });
  });

  it('is refused aloud when the queue is full', async () => {
    await enter();
    const database = new UserDatabase(uid, { mayCreate: () => true });
    await database.transact(['outbox'], 'readwrite', (transaction) => {
      for (let sequence = 1; sequence <= 400; sequence += 1) {
        const entry = {
          ...entryOf(start(`agent-${sequence}`)),
          uid,
          sequence,
          createdAt: Date.now(),
        };
        transaction.objectStore('outbox').put(entry, entry.commandId);
      }
    });
    await database.close();
    expect(await startAgent(agent)).toMatchObject({
      said: 'refused',
      message: expect.stringContaining('500') as string,
    });
    expect(await stopAgent(agent)).toMatchObject({ said: 'saved' });
  });
});

describe('a press that no disk takes', () => {
  it("is sent at once and never called saved; the agent shows the server's word (F18)", async () => {
    refuseStorage();
    await enter();
    server.answer(echo);
    applyAgents({ agents: [agent], sequence: 1, asOf: T0 }, 'network');
    const said = await stopAgent(agent);
    expect(said).toEqual({
      said: 'sent',
      message: 'Sent to the server. It could not be saved on this device.',
    });
    expect(agentsStore.data?.agents).toMatchObject([{ id: 'x', generation: 4 }]);
    expect(queue.storage).toBe('memory');
  });

  it('and that is answered when somebody else is here lays nothing into their list (F34)', async () => {
    refuseStorage();
    await enter();
    applyAgents({ agents: [], sequence: 1, asOf: T0 }, 'network');
    server.answer((asked) => {
      if (asked.path !== '/healthz' && session.user !== null) session.user.uid = 'ben';
      return echo(asked);
    });
    expect(await stopAgent(agent)).toEqual({ said: 'refused', message: 'Not authenticated' });
    expect(agentsStore.data?.agents).toEqual([]);
  });

  it('is "not saved" in so many words when the server is not there either (F13, F18)', async () => {
    refuseStorage();
    await enter();
    expect(await stopAgent(agent)).toMatchObject({
      said: 'not-saved',
      message: expect.stringMatching(/^Not saved/) as string,
    });
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : {
            status: 403,
            body: { error: { code: 'forbidden', message: 'Your plan does not start agents' } },
          },
    );
    expect(await startAgent(agent)).toEqual({
      said: 'refused',
      message: 'Your plan does not start agents',
    });
    expect(await confirmCommand('0b6f2f6e-93a5-4c1c-9f4a-000000000001')).toMatchObject({
      said: 'not-saved',
    });
  });
});

/** The next change of the queue comes to the disk, which says so too late. */
function hangOnce(): void {
  vi.restoreAllMocks();
  const real = Object.getOwnPropertyDescriptor(UserDatabase.prototype, 'transact');
  const transact = real?.value as UserDatabase['transact'];
  let hangs = true;
  vi.spyOn(UserDatabase.prototype, 'transact').mockImplementation(async function (
    this: UserDatabase,
    ...[stores, mode, work, durability]
  ) {
    const result = await transact.call(this, stores, mode, work, durability);
    if (!hangs || mode === 'readonly' || !stores.includes('outbox')) return result;
    hangs = false;
    throw new StorageFault('no-storage', 'The storage of this browser did not answer in time');
  });
}

/** What went out, and what lies on the disk of the same press. */
async function bothWays(): Promise<unknown[]> {
  const [entry] = await onDisk();
  const sent = posts().at(-1);
  if (entry === undefined || sent === undefined) throw new Error('It went one way alone');
  const asOf = (body: object): object => ({ ...body, ageMs: 0 });
  return [
    [entry.commandId, asOf(requestOf(entry, 0).body)],
    [sent.headers['idempotency-key'], asOf(sent.body as object)],
  ];
}

describe('a press that the disk takes after it was given up (F109)', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is sent at once under the id that it has there, and is over with its answer', async () => {
    await enter();
    server.answer(echo);
    hangOnce();
    expect(await stopAgent(agent)).toMatchObject({ said: 'sent' });
    const [kept, sent] = await bothWays();
    expect(kept).toEqual(sent);
    await sendQueued();
    expect(posts()).toHaveLength(1);
    expect(queue.entries).toEqual([]);
    await startAgent({ ...agent, generation: 4 });
    expect((await onDisk()).map(({ intent }) => intent)).toEqual(['start']);
  });

  it('is, of a stop that failed and is tried again, the same request too', async () => {
    await enter();
    applyAgents({ agents: [agent], sequence: 1, asOf: T0 }, 'network');
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 422, body: { error: { code: 'invalid_request', message: 'No' } } },
    );
    const said = await stopAgent({ ...agent, generation: 2 });
    const id = said.said === 'saved' ? said.entry.commandId : '';
    await expect.poll(() => queue.entries[0]?.state, { timeout: 8_000 }).toBe('failed');
    server.answer(echo);
    hangOnce();
    expect(await confirmCommand(id)).toMatchObject({ said: 'sent' });
    const [kept, sent] = await bothWays();
    expect(kept).toEqual(sent);
    expect(kept).not.toContain(id);
  });
});

/** Nothing of the queue goes out, and what goes past it is taken. */
const directly = (asked: Asked): Answering => (asked.path === '/healthz' ? 'reset' : echo(asked));

describe('a press that no disk takes beside what waits there', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const commandIdOf = async (pressed: Promise<CommandResult>): Promise<string> => {
    const said = await pressed;
    if (said.said !== 'saved') throw new Error(`It was ${said.said}`);
    await expect.poll(() => queue.entries.at(-1)?.commandId).toBe(said.entry.commandId);
    return said.entry.commandId;
  };

  it('is, of a start, not sent past a stop that would undo it later, and says so (F109)', async () => {
    await enter();
    server.answer(directly);
    await commandIdOf(stopAll());
    hangOnce();
    const NOT_SENT = {
      said: 'not-saved',
      message:
        'Not sent: an earlier stop is still waiting and would stop this again. It may not be saved on this device either. Look what is waiting before you press Start again.',
    };
    expect(await startAgent(agent)).toEqual(NOT_SENT);
    hangOnce();
    expect(await startAll([agent])).toEqual(NOT_SENT);
    expect(posts()).toEqual([]);
    hangOnce();
    expect(await stopAgent(agent)).toMatchObject({ said: 'sent' });
    expect(posts().map(({ path }) => path)).toEqual(['/api/agents/x/stop']);
  });

  it('goes out under the id of the same stop that waits there, so that it stops once (F109)', async () => {
    await enter();
    server.answer(directly);
    const id = await commandIdOf(stopAgent(agent));
    hangOnce();
    expect(await stopAgent(agent)).toMatchObject({ said: 'sent' });
    const [kept, sent] = await bothWays();
    expect(kept).toEqual(sent);
    expect(kept).toContain(id);
    await expect.poll(() => queue.entries).toEqual([]);
    server.asked.length = 0;
    server.answer(echo);
    await startAgent({ ...agent, generation: 4 });
    await sendQueued();
    expect(posts().map(({ path }) => path)).toEqual(['/api/agents/x/start']);
  });

  it('stops anew what may have been started since: no id that went out answers for it', async () => {
    await enter();
    server.answer(directly);
    await commandIdOf(stopAgent(agent));
    const taken = await commandIdOf(stopAgent({ ...agent, id: 'y' }));
    vi.spyOn(UserDatabase.prototype, 'transact').mockRejectedValue(
      new StorageFault('no-storage', 'The storage of this browser did not answer in time'),
    );
    // Read when the agent was at its third start; it is at its fifth by now.
    expect(await stopAgent({ ...agent, generation: 5 })).toMatchObject({ said: 'sent' });
    for (let press = 0; press < 2; press += 1)
      expect(await stopAgent({ ...agent, id: 'y' })).toMatchObject({ said: 'sent' });
    const ids = posts().map(({ headers }) => headers['idempotency-key']);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe(taken);
    expect(
      queue.entries.map(({ agentId }) => agentId),
      'what is over is not shown',
    ).toEqual(['x']);
  });

  it('is, of a start, sent where the stop that waits is of another agent', async () => {
    await enter();
    server.answer(directly);
    await commandIdOf(stopAgent({ ...agent, id: 'y' }));
    hangOnce();
    expect(await startAgent(agent)).toMatchObject({ said: 'sent' });
  });
});

describe('a reply that names what the list does not have', () => {
  const ID = '0b6f2f6e-93a5-4c1c-9f4a-00000000000a';
  const terms: AlertTerms = {
    symbol: 'BTC/USDT',
    condition: { kind: 'above', price: '70000' },
    repeatMinutes: null,
    note: '',
    active: true,
  };
  const alert: Alert = {
    ...terms,
    id: ID,
    phase: 'watching',
    version: 1,
    restsUntil: null,
    lastFiredAt: null,
    createdAt: T0,
  };
  /** The receipt of the command. No list can be read, so that what is shown is the reply's doing. */
  const receipt = (asked: Asked): Answering => {
    if (asked.path === '/healthz') return health;
    if (asked.method === 'GET') return 'reset';
    const commandId = asked.headers['idempotency-key'];
    return { status: 200, body: { commandId, alert } };
  };
  const listed = (): string[] => alertsStore.data?.alerts.map(({ id }) => id) ?? [];
  const readAnew = (path: string): number =>
    server.asked.filter((asked) => asked.method === 'GET' && asked.path === path).length;
  const emptyList = (sequence = 7): void => {
    applyAlerts({ alerts: [], firings: [], sequence, servedAt: Date.now() }, 'network');
  };
  const isDelivered = (): Promise<void> =>
    expect.poll(() => queue.entries.map((entry) => entry.state)).toEqual(['accepted']);

  it('shows a new alert at once', async () => {
    await enter();
    emptyList();
    server.answer(receipt);
    await setAlert(ID, terms, null);
    await isDelivered();
    expect(listed()).toEqual([ID]);
  });

  it('has the list read anew after a lost answer: the alert may be deleted by now', async () => {
    await enter();
    emptyList();
    server.answer((asked) => (asked.path === '/healthz' ? health : 'reset'));
    await setAlert(ID, terms, null);
    await expect.poll(() => queue.entries[0]?.attempts ?? 0).toBeGreaterThan(0);
    // Deleted on another device; the list has caught up with that.
    emptyList(9);
    server.asked.length = 0;
    server.answer(receipt);
    await sendQueued();
    await isDelivered();
    await expect.poll(() => readAnew('/api/alerts')).toBeGreaterThan(0);
    expect(listed()).toEqual([]);
  });

  it('has it read anew where the deletion was told before the answer came', async () => {
    await enter();
    emptyList();
    server.answer((asked) => {
      if (asked.path !== '/healthz' && asked.method !== 'GET') {
        applyAlert(alert, 8);
        removeAlert(ID, 9);
      }
      return receipt(asked);
    });
    await setAlert(ID, terms, null);
    await isDelivered();
    await expect.poll(() => readAnew('/api/alerts')).toBeGreaterThan(0);
    expect(listed()).toEqual([]);
  });

  it('has the agents read anew: no command makes one, so it may be deleted by now', async () => {
    await enter();
    applyAgents({ agents: [], sequence: 1, asOf: T0 }, 'network');
    server.answer(echo);
    await stopAgent(agent);
    await isDelivered();
    await expect.poll(() => readAnew('/api/agents')).toBeGreaterThan(0);
    expect(agentsStore.data?.agents).toEqual([]);
  });
});

describe('keeping and leaving', () => {
  it('deletes what is kept of a user with the sign-out, without a network, and nothing is sent for them later (F35)', async () => {
    await enter();
    await stopAgent(agent);
    await writeSnapshot(uid, 'portfolio', portfolio(T0));
    expect((await factory.databases()).map((one) => one.name)).toEqual([`tradewind-${uid}`]);
    offerUndo({ agent, commandId: null, atTop: false }, 60_000);
    await signOut();
    expect(await factory.databases()).toEqual([]);
    expect(queue.entries).toEqual([]);
    expect(stopOffer.offer, 'names an agent of the person who went').toBeNull();
    server.answer(echo);
    await sendQueued();
    expect(posts()).toEqual([]);
  });

  it('shows and sends nothing of the user before (F34)', async () => {
    await enter();
    await stopAgent(agent);
    server.answer(echo);
    await signIn('next@example.com', 'secret');
    await sendQueued();
    expect([queue.entries, posts()]).toEqual([[], []]);
    expect((await factory.databases()).map((one) => one.name)).toEqual(['tradewind-next']);
  });

  it('keeps no snapshot when the person does not want one, and keeps the queue', async () => {
    await enter();
    expect(keepsSnapshots()).toBe(true);
    await stopAgent(agent);
    await writeSnapshot(uid, 'portfolio', portfolio(T0));
    for (const key of [
      'tradewind.draft.agent',
      'tradewind.walletSends',
      'tradewind.wallet',
      'tradewind.appearance',
    ])
      localStorage.setItem(key, 'x');
    await setKeepSnapshots(false);
    expect(keepsSnapshots()).toBe(false);
    expect(
      [
        'tradewind.draft.agent',
        'tradewind.walletSends',
        'tradewind.wallet',
        'tradewind.appearance',
      ].map((key) => localStorage.getItem(key)),
    ).toEqual([null, null, null, 'x']);
    expect(await readSnapshot(uid, 'portfolio')).toBeNull();
    expect(await writeSnapshot(uid, 'portfolio', portfolio(T0 + 1))).toBe(false);
    expect(await onDisk()).toHaveLength(1);
    await setKeepSnapshots(true);
    expect(await writeSnapshot(uid, 'portfolio', portfolio(T0 + 2))).toBe(true);
  });

  it('keeps data again where the page was left before the device had noted the choice', async () => {
    const database = new UserDatabase(uid, { mayCreate: () => true });
    await database.transact(['meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(false, 'keepSnapshots');
    });
    await database.close();
    expect(keepsSnapshots()).toBe(true);
    await enter();
    await expect.poll(() => writeSnapshot(uid, 'portfolio', portfolio(T0))).toBe(true);
  });

  it('asks for an update and keeps what waits when the server says that this app is too old (F25)', async () => {
    await enter();
    server.answer((asked) =>
      asked.path === '/healthz'
        ? health
        : { status: 426, body: { error: { code: 'client_outdated', message: 'Update' } } },
    );
    await stopAgent(agent);
    await expect.poll(() => [queue.paused, connection.outdated]).toEqual(['update', true]);
    expect(await onDisk()).toHaveLength(1);
    connection.outdated = false;
    resetSession();
  });
});

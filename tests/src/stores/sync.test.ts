// @vitest-environment happy-dom
/**
 * What keeps the stores true: events into their stores, another user's sign-in, expiry, the
 * server's return.
 */
import 'fake-indexeddb/auto';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { MarketData } from '../../../contract/market.ts';
import type { StreamEvent } from '../../../contract/stream.ts';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import { api } from '../../../src/api/api.ts';
import { ApiError } from '../../../src/api/api-error.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import { joinStream, type SharedStreamOptions } from '../../../src/api/shared-stream.ts';
import { endSession, resetSession, session } from '../../../src/identity/session.ts';
import { knownClockOffset } from '../../../src/offline/queue-store.ts';
import { deleteUserDatabase, openUserDatabase } from '../../../src/offline/user-database.ts';
import { agentsStore } from '../../../src/stores/agents-store.ts';
import { alertsStore } from '../../../src/stores/alerts-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import { historyStore } from '../../../src/stores/fills-store.ts';
import { applyEvent } from '../../../src/stores/follow-stream.ts';
import { startSync } from '../../../src/stores/sync.ts';
import {
  applyMarket,
  applyPools,
  marketStore,
  poolsStore,
} from '../../../src/stores/market-store.ts';
import { portfolioStore } from '../../../src/stores/portfolio-store.ts';
import { settingsStore } from '../../../src/stores/settings-store.ts';
import { subscriptionStore } from '../../../src/stores/subscription-store.ts';
import { applyWallet, walletStore } from '../../../src/stores/wallet-store.ts';
import { waitFor } from '../../support/wait-for.ts';

vi.mock('../../../src/api/shared-stream.ts', () => ({ joinStream: vi.fn() }));

const now = Date.now();
const replies = (): ReturnType<typeof recordedReplies> =>
  structuredClone(recordedReplies(recordState(now), now));
const source = {
  id: 'recorded',
  kind: 'simulated',
  label: 'Recorded prices',
  quote: 'USDT',
} as const;
const ofExchange = (price: string): MarketData => ({
  source: { id: 'kraken', kind: 'exchange', label: 'Kraken', quote: 'USDT' },
  now,
  symbols: [{ ...replies().marketData!.symbols[0]!, price }],
});
const call = vi.spyOn(api, 'call');
const marketData = vi.spyOn(api, 'marketData');
const wake = vi.fn();
const close = vi.fn();
let asked: string[] = [];
let sequence = 1;

const enter = (uid: string): void => {
  session.user = {
    uid,
    email: `${uid}@example.com`,
    displayName: null,
    metadata: { lastSignInTime: new Date().toUTCString() },
  };
  session.status = 'signed-in';
};
const leave = (): void => {
  Object.assign(session, { user: null, status: 'signed-out' });
};
const count = (name: string): number => asked.filter((one) => one === name).length;
const loaded = (): Promise<void> =>
  waitFor(() => {
    expect([
      portfolioStore.status,
      agentsStore.status,
      historyStore.status,
      marketStore.status,
    ]).toEqual(['ready', 'ready', 'ready', 'ready']);
    expect(joinStream).toHaveBeenCalled();
  });

beforeAll(() => {
  vi.mocked(joinStream).mockReturnValue({ wake, close });
  resetSession();
  call.mockImplementation((name) => {
    asked.push(name);
    const all = replies() as Record<string, object | undefined>;
    return Promise.resolve(
      ['portfolio', 'agents', 'history', 'alerts'].includes(name)
        ? { ...all[name], sequence }
        : all[name],
    ) as never;
  });
  marketData.mockImplementation(() => {
    asked.push('marketData');
    return Promise.resolve({ value: replies().marketData!, origin: 'network' });
  });
  void startSync();
});
afterAll(() => {
  vi.restoreAllMocks();
});
beforeEach(async () => {
  sequence = 1;
  enter('ann');
  await loaded();
  // Exchange accounts come last, with code of their own.
  await waitFor(() => {
    expect(asked).toContain('liveAccount');
  });
  asked = [];
});
afterEach(async () => {
  leave();
  await waitFor(() => {
    expect(portfolioStore.data).toBeNull();
  });
  vi.mocked(joinStream).mockClear();
  wake.mockClear();
  close.mockClear();
});

const handed = (): SharedStreamOptions =>
  vi.mocked(joinStream).mock.calls.at(-1)?.[0] as SharedStreamOptions;

describe('events', () => {
  it('go into the store they belong to', () => {
    const agent = replies().agents?.agents[0] as Agent;
    applyEvent({
      type: 'agent.changed',
      sequence: 2,
      agent: { ...agent, status: 'stopped', generation: agent.generation + 1 },
    });
    expect(agentsStore.data?.agents[0]).toMatchObject({ status: 'stopped' });
    applyEvent({
      type: 'fill.recorded',
      sequence: 3,
      fill: { ...(replies().history?.fills[0] as Fill), id: 'another' },
    });
    expect(historyStore.data?.fills.map((fill) => fill.id)).toEqual(['another', 'recorded-fill']);
    applyEvent({
      type: 'portfolio.marked',
      portfolio: { ...(replies().portfolio as Portfolio), servedAt: now + 10_000, equity: '10013' },
    });
    expect(portfolioStore.data?.equity).toBe('10013');
    applyEvent({ type: 'agent.deleted', sequence: 4, agentId: agent.id });
    expect(agentsStore.data?.agents.map((one) => one.id)).not.toContain(agent.id);
  });

  it('that greet leave the server’s clock on the device, where the worker dates pushes by it (F20)', async () => {
    const database = openUserDatabase('ann', { mayCreate: () => true });
    const greet = (serverTime: number): void => {
      applyEvent({ type: 'hello', sequence: 1, serverTime, marketTime: serverTime, source });
    };
    onTestFinished(async () => {
      greet(Date.now());
      await deleteUserDatabase('ann');
    });
    greet(Date.now() + 3_600_000);
    await waitFor(async () => {
      expect(Math.round((await knownClockOffset(database)) / 60_000)).toBe(60);
    });
  });

  it('that only name a change are read, each once', async () => {
    applyEvent({ type: 'portfolio.changed', sequence: 2 });
    applyEvent({ type: 'subscription.changed', sequence: 3 });
    applyEvent({ type: 'settings.changed', sequence: 4 });
    await waitFor(() => {
      expect([
        count('portfolio'),
        count('subscriptionStatus'),
        count('trialStatus'),
        count('tradingSettings'),
      ]).toEqual([1, 1, 1, 1]);
    });
  });

  it("of the server's prices are laid down at the next frame, and not mixed into a board of another source", async () => {
    const [first] = replies().marketData?.symbols ?? [];
    const tick: StreamEvent = {
      type: 'ticks',
      now: now + 5_000,
      symbols: [{ ...first!, price: '1', timestamp: now + 5_000 }],
    };
    applyEvent(tick);
    await waitFor(() => {
      expect(marketStore.data?.symbols['BTC/USDT']?.price).toBe('1');
    });
    // One that waits for its frame belongs to the board that is gone.
    applyEvent({ ...tick, symbols: [{ ...first!, price: '2', timestamp: now + 6_000 }] });
    applyMarket(ofExchange('7'), 'exchange');
    marketData.mockResolvedValueOnce({ value: ofExchange('7'), origin: 'exchange' });
    applyEvent(tick);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(marketStore.data?.symbols['BTC/USDT']?.price).toBe('7');
  });

  it('of prices have the market read again from the server where an exchange tells it in its place, at most every half minute (R7-13)', async () => {
    const pools = vi.spyOn(api, 'marketPools');
    pools.mockResolvedValue({ value: replies().marketPools!, origin: 'network' });
    const tick: StreamEvent = { type: 'ticks', now: now + 5_000, symbols: [] };
    applyEvent(tick);
    expect(asked).toEqual([]);
    applyMarket(ofExchange('7'), 'exchange');
    applyPools({ pools: [] }, 'exchange');
    // The server's market still fails, though its prices arrive.
    marketData.mockImplementationOnce(() => {
      asked.push('marketData');
      return Promise.resolve({ value: ofExchange('8'), origin: 'exchange' });
    });
    applyEvent(tick);
    await waitFor(() => {
      expect(marketStore.data?.symbols['BTC/USDT']?.price).toBe('8');
      expect(poolsStore.origin).toBe('network');
    });
    applyEvent(tick);
    expect(count('marketData')).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    vi.setSystemTime(Date.now() + 30_000);
    applyEvent(tick);
    await waitFor(() => {
      expect(marketStore.origin).toBe('network');
    });
    expect([count('marketData'), pools.mock.calls.length]).toEqual([2, 1]);
  });

  it('missed while away are read afresh after a greeting, and nothing is read where none were missed', async () => {
    const hello = (at: number): StreamEvent => ({
      type: 'hello',
      sequence: at,
      serverTime: Date.now(),
      marketTime: Date.now(),
      source,
    });
    applyEvent(hello(1));
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
    expect(asked).toEqual([]);
    sequence = 9;
    applyEvent(hello(9));
    await waitFor(() => {
      expect([count('portfolio'), count('agents'), count('history')]).toEqual([1, 1, 1]);
    });
    await waitFor(() => {
      expect(agentsStore.data?.sequence).toBe(9);
    });
  });

  it('that a list here lacks keep it from being called current, however long another list takes', async () => {
    let answer: (reply: object) => void = () => undefined;
    vi.spyOn(api, 'call').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }) as never,
    );
    historyStore.savedAt = 0;
    applyEvent({
      type: 'hello',
      sequence: 7,
      serverTime: Date.now(),
      marketTime: Date.now(),
      source,
    });
    expect(agentsStore.savedAt!).toBeLessThan(connection.gapAt ?? 0);
    sequence = 7;
    answer({ ...replies().history, sequence: 1 });
    await waitFor(() => {
      expect(agentsStore.data?.sequence).toBe(7);
    });
    connection.gapAt = null;
  });

  it('are not waited for by the rest where only the alerts do not answer', async () => {
    let answer: (reply: object) => void = () => undefined;
    alertsStore.savedAt = 0;
    vi.spyOn(api, 'call').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }) as never,
    );
    connection.gapAt = Date.now();
    applyEvent({
      type: 'hello',
      sequence: 1,
      serverTime: Date.now(),
      marketTime: Date.now(),
      source,
    });
    await waitFor(() => {
      expect(connection.gapAt).toBeNull();
    });
    answer({ ...replies().alerts, sequence: 1 });
    await waitFor(() => {
      expect(alertsStore.status).toBe('ready');
    });
  });

  it('missed by the alerts alone are read afresh too', async () => {
    alertsStore.data!.sequence = 0;
    applyEvent({
      type: 'hello',
      sequence: 1,
      serverTime: Date.now(),
      marketTime: Date.now(),
      source,
    });
    await waitFor(() => {
      expect(count('alerts')).toBe(1);
    });
    await waitFor(() => {
      expect(alertsStore.data?.sequence).toBe(1);
    });
  });

  it('end the session when the server says that it is over; what is shown stays for reading (R5-18)', async () => {
    applyEvent({ type: 'session.ended', reason: 'reauth_required' });
    expect(session.status).toBe('expired');
    await waitFor(() => {
      expect(close).toHaveBeenCalledTimes(1);
    });
    expect(portfolioStore.data).not.toBeNull();
    resetSession();
  });
});

describe('a person who was revoked', () => {
  it.each([
    [
      'on the open stream',
      () => {
        applyEvent({ type: 'session.ended', reason: 'token_revoked' });
      },
    ],
    [
      'when the stream is opened',
      () => {
        handed().onRefused?.('token_revoked');
      },
    ],
  ])(
    'is heard of %s: the same as a sign-out, and what is theirs goes from the screen (F30)',
    async (_where, say) => {
      say();
      expect(session).toMatchObject({ status: 'signed-out', user: null });
      await waitFor(() => {
        expect([portfolioStore.data, agentsStore.data]).toEqual([null, null]);
      });
      await waitFor(() => {
        expect(close).toHaveBeenCalledTimes(1);
      });
    },
  );
});

describe("the server's return", () => {
  it("opens the stream at once, and asks again for what is not the server's own word", async () => {
    portfolioStore.origin = 'snapshot';
    connection.online = 'offline';
    await waitFor(() => {
      expect(connection.online).toBe('offline');
    });
    connection.online = 'online';
    await waitFor(() => {
      expect(wake).toHaveBeenCalledTimes(1);
    });
    await waitFor(() => {
      expect(count('portfolio')).toBe(1);
    });
    expect(count('agents'), 'what is fresh is not asked for').toBe(0);
  });
});

describe('a stream that ends', () => {
  it('has kept true what it tells of until its last word, and vouches for nothing again before it was compared', async () => {
    if (portfolioStore.data !== null) portfolioStore.data.positions = [];
    vi.useFakeTimers({ toFake: ['Date'], now: now + 100_000 });
    handed().onState('open');
    applyEvent({ type: 'heartbeat', serverTime: Date.now(), marketTime: Date.now(), sequence: 1 });
    const lastWord = Date.now();
    vi.setSystemTime(now + 130_000);
    handed().onState('stale');
    expect(
      [agentsStore, portfolioStore, historyStore, alertsStore].map(({ savedAt }) => savedAt),
    ).toEqual([lastWord, lastWord, lastWord, lastWord]);
    expect(connection.gapAt).toBe(now + 130_000);
    vi.setSystemTime(now + 140_000);
    handed().onState('open');
    expect(connection.gapAt).toBe(now + 130_000);
    applyEvent({
      type: 'hello',
      sequence: 1,
      serverTime: Date.now(),
      marketTime: Date.now(),
      source,
    });
    await waitFor(() => {
      expect(connection.gapAt).toBeNull();
    });
    vi.useRealTimers();
    handed().onState('closed');
    connection.gapAt = null;
  });

  it('has kept no open position true for longer than its last mark', async () => {
    const marked = Date.now();
    applyEvent({
      type: 'portfolio.marked',
      portfolio: { ...(replies().portfolio as Portfolio), servedAt: now + 20_000 },
    });
    expect(portfolioStore.data?.positions).not.toEqual([]);
    const savedAt = portfolioStore.savedAt ?? 0;
    expect(savedAt).toBeGreaterThanOrEqual(marked);
    vi.useFakeTimers({ toFake: ['Date'], now: marked + 100_000 });
    handed().onState('open');
    applyEvent({ type: 'heartbeat', serverTime: Date.now(), marketTime: Date.now(), sequence: 1 });
    handed().onState('stale');
    expect([portfolioStore.savedAt, agentsStore.savedAt]).toEqual([savedAt, Date.now()]);
    vi.useRealTimers();
    handed().onState('closed');
    connection.gapAt = null;
  });
});

describe('a page that was hidden', () => {
  it('reads the settings and the wallet anew: another device may have paused trading (R3-04, R7-27)', async () => {
    applyWallet(replies().walletStatus!, 'network');
    await waitFor(() => {
      expect(settingsStore.status).toBe('ready');
    });
    asked = [];
    handed().onGap();
    await waitFor(() => {
      expect([count('tradingSettings'), count('walletStatus')]).toEqual([1, 1]);
    });
  });

  it('asks again for settings that it could not read', async () => {
    const answer = call.getMockImplementation();
    let isAway = true;
    call.mockImplementation(((name: 'tradingSettings') => {
      if (name !== 'tradingSettings' || !isAway) return answer?.(name, {});
      isAway = false;
      asked.push(name);
      return Promise.reject(
        new ApiError('The server is busy', { code: 'server_busy', status: 503, text: 'Busy' }),
      );
    }) as never);
    onTestFinished(() => {
      if (answer !== undefined) call.mockImplementation(answer);
      connection.gapAt = null;
    });
    handed().onGap();
    await waitFor(() => {
      expect([count('tradingSettings'), settingsStore.status]).toEqual([2, 'ready']);
    });
  });
});

describe('a read after a gap that fails', () => {
  let away: string[] = [];
  let hidden: 'visible' | 'hidden' = 'visible';
  beforeEach(() => {
    away = ['agents'];
    hidden = 'visible';
    vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => hidden);
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const answer = call.getMockImplementation();
    call.mockImplementation(((name: 'agents') => {
      if (!away.includes(name)) return answer?.(name, {});
      asked.push(name);
      return Promise.reject(
        new ApiError('The server is busy', { code: 'server_busy', status: 503, text: 'Busy' }),
      );
    }) as never);
    onTestFinished(() => {
      if (answer !== undefined) call.mockImplementation(answer);
      vi.mocked(Math.random).mockRestore();
      connection.online = 'online';
      connection.gapAt = null;
    });
  });
  const failed = async (): Promise<void> => {
    handed().onGap();
    await waitFor(() => {
      expect([agentsStore.status, portfolioStore.status]).toEqual(['error', 'ready']);
    });
  };
  const later = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, 1_500);
    });

  it('is tried again by itself, alone, until it is here', async () => {
    await failed();
    await waitFor(() => {
      expect(count('agents')).toBe(3);
    });
    expect(count('portfolio')).toBe(1);
    away = [];
    await waitFor(() => {
      expect(agentsStore.status).toBe('ready');
    });
    const many = count('agents');
    await later();
    expect([count('agents'), count('portfolio')]).toEqual([many, 1]);
    expect(agentsStore.savedAt ?? 0).toBeGreaterThanOrEqual(connection.gapAt ?? Infinity);
  });

  it.each([
    ['portfolio', 'portfolio.changed', portfolioStore],
    ['tradingSettings', 'settings.changed', settingsStore],
  ] as const)(
    'is tried again too where the stream told of a change of %s, and what is here is as good as a copy until then (F110)',
    async (name, type, slot) => {
      connection.gapAt = null;
      await waitFor(() => {
        expect([slot.status, slot.origin]).toEqual(['ready', 'network']);
      });
      asked = [];
      away = [name];
      applyEvent({ type, sequence: 2 });
      await waitFor(() => {
        expect([slot.status, slot.origin, connection.gapAt]).toEqual(['error', 'snapshot', null]);
      });
      await waitFor(() => {
        expect(count(name)).toBeGreaterThan(1);
      });
      away = [];
      await waitFor(() => {
        expect([slot.status, slot.origin]).toEqual(['ready', 'network']);
      });
      // Nothing is missing of the rest.
      expect(count('agents')).toBe(0);
    },
  );

  it('rests while the page is hidden or the server is away, and goes on after that', async () => {
    await failed();
    hidden = 'hidden';
    await later();
    expect(count('agents')).toBe(1);
    hidden = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    await waitFor(() => {
      expect(count('agents')).toBe(2);
    });
    connection.online = 'offline';
    await later();
    const many = count('agents');
    await later();
    expect(count('agents')).toBe(many);
    away = [];
    connection.online = 'online';
    await waitFor(() => {
      expect(agentsStore.status).toBe('ready');
    });
  });
});

describe('another user after this one', () => {
  it('finds nothing of the first in any store, and has a stream of their own (F34)', async () => {
    expect(handed().uid).toBe('ann');
    applyWallet(
      {
        mode: 'paper',
        venue: 'v',
        quote: 'USDT',
        balances: [],
        linkedAddresses: [],
        links: [],
        onramp: 'direct',
      },
      'network',
    );
    let seen: unknown = 'not looked';
    vi.mocked(api).call.mockImplementationOnce((() => {
      seen = [
        portfolioStore.data,
        agentsStore.data,
        historyStore.data,
        marketStore.data,
        subscriptionStore.data,
        walletStore.data,
      ];
      return new Promise(() => undefined);
    }) as never);
    enter('bob');
    await waitFor(() => {
      expect(close).toHaveBeenCalledTimes(1);
    });
    await waitFor(() => {
      expect(seen).toEqual([null, null, null, null, null, null]);
    });
    await waitFor(() => {
      expect(handed().uid).toBe('bob');
    });
  });

  it('is not reached by a late expiry of the first', async () => {
    leave();
    endSession();
    expect(session.status).toBe('signed-out');
    await waitFor(() => {
      expect(portfolioStore.data).toBeNull();
    });
  });
});

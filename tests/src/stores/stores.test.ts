// @vitest-environment happy-dom
/**
 * The stores: what is asked for again, what never goes back, what "no connection" leaves standing.
 */
import 'fake-indexeddb/auto';
import { snapshot } from 'valtio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { Alert, AlertFiring } from '../../../contract/alerts.ts';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import type { WalletStatus } from '../../../contract/wallet.ts';
import { ApiError } from '../../../src/api/api-error.ts';
import { fromReply } from '../../../src/api/reply-error.ts';
import { api } from '../../../src/api/api.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import { TokenFault } from '../../../src/identity/token.ts';
import { resetSession, session } from '../../../src/identity/session.ts';
import { deleteUserDatabase, openUserDatabase } from '../../../src/offline/user-database.ts';
import { readSnapshot, TOLD_KEY, writeSnapshot } from '../../../src/offline/snapshots.ts';
import {
  agentsStore,
  applyAgent,
  applyAgents,
  applyRuns,
  clearAgents,
  loadAgents,
  removeAgent,
} from '../../../src/stores/agents-store.ts';
import {
  applyFill,
  applyHistory,
  clearHistory,
  historyStore,
} from '../../../src/stores/fills-store.ts';
import {
  alertsStore,
  applyAlerts,
  applyFiring,
  clearAlerts,
  removeAlert,
} from '../../../src/stores/alerts-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import { hearTold, hydrate, keepSnapshots } from '../../../src/stores/hydrate.ts';
import {
  applyMarket,
  applyTicks,
  clearMarket,
  loadMarket,
  loadPools,
  marketStore,
  poolsStore,
  takeTicks,
} from '../../../src/stores/market-store.ts';
import { observedState } from '../../../src/stores/observed-state.ts';
import type { Origin } from '../../../src/stores/slot.ts';
import { subscribeQuote, subscribeQuotes } from '../../../src/stores/quote-news.ts';
import {
  applyPortfolio,
  clearPortfolio,
  loadPortfolio,
  portfolioStore,
} from '../../../src/stores/portfolio-store.ts';
import {
  applySubscription,
  checkSubscription,
  checkSubscriptionIfDue,
  clearSubscription,
  refreshEntitlement,
  subscriptionStore,
} from '../../../src/stores/subscription-store.ts';
import { applyWallet, clearWallet, walletStore } from '../../../src/stores/wallet-store.ts';
import { waitFor } from '../../support/wait-for.ts';

const NOW = Date.parse('2026-01-10T12:00:00Z');
const recorded = recordedReplies(recordState(NOW), NOW);
const portfolio = recorded.portfolio as Portfolio;
const agent = (recorded.agents?.agents[0] ?? {}) as Agent;
const quote = recorded.marketData?.symbols[0];
const unanswered = new ApiError('Failed to fetch', {
  code: 'network',
  status: 0,
  text: 'Failed to fetch',
});
const noService = new ApiError('Backend service unavailable', {
  code: 'subscription_unavailable',
  status: 503,
  text: 'x',
  cause: unanswered,
});

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  resetSession();
  session.user = { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  clearAgents();
  clearHistory();
  clearMarket();
  clearPortfolio();
  clearSubscription();
});

describe('a reading', () => {
  it("is fresh for five minutes, is asked for again after that, and never for the window's focus (R9-08)", async () => {
    const call = vi
      .spyOn(api, 'call')
      .mockImplementation(() => Promise.resolve(structuredClone(portfolio)));
    await loadPortfolio();
    expect(portfolioStore).toMatchObject({
      status: 'ready',
      origin: 'network',
      savedAt: NOW,
      error: null,
    });
    vi.setSystemTime(NOW + 5 * 60_000 - 1);
    await loadPortfolio();
    window.dispatchEvent(new Event('focus'));
    expect(call).toHaveBeenCalledTimes(1);
    vi.setSystemTime(NOW + 5 * 60_000);
    await loadPortfolio();
    expect(call).toHaveBeenCalledTimes(2);
    await loadPortfolio(true);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it('is one question at a time', async () => {
    const call = vi
      .spyOn(api, 'call')
      .mockImplementation(() => Promise.resolve(structuredClone(portfolio)));
    await Promise.all([loadPortfolio(), loadPortfolio()]);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('that is asked for by force while one is on its way follows it, once: the answer on its way may be older', async () => {
    const answers: ((value: unknown) => void)[] = [];
    const call = vi.spyOn(api, 'call').mockImplementation(
      () =>
        new Promise((resolve) => {
          answers.push(resolve);
        }) as never,
    );
    const all = Promise.all([
      loadPortfolio(),
      loadPortfolio(true),
      loadPortfolio(true),
      loadPortfolio(true),
    ]);
    answers[0]?.(structuredClone(portfolio));
    await waitFor(() => {
      expect(call).toHaveBeenCalledTimes(2);
    });
    answers[1]?.({
      ...structuredClone(portfolio),
      sequence: portfolio.sequence + 1,
      equity: '10020',
    });
    await all;
    expect(call).toHaveBeenCalledTimes(2);
    expect(portfolioStore.data?.equity).toBe('10020');
  });

  it('that fails leaves the last good data, with the failure beside it', async () => {
    vi.spyOn(api, 'call').mockRejectedValue(unanswered);
    applyPortfolio(structuredClone(portfolio), 'snapshot', NOW - 60_000);
    await loadPortfolio();
    expect(portfolioStore).toMatchObject({
      status: 'error',
      origin: 'snapshot',
      savedAt: NOW - 60_000,
    });
    expect(portfolioStore.data?.equity).toBe(portfolio.equity);
    expect(portfolioStore.error).toMatch(/Could not reach the server/);
  });

  it('that comes back for a person who has left is thrown away', async () => {
    let answer: (value: unknown) => void = () => undefined;
    vi.spyOn(api, 'call').mockReturnValue(
      new Promise((resolve) => {
        answer = resolve;
      }) as never,
    );
    const loading = loadAgents();
    session.user = {
      uid: 'bob',
      email: null,
      displayName: null,
      metadata: { lastSignInTime: null },
    };
    answer({ agents: [agent], sequence: 9, asOf: NOW });
    await loading;
    expect(agentsStore.data).toBeNull();
  });

  it("of the market says when its prices are an exchange's, and is not fresh then (R7-13)", async () => {
    const value = {
      source: { id: 'kraken', kind: 'exchange' as const, label: 'Kraken', quote: 'USD' },
      now: NOW,
      symbols: [],
    };
    const read = vi.spyOn(api, 'marketData').mockResolvedValue({ origin: 'exchange', value });
    await loadMarket();
    expect(marketStore).toMatchObject({
      origin: 'exchange',
      data: { source: { label: 'Kraken' } },
    });
    await loadMarket();
    expect(read).toHaveBeenCalledTimes(2);
  });
});

describe('what is newer', () => {
  it("stays: a portfolio by sequence, then by the server's clock, and never back to an old book", () => {
    const say = (more: Partial<Portfolio>): string | undefined => {
      applyPortfolio({ ...structuredClone(portfolio), ...more }, 'stream');
      return portfolioStore.data?.equity;
    };
    expect(say({ sequence: 5, servedAt: 100, equity: '1' })).toBe('1');
    expect(say({ sequence: 4, servedAt: 200, equity: '2' })).toBe('1');
    expect(say({ sequence: 5, servedAt: 99, equity: '3' })).toBe('1');
    expect(say({ sequence: 5, servedAt: 101, equity: '4' })).toBe('4');
    expect(say({ sequence: 6, servedAt: 50, equity: '5' })).toBe('5');
    expect(say({ sequence: 1, servedAt: 300, book: 2, equity: '6' })).toBe('6');
    expect(say({ sequence: 9, servedAt: 400, book: 1, equity: '7' })).toBe('6');
  });

  it('stays: an agent by generation and version, a list by sequence', () => {
    applyAgents(
      { agents: [{ ...agent, generation: 3, status: 'running' }], sequence: 10, asOf: NOW },
      'network',
    );
    applyAgents({ agents: [], sequence: 9, asOf: NOW }, 'network');
    applyAgent({ ...agent, generation: 2, status: 'stopped' }, 11);
    expect(agentsStore.data?.agents[0]?.status).toBe('running');
    applyAgent({ ...agent, generation: 4, status: 'stopped' }, null);
    expect(agentsStore.data?.agents[0]?.status).toBe('stopped');
    applyAgent({ ...agent, generation: 5, status: 'running' }, 11);
    expect(agentsStore.data?.agents[0]?.status).toBe('stopped');
    removeAgent(agent.id, 12);
    expect(agentsStore.data).toMatchObject({ agents: [], sequence: 12 });
  });

  it('is not lost where it comes before a list that was asked for earlier', () => {
    clearAgents();
    const other = { ...agent, id: 'other' };
    const list = (sequence: number) => ({
      agents: [
        { ...agent, generation: 1, status: 'running' as const },
        { ...other, generation: 1, status: 'running' as const },
      ],
      sequence,
      asOf: NOW,
    });
    applyAgent({ ...agent, generation: 2, status: 'stopped' }, 11);
    applyAgent({ ...other, generation: 2, status: 'stopped' }, null);
    expect(agentsStore.data).toBeNull();
    // What the device kept lacks more than that, and is no answer to it.
    applyAgents(list(3), 'snapshot');
    expect(agentsStore.data?.agents.map(({ status }) => status)).toEqual(['running', 'running']);
    applyAgents(list(10), 'network');
    expect(agentsStore.data?.agents.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(agentsStore.data?.sequence).toBe(11);

    clearAgents();
    applyAgent({ ...agent, generation: 2, status: 'stopped' }, 11);
    removeAgent('other', 12);
    applyAgents(list(12), 'network');
    expect(agentsStore.data?.agents.map(({ id }) => id)).toEqual([agent.id, 'other']);
    expect(agentsStore.data?.agents[0]?.status).toBe('running');
  });

  it('stays: a look by its time, for agents that are here and still look', () => {
    applyAgents(
      {
        agents: [
          { ...agent, lastRunAt: 100, nextRunAt: 200 },
          { ...agent, id: 'stopped', lastRunAt: 100, nextRunAt: null },
        ],
        sequence: 1,
        asOf: NOW,
      },
      'network',
    );
    const looks = () =>
      agentsStore.data?.agents.map(({ lastRunAt, nextRunAt }) => [lastRunAt, nextRunAt]);
    applyRuns([
      { id: agent.id, lastRunAt: 200, nextRunAt: 300 },
      { id: 'stopped', lastRunAt: 200, nextRunAt: 300 },
      { id: 'gone', lastRunAt: 1, nextRunAt: 2 },
    ]);
    expect(looks()).toEqual([
      [200, 300],
      [100, null],
    ]);
    applyRuns([{ id: agent.id, lastRunAt: 100, nextRunAt: 200 }]);
    expect(looks()).toEqual([
      [200, 300],
      [100, null],
    ]);
  });

  it('stays: a price by its own time, and prices of two sources are never mixed', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    applyMarket({ source, now: 10, symbols: [{ ...quote, price: '1', timestamp: 10 }] }, 'network');
    applyTicks([{ ...quote, price: '2', timestamp: 9 }], 11);
    expect(marketStore.data?.symbols[quote.symbol]?.price).toBe('1');
    applyTicks([{ ...quote, price: '3', timestamp: 12 }], 12);
    expect(marketStore.data?.symbols[quote.symbol]?.price).toBe('3');
    applyMarket({ source: { ...source, id: 'b' }, now: 5, symbols: [] }, 'network');
    expect(marketStore.data).toMatchObject({ now: 5, symbols: {} });
  });

  it('of the server replaces what an exchange said in its place, though both are the same exchange, and is replaced by it (R7-13, F20)', () => {
    const source = { id: 'kraken', kind: 'exchange' as const, label: 'Kraken', quote: 'USD' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const of = (symbol: string, price: string, timestamp: number) => ({
      ...quote,
      ...{ symbol, price, timestamp },
    });
    const board = (): Record<string, string> =>
      Object.fromEntries(
        Object.values(marketStore.data?.symbols ?? {}).map((one) => [one.symbol, one.price]),
      );
    const server = (now: number, ...symbols: ReturnType<typeof of>[]): void => {
      applyMarket({ source, now, symbols }, 'network');
    };
    // An exchange's prices have the device's time, which may be ahead.
    const direct = (now: number, ...symbols: ReturnType<typeof of>[]): void => {
      applyMarket({ source, now, symbols }, 'exchange');
    };
    server(10, of('A/USD', '1', 10), of('B/USD', '2', 10));
    direct(9_000, of('A/USD', '3', 9_000), of('FOREIGN/USD', '4', 9_000));
    expect(board()).toEqual({ 'A/USD': '3', 'FOREIGN/USD': '4' });
    // The device's clock was put right.
    direct(20, of('A/USD', '5', 20));
    expect(board()).toEqual({ 'A/USD': '5' });
    direct(9_000, of('A/USD', '6', 9_000), of('FOREIGN/USD', '4', 9_000));
    server(30, of('A/USD', '7', 30), of('B/USD', '8', 30));
    expect(board()).toEqual({ 'A/USD': '7', 'B/USD': '8' });
    expect(marketStore).toMatchObject({ origin: 'network', data: { now: 30 } });
  });

  it('of the server stays: its pools, of which no exchange knows the pairs; and no start notes an exchange’s price (R7-13)', async () => {
    const pools = (pair: string) => ({
      pools: [
        {
          ...{ id: 'all_pools' as const, name: 'All', description: '', risk: '' },
          pairs: [pair],
        },
      ],
    });
    const pairs = () => poolsStore.data?.pools[0]?.pairs;
    const read = vi.spyOn(api, 'marketPools');
    read.mockResolvedValue({ origin: 'exchange', value: pools('FOREIGN/USD') });
    await loadPools(true);
    expect(pairs()).toEqual(['FOREIGN/USD']);
    read.mockResolvedValue({ origin: 'network', value: pools('BTC/USDT') });
    await loadPools(true);
    read.mockResolvedValue({ origin: 'exchange', value: pools('FOREIGN/USD') });
    await loadPools(true);
    expect(pairs()).toEqual(['BTC/USDT']);
    expect(poolsStore).toMatchObject({ origin: 'network', error: null });

    if (quote === undefined) throw new Error('The recording has no quote');
    const source = { id: 'binance', kind: 'exchange' as const, label: 'Binance', quote: 'USDT' };
    const symbols = [{ ...quote, symbol: 'BTC/USDT', price: '3' }];
    applyAgents(
      { agents: [{ ...agent, trading_pairs: ['BTC/USDT'] }], sequence: 1, asOf: NOW },
      'network',
    );
    applyMarket({ source, now: NOW, symbols }, 'exchange');
    expect(observedState([agent.id]).prices).toEqual([]);
    applyMarket({ source, now: NOW, symbols }, 'network');
    expect(observedState([agent.id]).prices).toMatchObject([{ pair: 'BTC/USDT', price: '3' }]);
  });

  it('has the pairs of the newest whole reply, and those of which a tick came after it (R2-15)', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const of = (symbol: string, timestamp: number) => ({ ...quote, symbol, timestamp });
    applyMarket({ source, now: 10, symbols: [of('A/USDT', 10), of('GONE/USDT', 10)] }, 'snapshot');
    applyTicks([of('NEW/USDT', 21)], 21);
    const heard: string[] = [];
    const ends = ['GONE/USDT', 'NEW/USDT'].map((pair) =>
      subscribeQuote(pair, () => heard.push(pair)),
    );
    applyMarket({ source, now: 20, symbols: [of('A/USDT', 20)] }, 'network');
    for (const end of ends) end();
    expect(Object.keys(marketStore.data?.symbols ?? {})).toEqual(['A/USDT', 'NEW/USDT']);
    expect(heard).toEqual(['GONE/USDT']);
  });

  it('stays stale: a price that fell silent, whatever a reply says that was on its way, until a newer one comes (F57)', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const of = (timestamp: number, stale: boolean) => ({ ...quote, timestamp, stale });
    const isStale = () => marketStore.data?.symbols[quote.symbol]?.stale;
    applyMarket({ source, now: 10, symbols: [of(10, false)] }, 'network');
    applyTicks([of(10, true)], 70);
    expect(isStale()).toBe(true);
    applyMarket({ source, now: 69, symbols: [of(10, false)] }, 'network');
    expect(isStale(), 'after an earlier reply').toBe(true);
    applyTicks([of(71, false)], 71);
    expect(isStale()).toBe(false);
  });

  it('is stale that fell silent while the first reply was on its way, and one of another source is not (F57)', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const fresh = { ...quote, timestamp: 10, stale: false };
    const first = (origin: Origin): boolean | undefined => {
      takeTicks([{ ...fresh, stale: true }], 70);
      applyMarket({ source, now: 69, symbols: [fresh] }, origin);
      const { stale } = marketStore.data?.symbols[quote.symbol] ?? {};
      clearMarket();
      return stale;
    };
    expect(first('network')).toBe(true);
    expect(first('exchange')).toBe(false);
    takeTicks([{ ...fresh, stale: true }], 70);
    clearMarket();
    applyMarket({ source, now: 69, symbols: [fresh] }, 'network');
    expect(marketStore.data?.symbols[quote.symbol]?.stale, 'of another user').toBe(false);
  });

  it('a tick tells those who show its pair, and the whole board once, without copying it', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const of = (symbol: string, timestamp: number) => ({ ...quote, symbol, timestamp });
    applyMarket({ source, now: 10, symbols: [of('A/USDT', 10), of('B/USDT', 10)] }, 'network');
    const before = marketStore.data?.symbols;
    const [a, b] = [before?.['A/USDT'], before?.['B/USDT']];
    const heard: string[] = [];
    const ends = [
      subscribeQuote('A/USDT', () => heard.push('A')),
      subscribeQuote('C/USDT', () => heard.push('C')),
      subscribeQuotes(() => heard.push('any')),
    ];
    applyTicks([of('A/USDT', 9)], 11);
    expect(heard, 'an older price').toEqual([]);
    applyTicks([of('A/USDT', 12), of('B/USDT', 12)], 12);
    expect(heard).toEqual(['A', 'any']);
    expect(marketStore.data?.symbols, 'the same board').toBe(before);
    expect(snapshot(marketStore).data?.symbols).toBe(before);
    expect(before?.['A/USDT'], 'another quote').not.toBe(a);
    expect(before?.['B/USDT']).not.toBe(b);
    applyTicks([of('C/USDT', 12)], 13);
    expect(heard.slice(2)).toEqual(['C', 'any']);
    expect(Object.keys(marketStore.data?.symbols ?? {}), 'a new pair').toHaveLength(3);
    expect(marketStore.data?.symbols).not.toBe(before);
    for (const end of ends) end();
    applyTicks([of('A/USDT', 20)], 20);
    expect(heard).toHaveLength(4);
  });

  it('a tick is as old as its receipt, however long its frame was held, and makes what was read since no older (F57)', () => {
    const source = { id: 'a', kind: 'simulated' as const, label: 'A', quote: 'USDT' };
    if (quote === undefined) throw new Error('The recording has no quote');
    const read = (timestamp: number, savedAt: number): void => {
      const symbols = [{ ...quote, timestamp }];
      applyMarket({ source, now: timestamp, symbols }, 'network', savedAt);
    };
    let frame: FrameRequestCallback = () => undefined;
    vi.spyOn(globalThis, 'requestAnimationFrame').mockImplementation((work) => {
      frame = work;
      return 1;
    });
    read(10, NOW - 60_000);
    takeTicks([{ ...quote, price: '2', timestamp: 12 }], 12);
    vi.setSystemTime(NOW + 3 * 3_600_000);
    frame(0);
    expect(marketStore.data?.symbols[quote.symbol]?.price).toBe('2');
    expect(marketStore.savedAt).toBe(NOW);

    read(20, NOW + 3 * 3_600_000);
    applyTicks([{ ...quote, price: '3', timestamp: 12 }], 12, NOW);
    expect(marketStore.savedAt).toBe(NOW + 3 * 3_600_000);
    // The clock was put back: what is heard from now on is of now.
    vi.setSystemTime(NOW + 1_000);
    applyTicks([{ ...quote, price: '4', timestamp: 21 }], 21);
    expect(marketStore.savedAt).toBe(NOW + 1_000);
  });

  it('comes on top once: a fill that was read and then told is one fill', () => {
    const fill = recorded.history?.fills[0] as Fill;
    applyHistory({ fills: [fill], sequence: 5, asOf: NOW }, 'network');
    applyFill(fill, 5);
    applyFill({ ...fill, id: 'second' }, 6);
    applyFill({ ...fill, id: 'second' }, 7);
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual(['second', fill.id]);
  });

  it('goes on knowing how many trades there are in all', () => {
    const fill = recorded.history?.fills[0] as Fill;
    applyHistory({ fills: [fill], sequence: 5, asOf: NOW, total: 300 }, 'network');
    applyFill({ ...fill, id: 'second' }, 6);
    applyFill({ ...fill, id: 'second' }, 7);
    expect(historyStore.data).toMatchObject({ sequence: 7, total: 301 });
    clearHistory();
    applyHistory({ fills: [fill], sequence: 5, asOf: NOW }, 'network');
    applyFill({ ...fill, id: 'second' }, 6);
    expect(historyStore.data).not.toHaveProperty('total');
  });

  it('is not lost where a fill comes before a list that was asked for earlier', () => {
    clearHistory();
    const fill = recorded.history?.fills[0] as Fill;
    const list = (sequence: number) => ({ fills: [fill], sequence, asOf: NOW });
    applyFill({ ...fill, id: 'third' }, 7);
    applyFill({ ...fill, id: 'second' }, 6);
    expect(historyStore.data).toBeNull();
    applyHistory(list(3), 'snapshot');
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual([fill.id]);
    applyHistory(list(6), 'network');
    // The list of 6 knows the fill that was told as 6.
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual(['third', fill.id]);
    expect(historyStore.data?.sequence).toBe(7);

    clearHistory();
    applyFill({ ...fill, id: 'of somebody who logged out' }, 9);
    clearHistory();
    applyHistory(list(3), 'network');
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual([fill.id]);
  });

  it('is not lost where an alert or its firing comes before a list that was asked for earlier', () => {
    clearAlerts();
    const condition = { kind: 'above', price: '70000' } as const;
    const alert: Alert = {
      id: 'alert-1',
      symbol: 'BTC/USDT',
      condition,
      repeatMinutes: null,
      note: '',
      active: true,
      phase: 'watching',
      version: 1,
      restsUntil: null,
      lastFiredAt: null,
      createdAt: NOW,
    };
    const firing: AlertFiring = {
      id: 'told',
      alertId: alert.id,
      symbol: alert.symbol,
      condition,
      note: '',
      price: '70001',
      movedBps: null,
      at: NOW,
      late: false,
      simulated: true,
      recordedAt: NOW,
    };
    const list = (sequence: number) => ({
      alerts: [{ ...alert }, { ...alert, id: 'other' }],
      firings: [],
      sequence,
      servedAt: NOW,
    });
    applyFiring({ ...alert, version: alert.version + 1, note: 'fired' }, firing, 11);
    removeAlert('other', 12);
    expect(alertsStore.data).toBeNull();
    applyAlerts(list(10), 'network');
    expect(alertsStore.data?.firings.map(({ id }) => id)).toEqual(['told']);
    expect(alertsStore.data?.alerts.map(({ id, note }) => [id, note])).toEqual([
      [alert.id, 'fired'],
    ]);
    expect(alertsStore.data?.sequence).toBe(12);

    // The list is newer: it shows what became of it.
    clearAlerts();
    applyFiring({ ...alert, note: 'fired' }, firing, 11);
    applyAlerts(list(11), 'network');
    expect(alertsStore.data?.firings).toEqual([]);
    expect(alertsStore.data?.alerts).toHaveLength(2);
  });
});

describe('subscription', () => {
  const status = {
    subscription: {
      status: 'active' as const,
      tier: 'pro' as const,
      planId: 'pro',
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    },
    entitledTier: 'pro' as const,
    servedAt: NOW,
  };
  const trial = { isActive: false, endDate: null, hasUsed: true, servedAt: NOW };
  const answering = (answers: Record<string, unknown>) =>
    vi.spyOn(api, 'call').mockImplementation((name) => {
      const answer = answers[name];
      return (
        answer instanceof Error ? Promise.reject(answer) : Promise.resolve(structuredClone(answer))
      ) as never;
    });

  it('is checked on sign-in and every five minutes, and not before (R4-01, R9-01)', async () => {
    const call = answering({ subscriptionStatus: status, trialStatus: trial });
    await checkSubscriptionIfDue(NOW);
    expect(call.mock.calls.map(([name]) => name)).toEqual(['subscriptionStatus', 'trialStatus']);
    expect(subscriptionStore.entitlement).toMatchObject({
      isSubscribed: true,
      subscriptionTier: 'pro',
      isTrialActive: false,
    });
    await checkSubscriptionIfDue(NOW + 5 * 60_000 - 1);
    expect(call).toHaveBeenCalledTimes(2);
    await checkSubscriptionIfDue(NOW + 5 * 60_000);
    expect(call).toHaveBeenCalledTimes(4);
  });

  it('is free and null when the server answers that it could not check (R4-06)', async () => {
    applySubscription(structuredClone({ status, trial }), 'snapshot');
    answering({
      subscriptionStatus: new ApiError('API Error: 500 - x', {
        code: 'internal',
        status: 500,
        text: 'x',
      }),
      trialStatus: trial,
    });
    await checkSubscription();
    expect(subscriptionStore.data?.status).toBeNull();
    expect(subscriptionStore.entitlement).toMatchObject({
      isSubscribed: false,
      subscriptionTier: 'free',
    });
  });

  it('stays as last known when nobody answers', async () => {
    applySubscription(structuredClone({ status, trial }), 'snapshot', NOW - 60_000);
    answering({ subscriptionStatus: noService, trialStatus: noService });
    await checkSubscription();
    expect(subscriptionStore).toMatchObject({
      status: 'error',
      savedAt: NOW - 60_000,
      loading: false,
    });
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
  });

  it('stays as last known where a proxy answers for the server, and is asked for at the next occasion', async () => {
    applySubscription(structuredClone({ status, trial }), 'snapshot', NOW - 60_000);
    const gateway = fromReply(502, null, 'Bad Gateway', undefined);
    answering({ subscriptionStatus: gateway, trialStatus: gateway });
    await checkSubscriptionIfDue(NOW);
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    const call = answering({ subscriptionStatus: status, trialStatus: trial });
    await checkSubscriptionIfDue(NOW + 1);
    expect(call).toHaveBeenCalledTimes(4);
  });

  it('stays as last known while there is no token to ask with, and is asked for again at the next occasion', async () => {
    applySubscription(structuredClone({ status, trial }), 'snapshot', NOW - 60_000);
    const fault = new TokenFault('not_authenticated', 'Not authenticated');
    const untold = new ApiError('Not authenticated', {
      code: 'not_authenticated',
      status: 401,
      text: 'Not authenticated',
      cause: fault,
    });
    answering({ subscriptionStatus: untold, trialStatus: untold });
    await checkSubscriptionIfDue(NOW);
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    const call = answering({ subscriptionStatus: status, trialStatus: trial });
    await checkSubscriptionIfDue(NOW + 1);
    expect(call).toHaveBeenCalledTimes(4);
  });

  it('is reset on sign-out (R4-07)', () => {
    applySubscription(structuredClone({ status, trial }), 'network');
    clearSubscription();
    expect(subscriptionStore).toMatchObject({
      data: null,
      loading: true,
      entitlement: {
        isSubscribed: false,
        subscriptionTier: 'free',
        isTrialActive: false,
        hasUsedTrial: false,
      },
    });
  });
});

describe('the device', () => {
  it('keeps what the server said and paints it at the next start, with its age', async () => {
    openUserDatabase('ann', { mayCreate: () => true });
    const stop = keepSnapshots('ann');
    applyPortfolio(structuredClone(portfolio), 'network', NOW);
    await waitFor(async () => {
      expect(await readSnapshot('ann', 'portfolio')).not.toBeNull();
    });
    stop();
    clearPortfolio();
    vi.setSystemTime(NOW + 3_600_000);
    await hydrate('ann');
    expect(portfolioStore).toMatchObject({ origin: 'snapshot', savedAt: NOW });
    expect(portfolioStore.data).toEqual(portfolio);
  });

  it('keeps what is known of the wallet, which addresses are linked as well (R7-23)', async () => {
    openUserDatabase('ann', { mayCreate: () => true });
    const stop = keepSnapshots('ann');
    const link = {
      id: 'l1',
      address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      chainId: 8_453,
      label: 'Cold box',
      proof: 'key' as const,
      linkedAt: NOW,
    };
    const known: WalletStatus = {
      mode: 'paper',
      venue: 'v',
      quote: 'USDT',
      balances: [{ asset: 'USDT', available: '1', reserved: '0' }],
      linkedAddresses: [link.address],
      links: [link],
      onramp: 'server',
      servedAt: NOW,
    };
    applyWallet(structuredClone(known), 'network', NOW);
    await waitFor(async () => {
      expect(await readSnapshot('ann', 'wallet')).not.toBeNull();
    });
    stop();
    clearWallet();
    await hydrate('ann');
    expect(walletStore).toMatchObject({ data: known, origin: 'snapshot', savedAt: NOW });
    clearWallet();
  });

  it('keeps what the server said before the keeping began, as at a sign-in: a plan is told once in five minutes', async () => {
    openUserDatabase('eve', { mayCreate: () => true });
    applySubscription(
      { status: { subscription: null, entitledTier: 'trial', servedAt: NOW }, trial: null },
      'network',
      NOW,
    );
    const stop = keepSnapshots('eve');
    await waitFor(async () => {
      expect((await readSnapshot('eve', 'subscription'))?.value.entitledTier).toBe('trial');
    });
    stop();
    clearSubscription();
    await deleteUserDatabase('eve');
  });

  it('paints nothing of a person who left while it was being read', async () => {
    openUserDatabase('ann', { mayCreate: () => true });
    const stop = keepSnapshots('ann');
    applyPortfolio(structuredClone(portfolio), 'network', NOW);
    applyAgents({ agents: [agent], sequence: 1, asOf: NOW }, 'network', NOW);
    await waitFor(async () => {
      expect(await readSnapshot('ann', 'agents')).not.toBeNull();
    });
    stop();
    clearPortfolio();
    clearAgents();
    let present = true;
    const reading = hydrate('ann', () => present);
    present = false;
    await reading;
    expect([portfolioStore.data, agentsStore.data]).toEqual([null, null]);
  });

  it('keeps what became of an agent at once: by a reply, by the stream, by its removal', async () => {
    openUserDatabase('ann', { mayCreate: () => true });
    const stop = keepSnapshots('ann');
    applyAgents({ agents: [agent], sequence: 3, asOf: NOW }, 'network', NOW);
    // Fewer milliseconds than the pause between two writes of what only moves with the market.
    const kept = (check: (agents: Agent[] | undefined) => void) =>
      vi.waitFor(
        async () => {
          check((await readSnapshot('ann', 'agents'))?.value.agents);
        },
        { timeout: 1_500, interval: 20 },
      );
    await kept((agents) => {
      expect(agents).toHaveLength(1);
    });
    applyAgent({ ...agent, status: 'stopped', generation: agent.generation + 1 }, null);
    await kept((agents) => {
      expect(agents).toMatchObject([{ status: 'stopped' }]);
    });
    applyAgent({ ...agent, id: 'agent-new', name: 'Harbour' }, null);
    await kept((agents) => {
      expect(agents).toHaveLength(2);
    });
    applyAgent({ ...agent, status: 'running', generation: agent.generation + 2 }, 4);
    await kept((agents) => {
      expect(agents).toMatchObject([{ status: 'running' }, { name: 'Harbour' }]);
    });
    removeAgent(agent.id, 5);
    await kept((agents) => {
      expect(agents).toMatchObject([{ name: 'Harbour' }]);
    });
    stop();
  });

  it.each([
    ['since the page began', 1, 'stopped', ['b']],
    ['before it', -60_000, 'running', ['a']],
  ] as const)(
    'tells the screen of a command that was answered %s, after the first reading (F80)',
    async (_when, afterMs, status, alertIds) => {
      clearAlerts();
      // What the test before kept is newer than this list.
      await deleteUserDatabase('ann');
      const database = openUserDatabase('ann', { mayCreate: () => true });
      const alert = (id: string): Alert => ({
        id,
        symbol: 'BTC/USDT',
        condition: { kind: 'above', price: '5' },
        repeatMinutes: null,
        note: '',
        active: true,
        phase: 'watching',
        version: 1,
        restsUntil: null,
        lastFiredAt: null,
        createdAt: NOW,
      });
      applyAgents(
        { agents: [{ ...agent, status: 'running' }], sequence: 3, asOf: NOW },
        'snapshot',
        NOW,
      );
      applyAlerts({ alerts: [alert('a')], firings: [], sequence: 3, servedAt: NOW }, 'snapshot');
      const stopped = { ...agent, status: 'stopped' as const, generation: agent.generation + 1 };
      await writeSnapshot('ann', 'agents', { agents: [stopped], sequence: 3, asOf: NOW }, NOW);
      await writeSnapshot('ann', 'alerts', {
        alerts: [alert('b')],
        firings: [],
        sequence: 3,
        servedAt: NOW,
      });
      await database.transact(['meta'], 'readwrite', (transaction) => {
        transaction.objectStore('meta').put(performance.timeOrigin + afterMs, TOLD_KEY);
      });
      await hearTold('ann');
      expect(agentsStore.data?.agents.map((one) => one.status)).toEqual([status]);
      expect(alertsStore.data?.alerts.map(({ id }) => id)).toEqual(alertIds);
      // Of the rest nothing was heard: the list keeps its age.
      expect(agentsStore).toMatchObject({ origin: 'snapshot', savedAt: NOW });
      clearAlerts();
      await deleteUserDatabase('ann');
    },
  );

  it('never paints over what the server has said, and keeps no fallback price', async () => {
    openUserDatabase('ann', { mayCreate: () => true });
    const stop = keepSnapshots('ann');
    applyMarket(
      {
        source: { id: 'kraken', kind: 'exchange', label: 'Kraken', quote: 'USD' },
        now: NOW,
        symbols: [],
      },
      'exchange',
    );
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    stop();
    expect(await readSnapshot('ann', 'market')).toBeNull();
    applyPortfolio({ ...structuredClone(portfolio), sequence: 99, equity: '5' }, 'network');
    await hydrate('ann');
    expect(portfolioStore.data?.equity).toBe('5');
    await deleteUserDatabase('ann');
  });
});

describe('a trial that ends in the tunnel', () => {
  const status = { subscription: null, entitledTier: 'trial' as const, servedAt: NOW };
  const trial = {
    isActive: true,
    endDate: new Date(NOW + 60_000).toISOString(),
    hasUsed: true,
    servedAt: NOW,
  };
  afterEach(() => {
    connection.online = 'unknown';
    clearSubscription();
  });

  it("goes on opening what it opened until the server's next word, with no days left (R4-06)", () => {
    connection.online = 'offline';
    applySubscription({ status, trial }, 'snapshot', NOW);
    refreshEntitlement(NOW + 120_000);
    expect(subscriptionStore.entitlement).toMatchObject({
      subscriptionTier: 'trial',
      isTrialActive: true,
      trialDaysRemaining: 0,
    });
    connection.online = 'online';
    refreshEntitlement(NOW + 120_000);
    expect(subscriptionStore.entitlement).toMatchObject({
      subscriptionTier: 'free',
      isSubscribed: false,
      isTrialActive: false,
    });
  });
});

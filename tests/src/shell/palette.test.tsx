// @vitest-environment happy-dom
/** The command palette, the keys and the arrival at a screen. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import axe from 'axe-core';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';

const { call, stopped } = vi.hoisted(() => ({ call: vi.fn(), stopped: [] as string[] }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));
vi.mock('../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  stopAgent: async (agent: { name: string }) => {
    stopped.push(agent.name);
    return { said: 'sent', message: 'Sent' };
  },
}));

const { Routes } = await import('../../../src/App.tsx');
const { allPaletteItems, matchingItems } = await import('../../../src/shell/palette-items.ts');
const { createKeyReader, setShortcuts, shortcuts } =
  await import('../../../src/shell/shortcuts.ts');
const { session } = await import('../../../src/identity/session.ts');
const { agentView } = await import('../../../src/stores/agent-view.ts');
const { applyAgents, clearAgents } = await import('../../../src/stores/agents-store.ts');
const { connection } = await import('../../../src/stores/connection.ts');
const { applyMarket, clearMarket } = await import('../../../src/stores/market-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const agent = (id: string, name: string, status: Agent['status']): Agent => ({
  id,
  name,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status,
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 1,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '41.2',
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW,
  nextRunAt: NOW + 180_000,
});
const AGENTS = [agent('a1', 'Harbour', 'running'), agent('a2', 'Drift', 'stopped')];
const quote = (symbol: string) => ({
  symbol,
  price: '1',
  bid: '1',
  ask: '1',
  volume_24h: '1',
  high_24h: '1',
  low_24h: '1',
  price_change_24h: 1,
  timestamp: NOW,
  stale: false,
});

let scrolled: number;
beforeEach(() => {
  call.mockImplementation(never);
  stopped.length = 0;
  scrolled = 0;
  Object.assign(globalThis, {
    scrollTo: (_x: number, y: number) => {
      scrolled = y;
      Object.assign(globalThis, { scrollY: y });
    },
  });
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.scrollTo = () => undefined;
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  applySubscription(
    {
      status: {
        subscription: {
          status: 'active',
          tier: 'standard',
          planId: 'standard',
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        },
        entitledTier: 'standard',
        servedAt: NOW,
      },
      trial: null,
    },
    'snapshot',
  );
  applyAgents({ agents: AGENTS, sequence: 3, asOf: NOW }, 'snapshot');
  applyMarket(
    {
      source: { id: 'replay', kind: 'replay', label: 'Replayed prices', quote: 'USDT' },
      now: NOW,
      symbols: ['BTC/USDT', 'ETH/USDT'].map(quote),
    },
    'snapshot',
  );
  connection.online = 'offline';
  setShortcuts(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  cleanup();
  clearAgents();
  clearMarket();
  clearSubscription();
  connection.online = 'online';
});

async function open(path = '/stop-all'): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
}

async function palette(): Promise<HTMLInputElement> {
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  return screen.findByRole<HTMLInputElement>(
    'combobox',
    { name: /^Find agents/ },
    { timeout: 10_000 },
  );
}
const options = (): string[] =>
  screen.queryAllByRole('option').map((one) => one.querySelector('.truncate')?.textContent ?? '');
const active = (input: HTMLInputElement): string =>
  document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '';

describe('what can be found', () => {
  const all = allPaletteItems({
    tier: 'standard',
    views: AGENTS.map((one) => agentView(one, [])),
    symbols: ['BTC/USDT', 'ETH/USDT', 'ETH/BTC'],
  });
  const names = (question: string): string[] =>
    matchingItems(all, question).map((find) => find.name);

  it('puts the beginning of a name before its middle, and what a person has before screens', () => {
    expect(names('har')).toEqual(['Harbour', 'Stop Harbour']);
    expect(names('eth')).toEqual(['ETH/USDT', 'ETH/BTC']);
    expect(names('eth btc')).toEqual(['ETH/BTC']);
    expect(names('port')[0]).toBe('Portfolio');
    expect(names('zzz')).toEqual([]);
  });

  it('knows screens by other words, and never lists the plans as a PRO dashboard', () => {
    expect(names('sign out')).toEqual(['Security']);
    expect(names('panic')).toEqual(['Stop all agents']);
    expect(all.some((find) => find.name === 'PRO Dashboard' || find.name === 'PRO')).toBe(false);
    expect(
      allPaletteItems({ tier: 'pro', views: [], symbols: [] }).some(
        (find) => find.name === 'PRO Dashboard',
      ),
    ).toBe(true);
  });

  it('offers the one act that an agent can have', () => {
    expect(all.filter((find) => find.group === 'Actions').map((find) => find.name)).toEqual([
      'Stop Harbour',
      'Start Drift',
    ]);
  });

  it('is not buried by five hundred symbols', () => {
    const many = allPaletteItems({
      tier: 'free',
      views: [],
      symbols: Array.from({ length: 500 }, (_, index) => `S${index}/USDT`),
    });
    expect(matchingItems(many, 's').filter((find) => find.group === 'Symbols').length).toBe(6);
    expect(matchingItems(many, 's').some((find) => find.name === 'Security')).toBe(true);
  });
});

describe('the palette', () => {
  it('opens by Ctrl K, finds from the device’s copy without a server, and goes there by Enter', async () => {
    await open();
    const input = await palette();
    fireEvent.change(input, { target: { value: 'eth' } });
    expect(options()).toEqual(['ETH/USDT']);
    fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => {
      expect(location.pathname).toBe('/market/ETH-USDT');
    });
    expect(screen.queryByRole('combobox', { name: /^Find/ })).toBeNull();
  }, 30_000);

  it('is a combobox whose active option follows the arrows and wraps, with no serious accessibility fault', async () => {
    await open();
    const input = await palette();
    expect(document.activeElement).toBe(input);
    expect(active(input)).toContain('Harbour');
    fireEvent.keyDown(input, { key: 'ArrowDown' });
    expect(active(input)).toContain('Drift');
    fireEvent.keyDown(input, { key: 'ArrowUp' });
    fireEvent.keyDown(input, { key: 'ArrowUp' });
    expect(active(input)).toBe(screen.getAllByRole('option').at(-1)?.textContent);
    expect(screen.getAllByRole('option', { selected: true }).length).toBe(1);
    const { violations } = await axe.run(screen.getByRole('dialog'), {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(
      violations
        .filter((found) => found.impact === 'serious' || found.impact === 'critical')
        .map((found) => `${found.id} ${found.nodes[0]?.html ?? ''}`),
    ).toEqual([]);
    fireEvent.change(input, { target: { value: 'nothing like it' } });
    expect(screen.getByText(/No results for/)).toBeTruthy();
    expect(input.getAttribute('aria-activedescendant')).toBeNull();
    fireEvent.keyDown(input, { key: 'Enter' });
    fireEvent.keyDown(input, { key: 'k', ctrlKey: true });
    await waitFor(() => {
      expect(screen.queryByRole('combobox', { name: /^Find/ })).toBeNull();
    });
  }, 30_000);

  it('stops an agent by choosing that, once, and offers to undo it', async () => {
    await open();
    const input = await palette();
    fireEvent.change(input, { target: { value: 'stop har' } });
    // A key that is held down from elsewhere chooses nothing.
    fireEvent.keyDown(input, { key: 'Enter', repeat: true });
    expect(stopped).toEqual([]);
    fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => {
      expect(screen.queryByRole('combobox', { name: /^Find/ })).toBeNull();
    });
    expect(stopped).toEqual(['Harbour']);
    const offer = await screen.findByRole('region', { name: 'Undo' });
    expect(offer.textContent).toContain('Stop sent. Undo starts Harbour again.');
  }, 30_000);

  describe('while its list changes', () => {
    const NAMES = ['Anchor', 'Breeze', 'Current'];
    const change = (of: Partial<Record<string, Agent['status']>>, names = NAMES): Promise<void> =>
      act(async () => {
        applyAgents(
          {
            agents: names.map((name) => agent(name, name, of[name] ?? 'running')),
            sequence: ++sequence,
            asOf: NOW,
          },
          'snapshot',
        );
        await Promise.resolve();
      });
    let sequence = 10;
    const enter = (input: HTMLInputElement): void => {
      fireEvent.keyDown(input, { key: 'Enter' });
    };

    it('keeps the chosen agent where another is inserted above it', async () => {
      await change({}, ['Breeze', 'Current']);
      await open();
      const input = await palette();
      fireEvent.change(input, { target: { value: 'st' } });
      fireEvent.keyDown(input, { key: 'ArrowDown' });
      expect(active(input)).toContain('Stop Current');
      await change({ Anchor: 'stopped' });
      expect(options().slice(0, 3)).toEqual(['Start Anchor', 'Stop Breeze', 'Stop Current']);
      expect(active(input)).toContain('Stop Current');
      enter(input);
      expect(stopped).toEqual(['Current']);
    }, 30_000);

    it('highlights the first that comes after an empty result, and keeps to it', async () => {
      await change({}, []);
      await open();
      const input = await palette();
      fireEvent.change(input, { target: { value: 'stop har' } });
      expect(input.getAttribute('aria-activedescendant')).toBeNull();
      await change({}, ['Harvest']);
      expect(active(input)).toContain('Stop Harvest');
      await change({}, ['Harbour', 'Harvest']);
      expect(active(input)).toContain('Stop Harvest');
      enter(input);
      expect(stopped).toEqual(['Harvest']);
    }, 30_000);

    it('highlights nothing where the chosen one has gone, and Enter does nothing until a move', async () => {
      await change({});
      await open();
      const input = await palette();
      fireEvent.change(input, { target: { value: 'stop' } });
      expect(active(input)).toContain('Stop Anchor');
      await change({ Anchor: 'stopped' });
      expect(options().slice(0, 2)).toEqual(['Stop Breeze', 'Stop Current']);
      expect(input.getAttribute('aria-activedescendant')).toBeNull();
      expect(screen.queryAllByRole('option', { selected: true })).toEqual([]);
      enter(input);
      expect(stopped).toEqual([]);
      fireEvent.keyDown(input, { key: 'ArrowUp' });
      expect(active(input)).toBe(screen.getAllByRole('option').at(-1)?.textContent);
      fireEvent.keyDown(input, { key: 'ArrowDown' });
      enter(input);
      expect(stopped).toEqual(['Breeze']);
    }, 30_000);
  });

  it('starts nothing: it shows what the agent would do first', async () => {
    await open();
    const input = await palette();
    fireEvent.change(input, { target: { value: 'start' } });
    fireEvent.keyDown(input, { key: 'Enter' });
    expect(await screen.findByRole('dialog', { name: 'Start Drift' })).toBeTruthy();
    expect(stopped).toEqual([]);
  }, 30_000);

  it('opens from the rail of a wide window, too', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: true,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    await open();
    fireEvent.click(await screen.findByRole('button', { name: /^Find/ }));
    expect(await screen.findByRole('combobox', { name: /^Find agents/ })).toBeTruthy();
  });

  it('opens from the menu behind the phone’s More, too', async () => {
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'More' }));
    fireEvent.click(await screen.findByRole('button', { name: /^Find/ }));
    expect(await screen.findByRole('combobox', { name: /^Find agents/ })).toBeTruthy();
  });
});

describe('keys', () => {
  const pressed = (key: string, more: object = {}) => ({
    key,
    metaKey: false,
    ctrlKey: false,
    altKey: false,
    repeat: false,
    defaultPrevented: false,
    isComposing: false,
    timeStamp: 0,
    ...more,
  });

  it('go to a screen by g and its letter within a moment, and not by the letter alone', () => {
    const read = createKeyReader();
    expect(read(pressed('d'), false, true)).toBeNull();
    expect(read(pressed('g'), false, true)).toBeNull();
    expect(read(pressed('d', { timeStamp: 900 }), false, true)).toEqual({ go: '/dashboard' });
    expect(read(pressed('d', { timeStamp: 950 }), false, true)).toBeNull();
    read(pressed('g', { timeStamp: 1_000 }), false, true);
    expect(read(pressed('a', { timeStamp: 3_000 }), false, true)).toBeNull();
  });

  it('mean nothing to someone who types, holds a modifier, or has turned them off; the one with a modifier stays', () => {
    const read = createKeyReader();
    expect(read(pressed('?'), true, true)).toBeNull();
    expect(read(pressed('?', { altKey: true }), false, true)).toBeNull();
    expect(read(pressed('?'), false, false)).toBeNull();
    expect(read(pressed('?', { isComposing: true }), false, true)).toBeNull();
    expect(read(pressed('?'), false, true)).toBe('sheet');
    expect(read(pressed('/'), false, true)).toBe('search');
    expect(read(pressed('K', { metaKey: true }), true, false)).toBe('palette');
  });

  it('open their list by ?, which turns them off and on again, and the choice is kept on the device', async () => {
    await open();
    fireEvent.keyDown(document.body, { key: '?' });
    const sheet = await screen.findByRole(
      'dialog',
      { name: 'Keyboard shortcuts' },
      { timeout: 10_000 },
    );
    fireEvent.click(within(sheet).getByRole('switch', { name: 'Single-key shortcuts' }));
    expect(localStorage.getItem('tradewind.shortcuts')).toBe('off');
    fireEvent.keyDown(sheet, { key: 'Escape' });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    fireEvent.keyDown(document.body, { key: '?' });
    expect(shortcuts.open).toBeNull();
  }, 30_000);

  it('leave a letter to the field it is typed into', async () => {
    await open('/market');
    const search = await screen.findByRole('searchbox', {}, { timeout: 10_000 });
    fireEvent.keyDown(search, { key: '?' });
    fireEvent.keyDown(search, { key: 'g' });
    fireEvent.keyDown(search, { key: 'd' });
    expect([shortcuts.open, location.pathname]).toEqual([null, '/market']);
  }, 30_000);
});

describe('the arrival at a screen', () => {
  it('names it in title and aloud, moves the focus to its content, and begins at its top', async () => {
    await open();
    const spoken = (): string =>
      screen
        .getAllByRole('status')
        .map((one) => one.textContent ?? '')
        .find((text) => text === 'Library') ?? '';
    expect(spoken()).toBe('');
    scrollTo(0, 700);
    fireEvent.keyDown(document.body, { key: 'g' });
    fireEvent.keyDown(document.body, { key: 'l' });
    await waitFor(() => {
      expect(document.title).toBe('Library · Tradewind');
    });
    expect(spoken()).toBe('Library');
    expect(document.activeElement?.id).toBe('content');
    expect(scrolled).toBe(0);
  }, 30_000);

  it('goes back to the place where a screen was left', async () => {
    await open();
    scrollTo(0, 640);
    fireEvent.scroll(window);
    fireEvent.keyDown(document.body, { key: 'g' });
    fireEvent.keyDown(document.body, { key: 'l' });
    await waitFor(() => {
      expect(document.title).toBe('Library · Tradewind');
    });
    expect(scrolled).toBe(0);
    history.back();
    await waitFor(() => {
      expect(document.title).toBe('Stop all agents · Tradewind');
    });
    expect(scrolled).toBe(640);
  }, 30_000);
});

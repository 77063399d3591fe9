// @vitest-environment jsdom
/** A frame for a later start: the same screen, and not a word in the present tense. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { drawScreen } = await import('../../../src/first-frame/draw-frames.tsx');
const { session } = await import('../../../src/identity/session.ts');
const { FRAME_PATHS } = await import('../../../src/offline/frame-record.ts');
const { preload } = await import('../../../src/shell/routes.ts');
const { applyAgents } = await import('../../../src/stores/agents-store.ts');
const { connection } = await import('../../../src/stores/connection.ts');
const { applyPortfolio } = await import('../../../src/stores/portfolio-store.ts');
const { historyStore } = await import('../../../src/stores/fills-store.ts');
const { offerUndo, stopOffer, OFFER_MS } = await import('../../../src/stores/stop-offer.ts');
const { applySubscription } = await import('../../../src/stores/subscription-store.ts');
const { fill } = await import('../../../src/stores/slot.ts');
const { portfolio } = await import('../offline/samples.ts');

const NOW = Date.now();
const agent = (id: string, name: string, part: Partial<Agent> = {}): Agent => ({
  id,
  name,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status: 'running',
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '41.2',
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW - 120_000,
  nextRunAt: NOW + 180_000,
  ...part,
});

beforeEach(async () => {
  call.mockImplementation(never);
  Object.assign(connection, { online: 'online', stream: 'open', verifiedAt: NOW });
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
          tier: 'pro',
          planId: 'pro',
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        },
        entitledTier: 'pro',
        servedAt: NOW,
      },
      trial: null,
    },
    'network',
  );
  applyAgents(
    { agents: [agent('a1', 'Harbour <b>'), agent('a2', 'Ebb')], sequence: 3, asOf: NOW },
    'network',
  );
  applyPortfolio({ ...portfolio(NOW), sequence: 3, asOf: NOW }, 'network');
  fill(historyStore, { fills: [], sequence: 3, asOf: NOW }, 'network', NOW);
  await Promise.all(FRAME_PATHS.map((path) => preload(path)));
});

/** The drawn screen as the page would have it. */
function drawn(path: string): HTMLElement {
  const page = document.createElement('div');
  page.innerHTML = drawScreen(path);
  return page;
}

describe('a drawn frame', () => {
  it.each(FRAME_PATHS)('of %s shows the last figures, each with its age', (path) => {
    const page = drawn(path);
    expect(page.querySelector('h1')).not.toBeNull();
    if (path !== '/agents') expect(page.textContent).toContain('10,000');
    const ages = [...page.querySelectorAll('[data-age-since]')];
    expect(ages.length).toBeGreaterThan(0);
    for (const age of ages) expect(Number(age.getAttribute('data-age-since'))).toBeGreaterThan(0);
  });

  it('never says that an agent runs, only that it did, though the stream is open', () => {
    for (const path of ['/dashboard', '/agents']) {
      const text = drawn(path).textContent;
      expect(text).toContain('Running when last seen');
      expect(text.replaceAll('Running when last seen', '')).not.toContain('Running');
      expect(text).toContain('2 of 2 running when last seen');
    }
  });

  it('has a Stop for each agent, under the mark by which a press finds it', () => {
    const stops = [...drawn('/agents').querySelectorAll('[data-act^="stop "]')];
    expect(new Set(stops.map((stop) => stop.getAttribute('data-act')))).toEqual(
      new Set(['stop a1', 'stop a2']),
    );
  });

  it('takes what people typed as text', () => {
    const page = drawn('/agents');
    expect(page.textContent).toContain('Harbour <b>');
    expect(page.querySelector('b')).toBeNull();
  });

  it('leaves the running app as it is', () => {
    const offered = { agent: { id: 'a1', name: 'Harbour', generation: 1 }, commandId: null };
    offerUndo({ ...offered, atTop: false }, OFFER_MS);
    const before = JSON.stringify(connection);
    expect(drawn('/agents').textContent).not.toContain('Undo');
    expect(JSON.stringify(connection)).toBe(before);
    expect(stopOffer.offer).toMatchObject(offered);
  });
});

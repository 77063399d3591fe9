// @vitest-environment happy-dom
/**
 * An agent against its test: the verdict where there is one, the reason where there is none,
 * settings that changed, costs and misses, from the kept snapshot too.
 */
import '../../../../support/page-world.ts';
import axe from 'axe-core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentInsight } from '../../../../../contract/insight.ts';
import type { AgentTest } from '../../../../../contract/backtest-record.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const {
  default: LiveAgainstBacktest,
  edgeAt,
  bandPosition,
} = await import('../../../../../src/screens/agents/backtest/LiveAgainstBacktest.tsx');
const { clearAnalytics, insightStore } =
  await import('../../../../../src/stores/analytics-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { fill } = await import('../../../../../src/stores/slot.ts');
const { clearBacktestRecord, recordBacktest, backtestRecord } =
  await import('../../../../../src/stores/started-backtests.ts');

const SINCE = Date.UTC(2026, 4, 1);
const DAY = 86_400_000;
const test = (part: Partial<AgentTest> = {}): AgentTest => ({
  agentId: 'a',
  settings: 'a1'.repeat(32),
  data: 'b2'.repeat(32),
  engine: 'c3'.repeat(32),
  from: SINCE - 31 * DAY,
  to: SINCE - DAY,
  days: 30,
  trades: 12,
  totalReturn: 0.012,
  sameSettings: true,
  sameEngine: true,
  keptAt: SINCE,
  since: SINCE,
  equity: '10000',
  resultThen: '50',
  change: '-400',
  liveDays: 4.5,
  noBand: null,
  band: [
    [SINCE, 0, 0, 0],
    [SINCE + 4.5 * DAY, -0.03, 0.001, 0.035],
  ],
  slippageBps: 4.25,
  testedSlippageBps: 3,
  halfSpreadBps: 2,
  delayBps: -0.5,
  fills: 8,
  partFills: 1,
  missed: [
    { reason: 'no_cash', count: 3 },
    { reason: 'cooldown', count: 1 },
  ],
  ...part,
});
const insight = (tests: AgentTest[] | undefined): AgentInsight => ({
  asOf: SINCE + 4.5 * DAY,
  stepMs: DAY,
  series: [
    {
      agentId: 'a',
      points: [
        [SINCE - DAY, 50],
        [SINCE + DAY, 20],
        [SINCE + 4.5 * DAY, -350],
      ],
    },
  ],
  pro: null,
  ...(tests === undefined ? {} : { tests }),
});
const show = (
  value: AgentInsight,
  {
    origin = 'network',
    startedAt = SINCE,
    own = {},
  }: {
    origin?: 'network' | 'snapshot';
    startedAt?: number | null;
    own?: { connectionId?: string; status?: 'running' | 'stopped' | 'faulted' };
  } = {},
): void => {
  fill(insightStore, value, origin, Date.now() - 3_700_000);
  const agent = {
    ...{ id: 'a', quote: 'USDT', generation: 1, startedAt, status: 'running' as const },
    ...own,
  };
  render(<LiveAgainstBacktest agent={agent} />);
};

beforeEach(() => {
  connection.online = 'offline';
  call.mockReset();
  call.mockImplementation(() => new Promise(() => undefined));
});
afterEach(() => {
  cleanup();
  clearAnalytics();
  clearBacktestRecord();
});

describe('an agent against its test', () => {
  it('is told to be below what 95 of 100 cases bring, with the span, and that chance does that too', async () => {
    show(insight([test()]));
    expect(screen.getByRole('status').textContent.replaceAll('\u202f', ' ')).toBe(
      'Below the expected range: −3.00 % to +3.50 % after 4 days. By chance alone, 1 in 20 results falls this low. The market may also differ from the backtest.',
    );
    expect(screen.getByText(/^Backtest of .* with these settings: 12 trades,/)).toBeTruthy();
    expect(document.body.textContent).toMatch(/▼−400\.00USDT ▼−4\.00\s%/);
    const { violations } = await axe.run(document.body, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it.each([
    [
      'prices that did not come',
      { delayUnread: true },
      'Prices at its decisions unavailable right now',
    ],
    ['no trade', {}, 'No trade by this agent in the last week'],
  ] as const)('says why the delay of its fills is not known: %s', (_, part, why) => {
    show(insight([test({ delayBps: null, ...part })]));
    expect(screen.getByTitle(why)).toBeTruthy();
  });

  it.each(['stopped', 'faulted'] as const)(
    'is held against no range while it is %s: that widens and rises with each day, traded or not',
    (status) => {
      show(insight([test()]), { own: { status } });
      expect(screen.queryByRole('status')).toBeNull();
      expect(screen.getByText('No expected range: the agent is not running.')).toBeTruthy();
      expect(screen.queryByText(/Dotted: expected range/)).toBeNull();
    },
  );

  it('is inside or above by the same edges', () => {
    const at = (change: string) => bandPosition(test({ change }))?.is;
    expect([at('-300.000001'), at('-300'), at('0'), at('350'), at('350.01')]).toEqual([
      'below',
      'inside',
      'inside',
      'inside',
      'above',
    ]);
    expect([
      bandPosition(test({ sameSettings: false })),
      bandPosition(test({ band: [] })),
      bandPosition(test({ equity: '0' })),
    ]).toEqual([null, null, null]);
  });

  it('has edges wherever the live line has a point', () => {
    const { band } = test();
    expect([
      edgeAt(band, 1, SINCE),
      edgeAt(band, 1, SINCE + 2.25 * DAY),
      edgeAt(band, 3, SINCE + 4.5 * DAY),
      edgeAt(band, 3, SINCE + 9 * DAY),
      edgeAt([], 1, 0),
    ]).toEqual([0, -0.015, 0.035, 0.035, 0]);
  });

  it('has no verdict where the settings have changed, and says so', () => {
    show(insight([test({ sameSettings: false, sameEngine: false })]));
    expect(screen.getByText(/^Settings have changed since the backtest of/).textContent).toContain(
      'The engine has changed too',
    );
    expect(screen.getByText('No expected range: the backtest used other settings.')).toBeTruthy();
    expect(screen.queryByRole('status')).toBeNull();
  });

  it.each([
    [
      'too_few_days',
      { days: 7 },
      'No expected range: the backtest covers 7 days, and 20 are needed.',
    ],
    ['flat', {}, 'No expected range: equity did not change in the backtest.'],
    ['too_soon', {}, 'No expected range yet. It appears after one day.'],
    [
      'beyond',
      {},
      'No expected range: the agent has run longer than the 30 days backtested. Run a new backtest and start it again.',
    ],
  ] as const)('has no verdict: %s', (noBand, part, says) => {
    show(insight([test({ noBand, band: [], ...part })]));
    expect(screen.getByText(says)).toBeTruthy();
  });

  it('names what trades cost live and in the test, part fills, and entries that were refused, by reason', () => {
    show(insight([test()]));
    const row = (term: string): string | null | undefined =>
      screen.getByText(term).closest('div')?.textContent;
    expect(row('Spread and price impact paid')).toBe(
      'Spread and price impact paidin the backtest 3.0 bps4.3 bps',
    );
    expect(row('Of which half-spread')).toContain('2.0 bps');
    expect(row('Price move between decision and fill')).toContain('−0.5 bps');
    expect(row('Partially filled buys')).toContain('1');
    expect(row('Entries blocked')).toBe(
      'Entries blocked4not enough cash 3, cooldown after an exit 1',
    );
  });

  it('of real money says so, and that no spread of its fills is known', () => {
    show(insight([test({ slippageBps: null, halfSpreadBps: null })]), {
      own: { connectionId: 'c' },
    });
    const text = document.body.textContent;
    expect(text).toContain('Real money.');
    expect(text).not.toContain('Paper');
    const row = (term: string): string | null | undefined =>
      screen.getByText(term).closest('div')?.textContent;
    for (const term of ['Spread and price impact paid', 'Of which half-spread'])
      expect(row(term)).toMatch(/—Exchanges do not report the quote of a fill$/);
  });

  it('works from what the device keeps, with its age, and asks nobody', () => {
    show(insight([test()]), { origin: 'snapshot' });
    expect(screen.getByRole('region', { name: 'Live vs. backtest' }).textContent).toContain(
      '1 h ago',
    );
    expect(call).not.toHaveBeenCalled();
  });

  it('says what a hash proves and what it does not', () => {
    show(insight([test()]));
    expect(
      screen.getByText(/settings a1a1a1a1a1a1, data b2b2b2b2b2b2, engine c3c3c3c3c3c3/).textContent,
    ).toContain('They do not prove that the backtest ran');
  });

  it('says that nothing was tested, of an agent that was started, and nothing where the server cannot know', () => {
    show(insight([]));
    expect(screen.getByText(/No backtest to compare with/)).toBeTruthy();
    cleanup();
    show(insight([]), { startedAt: null });
    expect(document.body.textContent).toBe('');
    show(insight(undefined));
    expect(document.body.textContent).toBe('');
  });
});

describe('a test on this page', () => {
  it('goes with the start of exactly what was tested, of that version, and with no other', () => {
    const tested = {
      settings: 'a1'.repeat(32),
      data: 'b2'.repeat(32),
      engine: '' as const,
      from: 0,
      to: 1,
      trades: 0,
      totalReturn: null,
      daily: [],
      slippageBps: null,
    };
    recordBacktest({ agentId: 'a' }, 2, tested);
    expect(backtestRecord({ agentId: 'a' }, 2)).toEqual({ tested });
    expect([
      backtestRecord({ agentId: 'a' }, 3),
      backtestRecord({ agentId: 'b' }, 2),
      backtestRecord(null, 2),
    ]).toEqual([{}, {}, {}]);
    clearBacktestRecord();
    expect(backtestRecord({ agentId: 'a' }, 2)).toEqual({});
  });
});

// @vitest-environment happy-dom
/**
 * How deep analytics go by plan, the calendar for those who do not see colours or use a mouse, and
 * the books before this one.
 */
import '../../../support/page-world.ts';
import axe from 'axe-core';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANALYTICS_VIEW_DAYS } from '../../../../contract/limits.ts';
import type { Analytics, BookSummary, DayResult } from '../../../../contract/trading.ts';
import type { Tier } from '../../../../contract/permission.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { session } = await import('../../../../src/identity/session.ts');
const { default: AnalyticsScreen } =
  await import('../../../../src/screens/analytics/AnalyticsScreen.tsx');
const { HeatMap } = await import('../../../../src/screens/analytics/HeatMap.tsx');
const { AccountPicker } = await import('../../../../src/screens/portfolio/AccountPicker.tsx');
const { analyticsStore, clearAnalytics } =
  await import('../../../../src/stores/analytics-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { fill } = await import('../../../../src/stores/slot.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 4, 20);
const day = (daysAgo: number, change: number): DayResult => ({
  start: TODAY - daysAgo * DAY,
  opening: '10000',
  closing: String(10_000 + change),
  realized: String(change),
  unrealizedChange: '0',
  fees: '1',
  trades: 1,
});
const ALL = Array.from({ length: 50 }, (_, index) => day(49 - index, index % 3 === 0 ? -40 : 25));
const METRICS = {
  totalReturn: 0.04,
  cagr: 0.3,
  volatility: 0.2,
  maxDrawdown: -0.05,
  sharpe: 1.1,
  sortino: 1.4,
  calmar: 2,
  profitFactor: 1.2,
  winRate: 0.5,
  expectancy: 3,
  exposure: 0.4,
  turnover: 2,
};
const BARE = {
  ...METRICS,
  cagr: null,
  volatility: null,
  sharpe: null,
  sortino: null,
  calmar: null,
  expectancy: null,
  exposure: null,
  turnover: null,
};
const analytics = (part: Partial<Analytics>): Analytics => ({
  quote: 'USDT',
  asOf: TODAY,
  trades: 12,
  days: 50,
  metrics: METRICS,
  depth: 'read',
  book: 1,
  sells: 6,
  traded: '1000',
  daily: ALL,
  benchmark: null,
  perHour: [],
  equity: [
    [TODAY - DAY, '10000'],
    [TODAY, '10040'],
  ],
  perAgent: [
    { agentId: 'a', agentName: 'Harbour', trades: 12, realized: '40', unrealized: '0', fees: '3' },
  ],
  perPair: [],
  ...part,
});
/** As the server tells it to a plan that may only view. */
const VIEW = analytics({
  depth: 'view',
  metrics: BARE,
  daily: ALL.slice(-ANALYTICS_VIEW_DAYS),
  perAgent: [],
  perPair: [],
});

const have = (tier: Tier): void => {
  applySubscription(
    {
      status: {
        subscription:
          tier === 'free'
            ? null
            : {
                status: 'active',
                tier,
                planId: tier,
                currentPeriodEnd: null,
                cancelAtPeriodEnd: false,
              },
        entitledTier: tier,
        servedAt: Date.now(),
      },
      trial: { isActive: false, endDate: null, hasUsed: true, servedAt: Date.now() },
    },
    'network',
  );
};
const show = (data: Analytics): void => {
  fill(analyticsStore, data, 'network', Date.now());
  render(<AnalyticsScreen />);
};
const calendarDays = (): number =>
  screen.getAllByRole('button', { name: /^Explain \d{4}-\d\d-\d\d/ }).length;

beforeEach(() => {
  connection.online = 'online';
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
  history.replaceState(null, '', '/analytics');
  call.mockImplementation((name: string) =>
    name === 'plans'
      ? Promise.resolve({
          plans: [
            {
              id: 'standard',
              name: 'Standard',
              tier: 'standard',
              priceId: 'p',
              amount: '49',
              currency: 'USD',
              interval: 'month',
              agents: 5,
            },
          ],
          provider: 'test',
        })
      : new Promise(() => undefined),
  );
});
afterEach(() => {
  cleanup();
  clearAnalytics();
  clearSubscription();
});

describe('the depth of analytics', () => {
  it('with analytics:view alone: four measures and 35 days, the rest named with what it would say, and the plan that has it (R6-02, R2-11)', async () => {
    have('free');
    show(VIEW);
    expect(
      within(screen.getByRole('region', { name: 'Results' })).getAllByRole('term'),
    ).toHaveLength(4);
    expect(calendarDays()).toBe(ANALYTICS_VIEW_DAYS);
    const locked = within(screen.getByRole('region', { name: 'With Standard and the free trial' }));
    expect(locked.getByText(/shows four measures and the last 35 days of 50/)).toBeTruthy();
    expect(locked.getByText('Sharpe')).toBeTruthy();
    expect(screen.queryByText('1.10')).toBeNull();
    expect(screen.queryByRole('region', { name: 'By agent' })).toBeNull();
    expect(await locked.findByRole('button', { name: 'Upgrade to Standard' })).toBeTruthy();
    expect(locked.getByRole('link', { name: 'View Plans' }).getAttribute('href')).toBe(
      '/subscription?from=%2Fanalytics',
    );
  });

  it('with analytics:read: every measure, every day, and who earned what (R6-04, R2-11)', () => {
    have('standard');
    show(analytics({}));
    expect(
      within(screen.getByRole('region', { name: 'Risk and return' })).getAllByRole('term'),
    ).toHaveLength(8);
    expect(screen.getByText('1.10')).toBeTruthy();
    expect(calendarDays()).toBe(50);
    expect(screen.getByRole('region', { name: 'By agent' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Upgrade to Standard' })).toBeNull();
  });

  it('after a plan has ended shows no more of what was told before than the present one has (R4-04)', () => {
    have('free');
    show(analytics({}));
    expect(calendarDays()).toBe(ANALYTICS_VIEW_DAYS);
    expect(screen.queryByText('1.10')).toBeNull();
    expect(screen.queryByText('Harbour')).toBeNull();
  });

  it('with a plan that has just begun asks for the deeper telling at once, claims none of it before, and is offered no plan for it (R4-02, R6-04)', async () => {
    have('free');
    show(VIEW);
    call.mockClear();
    act(() => {
      have('standard');
    });
    await waitFor(() => {
      expect(call.mock.calls.filter(([name]) => name === 'analytics')).toHaveLength(1);
    });
    expect(screen.queryByRole('region', { name: 'Risk and return' })).toBeNull();
    expect(screen.queryByRole('region', { name: 'With Standard and the free trial' })).toBeNull();
    expect(screen.getByRole('status', { name: 'Risk and return' })).toBeTruthy();
    expect(calendarDays()).toBe(ANALYTICS_VIEW_DAYS);
  });
});

describe('the calendar of days', () => {
  it('is a table with weekday and week for heads; each day is a button that says date, amount and share, with a sign beside the colour', async () => {
    const { container } = render(
      <HeatMap analytics={analytics({ daily: [day(2, -40), day(1, 0), day(0, 25)] })} fills={[]} />,
    );
    const table = within(screen.getByRole('table', { name: 'Change of equity by UTC day' }));
    expect(table.getAllByRole('rowheader')).toHaveLength(7);
    expect(table.getAllByRole('columnheader').at(-1)?.textContent).toMatch(/Week of 2026-05-18/);
    const down = table.getByRole('button', { name: /^Explain 2026-05-18: −40(\.00)?, −0\.40/ });
    expect(down.textContent).toMatch(/−$/);
    expect(table.getByRole('button', { name: /2026-05-20/ }).textContent).toMatch(/\+$/);
    const result = await axe.run(container, {
      rules: { region: { enabled: false }, 'color-contrast': { enabled: false } },
    });
    expect(
      result.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id }) => id),
    ).toEqual([]);
  });

  it('has the same days as rows of figures one tap away, in a region the keyboard can scroll', () => {
    render(<HeatMap analytics={analytics({ daily: [day(2, -40), day(0, 25)] })} fills={[]} />);
    expect(screen.getByText('1 up, 1 down, total', { exact: false })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Table' }));
    const region = screen.getByRole('region', { name: 'Days: table' });
    expect(region.tabIndex).toBe(0);
    expect(within(region).getAllByRole('row')).toHaveLength(3);
    expect(within(region).getAllByRole('row')[1]?.textContent).toContain('2026-05-20');
    fireEvent.click(screen.getByRole('button', { name: 'Calendar' }));
    expect(screen.getByRole('table', { name: 'Change of equity by UTC day' })).toBeTruthy();
  });

  it('says of a day without a mark that it was not marked, and does not call it zero', () => {
    render(<HeatMap analytics={analytics({ daily: [day(2, -40), day(0, 25)] })} fills={[]} />);
    expect(screen.getByText('2026-05-19: no data')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /2026-05-19/ })).toBeNull();
  });
});

describe('the books before this one', () => {
  const books: BookSummary[] = [
    { book: 1, openedAt: TODAY - 90 * DAY, closedAt: TODAY - 30 * DAY, equity: '9120.5' },
    { book: 2, openedAt: TODAY - 30 * DAY, closedAt: null, equity: null },
  ];

  it('are not offered while there is only one', () => {
    const { container } = render(
      <AccountPicker books={books.slice(1)} open={2} book={null} onPick={() => undefined} />,
    );
    expect(container.textContent).toBe('');
  });

  it('are named with their days and how they ended, newest first; one is picked and left again', () => {
    const pick = vi.fn();
    const { rerender } = render(<AccountPicker books={books} open={2} book={null} onPick={pick} />);
    const select = screen.getByLabelText<HTMLSelectElement>('Paper account');
    expect([...select.options].map(({ value }) => value)).toEqual(['2', '1']);
    expect(select.options[1]?.text).toMatch(/^Account 1, .* to .*, closed at 9,120\.50$/);
    expect(select.value).toBe('2');
    fireEvent.change(select, { target: { value: '1' } });
    expect(pick).toHaveBeenLastCalledWith(1);
    rerender(<AccountPicker books={books} open={2} book={1} onPick={pick} />);
    fireEvent.click(screen.getByRole('button', { name: 'Back to current account' }));
    expect(pick).toHaveBeenLastCalledWith(null);
    fireEvent.change(select, { target: { value: '2' } });
    expect(pick).toHaveBeenLastCalledWith(null);
  });

  it('say offline that they are on the server, and cannot be picked', () => {
    connection.online = 'offline';
    render(<AccountPicker books={books} open={2} book={null} onPick={() => undefined} />);
    expect(screen.getByText('Closed accounts are available online.')).toBeTruthy();
    expect(
      [...screen.getByLabelText<HTMLSelectElement>('Paper account').options].map(
        ({ disabled }) => disabled,
      ),
    ).toEqual([false, true]);
  });
});

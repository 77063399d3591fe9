// @vitest-environment happy-dom
/**
 * What the dashboard counts and compares: news since a visit, what needs the person, alike agents,
 * falls, ranges, late looks, rows that add up.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { AgentSeries } from '../../../../contract/insight.ts';
import type { Fill } from '../../../../contract/trading.ts';
import { changeOver, pointsOf } from '../../../../src/components/EquityChart.tsx';
import { pointAfter } from '../../../../src/components/TimeChart.tsx';
import { missedEvaluations, runText } from '../../../../src/screens/agents/evaluation-times.ts';
import { formatClock } from '../../../../src/format/times.ts';
import { writeLastUser } from '../../../../src/identity/last-user.ts';
import {
  correlation,
  LEAST_MOVES,
  pairings,
} from '../../../../src/screens/dashboard/pair-correlation.ts';
import { needs } from '../../../../src/screens/dashboard/NeedsYou.tsx';
import { toldOf } from '../../../../src/screens/dashboard/told-agents.ts';
import { newsSince, newsText } from '../../../../src/screens/dashboard/news-since-visit.ts';
import { buysBehind } from '../../../../src/screens/portfolio/buys-behind.ts';
import { shareOf } from '../../../../src/screens/portfolio/position-figures.ts';
import { agentView } from '../../../../src/stores/agent-view.ts';
import { lastSeen, rememberSeen } from '../../../../src/stores/last-visit.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 4, 20, 12);
const agent = (id: string, part: Partial<Agent> = {}): Agent => ({
  id,
  name: id,
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
  total: '0',
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW - 120_000,
  nextRunAt: NOW + 180_000,
  ...part,
});
const fill = (filledAt: number, part: Partial<Fill> = {}): Fill => ({
  id: `f${filledAt}`,
  orderId: 'o',
  agentId: 'a1',
  agentName: 'a1',
  pair: 'ETH/USDT',
  side: 'buy',
  quantity: '1',
  price: '100',
  notional: '100',
  fee: '0.1',
  feeBps: '10',
  slippageBps: '1',
  realized: null,
  reason: 'entered',
  decidedAt: filledAt,
  filledAt,
  tickId: 't',
  ...part,
});

describe('since you left', () => {
  beforeEach(() => {
    localStorage.clear();
  });
  const seen = { marketAt: 1_000, seenAt: NOW, held: ['b'] };

  it('remembers the visit of one person and shows it to no other', () => {
    writeLastUser({ uid: 'u1', email: null, lastSignInTime: null });
    rememberSeen('u1', seen);
    expect(lastSeen('u1')).toEqual(seen);
    expect(lastSeen('u2')).toBeNull();
  });

  it('remembers nothing of a person who has signed out, here or in another tab (F35)', () => {
    rememberSeen('u1', seen);
    writeLastUser({ uid: 'u2', email: null, lastSignInTime: null });
    rememberSeen('u1', seen);
    expect(lastSeen('u1')).toBeNull();
  });

  it('counts what came later: trades, stops, the change of equity, and agents halted since', () => {
    const portfolio = {
      equity: '10120.5',
      equityCurve: [
        [500, '9990'],
        [900, '10000'],
        [2_000, '10100'],
      ] as [number, string][],
    };
    const news = newsSince(
      seen,
      [fill(3_000, { reason: 'stop_loss' }), fill(2_000), fill(900)],
      portfolio,
      [agent('a', { status: 'halted' }), agent('b', { status: 'halted' }), agent('c')],
    );
    expect(news).toMatchObject({
      trades: 2,
      stops: 1,
      profit: '120.5',
      held: [{ id: 'a', name: 'a' }],
      more: false,
    });
    expect(newsText(news)).toBe('2 trades · 1 stop hit · a halted');
  });

  it('counts trades and the change from the same valuation, however long before the visit it was (R2-07)', () => {
    const visit = { marketAt: 20 * DAY, seenAt: NOW, held: [] };
    const portfolio = {
      equity: '10050',
      equityCurve: [
        [18 * DAY, '10000'],
        [21 * DAY, '10040'],
      ] as [number, string][],
    };
    const fills = [fill(20.5 * DAY), fill(19 * DAY), fill(17 * DAY)];
    expect(newsSince(visit, fills, portfolio, [])).toMatchObject({
      from: 18 * DAY,
      trades: 2,
      profit: '50',
    });
  });

  it('does not know the change where the curve does not reach back, and says when nothing happened', () => {
    const news = newsSince(seen, [fill(900)], { equity: '1', equityCurve: [[5_000, '1']] }, []);
    expect(news.profit).toBeNull();
    expect(newsText(news)).toBe('no trades, nothing halted');
  });
});

describe('what needs the person', () => {
  const trial = { isTrialActive: false, trialDaysRemaining: 0, endsAt: Number.NaN };
  it('lists halted and faulted agents with the server’s words, and nothing that can wait', () => {
    const views = [
      agent('ok'),
      agent('held', {
        status: 'halted',
        hold: { code: 'day_loss', text: 'Down 4 % today.', until: null },
      }),
    ].map((one) => agentView(one, []));
    expect(needs(views, trial)).toEqual([
      { key: 'held', to: '/agents/held', title: 'held', text: 'Halted: Down 4 % today.' },
    ]);
  });
  it('is the plan as well: a payment that is due, and an end while agents still run', () => {
    const until = Date.parse('2026-11-23T10:00:00Z');
    const [due] = needs([], trial, { state: 'grace', until });
    expect(due).toMatchObject({
      to: '/subscription',
      title: 'Payment failed',
    });
    expect(due?.text).toMatch(
      /^Your plan stays active until Nov 2\d, 2026\. Update your card to keep it\.$/,
    );
    const runs = agentView(agent('runs', { status: 'running' }), []);
    expect(needs([runs], trial, { state: 'lapsed', until: null })).toEqual([
      {
        key: 'plan',
        to: '/subscription',
        title: 'Your plan has ended',
        text: 'No new positions. Stop losses and exits of running agents stay active.',
      },
    ]);
    expect(needs([], trial, { state: 'lapsed', until: null })).toEqual([]);
    for (const state of ['free', 'active', 'ending'] as const)
      expect(needs([runs], trial, { state, until })).toEqual([]);
  });

  it('adds a trial in its last two days with the day of its end, and not before (R4-03, R9-03)', () => {
    const at = (day: number, hour: number): number => new Date(2026, 4, day, hour).getTime();
    const title = (now: number, endsAt: number): string | undefined => {
      const trialDaysRemaining = Math.max(0, Math.ceil((endsAt - now) / DAY));
      return needs([], { isTrialActive: true, trialDaysRemaining, endsAt }, null, now)[0]?.title;
    };
    expect(title(at(20, 9), at(22, 10))).toBeUndefined();
    expect(title(at(20, 20), at(22, 8))).toBe('Your free trial ends in 2 days');
    expect(title(at(20, 8), at(21, 20))).toBe('Your free trial ends tomorrow');
    expect(title(at(20, 20), at(21, 8))).toBe('Your free trial ends tomorrow');
    // One day left, rounded up, and it is over this afternoon.
    expect(title(at(20, 9), at(20, 14))).toBe(
      `Your free trial ends today at ${formatClock(at(20, 14))}`,
    );
    expect(title(at(20, 15), at(20, 14))).toBe('Your free trial ends today');
  });
});

describe('agents that move alike', () => {
  const line = (agentId: string, step: (n: number) => number, count = 40): AgentSeries => {
    let value = 0;
    return {
      agentId,
      points: Array.from(
        { length: count },
        (_, n) => [n * 1_000, (value += step(n))] as [number, number],
      ),
    };
  };
  const wave = (n: number): number => Math.sin(n * 1.7);
  it('is 1 for the same moves, −1 for the opposite ones, whatever their size', () => {
    expect(
      correlation(
        line('a', wave),
        line('b', (n) => 3 * wave(n)),
      ).value,
    ).toBeCloseTo(1, 10);
    expect(
      correlation(
        line('a', wave),
        line('b', (n) => -wave(n)),
      ).value,
    ).toBeCloseTo(-1, 10);
  });
  it('has no figure but a reason for too few moves or an agent that stood still', () => {
    expect(correlation(line('a', wave, 10), line('b', wave, 10))).toMatchObject({
      value: null,
      why: `9 of ${LEAST_MOVES} common moves needed`,
    });
    expect(
      correlation(
        line('a', wave),
        line('b', () => 0),
      ),
    ).toMatchObject({ value: null, why: 'one of them has not moved' });
  });
  it('puts the most alike first and those without a figure last', () => {
    const list = pairings([
      line('a', wave),
      line('b', () => 0),
      line('c', wave),
      line('d', (n) => wave(n) + Math.cos(n * 5)),
    ]);
    expect([list[0]?.a, list[0]?.b]).toEqual(['a', 'c']);
    expect(list.slice(-3).every((pair) => pair.value === null)).toBe(true);
  });
});

describe('charts', () => {
  const curve: [number, string][] = [
    [NOW - 40 * DAY, '10000'],
    [NOW - 8 * DAY, '10400'],
    [NOW - 3 * DAY, '10300'],
    [NOW, '10500'],
  ];
  it('measures a range from the last point before it', () => {
    expect(changeOver(pointsOf(curve, '1W'))).toEqual({
      amount: '100',
      percent: (100 / 10_400) * 100,
      from: NOW - 8 * DAY,
    });
    expect(changeOver(pointsOf(curve, 'ALL'))?.amount).toBe('500');
    expect(changeOver(pointsOf(curve, '1D'))?.amount).toBe('200');
    expect(changeOver([[NOW, '1']])).toBeNull();
  });
  it('walks its points by keys and stops at both ends', () => {
    expect([
      pointAfter('ArrowLeft', 5, 9),
      pointAfter('ArrowRight', 8, 9),
      pointAfter('Home', 5, 9),
      pointAfter('End', 0, 9),
      pointAfter('PageDown', 5, 9),
      pointAfter('a', 5, 9),
    ]).toEqual([4, 8, 0, 8, 0, null]);
  });
});

describe('looks', () => {
  it('counts what is overdue by the agent’s own rhythm', () => {
    const due = (
      over: number,
      execution_interval: Agent['execution_interval'] = '5-minute',
      status: Agent['status'] = 'running',
    ) => missedEvaluations(agent('a', { nextRunAt: NOW - over, execution_interval, status }), NOW);
    expect([due(-1), due(0), due(299_999), due(300_000), due(900_000)]).toEqual([0, 1, 1, 2, 4]);
    expect([due(900_000, 'daily'), due(900_000, '5-minute', 'stopped')]).toEqual([1, 0]);
  });
  it('says late with the number of looks, and when it last looked', () => {
    expect(
      runText(agent('a', { lastRunAt: NOW - 960_000, nextRunAt: NOW - 660_000 }), NOW, 'moving', 3),
    ).toBe('late: 3 checks missed · last check 16 min ago');
    expect(
      runText(agent('a', { lastRunAt: NOW - 960_000, nextRunAt: NOW - 60_000 }), NOW, 'moving', 1),
    ).toBe('late: 1 check missed · last check 16 min ago');
  });
});

describe('a position’s rows', () => {
  const position = { agentId: 'a1', pair: 'ETH/USDT', openedAt: 100, cost: '200.2', value: '210' };
  it('are the buys where they add up to the cost to the last digit', () => {
    expect(
      buysBehind(position, [fill(200), fill(100), fill(50)])?.map((one) => one.filledAt),
    ).toEqual([100, 200]);
  });
  it('are left out where they do not: after a part was sold, or with trades missing here', () => {
    expect(buysBehind(position, [fill(300, { side: 'sell' }), fill(200), fill(100)])).toBeNull();
    expect(buysBehind(position, [fill(200)])).toBeNull();
  });
  it('know their share of equity, or that it is not known', () => {
    expect(shareOf(position, '10500')).toBe(0.02);
    expect(shareOf({ value: null }, '10500')).toBeNull();
    expect(shareOf(position, undefined)).toBeNull();
  });
});

describe('limits and decisions', () => {
  const risk = (agentId: string) => ({
    ...{ agentId, dayStart: null, dayLoss: null, dayLossLimit: 0.04 },
    ...{ peak: null, drawdown: null, drawdownLimit: 0.2 },
  });
  const pro = { equity: '1', risk: [risk('paper'), risk('live')], decisions: [] };

  it('are those of the account on screen, and wait until its agents are known', () => {
    expect(toldOf([{ id: 'paper' }], pro)?.risk.map(({ agentId }) => agentId)).toEqual(['paper']);
    expect(toldOf(null, pro)).toBeNull();
    expect(toldOf([], null)).toBeNull();
  });
});

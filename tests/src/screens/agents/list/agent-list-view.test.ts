/**
 * Finding and ordering agents, the words of their looks on a fast tape, what holds them, and the
 * score of the guided setup.
 */
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import { formatFixed } from '../../../../../contract/money.ts';
import type { PairPreview } from '../../../../../contract/preview.ts';
import { reasonCounts } from '../../../../../src/screens/agents/detail/AgentDecisions.tsx';
import { runText } from '../../../../../src/screens/agents/evaluation-times.ts';
import { untilText } from '../../../../../src/screens/agents/detail/AgentHealth.tsx';
import {
  shownAgents,
  together,
  turned,
  type ListView,
} from '../../../../../src/screens/agents/list/agent-list-view.ts';
import {
  inWeight,
  previewSentence,
  reasonOnly,
} from '../../../../../src/screens/agents/preview/use-preview.ts';
import {
  profileOf,
  QUESTIONS,
  scoreOf,
} from '../../../../../src/screens/guided-setup/risk-questions.ts';
import { agentView } from '../../../../../src/stores/agent-view.ts';

const NOW = Date.UTC(2026, 0, 7, 13, 40);
const agent = (name: string, part: Partial<Agent> = {}): Agent => ({
  id: name,
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
  total: '0',
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW - 120_000,
  nextRunAt: NOW + 180_000,
  ...part,
});
const list = [
  agent('Harbour', {
    createdAt: 1,
    realized: '-12.5',
    unrealized: '20',
    total: '7.5',
    trading_pairs: ['BTC/USDT', 'ETH/USDT'],
  }),
  agent('Ebb', {
    createdAt: 2,
    status: 'stopped',
    realized: '100',
    total: '100',
    pool: 'weekly_leaders',
  }),
  agent('Drift', {
    createdAt: 3,
    status: 'halted',
    total: '-3',
    unrealized: '-3',
    trading_pairs: ['SOL/USDT'],
  }),
].map((one) => agentView(one, []));
const ALL: ListView = { query: '', status: 'all', sort: 'made', down: false };
const names = (view: Partial<ListView>): string[] =>
  shownAgents(list, { ...ALL, ...view }).map((one) => one.agent.name);

describe('a list of many agents', () => {
  it('is found by name, by pair and by pool, and by what needs the person (R2-12)', () => {
    expect(names({})).toEqual(['Harbour', 'Ebb', 'Drift']);
    expect(names({ query: 'har' })).toEqual(['Harbour']);
    expect(names({ query: 'sol/' })).toEqual(['Drift']);
    expect(names({ query: 'weekly leaders' })).toEqual(['Ebb']);
    expect(names({ status: 'running' })).toEqual(['Harbour']);
    expect(names({ status: 'needs-you' })).toEqual(['Drift']);
    expect(names({ status: 'stopped', query: 'harbour' })).toEqual([]);
  });

  it('is ordered by each result as money, both ways, and names begin with A (R2-12)', () => {
    expect(names({ sort: 'total', down: true })).toEqual(['Ebb', 'Harbour', 'Drift']);
    expect(names({ sort: 'realized', down: false })).toEqual(['Harbour', 'Drift', 'Ebb']);
    expect(names({ sort: 'unrealized', down: true })).toEqual(['Harbour', 'Ebb', 'Drift']);
    expect(names({ sort: 'name' })).toEqual(['Drift', 'Ebb', 'Harbour']);
    expect(turned(ALL, 'total')).toEqual({ sort: 'total', down: true });
    expect(turned({ ...ALL, sort: 'total', down: true }, 'total')).toEqual({
      sort: 'total',
      down: false,
    });
    expect(turned(ALL, 'name')).toEqual({ sort: 'name', down: false });
    const sums = together(list);
    expect(
      [sums.realized, sums.unrealized, sums.total].map((sum) => sum && formatFixed(sum)),
    ).toEqual(['87.5', '17', '104.5']);
  });
});

describe('when an agent looks', () => {
  const looks = agent('a');
  it('is told in the reader’s own time where the market runs in it', () => {
    expect(runText(looks, NOW, 'moving', 0, 1)).toBe('last check 2 min ago · next in 3 min');
  });

  it('is told in market time on a fast tape, and the wait in real time where there is one worth a word', () => {
    // Three minutes of market time at ×1200 are 150 ms.
    expect(runText(looks, NOW, 'moving', 0, 1_200)).toMatch(
      /^last check \d\d:\d\d \(market time\)$/,
    );
    expect(
      runText(
        { ...looks, execution_interval: 'daily', nextRunAt: NOW + 12 * 3_600_000 },
        NOW,
        'moving',
        0,
        1_200,
      ),
    ).toMatch(/\(market time\) · next in 36 s$/);
  });

  it('promises nothing where the tape has ended', () => {
    expect(runText(looks, NOW, 'stopped', 0, 1_200)).toBe('no checks: prices have stopped');
  });

  it('and what holds it says until when, or what ends it', () => {
    const hold = {
      code: 'day_loss',
      text: 'Down 4.2 % today, the limit is 4 %: no new trades until midnight UTC.',
      until: NOW + 3_600_000,
    };
    expect(untilText({ status: 'halted', hold }, NOW)).toMatch(
      /^Resumes .* \(in 1 h\)\. Until then, no new positions\. Stop losses and exits stay active\.$/,
    );
    expect(untilText({ status: 'halted', hold: { ...hold, until: null } }, NOW)).toContain(
      'stop the agent and start it again',
    );
    expect(untilText({ status: 'faulted', hold: { ...hold, until: null } }, NOW)).toContain(
      'until you start it',
    );
    expect(
      reasonCounts([
        { day: '1', reason: 'not_now', count: 2 },
        { day: '2', reason: 'weak_signal', count: 9 },
        { day: '2', reason: 'not_now', count: 3 },
      ]),
    ).toEqual([
      { reason: 'weak_signal', count: 9 },
      { reason: 'not_now', count: 5 },
    ]);
  });
});

describe('what it would do now, in words', () => {
  const pair = (name: string, part: Partial<PairPreview> = {}): PairPreview => ({
    pair: `${name}/USDT`,
    action: 'skip',
    reason: 'weak_signal',
    strength: 0.41,
    threshold: 0.55,
    text: 'No trade: signal 0.41, needs 0.55.',
    order: null,
    stopPrice: null,
    atStop: null,
    ...part,
  });
  const order = (notional: string, side: 'buy' | 'sell' = 'buy') => ({
    side,
    quantity: '1',
    price: notional,
    notional,
    fee: '0.1',
  });
  const say = (pairs: PairPreview[]): string =>
    previewSentence({ pairs, quote: 'USDT', hold: null });

  it('names the trades with their money, or why there is none', () => {
    expect(
      say([
        pair('BTC', { action: 'enter', reason: 'entered', order: order('500') }),
        pair('ETH', { action: 'enter', reason: 'entered', order: order('250.5') }),
        pair('SOL', { action: 'exit', reason: 'signal_left', order: order('90', 'sell') }),
      ]),
    ).toBe('Now it would buy BTC, ETH for 750.50 USDT and sell SOL for 90.00 USDT.');
    expect(
      say([
        pair('BTC'),
        pair('ETH', { reason: 'trend_down', text: 'No trade: the trend is down.' }),
      ]),
    ).toBe('No trade now: 1 of 2 signals are below the threshold.');
    expect(say([pair('BTC', { reason: 'no_price' })])).toContain(
      'no price since the candle closed',
    );
  });

  it('puts what it would trade first, then the strongest signals, and says a reason once', () => {
    expect(
      inWeight([
        pair('A', { strength: 0.1 }),
        pair('B', { strength: 0.5 }),
        pair('C', { action: 'enter', order: order('1') }),
      ]).map((one) => one.pair),
    ).toEqual(['C/USDT', 'B/USDT', 'A/USDT']);
    expect(reasonOnly('No trade: the trend is down.')).toBe('The trend is down.');
    expect(reasonOnly('Holding: 3 % off target. Rebalancing would cost more than it gains.')).toBe(
      '3 % off target. Rebalancing would cost more than it gains.',
    );
  });
});

describe('the guided setup’s score (R2-16)', () => {
  it('takes the lower of capacity and comfort', () => {
    expect(QUESTIONS.map((question) => question.side)).toEqual([
      'capacity',
      'capacity',
      'comfort',
      'comfort',
    ]);
    expect(profileOf([2, 2, 2, 2])).toBe('Aggressive');
    expect(scoreOf([2, 2, 0, 1])).toMatchObject({
      profile: 'Conservative',
      capacity: { points: 4, level: 'Aggressive' },
      comfort: { points: 1, level: 'Conservative' },
      why: 'You can afford more risk than you are comfortable with. We use the lower level.',
    });
    expect(scoreOf([1, 1, 2, 2])).toMatchObject({
      profile: 'Moderate',
      why: 'You are comfortable with more risk than you can afford. We use the lower level.',
    });
    expect(scoreOf([1, 1, 1, 1])).toMatchObject({
      profile: 'Moderate',
      why: 'Your risk capacity and comfort match.',
    });
    expect(scoreOf([1, 2, 1, 2])).toMatchObject({ profile: 'Moderate' });
  });

  it('lets no other answer outvote money that is needed', () => {
    expect(profileOf([0, 2, 2, 2])).toBe('Conservative');
  });
});

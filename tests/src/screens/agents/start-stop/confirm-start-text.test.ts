/** What a late start is confirmed against, and what repeats of a decision fold into. */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../../contract/agents.ts';
import { recordAgent } from '../../../../../src/api/recorded-replies.ts';
import {
  changedMeanwhile,
  priceRows,
  worstOf,
} from '../../../../../src/screens/agents/start-stop/confirm-start-text.ts';
import { groupDecisions } from '../../../../../src/screens/agents/detail/decision-groups.ts';

const NOW = 1_790_000_000_000;
const quote = (symbol: string, price: string, timestamp: number) => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: null,
  high_24h: null,
  low_24h: null,
  price_change_24h: null,
  timestamp,
  stale: false,
});
const board = {
  now: 5_000,
  source: { label: 'Simulated prices' },
  symbols: { 'BTC/USD': quote('BTC/USD', '110', 4_000), 'ETH/USD': quote('ETH/USD', '20', 5_000) },
};
const loaded = (savedAt: number) => ({ data: board, origin: 'network' as const, savedAt });
const agent = {
  ...recordAgent('a', 'Harbour', 0),
  status: 'stopped' as const,
  version: 1,
  generation: 4,
};
const seen = {
  prices: [
    { pair: 'BTC/USD', price: '100', at: 1_000 },
    { pair: 'SOL/USD', price: '7', at: 1_000 },
  ],
  agents: [{ id: 'a', name: 'Harbour', status: 'stopped', version: 1, generation: 4 }],
};

describe('prices then and now', () => {
  it('stand side by side with the change and the age of the present one, the largest move first', () => {
    const [first] = priceRows({ seen }, ['BTC/USD'], loaded(NOW - 60_000), NOW);
    expect(first).toMatchObject({
      pair: 'BTC/USD',
      then: '100',
      now: '110',
      nowAgeMs: 61_000,
      why: null,
    });
    expect(first?.change).toBeCloseTo(10, 9);
  });
  it('are missing with a reason, never guessed', () => {
    const rows = priceRows({ seen }, ['ETH/USD'], loaded(NOW), NOW);
    expect(rows.find((row) => row.pair === 'ETH/USD')).toMatchObject({
      then: null,
      now: '20',
      change: null,
      why: 'No price saved when you pressed Start',
    });
    expect(rows.find((row) => row.pair === 'SOL/USD')).toMatchObject({
      then: '7',
      now: null,
      nowAgeMs: null,
      change: null,
      why: 'No price at Simulated prices',
    });
    const none = { data: null, origin: null, savedAt: null };
    expect(priceRows({ seen }, [], none, NOW).map(({ why }) => why)).toEqual(
      seen.prices.map(() => 'No price on this device'),
    );
  });
  it('of a record of an earlier build are only the present ones', () => {
    expect(priceRows({}, ['BTC/USD'], loaded(NOW), NOW)).toMatchObject([
      { then: null, now: '110' },
    ]);
  });
});

describe('who changed the agent since a press', () => {
  const entry = { seen, seenGeneration: 4, agentId: 'a', agents: [] };
  it.each([
    ['nobody', agent, 'No changes since then, as far as this device knows.'],
    [
      'a person elsewhere',
      { ...agent, generation: 5 },
      'It was started or stopped since then, on another device or screen.',
    ],
    ['an edit', { ...agent, version: 2, generation: 5 }, 'Its settings were edited.'],
    [
      'a fault',
      {
        ...agent,
        status: 'faulted' as const,
        generation: 5,
        hold: { code: 'x', text: 'its strategy failed', until: null },
      },
      'It stopped with a fault: its strategy failed',
    ],
    ['a deletion', undefined, 'This agent no longer exists.'],
  ])('%s', (_who, now, words) => {
    expect(changedMeanwhile(entry, 'a', now, NOW)).toBe(words);
  });
  it('is not known of a record that does not say what was seen', () => {
    expect(
      changedMeanwhile({ seenGeneration: null, agentId: 'a', agents: [] }, 'a', agent, NOW),
    ).toBe('Changes since then are unknown.');
  });
});

it('the worst loss of several agents adds up, and is unknown without equity', () => {
  const two = [
    { ...agent, id: 'a', risk_profile: 'Moderate' as const, max_position_size: 500 },
    { ...agent, id: 'b', risk_profile: 'Conservative' as const, max_position_size: 100 },
  ];
  expect(worstOf(two, '10000', [])).toEqual({
    each: new Map([
      ['a', '-25'],
      ['b', '-3'],
    ]),
    together: '-28',
  });
  expect(worstOf(two, null, [])).toBeNull();
  expect(worstOf(two, '10000', null)).toBeNull();
});

describe('decisions', () => {
  const decision = (
    at: number,
    pair: string,
    action: Decision['action'],
    reason = 'on_target',
  ): Decision => ({
    id: `${pair}${at}`,
    agentId: 'a',
    pair,
    tickId: String(at),
    at,
    action,
    reason,
    strength: null,
    threshold: null,
    text: '',
  });
  it('that say the same of a pair again and again are one line with count and span, though other pairs lie between', () => {
    const groups = groupDecisions([
      decision(9, 'BTC/USD', 'hold'),
      decision(9, 'ETH/USD', 'skip', 'weak_signal'),
      decision(8, 'BTC/USD', 'hold'),
      decision(7, 'BTC/USD', 'hold'),
    ]);
    expect(groups.map(({ decision: { pair }, count, since }) => [pair, count, since])).toEqual([
      ['BTC/USD', 3, 7],
      ['ETH/USD', 1, 9],
    ]);
  });
  it('that acted stand alone and end a run', () => {
    const groups = groupDecisions([
      decision(9, 'BTC/USD', 'hold'),
      decision(8, 'BTC/USD', 'enter', 'entered'),
      decision(7, 'BTC/USD', 'enter', 'entered'),
      decision(6, 'BTC/USD', 'hold'),
    ]);
    expect(groups.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });
});

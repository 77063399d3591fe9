/**
 * A guard that is only registered is obeyed alike by stepAgent and by a backtest, whatever its
 * stage and with or without a bound.
 */
import { describe, expect, it } from 'vitest';
import { GUARD_CODES } from '../../../contract/guards.ts';
import type { GuardCode } from '../../../contract/guards.ts';
import { HOUR_MS } from '../../../engine/execution/schedule.ts';
import { share } from '../../../engine/execution/sizing.ts';
import { backtest } from '../../../engine/backtest/run-backtest.ts';
import type { BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import type {
  AgentGuard,
  AgentView,
  Guard,
  LastingHaltGuard,
  PairGuard,
  PairView,
  SizeGuard,
  SizeView,
  TimedHaltGuard,
} from '../../../engine/guards/guard.ts';
import { GUARDS_OF } from '../../../engine/guards/registry.ts';
import { inputOf } from '../backtest/random-input.ts';
import { plainBacktest } from '../backtest/plain-loop.ts';
import { withGuard } from './registered-guards.ts';

const PLANTED = 'planted' as GuardCode;
/** Closed for three hours of every seven. */
const isClosed = (at: number): boolean => Math.floor(at / HOUR_MS) % 7 < 3;
const untilOpen = (at: number): number => (Math.floor(at / (7 * HOUR_MS)) * 7 + 3) * HOUR_MS;
const closed = { text: 'closed for now.', until: null };

const pair: PairGuard = {
  stage: 'pair',
  code: PLANTED,
  check: ({ at, pair: name, quote }) =>
    isClosed(at) && (name.startsWith('A') || quote.bid % 3n === 0n) ? closed : null,
};
const agent: AgentGuard = {
  stage: 'agent',
  code: PLANTED,
  check: ({ at }) => (isClosed(at) ? closed : null),
};
const timedHalt: TimedHaltGuard = {
  stage: 'timed-halt',
  code: PLANTED,
  check: ({ at }) => (isClosed(at) ? { text: 'halted for now.', until: untilOpen(at) } : null),
};
const lastingHalt: LastingHaltGuard = {
  stage: 'lasting-halt',
  code: PLANTED,
  check: ({ account, memory }) =>
    account.equity < share(memory.highWater ?? account.equity, 0.995)
      ? { text: 'halted.', until: null }
      : null,
};
const size: SizeGuard = {
  stage: 'size',
  code: PLANTED,
  cutText: 'half of what is wanted',
  check: ({ held, pair: name, wanted }) =>
    held.size > 1 && !held.has(name)
      ? { block: closed }
      : { block: null, amount: share(wanted, 0.5) },
};

const input = (seed: number): BacktestInput =>
  inputOf(
    {
      days: 40,
      seed,
      swing: 0.01,
      crashes: seed % 2 === 0,
      gaps: seed % 3 === 0,
      thin: false,
      pegged: false,
    },
    {
      pool: seed % 2 === 0 ? 'base_ecosystem' : 'all_pools',
      profile: 'Aggressive',
      interval: '5-minute',
      frequency: seed % 3 === 0 ? 'high' : 'optimized',
    },
    48,
    { deposit: '10000', cap: '1000000', trade: '1000000', feeBps: 10 },
  );

/** How often the planted guard was the reason, where both backtests agree to the last digit. */
function agreed(seed: number): number {
  const asked = input(seed);
  const { curve, ...fast } = backtest(asked);
  expect({ ...fast, worth: curve.all() }).toEqual(plainBacktest(asked));
  return fast.reasons.get(PLANTED) ?? 0;
}

const seeds = [1, 6];

describe('a guard that is only registered', () => {
  const withBounds: [string, Guard][] = [
    ['pair guard', pair],
    ['agent guard', agent],
    [
      'agent guard with a bound',
      { ...agent, bound: ({ at }: AgentView) => (isClosed(at) ? 'blocks' : 'passes') },
    ],
    [
      'pair guard with a bound',
      {
        ...pair,
        bound: (view: PairView, { at }: AgentView) =>
          !isClosed(at) ? 'passes' : view.pair.startsWith('A') ? 'blocks' : 'unknown',
      },
    ],
    ['timed halt', timedHalt],
    [
      'timed halt with a bound',
      { ...timedHalt, bound: ({ at }: AgentView) => (isClosed(at) ? 'unknown' : 'passes') },
    ],
    ['lasting halt', lastingHalt],
    [
      'lasting halt with a bound',
      {
        ...lastingHalt,
        bound: ({ equity, highestEquity }: AgentView) =>
          equity > highestEquity * 0.9951 ? 'passes' : 'unknown',
      },
    ],
    ['size guard', size],
    [
      'size guard with a bound',
      {
        ...size,
        bound: ({ held, pair: name }: SizeView) =>
          held.length > 1 && held.every((one) => one.pair !== name) ? 'blocks' : 'unknown',
      },
    ],
  ];

  it.each(withBounds)('is obeyed alike by stepAgent and by a backtest: %s', (_name, guard) => {
    for (const first of [true, false])
      expect(
        withGuard(guard, first, () => seeds.reduce((count, seed) => count + agreed(seed), 0)),
      ).toBeGreaterThan(0);
  });

  it('is found out where its bound promises what its check does not keep', () => {
    const wrong: PairGuard = { ...pair, bound: () => 'blocks' };
    expect(() => withGuard(wrong, true, () => seeds.map(agreed))).toThrow();
  });
});

describe('the registry', () => {
  it('holds every guard once, with the code under which it is registered', () => {
    const codes = Object.values(GUARDS_OF).flatMap((guards) => guards.map(({ code }) => code));
    expect(codes.sort()).toEqual([...GUARD_CODES].sort());
  });

  it('asks first whether a price can be trusted', () => {
    expect(GUARDS_OF.pair.slice(0, 2).map(({ code }) => code)).toEqual(['bad_price', 'stale_feed']);
  });
});

/** When each kind of data turns stale, and which screen is about which. */
import { describe, expect, it } from 'vitest';
import { kindOf, trueAt } from '../../../src/shell/data-age.ts';
import { STALE_AFTER, type DataKind } from '../../../src/stores/data-kinds.ts';
import type { Origin } from '../../../src/stores/slot.ts';
import { isBehind } from '../../../src/stores/push-lag.ts';

const staleAfter = (ms: number): DataKind[] =>
  (Object.keys(STALE_AFTER) as DataKind[]).filter((kind) => ms > STALE_AFTER[kind]).sort();

describe('what is stale without a network', () => {
  it('after two minutes is what moves with prices or can be changed from elsewhere', () => {
    expect(staleAfter(2 * 60_000)).toEqual(['agents', 'alerts', 'market', 'portfolio']);
  });
  it('after two hours is everything', () => {
    expect(staleAfter(2 * 3_600_000)).toEqual([
      'agents',
      'alerts',
      'analytics',
      'history',
      'market',
      'portfolio',
      'settings',
      'subscription',
    ]);
  });
});

describe('when a kind was last known to be true', () => {
  const parts = {
    stream: 'open',
    gapAt: null,
    verifiedAt: 900,
    savedAt: 500,
    origin: 'network' as Origin,
  };
  it("is the stream's last word for what it tells of, and its own reading for the rest", () => {
    expect(trueAt('portfolio', parts)).toBe(900);
    expect(trueAt('history', parts)).toBe(900);
    expect(trueAt('analytics', parts)).toBe(500);
    expect(trueAt('subscription', parts)).toBe(500);
  });
  it('is its own reading for open positions, which every price moves: a heartbeat tells of none', () => {
    expect(trueAt('portfolio', { ...parts, isMarked: true })).toBe(500);
    expect(trueAt('portfolio', { ...parts, isMarked: true, savedAt: 950 })).toBe(950);
  });
  it('is its own reading, where the stream may have left something out since that was made', () => {
    expect(trueAt('agents', { ...parts, gapAt: 700 })).toBe(500);
    expect(trueAt('agents', { ...parts, gapAt: 700, savedAt: 800 })).toBe(900);
  });
  it("is the stream's last word, where the reading was dated before the clock was put back", () => {
    expect(trueAt('agents', { ...parts, savedAt: 900 + 3_600_000 })).toBe(900);
    expect(trueAt('agents', { ...parts, savedAt: 950 })).toBe(950);
  });
  it('is never made younger for a snapshot, nor by a stream that is away', () => {
    expect(trueAt('portfolio', { ...parts, origin: 'snapshot' })).toBe(500);
    expect(trueAt('portfolio', { ...parts, stream: 'stale' })).toBe(500);
    expect(trueAt('portfolio', { ...parts, savedAt: null })).toBeNull();
  });
});

it('each screen shows the age of what it is about', () => {
  expect(
    [
      '/dashboard',
      '/agents/1',
      '/stop-all',
      '/market/BTC-USD',
      '/analytics',
      '/subscription',
      '/portfolio',
    ].map(kindOf),
  ).toEqual(['portfolio', 'agents', 'agents', 'market', 'analytics', 'subscription', 'portfolio']);
});

it('a name that every object has is no screen', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
    expect(kindOf(`/${name}`), name).toBe('portfolio');
});

it('a device is behind while a message knew of more than its list of agents, and no longer after a fresh read', () => {
  expect(isBehind(7, 5)).toBe(true);
  expect(isBehind(7, 7)).toBe(false);
  expect(isBehind(null, 5)).toBe(false);
});

/** Money and counts of one agent from one reading of the account. */
import { describe, expect, it } from 'vitest';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import { liveMoneyOf } from '../../../src/stores/agent-money.ts';
import { recordOf } from '../../../src/stores/agent-record.ts';

const portfolio = recordedReplies(recordState(0), 0).portfolio!;
const pair = (part: object) => ({
  pair: 'ETH/USDT',
  trades: 2,
  sells: 1,
  realized: '-13.47',
  fees: '2.6',
  wins: 0,
  won: '0',
  ...part,
});
const of = (...pairs: ReturnType<typeof pair>[]) =>
  recordOf('a', {
    ...portfolio,
    positions: [],
    results: [{ agentId: 'a', agentName: 'A', pairs }],
  });

describe('an agent’s record', () => {
  it('counts a round trip in trades, win rate and expectancy where it counts it in the realised result', () => {
    expect(of(pair({}))).toEqual({
      realized: '-13.47',
      unrealized: '0',
      fees: '2.6',
      total: '-13.47',
      trades: 2,
      sells: 1,
      wins: 0,
      profitFactor: 0,
      expectancy: '-13.47',
    });
  });

  it('adds up pairs: gains by losses, realised by sales', () => {
    const both = of(
      pair({}),
      pair({ pair: 'BTC/USDT', trades: 4, sells: 3, realized: '20', wins: 2, won: '26.53' }),
    );
    expect(both).toMatchObject({
      trades: 6,
      sells: 4,
      wins: 2,
      realized: '6.53',
      expectancy: '1.6325',
    });
    // Won 26.53, lost 13.47 + 6.53.
    expect(both?.profitFactor).toBeCloseTo(26.53 / 20, 12);
  });

  it('has no figure where nothing supports it: no sale, no loss, a reading that does not tell', () => {
    expect(of(pair({ trades: 1, sells: 0, realized: '0' }))).toMatchObject({
      trades: 1,
      sells: 0,
      expectancy: null,
      profitFactor: null,
    });
    expect(of(pair({ realized: '5', wins: 1, won: '5' }))).toMatchObject({
      wins: 1,
      profitFactor: null,
      expectancy: '5',
    });
    expect(of(pair({ wins: undefined, won: undefined }))).toMatchObject({
      sells: 1,
      wins: null,
      profitFactor: null,
    });
    expect(recordOf('a', { ...portfolio, results: undefined })).toBeNull();
    expect(recordOf('unknown', portfolio)).toMatchObject({ trades: 0, total: '0' });
  });
});

describe('the money of an agent at an exchange', () => {
  const agent = {
    ...recordState(0).agents[0]!,
    realized: '0',
    unrealized: '-0.4',
    fees: '0.36',
    total: '-0.4',
  };
  const sold = {
    sequence: 8,
    positions: [],
    results: [{ agentId: agent.id, realized: '-0.76', fees: '0.72' }],
  };

  it('is of one reading: what is sold is never gone from one figure and missing in the other', () => {
    expect(liveMoneyOf(agent, { sequence: 7 }, sold)).toEqual({
      realized: '-0.76',
      unrealized: '0',
      fees: '0.72',
      total: '-0.76',
    });
    expect(liveMoneyOf(agent, { sequence: 9 }, sold)).toBe(agent);
  });

  it('stays as it was told where the reading does not say by whom', () => {
    expect(liveMoneyOf(agent, { sequence: 7 }, { sequence: 8, positions: [] })).toBe(agent);
    expect(liveMoneyOf(agent, { sequence: 7 }, null)).toBe(agent);
  });

  const held = (pair: string, unrealized: string | null, agentId = agent.id) => ({
    agentId,
    pair,
    unrealized,
  });

  it('is not known where one of its positions has no price, and says of which pair', () => {
    const bare = { ...sold, positions: [held('BTC/USD', null), held('ETH/USD', '5')] };
    expect(liveMoneyOf(agent, { sequence: 7 }, bare)).toEqual({
      realized: '-0.76',
      unrealized: null,
      fees: '0.72',
      total: null,
      unpriced: ['BTC/USD'],
    });
    const others = { ...sold, positions: [held('BTC/USD', null, 'other'), held('ETH/USD', '5')] };
    expect(liveMoneyOf(agent, { sequence: 7 }, others)).toMatchObject({
      unrealized: '5',
      total: '4.24',
    });
  });

  it('is not known by an older reading without a price either, as long as it holds something', () => {
    const bare = { ...sold, positions: [held('BTC/USD', null)] };
    expect(liveMoneyOf({ ...agent, openPositions: 1 }, { sequence: 9 }, bare)).toMatchObject({
      realized: '0',
      unrealized: null,
      total: null,
      unpriced: ['BTC/USD'],
    });
    const empty = { ...agent, openPositions: 0 };
    expect(liveMoneyOf(empty, { sequence: 9 }, bare)).toBe(empty);
  });

  it('is nothing for an agent that has not traded', () => {
    expect(liveMoneyOf(agent, { sequence: 8 }, { ...sold, results: [] })).toMatchObject({
      realized: '0',
      total: '0',
    });
  });
});

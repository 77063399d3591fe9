/**
 * Agents side by side: money and counts of one reading of the account, whatever the results over
 * time still say.
 */
import { describe, expect, it } from 'vitest';
import { recordAgent, recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import { compared } from '../../../../src/screens/performance/compare-agents.ts';

const replies = recordedReplies(recordState(0), 0);
const portfolio = {
  ...replies.portfolio!,
  asOf: 10,
  positions: [],
  results: [
    {
      agentId: 'a',
      agentName: 'A',
      pairs: [
        {
          pair: 'ETH/USDT',
          trades: 2,
          sells: 1,
          realized: '-13.47',
          fees: '5.2',
          wins: 0,
          won: '0',
        },
      ],
    },
  ],
};
/** As it was before the position was closed. */
const before = {
  figures: [{ agentId: 'a', trades: 1, sells: 0, wins: 0, profitFactor: null, exposure: 1 }],
  series: [{ agentId: 'a', points: [[0, 4]] as [number, number][] }],
};
const view = { agent: { ...recordAgent('a', 'A', 0), total: '4', unrealized: '4' } };

describe('compared agents', () => {
  it('count a sale in trades and win rate where they count it in the result, and their fall reaches down to it', () => {
    const [row] = compared([view], before, portfolio);
    expect(row).toMatchObject({
      trades: 2,
      winRate: 0,
      profitFactor: 0,
      exposure: 1,
      agent: { realized: '-13.47', unrealized: '0', total: '-13.47', fees: '5.2' },
    });
    expect(row?.drawdown).toBeCloseTo(-17.47, 10);
  });

  it('take counts from the results over time where no account tells them', () => {
    expect(compared([view], before, null)[0]).toMatchObject({
      trades: 1,
      winRate: null,
      agent: { total: '4' },
    });
  });
});

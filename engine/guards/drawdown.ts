/**
 * Halts an agent until it is started again once the account is too far below its highest equity.
 */
import { subtract } from '../../contract/money.ts';
import { approximate } from '../execution/fills.ts';
import { share } from '../execution/sizing.ts';
import { FLOAT_MARGIN, percentText } from './guard.ts';
import type { LastingHaltGuard } from './guard.ts';

export const drawdown = {
  stage: 'lasting-halt',
  code: 'drawdown',

  check({ agent, account, memory }) {
    if (memory.highWater === null || memory.highWater <= 0n) return null;
    const fallen = subtract(memory.highWater, account.equity);
    if (fallen < share(memory.highWater, agent.risk.drawdownHalt)) return null;
    const fall = approximate(fallen) / approximate(memory.highWater);
    return {
      text: `Down ${percentText(fall)} from the highest equity since the start; the limit is ${percentText(agent.risk.drawdownHalt)}: no new trades until started again.`,
      until: null,
    };
  },

  bound: ({ agent, equity, highestEquity }) =>
    highestEquity - equity < highestEquity * (agent.risk.drawdownHalt - FLOAT_MARGIN)
      ? 'passes'
      : 'unknown',
} satisfies LastingHaltGuard;

/**
 * Halts an agent for the rest of the UTC day once the account has lost its share of the day's first
 * equity.
 */
import { subtract } from '../../contract/money.ts';
import { approximate } from '../execution/fills.ts';
import { nextDay } from '../execution/schedule.ts';
import { share } from '../execution/sizing.ts';
import { FLOAT_MARGIN, momentText, percentText } from './guard.ts';
import type { TimedHaltGuard } from './guard.ts';

export const dayLoss = {
  stage: 'timed-halt',
  code: 'day_loss',

  check({ at, agent, account, memory }) {
    if (!memory.day || memory.day.equity <= 0n) return null;
    const lost = subtract(memory.day.equity, account.equity);
    if (lost < share(memory.day.equity, agent.risk.dayLossHalt)) return null;
    const loss = approximate(lost) / approximate(memory.day.equity);
    return {
      text: `Down ${percentText(loss)} today, the limit is ${percentText(agent.risk.dayLossHalt)}: no new trades until ${momentText(nextDay(at))}.`,
      until: nextDay(at),
    };
  },

  bound: ({ agent, dayEquity, equity }) =>
    dayEquity - equity < dayEquity * (agent.risk.dayLossHalt - FLOAT_MARGIN) ? 'passes' : 'unknown',
} satisfies TimedHaltGuard;

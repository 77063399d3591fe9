/**
 * Halts an agent for the rest of the UTC day once the account has lost its share of the day's first
 * equity; never sells.
 */
import { subtract } from '../../contract/money.ts';
import { approximate } from '../execution/fills.ts';
import { nextDay } from '../execution/schedule.ts';
import { share } from '../execution/sizing.ts';
import { momentText, percentText } from './guard.ts';
import type { AgentGuardInput, Block } from './guard.ts';

export function dayLoss({ at, agent, account, memory }: AgentGuardInput): Block | null {
  if (!memory.day || memory.day.equity <= 0n) return null;
  const lost = subtract(memory.day.equity, account.equity);
  if (lost < share(memory.day.equity, agent.risk.dayLossHalt)) return null;
  const loss = approximate(lost) / approximate(memory.day.equity);
  return {
    code: 'day_loss',
    text: `Down ${percentText(loss)} today, the limit is ${percentText(agent.risk.dayLossHalt)}: no new trades until ${momentText(nextDay(at))}.`,
    until: nextDay(at),
  };
}

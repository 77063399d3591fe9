/** Halts an agent until it is started again once the account is too far under its high-water mark; never sells. */
import { approximate } from '../fills.ts';
import { percentText } from './guard.ts';
import type { AgentGuardInput, Block } from './guard.ts';

export function drawdown({ agent, account, memory }: AgentGuardInput): Block | null {
  if (memory.highWater === null || memory.highWater <= 0n) return null;
  const fall = 1 - approximate(account.equity) / approximate(memory.highWater);
  if (fall < agent.risk.drawdownHalt) return null;
  return {
    code: 'drawdown',
    text: `${percentText(fall)} under the highest equity since the start, the limit is ${percentText(agent.risk.drawdownHalt)}: no new trades until started again.`,
    until: null,
  };
}

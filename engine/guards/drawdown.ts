/**
 * Halts an agent until it is started again once the account is too far under its high-water mark;
 * never sells.
 */
import { subtract } from '../../contract/money.ts';
import { approximate } from '../execution/fills.ts';
import { share } from '../execution/sizing.ts';
import { percentText } from './guard.ts';
import type { AgentGuardInput, Block } from './guard.ts';

export function drawdown({ agent, account, memory }: AgentGuardInput): Block | null {
  if (memory.highWater === null || memory.highWater <= 0n) return null;
  const fallen = subtract(memory.highWater, account.equity);
  if (fallen < share(memory.highWater, agent.risk.drawdownHalt)) return null;
  const fall = approximate(fallen) / approximate(memory.highWater);
  return {
    code: 'drawdown',
    text: `${percentText(fall)} under the highest equity since the start, the limit is ${percentText(agent.risk.drawdownHalt)}: no new trades until started again.`,
    until: null,
  };
}

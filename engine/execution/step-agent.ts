/**
 * Runs one agent at one tick: a decision for every pair, the trades that follow, what to remember.
 */
import { add, subtract } from '../../contract/money.ts';
import { decidePair, unknownWorth } from './decide-pair.ts';
import type { Holding, PairContext, PairOutcome } from './decide-pair.ts';
import { firstBlock } from '../guards/guard.ts';
import type { AgentGuardInput, RiskBlock } from '../guards/guard.ts';
import { GUARDS_OF } from '../guards/registry.ts';
import { isOwedNow, noteOwed, readMemory, rememberEquity, writeMemory } from './agent-memory.ts';
import type { AgentMemory } from './agent-memory.ts';
import { mayRebalance, rebalancesAlways } from './schedule.ts';
import type {
  AccountInput,
  AgentInput,
  AgentOutcome,
  DecisionDraft,
  OpenPosition,
  TickInput,
  TradeDraft,
} from './agent-types.ts';

/** For want of what the market did not tell: its next evaluation makes the moment up. */
const NOT_DECIDED: ReadonlySet<string> = new Set(['not_offered', 'no_price', 'no_signal']);

/**
 * Whether the market offers any pair of the agent. Where it offers none, as an exchange that has
 * not named its pairs, the evaluation decides nothing, and nothing may be used up by it.
 */
const isAnyOffered = ({ rules }: TickInput): boolean => rules.size > 0;

/** As `stepAgent`, from and to what is stored of an agent between two evaluations. */
export function runAgent(
  agent: AgentInput,
  tick: TickInput,
  account: AccountInput,
  positions: readonly OpenPosition[],
): AgentOutcome {
  const memory = readMemory(agent.memory);
  const known = new Set([...agent.pairs, ...(agent.leftOut ?? [])]);
  if (isAnyOffered(tick))
    for (const pair of memory.owed) if (!known.has(pair)) noteOwed(memory, pair, false);
  const { decisions, trades } = stepAgent(agent, tick, account, positions, memory);
  return { decisions, trades, memory: writeMemory(memory), hold: memory.halt };
}

/**
 * Makes exactly one decision for each pair of the agent, and returns them in the agent's own order
 * of pairs. `memory` is updated in place. While a guard halts the agent, `memory.halt` is set: the
 * agent opens nothing, but must go on being run for its exits.
 */
export function stepAgent(
  agent: AgentInput,
  tick: TickInput,
  account: AccountInput,
  positions: readonly OpenPosition[],
  memory: AgentMemory,
): Pick<AgentOutcome, 'decisions' | 'trades'> {
  const isMoment = mayRebalance(agent.frequency, tick.close, memory.lastEvaluation ?? undefined);
  const always = rebalancesAlways(agent.frequency);
  // What came to nothing is decided anew at the next moment, however long it was to wait.
  if (isMoment) memory.owedFrom = {};
  const mayMove = (pair: string): boolean => isMoment || isOwedNow(memory, pair, tick.close);
  const isWaiting = (pair: string): boolean => memory.owed.includes(pair) && !mayMove(pair);
  const block = agentBlock({ at: tick.close, agent, account, memory });
  const held = new Map(positions.map((position) => [position.pair, position]));
  const holdings = new Map<string, Holding>(held);
  const outcomes = new Map<string, PairOutcome>();
  const trades: TradeDraft[] = [];
  let freeCash = account.freeCash;
  for (const pair of inOrder(agent, tick, held)) {
    const context: PairContext = {
      agent,
      tick,
      account: { ...account, freeCash },
      memory,
      block,
      rebalance: mayMove(pair),
      position: held.get(pair) ?? null,
      holdings,
    };
    const outcome = decidePair(pair, context);
    outcomes.set(pair, outcome);
    const isMissed = context.rebalance && isUndecided(outcome.decision, account);
    noteOwed(memory, pair, !always && (isMissed || isWaiting(pair)));
    if (!outcome.trade) continue;
    const { fill } = outcome.trade;
    freeCash =
      fill.side === 'buy'
        ? subtract(freeCash, add(fill.notional, fill.fee))
        : add(freeCash, subtract(fill.notional, fill.fee));
    holdings.set(pair, outcome.trade.after);
    trades.push(outcome.trade);
  }
  for (const pair of agent.leftOut ?? [])
    noteOwed(memory, pair, !always && (mayMove(pair) || isWaiting(pair)));
  if (isAnyOffered(tick)) memory.lastEvaluation = tick.close;
  return {
    decisions: [...new Set(agent.pairs)].flatMap((pair) => outcomes.get(pair)?.decision ?? []),
    trades,
  };
}

/** Whether the next evaluation has to make up what this one would have done at its moment. */
function isUndecided({ reason }: DecisionDraft, account: AccountInput): boolean {
  const { entriesAllowed, isSettling } = account;
  if (reason === 'entries_stopped')
    return !entriesAllowed.allowed && entriesAllowed.passes === true;
  // What is being sold frees cash once it is sold.
  if (reason === 'no_cash') return isSettling === true;
  return NOT_DECIDED.has(reason);
}

/**
 * Updates day, high-water mark and halt in the memory, and returns what blocks every entry, if
 * anything. While the account's worth is unknown no loss is measured: the marks stay, and a halt in
 * force ends at its time.
 */
function agentBlock(input: AgentGuardInput): RiskBlock | null {
  const { at, account, memory } = input;
  const unknown = unknownWorth(account);
  if (unknown === null) rememberEquity(memory, at, account);
  if (memory.halt && memory.halt.until !== null && at >= memory.halt.until) memory.halt = null;
  if (unknown === null)
    memory.halt =
      firstBlock(GUARDS_OF.lastingHalt, input) ??
      memory.halt ??
      firstBlock(GUARDS_OF.timedHalt, input);
  if (!account.entriesAllowed.allowed)
    return { code: 'entries_stopped', text: account.entriesAllowed.reason, until: null };
  return memory.halt ?? firstBlock(GUARDS_OF.agent, input) ?? unknown;
}

/**
 * Positions that their strategy leaves come first, then other positions, so that their cash is
 * available to entries in the same tick. Then by strength and by name: an agent's actions never
 * depend on the order in which its pairs were listed.
 */
function inOrder(
  agent: AgentInput,
  tick: TickInput,
  held: ReadonlyMap<string, OpenPosition>,
): string[] {
  const rank = (pair: string): number =>
    !held.has(pair) ? 2 : tick.signals.get(pair)?.leave === true ? 0 : 1;
  const strength = (pair: string): number => tick.signals.get(pair)?.strength ?? 0;
  return [...new Set(agent.pairs)].sort(
    (a, b) => rank(a) - rank(b) || strength(b) - strength(a) || (a < b ? -1 : 1),
  );
}

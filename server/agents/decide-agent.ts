/** One agent's decision at one tick, for the live tick and the preview alike. Writes nothing. */
import { parseFixed } from '../../contract/money.ts';
import { runAgent } from '../../engine/execution/step-agent.ts';
import type { AgentOutcome, OpenPosition, TickInput } from '../../engine/execution/agent-types.ts';
import { toLiveTrades, type LiveTrades } from '../live/live-batch.ts';
import type { Market } from '../market/market-source.ts';
import type { BatchState, HeldPosition } from './batch-state.ts';
import { pairsOf, type AgentTerms } from './read-agents.ts';
import type { TickInputs } from './tick-inputs.ts';

export interface AgentDecision {
  /** What it was decided on: the tick's, and that of pairs it holds without listing them. */
  input: TickInput;
  /** What it held before. */
  held: readonly HeldPosition[];
  outcome: AgentOutcome;
  /** What a live agent does instead of `outcome.trades`; null on paper. */
  live: LiveTrades | null;
}

/** Decides, and takes the trades into `state` so that whoever comes next in the batch sees them. */
export function decideAgent(
  state: BatchState,
  inputs: Pick<TickInputs, 'withHeld'>,
  given: TickInput,
  market: Market,
  row: AgentTerms,
): AgentDecision {
  const held = state.held(row);
  const input = inputs.withHeld(
    given,
    row,
    held.map(({ pair }) => pair),
  );
  const { live } = state.account(row);
  const listed = pairsOf(market, row);
  const all = withHeld(listed, held);
  // What is under way at the exchange is decided on when its end is known.
  const isBusy = (pair: string): boolean => live?.isBusy(row.id, pair) ?? false;
  const maxPositionSize = parseFixed(row.maxPositionSize);
  const outcome = runAgent(
    {
      id: row.id,
      pool: row.pool,
      profile: row.riskProfile,
      risk: state.risk(row),
      pairs: all.filter((pair) => !isBusy(pair)),
      leftOut: all.filter(isBusy),
      unlisted: all.filter((pair) => !listed.includes(pair)),
      maxPositionSize,
      interval: row.executionInterval,
      frequency: row.tradingFrequency,
      memory: row.memory,
    },
    input,
    state.input(row, input.quotes),
    held,
  );
  if (live !== null) {
    const { memory, tradingFrequency } = row;
    const limits = { maxTradeAmount: state.maxTradeAmount(row), maxPositionSize };
    const terms = { memory, tradingFrequency, ...limits };
    return { input, held, ...toLiveTrades(live, state.port, outcome, terms) };
  }
  for (const trade of outcome.trades) state.apply(row, trade);
  return { input, held, outcome, live: null };
}

/** A pair that left the pool's list is looked at for as long as it is held. */
function withHeld(pairs: readonly string[], held: readonly OpenPosition[]): string[] {
  return [...new Set([...pairs, ...held.map(({ pair }) => pair)])];
}

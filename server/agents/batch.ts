/**
 * One batch of due agents in one transaction: decide, then write everything or nothing. One faulty
 * agent does not affect others.
 */
import type { AgentPause, TickInput } from '../../engine/execution/agent-types.ts';
import type { Tx } from '../db/database.ts';
import { isRetryable, isUnavailable } from '../db/faults.ts';
import { holdSwitches } from './trading-halts.ts';
import { BatchState, claimDue } from './batch-state.ts';
import { writeDecided, type Decided } from './batch-write.ts';
import { decideAgent } from './decide-agent.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { AgentRow } from './read-agents.ts';
import type { TickInputs } from './tick-inputs.ts';
import { applyEvent, publishChanged } from './transitions.ts';

export interface BatchReport {
  /** Agents that were due and free. */
  claimed: number;
  /**
   * Of these, the agents that were evaluated; the account of the others was held by somebody else,
   * or their candles were not read.
   */
  agents: number;
  /** Of these, the agents whose evaluation at an older tick was skipped. */
  late: number;
  /** The agent of each trade. */
  traded: string[];
  faults: number;
}

interface Failed {
  row: AgentRow;
  error: unknown;
}

const NOBODY: BatchReport = { claimed: 0, agents: 0, late: 0, traded: [], faults: 0 };

/** Runs at most `limit` due agents. The caller's transaction commits or undoes all of it. */
export async function runBatch(
  tx: Tx,
  deps: TradingDeps,
  inputs: TickInputs,
  limit: number,
): Promise<BatchReport> {
  await holdSwitches(tx);
  const rows = await claimDue(tx, deps.market.source.id, inputs, limit);
  if (rows.length === 0) return NOBODY;
  try {
    // All at once is the usual way; a savepoint, because one row the database refuses would spoil
    // the transaction for the rest.
    const ran = await tx.savepoint((inner) => runAll(inner, deps, inputs, rows));
    for (const one of ran.failed) await fault(tx, deps, inputs.tick, one);
    return {
      claimed: rows.length,
      agents: ran.rows.length,
      late: lateOf(ran.rows, inputs.tick),
      traded: ran.traded,
      faults: ran.failed.length,
    };
  } catch (error) {
    if (isRetryable(error) || isUnavailable(error)) throw error;
    return runOneByOne(tx, deps, inputs, rows);
  }
}

const lateOf = (rows: readonly AgentRow[], tick: number): number =>
  rows.filter((row) => (row.nextDueMarketMs ?? tick) < tick).length;

interface RanAll {
  rows: AgentRow[];
  traded: string[];
  failed: Failed[];
}

/**
 * Decides each agent in memory, so that one that fails is only left out, and writes what the others
 * decided in bulk. One whose candles were not read stays due: that is no fault of its strategy.
 */
async function runAll(
  tx: Tx,
  deps: TradingDeps,
  inputs: TickInputs,
  claimed: readonly AgentRow[],
): Promise<RanAll> {
  const { given, failed } = inputsOf(inputs, claimed);
  if (given.size === 0) return { rows: failed.map(({ row }) => row), traded: [], failed };
  const state = await BatchState.load(tx, deps, [...given.keys()]);
  const rows = failed.map(({ row }) => row);
  const decided: Decided[] = [];
  for (const [row, input] of given) {
    if (!state.has(row)) continue;
    rows.push(row);
    try {
      decided.push(decide(state, inputs, input, deps, row));
    } catch (error) {
      if (isRetryable(error) || isUnavailable(error)) throw error;
      failed.push({ row, error });
    }
  }
  return { rows, traded: await writeDecided(tx, deps, inputs.tick, decided), failed };
}

/** The input of each agent; a strategy may fail over the candles already. */
function inputsOf(
  inputs: TickInputs,
  claimed: readonly AgentRow[],
): { given: Map<AgentRow, TickInput>; failed: Failed[] } {
  const given = new Map<AgentRow, TickInput>();
  const failed: Failed[] = [];
  for (const row of claimed) {
    try {
      const input = inputs.of(row);
      if (input === null) inputs.leaveOut(row);
      else given.set(row, input);
    } catch (error) {
      failed.push({ row, error });
    }
  }
  return { given, failed };
}

/**
 * Each agent under its own savepoint: the one whose rows are refused is faulted, the others go on.
 */
async function runOneByOne(
  tx: Tx,
  deps: TradingDeps,
  inputs: TickInputs,
  rows: readonly AgentRow[],
): Promise<BatchReport> {
  const report: BatchReport = { ...NOBODY, claimed: rows.length, traded: [] };
  for (const row of rows) {
    let failed: Failed | undefined;
    try {
      const ran = await tx.savepoint((inner) => runAll(inner, deps, inputs, [row]));
      report.agents += ran.rows.length;
      report.late += lateOf(ran.rows, inputs.tick);
      report.traded.push(...ran.traded);
      failed = ran.failed[0];
    } catch (error) {
      if (isRetryable(error) || isUnavailable(error)) throw error;
      failed = { row, error };
      report.agents += 1;
    }
    if (failed === undefined) continue;
    report.faults += 1;
    await fault(tx, deps, inputs.tick, failed);
  }
  return report;
}

async function fault(
  tx: Tx,
  deps: TradingDeps,
  tick: number,
  { row, error }: Failed,
): Promise<void> {
  deps.log.error(
    { agent: row.id, tick, reason: error instanceof Error ? error.message : String(error) },
    'An agent failed at a tick',
  );
  const hold: AgentPause = {
    code: 'fault',
    text: 'The strategy failed at this candle. Stop losses stay active; start the agent to try again.',
    until: null,
  };
  const faulted = await applyEvent(tx, deps, row, 'fault', hold);
  if (faulted !== null) await publishChanged(tx, deps, row.uid, [faulted]);
}

function decide(
  state: BatchState,
  inputs: TickInputs,
  input: TickInput,
  { market }: TradingDeps,
  row: AgentRow,
): Decided {
  const { held, outcome, live } = decideAgent(state, inputs, input, market, row);
  return {
    row,
    accountId: state.account(row).id,
    tickId: input.id,
    close: input.close,
    outcome,
    live,
    positions: new Map(held.map((position) => [position.pair, position])),
  };
}

/**
 * What a guard is: the stage it applies to, what it reads, what it answers, and the cheap bound by
 * which a backtest skips evaluations. A guard blocks entries only; exits never pass through one.
 */
import type { RiskProfile } from '../../contract/agents.ts';
import type { GuardCode } from '../../contract/guards.ts';
import type { Fixed } from '../../contract/money.ts';
import type { AgentMemory } from '../execution/agent-memory.ts';
import type { AccountInput, AgentInput, AgentPause } from '../execution/agent-types.ts';
import type { Quote } from '../market-types.ts';
import type { Correlation } from '../signals/correlation.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import type { Signal } from '../signals/signal.ts';

/** No new entries until `until` (market ms; null until started again), because of `text`. */
export type RiskBlock = AgentPause;
/** What a guard says of its block. The code is the guard's own. */
export type BlockTerms = Omit<RiskBlock, 'code'>;

/** For guards over the whole agent. `at` is the close of the evaluated candle, ms. */
export interface AgentGuardInput {
  at: number;
  agent: AgentInput;
  account: AccountInput;
  memory: AgentMemory;
}

/** For guards over one pair. */
export interface PairGuardInput {
  at: number;
  /** Length of the agent's candle, ms. */
  intervalMs: number;
  pair: string;
  quote: Quote;
  signal: Signal;
  /** Coins of the market that were off their peg within a day. */
  pegBreaks: PegBreaks;
  memory: AgentMemory;
}

/** For guards over the size of a purchase. */
export interface SizeGuardInput {
  pair: string;
  /** Quote currency about to be spent. */
  wanted: Fixed;
  equity: Fixed;
  profile: RiskProfile;
  /** The user's own largest position, as a share of equity. */
  maxPosition: number;
  /** What the agent holds at the bid, by pair, the pair itself too. */
  held: ReadonlyMap<string, Fixed>;
  correlation: Correlation;
}

/** How much of what is wanted may be bought, or why none of it. */
export type Room = { block: null; amount: Fixed } | { block: BlockTerms };

/**
 * What a guard can say of an evaluation without exact money: it blocks for certain, it lets
 * everything pass for certain, or only its check can tell.
 */
export type Bound = 'blocks' | 'passes' | 'unknown';

/**
 * A float that a bound reads differs from the money it stands for by less than this share. A bound
 * that is closer than this to a limit answers `unknown`.
 */
export const FLOAT_MARGIN = 1e-6;

/** What a bound may read of the agent. Amounts are floats. */
export interface AgentView {
  readonly agent: AgentInput;
  readonly memory: AgentMemory;
  /** Length of the agent's candle, ms. */
  readonly intervalMs: number;
  /** Close of the evaluated candle, ms. */
  readonly at: number;
  readonly equity: number;
  /** Equity at the first evaluation of the UTC day. */
  readonly dayEquity: number;
  readonly highestEquity: number;
  /** When any pair's stop was last hit, ms; minus infinity where none was. */
  readonly lastStopAt: number;
  readonly pegBreaks: PegBreaks;
}

/** What a bound may read of a pair. */
export interface PairView {
  readonly pair: string;
  /** The coin bought and the coin paid with. */
  readonly base: string;
  readonly quote: string;
  /** One stablecoin against another, or against the dollar. */
  readonly isPegPair: boolean;
  /** Spread as a share of the price. */
  readonly spread: number;
  /** Middle of the quote that the evaluation would trade at, and when it was given (ms). */
  readonly price: number;
  readonly quotedAt: number;
  readonly signal: Signal;
  /** The pair's newest exit and its newest stop, ms; minus infinity where there was none. */
  readonly lastExitAt: number;
  readonly lastStopAt: number;
}

/** What a bound may read of a purchase. Amounts are floats. */
export interface SizeView {
  readonly pair: string;
  readonly wanted: number;
  /** What the agent holds at the bid. */
  readonly held: readonly HeldValue[];
  readonly correlation: Correlation;
}

export interface HeldValue {
  pair: string;
  value: number;
}

/**
 * Halts the agent until a user starts it again. It is asked at every evaluation and replaces any
 * halt in force.
 */
export interface LastingHaltGuard {
  readonly stage: 'lasting-halt';
  readonly code: GuardCode;
  readonly check: (input: AgentGuardInput) => (BlockTerms & { until: null }) | null;
  readonly bound?: (agent: AgentView) => Bound;
}

/** Halts the agent for a time. It is asked while no halt is in force. */
export interface TimedHaltGuard {
  readonly stage: 'timed-halt';
  readonly code: GuardCode;
  readonly check: (input: AgentGuardInput) => (BlockTerms & { until: number }) | null;
  readonly bound?: (agent: AgentView) => Bound;
}

/** Blocks entries on every pair while its check says so; the agent's status does not change. */
export interface AgentGuard {
  readonly stage: 'agent';
  readonly code: GuardCode;
  readonly check: (input: AgentGuardInput) => BlockTerms | null;
  readonly bound?: (agent: AgentView) => Bound;
}

/** Blocks entries on one pair. */
export interface PairGuard {
  readonly stage: 'pair';
  readonly code: GuardCode;
  readonly check: (input: PairGuardInput) => BlockTerms | null;
  readonly bound?: (pair: PairView, agent: AgentView) => Bound;
}

/** Cuts a purchase, or refuses it. */
export interface SizeGuard {
  readonly stage: 'size';
  readonly code: GuardCode;
  /** What a purchase was cut to: "part of it: the limit for correlated pairs". */
  readonly cutText: string;
  readonly check: (input: SizeGuardInput) => Room;
  /** `blocks` and `passes` both mean: for certain, and `passes` that nothing is cut either. */
  readonly bound?: (order: SizeView, agent: AgentView) => Bound;
}

export type Guard = LastingHaltGuard | TimedHaltGuard | AgentGuard | PairGuard | SizeGuard;

/** The first block of several guards, in their order. */
export function firstBlock<Input>(
  guards: readonly {
    readonly code: GuardCode;
    readonly check: (input: Input) => BlockTerms | null;
  }[],
  input: Input,
): RiskBlock | null {
  for (const { check, code } of guards) {
    const terms = check(input);
    if (terms !== null) return { code, ...terms };
  }
  return null;
}

/** `2022-04-07 13:05 UTC`, for the sentence of a block. */
export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A fraction as a percentage with at most two decimals: `4 %`, `0.25 %`. */
export function percentText(fraction: number): string {
  return `${Number((fraction * 100).toFixed(2))} %`;
}

/**
 * What a guard may look at and what it answers: until when and why; refuses to know of exits, which
 * none may block.
 */
import type { AgentMemory } from '../execution/agent-memory.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import type { AccountInput, AgentInput, Hold } from '../execution/agent-types.ts';
import type { Quote } from '../market-types.ts';
import type { Signal } from '../signals/signal.ts';

/** For guards over the whole agent. `at` is the close of the candle looked at, ms. */
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
  /** Coins of the market that stood off their peg within a day. */
  pegBreaks: PegBreaks;
  memory: AgentMemory;
}

/** No new entries until `until` (market ms; null until started again), because of `text`. */
export type Block = Hold;

/** `2022-04-07 13:05 UTC`, for the sentence of a block. */
export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A fraction as a percentage with at most two decimals: `4 %`, `0.25 %`. */
export function percentText(fraction: number): string {
  return `${Number((fraction * 100).toFixed(2))} %`;
}

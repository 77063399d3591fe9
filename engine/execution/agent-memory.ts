/** What an agent remembers between evaluations, stored as plain JSON. */
import type { PoolId } from '../../contract/agents.ts';
import { PoolId as PoolIdSchema } from '../../contract/agents.ts';
import {
  divide,
  formatFixed,
  maximum,
  multiply,
  parseFixed,
  subtract,
  ZERO,
} from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { DAY_MS } from './schedule.ts';
import type { AccountInput, AgentPause } from './agent-types.ts';

/** One exit from a pair; `stop` says that it was the stop, not the strategy or the user. */
export interface Exit {
  pair: string;
  at: number;
  stop: boolean;
}

/** The strategies that hold a pair, and the peg gap at which it was entered. */
export interface StrategyHolding {
  pools: PoolId[];
  deviation: number | null;
}

export interface AgentMemory {
  /**
   * Close of the candle of the previous evaluation, ms; null after a start. Stored as `lastLook`.
   */
  lastEvaluation: number | null;
  /**
   * Pairs that could not be decided on at their rebalance moment, for want of a price or because an
   * order was under way, and those of which nothing could be bought yet: their next evaluation makes
   * it up. Stored where there are any.
   */
  owed: readonly string[];
  /**
   * Of these, by pair, when those whose order came to nothing are tried again, ms. Stored where
   * there are any.
   */
  owedFrom: Readonly<Record<string, number>>;
  /** By pair. Stored under the key `stakes`. */
  strategyHoldings: Record<string, StrategyHolding>;
  /** Newest last; kept while a guard or a ranking may ask. */
  exits: Exit[];
  /** The UTC day (its 00:00, ms) and the equity at the first evaluation of it. */
  day: { start: number; equity: Fixed } | null;
  highWater: Fixed | null;
  /** `AccountInput.outsideCash` when the two above were last right; null on paper. */
  outsideCash: Fixed | null;
  halt: AgentPause | null;
}

/** Longer than the longest time between two rankings. */
const EXITS_KEEP_MS = 95 * DAY_MS;
const EXITS_MAX = 100;

/** Anything missing or malformed counts as forgotten. */
export function readMemory(raw: Readonly<Record<string, unknown>>): AgentMemory {
  return {
    lastEvaluation: typeof raw.lastLook === 'number' ? raw.lastLook : null,
    owed: Array.isArray(raw.owed) ? raw.owed.filter((pair) => typeof pair === 'string') : [],
    owedFrom: readTimes(raw.owedFrom),
    strategyHoldings: readStrategyHoldings(raw.stakes),
    exits: Array.isArray(raw.exits) ? raw.exits.filter(isExit) : [],
    day: readDay(raw.day),
    highWater: readAmount(raw.highWater),
    outsideCash: readAmount(raw.outsideCash),
    halt: readHalt(raw.halt),
  };
}

export function writeMemory(memory: AgentMemory): Record<string, unknown> {
  return {
    lastLook: memory.lastEvaluation,
    ...(memory.owed.length === 0 ? {} : { owed: memory.owed }),
    ...(Object.keys(memory.owedFrom).length === 0 ? {} : { owedFrom: memory.owedFrom }),
    stakes: memory.strategyHoldings,
    exits: memory.exits,
    day: memory.day && { start: memory.day.start, equity: formatFixed(memory.day.equity) },
    highWater: memory.highWater === null ? null : formatFixed(memory.highWater),
    ...(memory.outsideCash === null ? {} : { outsideCash: formatFixed(memory.outsideCash) }),
    halt: memory.halt,
  };
}

/**
 * Records an exit made outside `runAgent` (a stop on a quote, a user's close, liquidation), which
 * the guards and the blend must know of. Takes and returns the agent's stored memory.
 */
export function rememberExit(
  raw: Readonly<Record<string, unknown>>,
  exit: Exit,
): Record<string, unknown> {
  const memory = readMemory(raw);
  noteExit(memory, exit);
  return writeMemory(memory);
}

/** The strategies that hold a pair, as a stored memory has them. */
export const holdingOf = (
  raw: Readonly<Record<string, unknown>>,
  pair: string,
): StrategyHolding | null => readMemory(raw).strategyHoldings[pair] ?? null;

/** `after`, but of these pairs' holdings only what was known `before`: nothing was traded yet. */
export function withoutTrades(
  after: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  pairs: ReadonlySet<string>,
): Record<string, unknown> {
  const memory = readMemory(after);
  const known = readMemory(before).strategyHoldings;
  const of = (holdings: AgentMemory['strategyHoldings'], areTheirs: boolean) =>
    Object.entries(holdings).filter(([pair]) => pairs.has(pair) === areTheirs);
  const strategyHoldings = Object.fromEntries([
    ...of(memory.strategyHoldings, false),
    ...of(known, true),
  ]);
  return writeMemory({ ...memory, strategyHoldings });
}

/** What an entry is remembered by, once the first of it is bought. */
export function rememberEntry(
  raw: Readonly<Record<string, unknown>>,
  pair: string,
  holding: StrategyHolding,
): Record<string, unknown> {
  const memory = readMemory(raw);
  const strategyHoldings = { ...memory.strategyHoldings, [pair]: holding };
  return writeMemory({ ...memory, strategyHoldings });
}

/**
 * The memory of an agent that a user starts: no halt, no high-water mark, and no missed evaluation.
 */
export function memoryOnStart(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fresh = { halt: null, highWater: null, lastEvaluation: null, owed: [], owedFrom: {} };
  return writeMemory({ ...readMemory(raw), ...fresh });
}

/** Keeps in place whether a pair has yet to make up its rebalance moment. */
export function noteOwed(memory: AgentMemory, pair: string, isOwed: boolean): void {
  if (memory.owed.includes(pair) === isOwed) return;
  memory.owed = isOwed ? [...memory.owed, pair] : memory.owed.filter((one) => one !== pair);
  if (memory.owedFrom[pair] !== undefined) memory.owedFrom = without(memory.owedFrom, [pair]);
}

/** Whether an owed pair is tried again at this evaluation. */
export const isOwedNow = (memory: AgentMemory, pair: string, at: number): boolean =>
  memory.owed.includes(pair) && at >= (memory.owedFrom[pair] ?? at);

/**
 * A stored memory in which these pairs have yet to make up their rebalance moment; not before
 * `from`, where it is given.
 */
export function rememberOwed(
  raw: Readonly<Record<string, unknown>>,
  pairs: readonly string[],
  from: number | null = null,
): Record<string, unknown> {
  const memory = readMemory(raw);
  for (const pair of pairs) noteOwed(memory, pair, true);
  const owedFrom = without(memory.owedFrom, pairs);
  if (from !== null) for (const pair of pairs) owedFrom[pair] = from;
  return writeMemory({ ...memory, owedFrom });
}

const without = (
  times: Readonly<Record<string, number>>,
  pairs: readonly string[],
): Record<string, number> =>
  Object.fromEntries(Object.entries(times).filter(([pair]) => !pairs.includes(pair)));

/** Adds an exit in place and removes the pair's strategy holding. */
export function noteExit(memory: AgentMemory, exit: Exit): void {
  const { exits } = memory;
  const oldest = exits[0];
  // Copied only when some must be dropped: a long backtest makes many exits.
  if (oldest && (exits.length >= EXITS_MAX || exit.at - oldest.at >= EXITS_KEEP_MS))
    memory.exits = shortened(exits.filter((old) => exit.at - old.at < EXITS_KEEP_MS));
  memory.exits.push(exit);
  if (memory.strategyHoldings[exit.pair])
    memory.strategyHoldings = Object.fromEntries(
      Object.entries(memory.strategyHoldings).filter(([pair]) => pair !== exit.pair),
    );
}

/** Without the oldest above the limit; a pair's newest stop stays, for its list may still be in force. */
function shortened(exits: readonly Exit[]): Exit[] {
  const newestStops = new Map(exits.flatMap((exit) => (exit.stop ? [[exit.pair, exit]] : [])));
  let over = exits.length - (EXITS_MAX - 1);
  return exits.filter((exit) => {
    if (over <= 0 || newestStops.get(exit.pair) === exit) return true;
    over -= 1;
    return false;
  });
}

export type AccountWorth = Pick<AccountInput, 'equity' | 'outsideCash'>;

/**
 * Takes an account's worth into the marks that losses are measured from: the day's first, and the
 * highest. Money that was paid in or out scales both, so that it counts as neither gain nor loss:
 * after 10 % lost and half of the rest withdrawn, 10 % are still lost.
 */
export function rememberEquity(memory: AgentMemory, at: number, worth: AccountWorth): void {
  followOutsideCash(memory, worth);
  const { equity } = worth;
  const today = Math.floor(at / DAY_MS) * DAY_MS;
  if (memory.day?.start !== today) memory.day = { start: today, equity };
  memory.highWater = maximum(memory.highWater ?? equity, equity);
}

/** The marks as they are after what was paid in or out since. */
export function followOutsideCash(
  memory: AgentMemory,
  { equity, outsideCash }: AccountWorth,
): void {
  if (outsideCash === undefined) return;
  if (memory.outsideCash !== null && memory.outsideCash !== outsideCash)
    rescale(memory, subtract(equity, subtract(outsideCash, memory.outsideCash)), equity);
  memory.outsideCash = outsideCash;
}

/** From an account worth `from` to the same account worth `to`. Begins anew where either is nothing. */
function rescale(memory: AgentMemory, from: Fixed, to: Fixed): void {
  const begins = from <= ZERO || to <= ZERO;
  const scaled = (mark: Fixed): Fixed => divide(multiply(mark, to, 'down'), from, 'down');
  if (memory.day !== null)
    memory.day = begins ? null : { ...memory.day, equity: scaled(memory.day.equity) };
  if (memory.highWater !== null) memory.highWater = begins ? null : scaled(memory.highWater);
}

/** The newest exit of a pair, optionally only by stop. */
export function lastExit(memory: AgentMemory, pair: string, stopOnly: boolean): Exit | null {
  for (let i = memory.exits.length - 1; i >= 0; i -= 1) {
    const exit = memory.exits[i];
    if (exit && exit.pair === pair && (exit.stop || !stopOnly)) return exit;
  }
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isExit(value: unknown): value is Exit {
  return (
    isRecord(value) &&
    typeof value.pair === 'string' &&
    typeof value.at === 'number' &&
    typeof value.stop === 'boolean'
  );
}

function readStrategyHoldings(value: unknown): Record<string, StrategyHolding> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([pair, holding]) => {
      if (!isRecord(holding) || !Array.isArray(holding.pools)) return [];
      const pools = holding.pools.flatMap((pool) => {
        const parsed = PoolIdSchema.safeParse(pool);
        return parsed.success ? [parsed.data] : [];
      });
      return [
        [
          pair,
          {
            pools,
            deviation: typeof holding.deviation === 'number' ? holding.deviation : null,
          },
        ],
      ];
    }),
  );
}

function readTimes(value: unknown): Record<string, number> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([pair, at]) => (typeof at === 'number' ? [[pair, at]] : [])),
  );
}

function readAmount(value: unknown): Fixed | null {
  if (typeof value !== 'string') return null;
  try {
    return parseFixed(value);
  } catch {
    return null;
  }
}

function readDay(value: unknown): AgentMemory['day'] {
  if (!isRecord(value) || typeof value.start !== 'number') return null;
  const equity = readAmount(value.equity);
  return equity === null ? null : { start: value.start, equity };
}

function readHalt(value: unknown): AgentPause | null {
  if (!isRecord(value) || typeof value.code !== 'string' || typeof value.text !== 'string')
    return null;
  return {
    code: value.code,
    text: value.text,
    until: typeof value.until === 'number' ? value.until : null,
  };
}

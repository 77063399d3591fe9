/** What an account has lost today, with what it holds at the bid. */
import { add, floorToStep, minimum, multiply, ZERO, type Fixed } from '../contract/money.ts';
import type { PairRules } from '../contract/venue.ts';
import type { Journal } from './journal.ts';
import {
  dayOf,
  lossOf,
  otherFeesOf,
  unrealisedOf,
  type Connection,
  type Position,
} from './ledger.ts';
import type { MarketView } from './market-view.ts';

export interface LossToday {
  amount: Fixed;
  /** Coins in which fees were charged today and that have no price: they are not in it. */
  unpriced: string[];
  /** Pairs that are held and ought to have a book: they count as worth nothing. */
  unmarked: string[];
}

interface DayParts {
  journal: Journal;
  now: () => number;
}

type Marks = ReadonlyMap<string, Fixed>;

/** What is left of a position where no order may be as small. */
function isDust({ quantity, cost }: Position, rules: PairRules): boolean {
  const lots = floorToStep(quantity, rules.quantityStep);
  return lots === ZERO || lots < rules.minQuantity || cost < rules.minNotional;
}

/**
 * Whether purchases wait until a position has a price again. They would wait for good where it can
 * never be sold.
 */
const needsMark = (position: Position, rules: PairRules | undefined): boolean =>
  rules !== undefined && rules.status === 'trading' && !isDust(position, rules);

/** What is held without a price is worth nothing to the day until it has one. */
function beginDay({ journal, now }: DayParts, connection: Connection, marks: Marks): void {
  const without = [...connection.positions].filter(([symbol]) => !marks.has(symbol));
  journal.write({
    kind: 'day',
    atMs: now(),
    connectionId: connection.connectionId,
    day: dayOf(now()),
    unrealised: unrealisedOf(connection, marks),
    ...(without.length === 0
      ? {}
      : { unmarked: without.map(([symbol, { quantity }]) => ({ symbol, quantity })) }),
  });
}

/**
 * What the day began without joins it at its first price, as if it had begun with that: a recovery
 * from nothing would hide other losses.
 */
function joinDay({ journal, now }: DayParts, connection: Connection, marks: Marks): void {
  const { day, unmarked, unrealised } = connection.dayStart;
  const isJoining = [...unmarked.keys()].some((symbol) => marks.has(symbol));
  if (!isJoining) return;
  let start = unrealised;
  for (const [symbol, quantity] of unmarked) {
    const held = connection.positions.get(symbol)?.quantity ?? ZERO;
    start = add(start, multiply(minimum(quantity, held), marks.get(symbol) ?? ZERO, 'down'));
  }
  const left = [...unmarked].filter(([symbol]) => !marks.has(symbol));
  journal.write({
    kind: 'day',
    atMs: now(),
    connectionId: connection.connectionId,
    day,
    unrealised: start,
    unmarked: left.map(([symbol, quantity]) => ({ symbol, quantity })),
  });
}

/**
 * With the day's beginning written down when the day is new. It does not begin while something held
 * that could be sold has no price.
 */
export async function lossToday(
  parts: DayParts,
  connection: Connection,
  market: MarketView,
): Promise<LossToday> {
  const { marks, rules } = await market.marksOf([...connection.positions.keys()]);
  // Of what is held now: more may have been bought while the marks were read.
  const unmarked = [...connection.positions]
    .filter(([symbol, held]) => !marks.has(symbol) && needsMark(held, rules.get(symbol)))
    .map(([symbol]) => symbol);
  const day = dayOf(parts.now());
  if (connection.dayStart.day === day) joinDay(parts, connection, marks);
  else if (unmarked.length === 0) beginDay(parts, connection, marks);
  let otherFees = ZERO;
  const unpriced: string[] = [];
  for (const [asset, amount] of otherFeesOf(connection, day)) {
    const price = await market.dollarsOf(asset);
    if (price === null) unpriced.push(asset);
    else otherFees = add(otherFees, multiply(amount, price, 'up'));
  }
  return { amount: lossOf(connection, day, marks, otherFees), unpriced, unmarked };
}

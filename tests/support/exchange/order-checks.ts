/** Why an exchange rejects an order before it reaches the book: steps, minimums, deadlines, repeated ids. */
import { multiply, type Fixed } from '../../../contract/money.ts';
import type { Instrument } from './instruments.ts';
import type { OrderIntent, RejectReason } from './orders.ts';
import type { Book } from './prices.ts';

/** Kraken's bounds of a deadline, ms from now. */
const DEADLINE_BOUNDS_MS = { shortest: 2_000, longest: 60_000 };

export function instrumentProblem(instrument: Instrument | undefined): RejectReason | null {
  if (instrument === undefined || instrument.status === 'delisted') return 'unknown-symbol';
  return instrument.status === 'cancel-only' ? 'market-closed' : null;
}

export function deadlineProblem(
  deadlineMs: number | null,
  arrivedMs: number,
  nowMs: number,
): RejectReason | null {
  if (deadlineMs === null) return null;
  const aheadMs = deadlineMs - arrivedMs;
  const { shortest, longest } = DEADLINE_BOUNDS_MS;
  if (aheadMs > longest || (aheadMs > 0 && aheadMs < shortest)) return 'bad-deadline';
  return deadlineMs <= nowMs ? 'deadline-passed' : null;
}

const onStep = (value: Fixed | null, step: Fixed): boolean => value === null || value % step === 0n;

export function ruleProblem(
  intent: OrderIntent,
  instrument: Instrument,
  book: Book,
): RejectReason | null {
  const { quantity, spend, limit, stop, type } = intent;
  if ((quantity === null) === (spend === null)) return 'bad-arguments';
  if ((quantity ?? spend ?? 0n) <= 0n) return 'bad-arguments';
  if (spend !== null && (type !== 'market' || intent.side !== 'buy')) return 'bad-arguments';
  if ((type === 'limit' || type === 'stop-limit') !== (limit !== null)) return 'bad-arguments';
  if ((type === 'stop' || type === 'stop-limit') !== (stop !== null)) return 'bad-arguments';
  if ((limit ?? 1n) <= 0n || (stop ?? 1n) <= 0n) return 'bad-arguments';
  if (!onStep(quantity, instrument.step)) return 'bad-step';
  if (!onStep(limit, instrument.tick) || !onStep(stop, instrument.tick)) return 'bad-tick';
  if (quantity !== null && quantity < instrument.minQuantity) return 'below-min-quantity';
  const price =
    limit ?? stop ?? (intent.side === 'buy' ? book.asks[0]?.price : book.bids[0]?.price);
  if (price === undefined) return 'no-liquidity';
  const worth = spend ?? multiply(quantity ?? (0n as Fixed), price, 'down');
  return worth < instrument.minNotional ? 'below-min-notional' : null;
}

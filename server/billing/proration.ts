/** What a plan or a plan change costs, computed to the cent. Charges nothing. */
import {
  basisPoints,
  fixedFromNumber,
  formatFixed,
  maximum,
  minimum,
  negate,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import type { ChargePreview } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';

const CENT = parseFixed('0.01');

/** Whole cents, halves up. */
const toCents = (amount: Fixed): Fixed => (((amount + CENT / 2n) / CENT) * CENT) as Fixed;

/**
 * `amount` for `partMs` of `wholeMs`, in whole cents: never less than nothing, never more than the
 * whole.
 */
function shareOf(amount: Fixed, partMs: number, wholeMs: number): Fixed {
  const part = Math.min(Math.max(0, Math.round(partMs)), wholeMs);
  return toCents(((amount * BigInt(part)) / BigInt(wholeMs)) as Fixed);
}

/** What a coupon takes off an amount. */
function discountOf(amount: Fixed, coupon: Coupon | null): Fixed {
  if (coupon === null) return ZERO;
  if (coupon.amountOff !== null) return minimum(amount, parseFixed(coupon.amountOff));
  return toCents(
    basisPoints(amount, fixedFromNumber((coupon.percentOff ?? 0) * 100, 2), 'half-even'),
  );
}

export interface Bill {
  lines: { text: string; amount: Fixed }[];
  /** Charged at once. */
  dueNow: Fixed;
  /** Added to what the person has left over with the provider; negative where that is used up. */
  credit: Fixed;
}

/**
 * Adds lines up: what is below zero is kept as a credit, what is above is first taken from
 * `balance`.
 */
export function billOf(lines: Bill['lines'], balance: Fixed): Bill {
  const total = sum(lines.map(({ amount }) => amount));
  const used = minimum(maximum(total, ZERO), balance);
  if (used > ZERO) lines = [...lines, { text: 'From your credit', amount: negate(used) }];
  return {
    lines,
    dueNow: subtract(maximum(total, ZERO), used),
    credit: total < ZERO ? negate(total) : negate(used),
  };
}

/** A first period, with a coupon where one is honoured. */
export function firstBill(plan: Plan, coupon: Coupon | null, balance: Fixed): Bill {
  const price = parseFixed(plan.amount);
  const off = discountOf(price, coupon);
  const lines = [{ text: plan.name, amount: price }];
  return billOf(
    off === ZERO || coupon === null
      ? lines
      : [...lines, { text: `Coupon ${coupon.id}`, amount: negate(off) }],
    balance,
  );
}

/** The rest of the period on the other plan, less what was paid for it on the present one. */
export function changeBill(
  present: Plan,
  next: Plan,
  leftMs: number,
  periodMs: number,
  balance: Fixed,
): Bill {
  return billOf(
    [
      {
        text: `Unused time on ${present.name}`,
        amount: negate(shareOf(parseFixed(present.amount), leftMs, periodMs)),
      },
      {
        text: `Remaining time on ${next.name}`,
        amount: shareOf(parseFixed(next.amount), leftMs, periodMs),
      },
    ],
    balance,
  );
}

/** `renewsAt` null where the renewal's price is charged now. */
export function chargeOnWire(bill: Bill, plan: Plan, renewsAt: number | null): ChargePreview {
  return {
    dueNow: formatFixed(bill.dueNow),
    credit: formatFixed(maximum(bill.credit, ZERO)),
    currency: plan.currency,
    renewal: { amount: plan.amount, interval: plan.interval, at: renewsAt },
    lines: bill.lines.map(({ text, amount }) => ({ text, amount: formatFixed(amount) })),
  };
}

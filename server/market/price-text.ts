/** Converts a feed's numbers to plain decimal text without exponents, and back. */
import { DECIMALS, fixedFromNumber, formatFixed, type Fixed } from '../../contract/money.ts';

/** The shortest plain text of a finite number, at most 12 decimals: `0.0000001`, never `1e-7`. */
export function decimalText(value: number): string {
  const short = String(value);
  const point = short.indexOf('.');
  const plain =
    /^-?\d+(\.\d+)?$/.test(short) && (point === -1 || short.length - point - 1 <= DECIMALS);
  return plain ? short : formatFixed(fixedFromNumber(value));
}

/** An amount for the wire, or zero where the number is too large or not finite to be one. */
export function amountText(value: number): string {
  return Number.isFinite(value) && Math.abs(value) < 1e21 ? decimalText(value) : '0';
}

/**
 * `last` moved by `bps` basis points, rounded away from the mid price, so that a derived spread is
 * never too kind.
 */
export function shifted(last: Fixed, bps: number): Fixed {
  const millionths = BigInt(Math.round(bps * 10_000));
  const change = (last * millionths) / 100_000_000n;
  if (millionths >= 0n)
    return (last + change + (change === 0n && millionths > 0n ? 1n : 0n)) as Fixed;
  return (last + change) as Fixed;
}

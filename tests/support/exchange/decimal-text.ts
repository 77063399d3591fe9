/** Exact amounts as the exchanges write them: a fixed number of places, rounded half to even. */
import { DECIMALS, formatFixed, type Fixed } from '../../../contract/money.ts';

/** The amount rounded to so many places, still exact money. */
export function rounded(value: Fixed, places: number): Fixed {
  if (places >= DECIMALS) return value;
  const unit = 10n ** BigInt(DECIMALS - places);
  const sign = value < 0n ? -1n : 1n;
  const size = value * sign;
  const [quotient, twice] = [size / unit, (size % unit) * 2n];
  const up = twice > unit || (twice === unit && quotient % 2n === 1n);
  return (sign * (up ? quotient + 1n : quotient) * unit) as Fixed;
}

/** `0.1` at eight places is `0.10000000`. */
export function placesText(value: Fixed, places: number): string {
  const text = formatFixed(rounded(value, places));
  if (places === 0) return text;
  const [whole = '0', fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(places, '0')}`;
}

/** How many decimals a step or a tick has: 0.001 has three. */
export function placesOf(step: Fixed): number {
  return formatFixed(step).split('.')[1]?.length ?? 0;
}

/** Money: exact in, exact out, and every rounding in the stated direction. */
import fc from '../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  absolute,
  add,
  basisPoints,
  ceilToStep,
  divide,
  fixedFromNumber,
  floorToStep,
  formatFixed,
  maximum,
  minimum,
  multiply,
  negate,
  parseFixed,
  subtract,
  sum,
  toNumber,
  UNIT,
  ZERO,
} from '../../contract/money.ts';
import { DecimalText } from '../../contract/decimal-text.ts';
import type { Fixed } from '../../contract/money.ts';

const LIMIT = 10n ** 30n;
const amounts = fc.bigInt({ min: -LIMIT, max: LIMIT }).map((value) => value as Fixed);
const positive = fc.bigInt({ min: 1n, max: LIMIT }).map((value) => value as Fixed);

describe('money', () => {
  it('reads back every amount it writes, to the last digit', () => {
    fc.assert(fc.property(amounts, (value) => parseFixed(formatFixed(value)) === value));
  });

  it('writes only plain decimal text that the wire accepts', () => {
    fc.assert(fc.property(amounts, (value) => DecimalText.safeParse(formatFixed(value)).success));
    expect(formatFixed(parseFixed('-0.000'))).toBe('0');
    expect(formatFixed(parseFixed('0.000001'))).toBe('0.000001');
    expect(formatFixed(parseFixed('-12.500'))).toBe('-12.5');
  });

  it.each([
    '1e5',
    'NaN',
    '',
    '1.',
    '.5',
    '1.0000000000001',
    '1234567890123456789012345',
    '0x10',
    ' 1',
    '1,5',
    '--1',
    'Infinity',
  ])('refuses %j as an amount', (text) => {
    expect(() => parseFixed(text)).toThrow(RangeError);
    expect(DecimalText.safeParse(text).success).toBe(false);
  });

  it('refuses numbers that are not amounts', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e21, -1e22])
      expect(() => fixedFromNumber(value)).toThrow(RangeError);
    expect(formatFixed(fixedFromNumber(0.1))).toBe('0.1');
    for (const [value, text] of [
      [67_123.45, '67123.45'],
      [123_456.7, '123456.7'],
      [-999_999.99, '-999999.99'],
      [-0, '0'],
      [1e-7, '0.0000001'],
      [1e20, '100000000000000000000'],
      [1.234_567_890_123_4, '1.234567890123'],
    ] as const) {
      expect(formatFixed(fixedFromNumber(value)), String(value)).toBe(text);
    }
    expect(formatFixed(fixedFromNumber(67_123.456, 2))).toBe('67123.46');
  });

  it('says what it refuses, and no more than the beginning of a long text', () => {
    expect(() => parseFixed('1e5')).toThrow(new RangeError('Not a decimal amount: 1e5'));
    expect(() => parseFixed('x'.repeat(41))).toThrow(
      new RangeError(`Not a decimal amount: ${'x'.repeat(40)}`),
    );
    for (const [value, text] of [
      [Number.NaN, 'NaN'],
      [Number.NEGATIVE_INFINITY, '-Infinity'],
      [1e21, '1e+21'],
      [-1e21, '-1e+21'],
    ] as const)
      expect(() => fixedFromNumber(value)).toThrow(new RangeError(`Not an amount: ${text}`));
    expect(() => divide(UNIT, ZERO, 'down')).toThrow('Division by zero');
    for (const step of [ZERO, negate(UNIT)])
      expect(() => floorToStep(UNIT, step)).toThrow(new RangeError('A step must be positive'));
  });

  it('finds the least and the greatest, and the size of an amount', () => {
    const [low, middle, high] = [parseFixed('-2'), ZERO, parseFixed('3')];
    for (const values of [
      [low, middle, high],
      [high, middle, low],
      [middle, low, high],
    ] as [Fixed, Fixed, Fixed][]) {
      expect(minimum(...values)).toBe(low);
      expect(maximum(...values)).toBe(high);
    }
    expect(minimum(high)).toBe(high);
    expect(absolute(low)).toBe(parseFixed('2'));
    expect(absolute(high)).toBe(high);
    expect(negate(low)).toBe(parseFixed('2'));
  });

  it('divides with any signs, each way of rounding in its direction', () => {
    const units = (value: number): Fixed => BigInt(value) as Fixed;
    // In the smallest units: a ÷ b down, up and to the even digit.
    for (const [a, b, down, up, even] of [
      [5, 2, 2, 3, 2],
      [7, 2, 3, 4, 4],
      [-5, 2, -2, -3, -2],
      [5, -2, -2, -3, -2],
      [7, -2, -3, -4, -4],
      [-7, -2, 3, 4, 4],
      [7, 5, 1, 2, 1],
      [8, 5, 1, 2, 2],
      [-8, 5, -1, -2, -2],
      [8, -5, -1, -2, -2],
      [7, -5, -1, -2, -1],
      [6, 3, 2, 2, 2],
    ] as const) {
      const quotient = (rounding: 'down' | 'up' | 'half-even'): Fixed =>
        divide(units(a), (units(b) * UNIT) as Fixed, rounding);
      expect([quotient('down'), quotient('up'), quotient('half-even')], `${a} ÷ ${b}`).toEqual(
        [down, up, even].map(units),
      );
    }
  });

  it('adds and subtracts without loss, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(amounts), amounts, (values, extra) => {
        const total = sum(values);
        return (
          sum([...values].reverse()) === total &&
          subtract(add(total, extra), extra) === total &&
          add(total, negate(total)) === ZERO
        );
      }),
    );
  });

  it('multiplies down towards zero and up away from it, at most one unit apart', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const down = multiply(a, b, 'down');
        const up = multiply(a, b, 'up');
        const even = multiply(a, b, 'half-even');
        const size = (value: bigint) => (value < 0n ? -value : value);
        const exact = size(a * b);
        return (
          size(down) * UNIT <= exact &&
          size(up) * UNIT >= exact &&
          size(up) - size(down) <= 1n &&
          (even === down || even === up)
        );
      }),
    );
  });

  it('divides so that quotient times divisor never passes the dividend when rounding down', () => {
    fc.assert(
      fc.property(positive, positive, (a, b) => {
        const quotient = divide(a, b, 'down');
        return quotient * b <= a * UNIT && (quotient + 1n) * b > a * UNIT;
      }),
    );
    expect(() => divide(UNIT, ZERO, 'down')).toThrow(RangeError);
  });

  it('rounds a half to the even digit', () => {
    const half = parseFixed('0.5');
    expect(multiply(1n as Fixed, half, 'half-even')).toBe(0n);
    expect(multiply(3n as Fixed, half, 'half-even')).toBe(2n);
    expect(multiply(-3n as Fixed, half, 'half-even')).toBe(-2n);
  });

  it('takes basis points and rounds a fee up', () => {
    expect(formatFixed(basisPoints(parseFixed('1000'), parseFixed('25'), 'up'))).toBe('2.5');
    expect(formatFixed(basisPoints(parseFixed('0.000000000001'), parseFixed('1'), 'up'))).toBe(
      '0.000000000001',
    );
  });

  it('brings quantities down to the lot and never past it', () => {
    fc.assert(
      fc.property(positive, positive, (value, step) => {
        const floored = floorToStep(value, step);
        return floored <= value && floored % step === 0n && value - floored < step;
      }),
    );
    expect(() => floorToStep(UNIT, ZERO)).toThrow(RangeError);
  });

  it('rounds a price up to the tick, and leaves one that is on it', () => {
    fc.assert(
      fc.property(positive, positive, (value, step) => {
        const raised = ceilToStep(value, step);
        return raised >= value && raised % step === 0n && raised - value < step;
      }),
    );
    expect(ceilToStep(parseFixed('57000.01'), parseFixed('0.1'))).toBe(parseFixed('57000.1'));
    expect(ceilToStep(parseFixed('57000.1'), parseFixed('0.1'))).toBe(parseFixed('57000.1'));
  });

  it('gives charts the nearest number', () => {
    expect(toNumber(parseFixed('43451.14'))).toBe(43451.14);
  });

  it('takes a number for what was written, by arithmetic as by its text', () => {
    const byText = (value: number, decimals: number): bigint => {
      const written = String(value);
      const places =
        /^-?\d+(?:\.(\d+))?$/.exec(written)?.[1]?.length ??
        (Number.isInteger(value) ? 0 : Infinity);
      return parseFixed(places <= decimals ? written : value.toFixed(decimals));
    };
    const written = fc
      .tuple(
        fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
        fc.integer({ min: 0, max: 14 }),
      )
      .map(([digits, places]) => Number(`${digits}e-${places}`));
    const any = fc.oneof(
      written,
      fc.double({ min: -1e15, max: 1e15, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.double({ min: -1e-11, max: 1e-11, noNaN: true }),
    );
    fc.assert(
      fc.property(any, fc.integer({ min: 0, max: 12 }), (value, decimals) => {
        expect(fixedFromNumber(value, decimals)).toBe(byText(value, decimals));
      }),
      { numRuns: 5_000 },
    );
  });
});

/** Amounts as exchanges write them, read to the last digit. */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import {
  exactAmount,
  feeAmount,
  flooredAmount,
  priceOrNull,
  stepOf,
} from '../../../signer/exchanges/amounts.ts';
import fc from '../../support/property.ts';

describe('an amount', () => {
  it.each([
    ['0.00000001', '0.00000001'],
    ['1e-8', '0.00000001'],
    ['1.5E3', '1500'],
    ['12.340000000000000000', '12.34'],
    ['-0.5', '-0.5'],
    ['7.', '7'],
    ['0E-8', '0'],
  ])('%s is %s', (written, value) => {
    expect(formatFixed(exactAmount(written))).toBe(value);
  });

  it.each(['', 'NaN', 'Infinity', '0x10', '1,5', ' 1', '1e999', '0.0000000000001'])(
    '%j is none',
    (written) => {
      expect(() => exactAmount(written)).toThrow(RangeError);
    },
  );

  it('comes back as it went, whatever it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (units) => {
        expect(exactAmount(formatFixed(units as never))).toBe(units);
      }),
    );
  });

  it('of a fee is rounded away from zero, of a balance towards it', () => {
    const fine = '0.0031360000001234567';
    expect(feeAmount(fine)).toBe(parseFixed('0.003136000001'));
    expect(flooredAmount(fine)).toBe(parseFixed('0.003136'));
    expect(feeAmount(`-${fine}`)).toBe(parseFixed('-0.003136000001'));
  });

  it('that is no price is null', () => {
    for (const written of ['0', '0.00000', '', null, undefined, '+1%'])
      expect(priceOrNull(written)).toBeNull();
    expect(priceOrNull('50.00000')).toBe(parseFixed('50'));
    expect([stepOf(0), stepOf(1), stepOf(8)].map(formatFixed)).toEqual(['1', '0.1', '0.00000001']);
  });
});

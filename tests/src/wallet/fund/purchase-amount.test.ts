/** An amount in money and the same in coins. */
import { describe, expect, it } from 'vitest';
import { formatFixed, multiply, parseFixed, type Fixed } from '../../../../contract/money.ts';
import { bothAmounts, inOther, typedAmount } from '../../../../src/wallet/fund/purchase-amount.ts';
import fc from '../../../support/property.ts';

const text = (value: Fixed | null) => (value === null ? null : formatFixed(value));

describe('the amount of a purchase', () => {
  it('is what was typed, with a point or a comma', () => {
    expect(['25', '25.', '.5', '0,5', ' 1.25 '].map((typed) => text(typedAmount(typed)))).toEqual([
      '25',
      '25',
      '0.5',
      '0.5',
      '1.25',
    ]);
    expect(text(typedAmount('1,000.5'))).toBe('1000.5');
    for (const none of ['', '0', '-1', 'abc', '1e3', '1.2.3', '1,00.5', 'Infinity', '.'])
      expect(typedAmount(none), none).toBeNull();
  });

  it('is known in the other unit only with a rate: coins are rounded down, money up (R9-12)', () => {
    const rate = parseFixed('0.0004');
    const shown = (kind: 'fiat' | 'crypto', typed: string, at: Fixed | null) => {
      const both = bothAmounts({ kind, text: typed }, at);
      return [text(both.fiat), text(both.crypto)];
    };
    expect(shown('fiat', '100', rate)).toEqual(['100', '0.04']);
    expect(shown('crypto', '0.04', rate)).toEqual(['100', '0.04']);
    expect(shown('crypto', '0.000001', parseFixed('0.0003'))).toEqual(['0.01', '0.000001']);
    expect(shown('fiat', '100', null)).toEqual(['100', null]);
    expect(shown('crypto', '1', null)).toEqual([null, '1']);
    expect(inOther({ kind: 'fiat', text: '100' }, rate)).toEqual({ kind: 'crypto', text: '0.04' });
    expect(inOther({ kind: 'crypto', text: '0.04' }, null)).toEqual({ kind: 'fiat', text: '' });
  });

  it('never says that less money buys the coins than it does', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n), fc.bigInt(1n, 10n ** 12n), (coins, rate) => {
        const typed = formatFixed(coins as Fixed);
        const { fiat } = bothAmounts({ kind: 'crypto', text: typed }, rate as Fixed);
        if (fiat === null) return;
        expect(multiply(fiat, rate as Fixed, 'up') >= (typedAmount(typed) ?? 0n)).toBe(true);
      }),
    );
  });
});

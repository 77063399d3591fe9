/** Amounts of ETH, typed and shown. */
import { describe, expect, it } from 'vitest';
import {
  costEther,
  exactEther,
  heldEther,
  parseTypedEther,
  plainEther,
} from '../../../../src/wallet/send/ether.ts';
import fc from '../../../support/property.ts';

describe('an amount that is typed', () => {
  it('is taken to the last of its eighteen decimals', () => {
    expect(parseTypedEther('0.000000000000000001')).toEqual({ wei: 1n });
    expect(parseTypedEther(' 1234.5 ')).toEqual({ wei: 1_234_500_000_000_000_000_000n });
    expect(parseTypedEther('9007199254740993.1')).toEqual({
      error: 'That is more ETH than exists.',
    });
    expect(parseTypedEther('900719925474.000000000000000001')).toEqual({
      wei: 900_719_925_474_000_000_000_000_000_001n,
    });
    expect([parseTypedEther('.5'), parseTypedEther('5.')]).toEqual([
      { wei: 5n * 10n ** 17n },
      { wei: 5n * 10n ** 18n },
    ]);
  });

  it('is refused with what is wrong where it is none', () => {
    for (const [typed, error] of [
      ['', 'Enter an amount of ETH.'],
      ['0,5', 'Enter a number, such as 0.05.'],
      ['1e3', 'Enter a number, such as 0.05.'],
      ['-1', 'Enter a number, such as 0.05.'],
      ['0x10', 'Enter a number, such as 0.05.'],
      ['1.2.3', 'Enter a number, such as 0.05.'],
      ['.', 'Enter a number, such as 0.05.'],
      ['0.0000000000000000001', 'ETH has at most 18 decimals.'],
      ['0.00', 'Enter an amount above zero.'],
    ] as const)
      expect(parseTypedEther(typed), typed).toEqual({ error });
  });

  it('comes back as the same wei from its own text, whatever it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 29n }), (wei) => {
        expect(parseTypedEther(plainEther(wei))).toEqual({ wei });
      }),
    );
  });
});

describe('an amount that is shown', () => {
  const number = (text: string): number => Number(text.replaceAll(',', ''));

  it('is never more than is held, and never less than it costs', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n }), (wei) => {
        const parsed = (text: string): bigint => {
          const read = parseTypedEther(text.replaceAll(',', ''));
          return 'wei' in read ? read.wei : 0n;
        };
        expect(parsed(heldEther(wei)) <= wei).toBe(true);
        expect(parsed(costEther(wei)) >= wei).toBe(true);
        expect(parsed(exactEther(wei))).toBe(wei);
      }),
    );
  });

  it('keeps what matters of a small one', () => {
    expect(heldEther(1n)).toBe('less than 0.000001');
    expect([
      heldEther(0n),
      heldEther(10n ** 18n),
      heldEther(1_234_567_890_123_456_789_012n),
    ]).toEqual(['0', '1', '1,234.56789']);
    expect(number(costEther(21_000n * 1_500_000n))).toBe(0.0000000315);
    expect(costEther(1_000_000_000_001n)).toBe('0.000001001');
    expect(exactEther(1_234_000_000_000_000_000_001n)).toBe('1,234.000000000000000001');
  });
});

/** Numbers, times, errors and validation in words. */
import fc from '../../support/property.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCreateBody } from '../../../contract/agents.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../contract/errors.ts';
import { formatFixed, parseFixed, type Fixed } from '../../../contract/money.ts';
import { UserSettings } from '../../../contract/user.ts';
import { ApiError } from '../../../src/api/api-error.ts';
import { ERROR_TEXT, errorSentence } from '../../../src/format/error-text.ts';
import {
  direction,
  formatAmount,
  formatNumber,
  formatPercent,
  formatPrice,
  formatQuantity,
  formatRatio,
  formatShare,
  formatShort,
  UNKNOWN,
} from '../../../src/format/numbers.ts';
import { localDecimal, numberMarks, withLocalNumbers } from '../../../src/format/number-marks.ts';
import { fieldText, parseTyped, typedNumber } from '../../../src/format/typed-numbers.ts';
import { browserLocale, LOCALES, ownLocale } from '../../support/locale.ts';
import { formatAgo, formatSpan, formatUntil } from '../../../src/format/ages.ts';
import { formatWhen } from '../../../src/format/times.ts';
import { byField, check } from '../../../src/format/validation.ts';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');

describe('numbers', () => {
  it('read well large and small, with a true minus and no negative zero', () => {
    expect(plain(formatAmount('1234567.89'))).toBe('1,234,567.89');
    expect(formatAmount('-12.05')).toBe('−12.05');
    expect(formatAmount('128.4', { signed: true })).toBe('+128.40');
    expect(formatAmount('0.00000123')).toBe('0.00000123');
    expect(formatPrice('0.00000123')).toBe('0.00000123');
    expect(plain(formatPrice('68123.4'))).toBe('68,123.40');
    expect(formatPrice('2.34567')).toBe('2.3457');
    expect(formatPrice('0.41273')).toBe('0.4127');
    expect(formatQuantity('0.840000')).toBe('0.84');
    expect(plain(formatQuantity('1200'))).toBe('1,200');
    for (const zero of ['0', '-0', '0.00', '-0.000'])
      expect(formatAmount(zero, { signed: true }), zero).toBe('0.00');
    expect(plain(formatAmount('999999.995'))).toBe('1,000,000.00');
    expect(plain(formatShort('1234567'))).toBe('1.2 M');
    expect(plain(formatShort('-34000'))).toBe('−34.0 k');
  });

  it('that are not known are a dash, never zero', () => {
    for (const text of [null, undefined, '', 'NaN', '1e5']) {
      for (const format of [formatAmount, formatPrice, formatQuantity, formatShort])
        expect(format(text)).toBe(UNKNOWN);
    }
    for (const value of [null, undefined, NaN, Infinity]) {
      expect(formatPercent(value)).toBe(UNKNOWN);
      expect(formatRatio(value)).toBe(UNKNOWN);
      expect(formatShare(value)).toBe(UNKNOWN);
    }
  });

  it('in percent carry their sign, and zero carries none', () => {
    expect([1.239, -0.3, 0, -0.001, 1234.5].map((value) => plain(formatPercent(value)))).toEqual([
      '+1.24 %',
      '−0.30 %',
      '0.00 %',
      '0.00 %',
      '+1,234.50 %',
    ]);
    expect(plain(formatShare(-0.1, { decimals: 0 }))).toBe('−10 %');
    expect(formatRatio(-0.004)).toBe('0.00');
    expect(['1', '-0.000000000001', '0', null, -2].map(direction)).toEqual([
      'up',
      'down',
      'flat',
      'flat',
      'down',
    ]);
  });
});

/** What a locale shows, back as plain decimal text. */
const plainDecimal = (text: string): string => {
  const { decimal, separator } = numberMarks();
  return text
    .replaceAll(separator, '')
    .replace(decimal, '.')
    .replace('−', '-')
    .replace(/\u202f?[%kMBT]$/, '');
};

describe.each(LOCALES)('numbers of every kind in %s', (locale) => {
  beforeEach(() => {
    browserLocale(locale);
  });
  afterEach(ownLocale);

  it('keep one grammar: zero bare, no −0, no exponent, no hyphen, the groups of the locale, and the sign of what is shown', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }),
          fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
          fc.constant(0n),
        ),
        (units) => {
          const exact = formatFixed(units as Fixed);
          const float = Number(exact);
          const shown = [
            formatAmount(exact),
            formatAmount(exact, { signed: true }),
            formatPrice(exact),
            formatQuantity(exact),
            formatShort(exact),
            formatPercent(float),
            formatPercent(float, { signed: false, decimals: 0 }),
            formatShare(float / 100),
            formatRatio(float),
          ];
          for (const text of shown) {
            const unsigned = text.replace(/^[−+]/, '');
            const bare = plainDecimal(unsigned);
            expect(bare).toMatch(/^\d+(?:\.\d+)?$/);
            // The marks are the locale's own, in the locale's own places.
            expect(unsigned.replace(/\u202f[%kMBT]$/, '')).toBe(localDecimal(bare));
            // Zero has no sign at all, and nothing else has the other one's.
            if (Number(bare) === 0) expect(text).not.toMatch(/[−+]/);
            else expect(text.startsWith('−')).toBe(units < 0n);
          }
          // What is not zero never reads as zero where it is money, a price or a quantity.
          if (units !== 0n)
            for (const text of [shown[0], shown[2], shown[3]])
              expect(Number(plainDecimal(text ?? ''))).not.toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('never differ from the exact amount by more than half of the last digit shown', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (units) => {
        const shown = formatAmount(formatFixed(units as Fixed));
        const back = plainDecimal(shown);
        const [whole = '0', fraction = ''] = back.replace('-', '').split('.');
        const value =
          BigInt(whole + fraction) *
          10n ** BigInt(12 - fraction.length) *
          (back.startsWith('-') ? -1n : 1n);
        const off = value > units ? value - units : units - value;
        expect(off * 2n <= 10n ** BigInt(12 - fraction.length)).toBe(true);
        expect(shown).not.toMatch(/[-eE]/);
      }),
      { numRuns: 50 },
    );
  });

  it('are read back as they are shown and as they stand in a field, to the last digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), (units) => {
        const exact = formatFixed(units as Fixed);
        const canonical = (text: string | null): string => formatFixed(parseFixed(text ?? 'none'));
        expect(
          canonical(parseTyped(formatQuantity(exact).replace('−', '-'), { strict: true })),
        ).toBe(canonical(plainDecimal(formatQuantity(exact))));
        expect(canonical(parseTyped(fieldText(exact), { strict: true }))).toBe(exact);
        expect(canonical(parseTyped(fieldText(exact)))).toBe(exact);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a locale', () => {
  afterEach(ownLocale);
  const shown = {
    'en-US': '1,234,567.89',
    'de-DE': '1.234.567,89',
    'fr-FR': '1\u202f234\u202f567,89',
    'hi-IN': '12,34,567.89',
    'es-ES': '1.234.567,89',
  };

  it.each(Object.entries(shown))('%s writes an amount as its readers do', (locale, text) => {
    browserLocale(locale);
    expect(formatAmount('1234567.89')).toBe(text);
    expect(formatNumber(1_234_567.89)).toBe(text);
    expect(formatNumber(-0.5)).toBe(
      locale.startsWith('en') || locale === 'hi-IN' ? '−0.5' : '−0,5',
    );
    expect(withLocalNumbers('From 1 to 1,234,567.89.')).toBe(`From 1 to ${text}.`);
  });

  it('puts the numbers of a sentence in its own form, and leaves dates, versions and addresses', () => {
    browserLocale('de-DE');
    expect(withLocalNumbers('No trade: signal 0.41, needs 0.55. At most 1,000,000.')).toBe(
      'No trade: signal 0,41, needs 0,55. At most 1.000.000.',
    );
    for (const text of [
      'until 2026-01-31 18:00 UTC',
      'version 1.2.3',
      'at 10.0.0.1',
      'BTC, ETH, SOL',
      'kit 0.38.13',
      'https://a.example/1.5',
      '3, 4 and 5',
    ])
      expect(withLocalNumbers(text)).toBe(text);
  });

  it('decides what a typed number is: its own groups first, then the only mark there is', () => {
    expect(
      ['1', ' 2.5 ', '2,5', '.5', '-3', '', '1,500', '1,234,567.5', '1,500.5'].map(typedNumber),
    ).toEqual([1, 2.5, 2.5, 0.5, -3, undefined, 1_500, 1_234_567.5, 1_500.5]);
    expect(
      ['1e5', '0x10', '1,00.5', '1.500,5', 'Infinity', 'a', '1 2', '.', ',', '-', '12,34,567'].map(
        typedNumber,
      ),
    ).toEqual(Array.from({ length: 11 }, () => Number.NaN));
    browserLocale('de-DE');
    expect(
      ['2,5', '2.5', '1.500', '0.500', '1.234.567,5', '1.500,5', '1234.567'].map(typedNumber),
    ).toEqual([2.5, 2.5, 1_500, 0.5, 1_234_567.5, 1_500.5, 1_234.567]);
    expect(['1,000.5', '1.00,5', '1.2.3'].map(typedNumber)).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    browserLocale('fr-FR');
    expect(['1 500,5', '1\u202f500', '1\u00a0500,25', '1500.5', '1 50'].map(typedNumber)).toEqual([
      1_500.5,
      1_500,
      1_500.25,
      1_500.5,
      Number.NaN,
    ]);
    browserLocale('hi-IN');
    expect(['12,34,567.5', '1,234,567', '1,23'].map(typedNumber)).toEqual([
      1_234_567.5, 1_234_567, 1.23,
    ]);
    browserLocale('de-CH');
    expect(["1'500.5", '1’500.5'].map(typedNumber)).toEqual([1_500.5, 1_500.5]);
  });
});

describe('times', () => {
  it('are worded in their largest unit, and an age is never negative', () => {
    expect(
      [-5, 900, 12_000, 4 * 60_000 + 59_000, 3 * 3_600_000, 47 * 3_600_000, 49 * 3_600_000].map(
        formatSpan,
      ),
    ).toEqual(['0 s', '0 s', '12 s', '4 min', '3 h', '47 h', '2 d']);
    expect([null, 500, 12_000, 240_000].map(formatAgo)).toEqual([
      'never',
      'now',
      '12 s ago',
      '4 min ago',
    ]);
    expect([0, 180_000].map(formatUntil)).toEqual(['now', 'in 3 min']);
  });

  it('of today show the time alone', () => {
    const now = new Date(2026, 0, 10, 14, 40).getTime();
    expect(formatWhen(now - 8 * 60_000, now)).toMatch(/^14[:.]32$/);
    expect(formatWhen(now - 24 * 3_600_000, now)).toMatch(/2026.*14[:.]40$/);
  });
});

describe('errors', () => {
  it('have a sentence for every code, and none of them exclaims', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[])
      expect(ERROR_TEXT[code].length, code).toBeGreaterThan(5);
    for (const text of Object.values(ERROR_TEXT)) expect(text).not.toMatch(/!|oops/i);
  });

  it("say the server's own sentence where that says more, and ours otherwise", () => {
    const of = (code: 'agent_cap_reached' | 'internal') =>
      new ApiError('API Error: 403 - Your plan allows 2 agents.', {
        code,
        status: 403,
        text: 'Your plan allows 2 agents.',
      });
    expect(errorSentence(of('agent_cap_reached'))).toBe('Your plan allows 2 agents.');
    expect(errorSentence(of('internal'))).toBe(ERROR_TEXT.internal);
    expect(
      errorSentence(Object.assign(new Error('Firebase: …'), { code: 'auth/invalid-credential' })),
    ).toBe('Wrong email or password.');
    // What became of the money is the server's to say; without a word of its own the
    // specification's sentence stands.
    expect(
      errorSentence(
        new ApiError('503', {
          code: 'subscription_unavailable',
          status: 503,
          text: 'The payment provider is busy. Nothing was charged.',
        }),
      ),
    ).toBe('The payment provider is busy. Nothing was charged.');
    expect(
      errorSentence(
        new ApiError('503', { code: 'subscription_unavailable', status: 503, text: '' }),
      ),
    ).toBe('Backend service unavailable');
    expect(errorSentence(Object.assign(new Error('Firebase: …'), { code: 'auth/whatever' }))).toBe(
      'Could not log in. Try again.',
    );
    expect(errorSentence('x')).toBe('Something went wrong.');
  });
});

describe('validation', () => {
  it('says "Required" for what is missing and "Invalid input" where the contract has no words of its own (R8-32)', () => {
    const missing = check(UserSettings, {});
    expect(missing.ok).toBe(false);
    if (missing.ok) return;
    expect(byField(missing.issues).displayName).toBe('Required');
    const wrong = check(UserSettings, { displayName: 7 });
    expect(wrong.ok ? '' : byField(wrong.issues).displayName).toBe('Invalid input');
  });

  it('gives a whole valid value back, and each fault under its own path', () => {
    const agent = {
      name: 'Harbour',
      trading_pairs: ['BTC/USDT', 'btc'],
      risk_profile: 'Moderate',
      max_position_size: 0,
      execution_interval: 'daily',
      enabled: true,
    };
    const faults = check(AgentCreateBody, agent);
    expect(faults.ok ? {} : byField(faults.issues)).toEqual({
      'trading_pairs.1': 'Enter a pair such as BTC/USDT',
      max_position_size: 'At least 1',
    });
    expect(
      check(AgentCreateBody, { ...agent, trading_pairs: ['BTC/USDT'], max_position_size: 1 }),
    ).toMatchObject({ ok: true, value: { name: 'Harbour' } });
  });
});

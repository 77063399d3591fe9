/** What can be paid with, and the limits of each. */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, type Fixed } from '../../../../contract/money.ts';
import {
  applePayHere,
  outsideLimits,
  paymentMethods,
} from '../../../../src/wallet/fund/payment-methods.ts';

const USD = {
  id: 'USD',
  limits: [
    { id: 'ACH_BANK_ACCOUNT', min: '10', max: '25000' },
    { id: 'CARD', min: '5', max: '300' },
  ],
};
const plain = (methods: ReturnType<typeof paymentMethods>) =>
  methods.map(({ id, minAmount, maxAmount }) => [
    id,
    formatFixed(minAmount),
    formatFixed(maxAmount),
  ]);

describe('the ways to pay', () => {
  it('are an account at the provider and, for the US in USD alone, two cards with the limits it names or 2 to 500 (R9-12, R3-10)', () => {
    expect(plain(paymentMethods([USD], 'USD', 'US'))).toEqual([
      ['', '5', '25000'],
      ['APPLE_PAY', '2', '500'],
      ['CARD', '5', '300'],
    ]);
    expect(paymentMethods([USD], 'USD', 'US')[2]).toMatchObject({
      name: 'Debit card',
      description: 'Up to $500/week. No sign up required.',
      icon: 'creditCard',
    });
    for (const [currency, country] of [
      ['USD', 'DE'],
      ['EUR', 'US'],
      ['EUR', 'DE'],
    ] as const) {
      expect(
        plain(
          paymentMethods(
            [USD, { id: 'EUR', limits: [{ id: 'CARD', min: '3', max: '700' }] }],
            currency,
            country,
          ),
        ).map(([id]) => id),
        `${currency} in ${country}`,
      ).toEqual(['']);
    }
  });

  it('are the default limits also where the provider names nought or nonsense (R9-12)', () => {
    for (const bad of ['0', '', 'x', '-5', '1e3']) {
      expect(
        plain(
          paymentMethods(
            [{ id: 'USD', limits: [{ id: 'CARD', min: bad, max: bad }] }],
            'USD',
            'US',
          ),
        )[2],
        bad,
      ).toEqual(['CARD', '2', '500']);
    }
  });

  it('are none where the currency is not offered (R8-38)', () => {
    expect(paymentMethods([USD], 'GBP', 'GB')).toEqual([]);
    expect(paymentMethods([], 'USD', 'US')).toEqual([]);
  });

  it('name what the account can be paid from', () => {
    expect(paymentMethods([USD], 'USD', 'US')[0]?.description).toBe(
      'ACH, debit, cash, crypto balance',
    );
    expect(paymentMethods([{ id: 'USD', limits: [] }], 'USD', 'DE')[0]?.description).toBe(
      'cash, crypto balance',
    );
  });

  it('hold an amount to their limits, the limits themselves included', () => {
    const card = paymentMethods([USD], 'USD', 'US')[2];
    if (card === undefined) throw new Error('no card');
    const said = (amount: string) =>
      outsideLimits(card, parseFixed(amount), (limit: Fixed) => formatFixed(limit));
    expect([said('4.99'), said('5'), said('300'), said('300.01')]).toEqual([
      'Minimum amount of 5 required',
      null,
      null,
      'Maximum amount allowed is 300',
    ]);
  });

  it('offer Apple Pay where the browser has it', () => {
    expect(
      applePayHere(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604',
      ),
    ).toBe(true);
    expect(applePayHere('Mozilla/5.0 (Macintosh) AppleWebKit/605 Version/18.0 Safari/605')).toBe(
      true,
    );
    expect(applePayHere('Mozilla/5.0 (X11; Linux) AppleWebKit/537 Chrome/140 Safari/537')).toBe(
      false,
    );
  });
});

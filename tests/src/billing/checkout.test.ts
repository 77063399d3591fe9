// @vitest-environment happy-dom
/** From a plan to its checkout: the price that is asked for and the address that is left for. */
import '../../support/page-world.ts';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../contract/subscription.ts';

const { destinationOf, priceIdFor, safeAddress } = await import('../../../src/billing/checkout.ts');

const plan = (id: string, tier: Plan['tier'], priceId: string | null): Plan => ({
  id,
  name: id,
  tier,
  priceId,
  amount: '19',
  currency: 'USD',
  interval: 'month',
  agents: 2,
});
const PLANS = [
  plan('free', 'free', null),
  plan('starter', 'starter', 'price_1'),
  plan('pro-max', 'pro-max', 'price_2'),
];
const NONE = { starter: '', standard: '', pro: '', 'pro-max': '' };

describe('the price of a plan', () => {
  it('is looked up in the plans list and must be there (R7-05, R8-07)', () => {
    expect(priceIdFor(PLANS, 'starter', NONE)).toBe('price_1');
    for (const missing of ['pro', 'free']) {
      expect(() => priceIdFor(PLANS, missing, NONE)).toThrow(
        expect.objectContaining({ message: `No price ID found for plan: ${missing}`, status: 400 }),
      );
    }
  });

  it('must be the one the build was made for, where it was made for one (R3-24)', () => {
    expect(priceIdFor(PLANS, 'pro-max', { ...NONE, 'pro-max': 'price_2' })).toBe('price_2');
    expect(() =>
      priceIdFor(PLANS, 'pro-max', { ...NONE, 'pro-max': 'price_of_another_account' }),
    ).toThrow('No price ID found for plan: pro-max');
  });
});

describe('where a checkout leads', () => {
  it('is a page, or a place in the app where the server gave a secret', () => {
    expect(
      destinationOf({ url: '/test-checkout/1', clientSecret: null }, 'https://app.example'),
    ).toEqual({ kind: 'page', url: 'https://app.example/test-checkout/1' });
    expect(destinationOf({ url: null, clientSecret: 'cs_secret' }, 'https://app.example')).toEqual({
      kind: 'embedded',
      clientSecret: 'cs_secret',
    });
  });

  it('is never a script or another scheme', () => {
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'blob:https://app.example/1']) {
      expect(() => safeAddress(url, 'https://app.example')).toThrow('Bad address');
    }
  });
});

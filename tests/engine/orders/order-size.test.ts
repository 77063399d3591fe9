/** Quantities, prices and reservations under a pair's rules. */
import { describe, expect, it } from 'vitest';
import { add, basisPoints } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import {
  limitOnTick,
  sizeOrder,
  stopOnTick,
  withinOwned,
} from '../../../engine/orders/order-size.ts';
import { freeOf, reservationFor, reservationShare } from '../../../engine/orders/reservation.ts';
import fc from '../../support/property.ts';
import { money, planned, RULES } from './order-samples.ts';

const amounts = fc.bigInt({ min: 1n, max: 10n ** 18n }).map((value) => value as Fixed);

describe('a quantity', () => {
  it('goes down to the step and is never more than was wanted', () => {
    expect(sizeOrder(money('1.23459'), money('100'), RULES)).toEqual({
      kind: 'order',
      quantity: money('1.2345'),
    });
    fc.assert(
      fc.property(amounts, amounts, (wanted, price) => {
        const sized = sizeOrder(wanted, price, RULES);
        expect(sized.quantity <= wanted).toBe(true);
        if (sized.kind === 'order') expect(sized.quantity % RULES.quantityStep).toBe(0n);
      }),
    );
  });

  it.each([
    ['0.00009', 'below_step'],
    ['0', 'below_step'],
    ['0.0099', 'below_notional'],
  ])('of %s is dust: %s', (wanted, why) => {
    expect(sizeOrder(money(wanted), money('100'), RULES)).toMatchObject({ kind: 'dust', why });
  });

  it('is dust below the least quantity', () => {
    const rules = { ...RULES, minQuantity: money('0.5') };
    expect(sizeOrder(money('0.4'), money('100'), rules)).toMatchObject({ why: 'below_quantity' });
  });

  it('leaves room for a fee taken from the same coin, and no unit more than needed', () => {
    fc.assert(
      fc.property(amounts, fc.constantFrom('0', '1', '26', '100', '333.3333'), (owned, bps) => {
        const most = withinOwned(owned, money(bps));
        const cost = (quantity: Fixed) => add(quantity, basisPoints(quantity, money(bps), 'up'));
        expect(cost(most) <= owned).toBe(true);
        expect(cost((most + 2n) as Fixed) > owned).toBe(true);
      }),
    );
  });
});

it('prices go to the tick on the side that is better for us', () => {
  expect(limitOnTick('buy', money('10.019'), RULES)).toBe(money('10.01'));
  expect(limitOnTick('sell', money('10.011'), RULES)).toBe(money('10.02'));
  expect(stopOnTick(money('10.011'), RULES)).toBe(money('10.02'));
  expect(stopOnTick(money('10.01'), RULES)).toBe(money('10.01'));
});

describe('a reservation', () => {
  const terms = {
    ...{ symbol: 'BTC/USD', quantity: money('2'), worstPrice: money('100') },
    ...{ worstFeeBps: money('10'), feeFromBase: false },
  };

  it('covers a purchase with the worst fee, and a sale with the fee where it is taken', () => {
    expect(reservationFor({ ...terms, side: 'buy' })).toEqual({
      asset: 'USD',
      amount: money('200.2'),
    });
    expect(reservationFor({ ...terms, side: 'sell' }).amount).toBe(money('2'));
    expect(reservationFor({ ...terms, side: 'sell', feeFromBase: true })).toEqual({
      asset: 'BTC',
      amount: money('2.002'),
    });
  });

  it('is shared out rounded up, and is not free for others', () => {
    expect(reservationShare(planned(), money('1'))).toBe(money('100.1'));
    expect(reservationShare(planned(), 1n as Fixed)).toBe(101n);
    expect(reservationShare(planned(), money('0'))).toBe(0n);
    expect(freeOf('USD', money('500'), [planned(), planned()])).toBe(money('99.6'));
    expect(freeOf('BTC', money('5'), [planned()])).toBe(money('5'));
  });
});

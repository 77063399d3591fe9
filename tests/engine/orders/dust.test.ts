/** Which remainders of a position are dust that goes to the person. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import { isLeftOver, type LastTrade } from '../../../engine/orders/dust.ts';

const money = parseFixed;
const RULES: PairRules = {
  symbol: 'BTC/USDT',
  quantityStep: money('0.001'),
  priceTick: money('0.01'),
  minQuantity: money('0.001'),
  minNotional: money('5'),
  status: 'trading',
};
const SOLD: LastTrade = { side: 'sell', price: money('100'), isOfAll: true };
const BOUGHT: LastTrade = { side: 'buy', price: money('100'), isOfAll: false };

const isLeft = (held: string, last: LastTrade, more: { bid?: string; isLeaving?: boolean } = {}) =>
  isLeftOver({
    held: money(held),
    last,
    bid: money(more.bid ?? '100'),
    rules: RULES,
    isLeaving: more.isLeaving ?? false,
  });

describe('what is left of a position', () => {
  it.each([
    ['a sale of all leaves less than a step', '0.0009', SOLD, {}, true],
    ['a sale of all leaves less than the least worth', '0.049', SOLD, {}, true],
    ['a sale of all leaves an order', '0.051', SOLD, {}, false],
    ['it was an order at its sale and has fallen since', '0.08', SOLD, { bid: '50' }, false],
    ['it was dust at its sale and is an order now', '0.04', SOLD, { bid: '200' }, false],
    [
      'a sale of a strategy leaves less than a step',
      '0.0009',
      { ...SOLD, isOfAll: false },
      {},
      true,
    ],
    ['a sale of a part leaves dust', '0.04', { ...SOLD, isOfAll: false }, {}, false],
    [
      'that too, and the agent leaves',
      '0.04',
      { ...SOLD, isOfAll: false },
      { isLeaving: true },
      true,
    ],
    ['a purchase was filled with too little', '0.04', BOUGHT, {}, false],
    ['that too, and the agent leaves', '0.04', BOUGHT, { isLeaving: true }, true],
    ['an order was bought and has fallen', '0.08', BOUGHT, { bid: '50', isLeaving: true }, false],
  ] as const)('%s', (_what, held, last, more, is) => {
    expect(isLeft(held, last, more)).toBe(is);
  });

  it('stays where rules make dust of what is worth more than any least order', () => {
    const rules = { ...RULES, quantityStep: money('1') };
    const of = (held: string) =>
      isLeftOver({ held: money(held), last: SOLD, bid: money('100'), rules, isLeaving: true });
    expect([of('0.2'), of('0.21')]).toEqual([true, false]);
  });
});

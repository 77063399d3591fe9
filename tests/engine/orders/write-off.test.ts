/** What an agent gives up of a position whose coins the person has sold or taken out. */
import { describe, expect, it } from 'vitest';
import { add, minimum, subtract, sum, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { sumsByAsset } from '../../../engine/accounting/ledger.ts';
import { externalEntries, ownedByAsset } from '../../../engine/orders/venue-ledger.ts';
import {
  mostToWriteOff,
  positionAfterWriteOff,
  worthOfWriteOff,
  writeOffEntries,
} from '../../../engine/orders/write-off.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import fc from '../../support/property.ts';
import { fillOf, ID, money, planned, POLICY, shown } from './order-samples.ts';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n }).map((value) => value as Fixed);
const positive = amounts.map((value) => (value + 1n) as Fixed);
const held = fc.record({ quantity: positive, cost: amounts }).map((one) => ({
  ...one,
  stopPrice: money('90'),
}));
/** Of a position, as many shares as there are, each at most what is left. */
const gone = (quantity: Fixed, part: Fixed): Fixed => minimum(quantity, part);

describe('the entries of a write-off', () => {
  it('sum to zero, and leave what is at the exchange as it is', () => {
    fc.assert(
      fc.property(positive, (quantity) => {
        const entries = writeOffEntries({ agentId: 'agent', symbol: 'BTC/USD', quantity });
        expect([...sumsByAsset(entries)]).toEqual([['BTC', ZERO]]);
        expect([...ownedByAsset(entries)]).toEqual([['BTC', ZERO]]);
      }),
    );
  });

  it('bring cash back to nothing after the coins were taken out', () => {
    fc.assert(
      fc.property(positive, (quantity) => {
        const entries = [
          ...externalEntries('BTC', subtract(ZERO, quantity)),
          ...writeOffEntries({ agentId: 'agent', symbol: 'BTC/USD', quantity }),
        ];
        const cash = sum(entries.filter(({ bucket }) => bucket === 'cash').map((e) => e.amount));
        expect(cash).toBe(ZERO);
      }),
    );
  });
});

describe('a position after write-offs', () => {
  it('loses quantity and cost to the last digit, in however many parts', () => {
    fc.assert(
      fc.property(held, fc.array(positive, { minLength: 1, maxLength: 6 }), (before, parts) => {
        let now = before as { quantity: Fixed; cost: Fixed; stopPrice: Fixed | null };
        let [quantity, cost, worth] = [ZERO, ZERO, ZERO];
        for (const part of parts) {
          const given = gone(now.quantity, part);
          if (given === ZERO) break;
          const step = positionAfterWriteOff(now, { symbol: 'BTC/USD', quantity: given });
          worth = add(worth, worthOfWriteOff(now, step.after, money('97.123456789')));
          quantity = add(quantity, given);
          cost = add(cost, step.cost);
          now = step.after;
        }
        expect(add(now.quantity, quantity)).toBe(before.quantity);
        expect(add(now.cost, cost)).toBe(before.cost);
        expect(now.cost >= 0n).toBe(true);
        if (now.quantity === ZERO) expect(now).toMatchObject({ cost: ZERO, stopPrice: null });
        else expect(now.stopPrice).toBe(before.stopPrice);
        // The account is worth less by just that.
        expect(worth).toBe(worthOfWriteOff(before, now, money('97.123456789')));
      }),
    );
  });

  it('is worth less by its cost where there is no price', () => {
    fc.assert(
      fc.property(held, positive, (before, part) => {
        const quantity = gone(before.quantity, part);
        const { after, cost } = positionAfterWriteOff(before, { symbol: 'BTC/USD', quantity });
        expect(worthOfWriteOff(before, after, null)).toBe(cost);
      }),
    );
  });

  it('cannot be given up beyond what is held', () => {
    const before = { quantity: money('1'), cost: money('10'), stopPrice: null };
    const ask = { symbol: 'BTC/USD', quantity: money('1.000000000001') };
    expect(() => positionAfterWriteOff(before, ask)).toThrow(RangeError);
  });
});

describe('the most that may be written off', () => {
  const sale = planned({ side: 'sell', quantity: money('0.6') });
  const most = (orders: Parameters<typeof mostToWriteOff>[3]) =>
    mostToWriteOff(money('5'), money('1'), 'agent', orders);

  it('is what is missing, and no more than is held', () => {
    fc.assert(
      fc.property(amounts, amounts, (missing, quantity) => {
        expect(mostToWriteOff(missing, quantity, 'agent', [])).toBe(minimum(missing, quantity));
      }),
    );
  });

  it('leaves what a sale may still sell, from planned to its known end', () => {
    expect(most([sale])).toBe(money('0.4'));
    const events = {
      sent: { kind: 'send_started', atMs: 1 },
      lost: { kind: 'outcome_unknown', atMs: 2, cause: 'timeout' },
      open: {
        kind: 'seen',
        atMs: 3,
        order: shown({ side: 'sell', quantity: money('0.6'), filled: money('0.2') }),
      },
      part: {
        kind: 'fill',
        atMs: 4,
        fill: fillOf('a', { side: 'sell', quantity: money('0.2'), clientOrderId: ID }),
      },
    } as const;
    const after = (...steps: readonly (keyof typeof events)[]) =>
      applyOrderEvents(
        sale,
        steps.map((step) => events[step]),
        POLICY,
      ).order;
    expect(most([after('sent')])).toBe(money('0.4'));
    expect(most([after('sent', 'lost')])).toBe(money('0.4'));
    expect(most([after('sent', 'open')])).toBe(money('0.4'));
    expect(most([after('sent', 'open', 'part')])).toBe(money('0.6'));
  });

  it('is nothing where more is on sale than is held, and takes no order of another agent', () => {
    const large = planned({ side: 'sell', quantity: money('3') });
    expect(most([large])).toBe(ZERO);
    expect(most([planned({ side: 'sell', agentId: 'other', quantity: money('3') })])).toBe(
      money('1'),
    );
  });
});

/** The entries of real fills and external movements, and paper expressed as the first venue. */
import { describe, expect, it } from 'vitest';
import { formatFixed, negate, subtract } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import type { VenueFill } from '../../../contract/venue.ts';
import {
  applyBuy,
  applySell,
  fillEntries,
  sumsByAsset,
} from '../../../engine/accounting/ledger.ts';
import type { LedgerEntry } from '../../../engine/accounting/ledger-entry.ts';
import type { FillDraft } from '../../../engine/execution/agent-types.ts';
import { paperFill } from '../../../engine/execution/fills.ts';
import { planOrder } from '../../../engine/orders/live-order.ts';
import type { OrderEffect } from '../../../engine/orders/live-order.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import { reservationFor } from '../../../engine/orders/reservation.ts';
import {
  balanceChanges,
  externalEntries,
  handTradeEntries,
  heldChange,
  ownedByAsset,
  positionAfter,
  reversed,
  venueFillEntries,
} from '../../../engine/orders/venue-ledger.ts';
import fc from '../../support/property.ts';
import { fillOf, ID, intent, money, POLICY } from './order-samples.ts';

const lines = (entries: readonly LedgerEntry[]): string[] =>
  entries.map(({ bucket, asset, amount }) => `${bucket} ${formatFixed(amount)} ${asset}`);

const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n }).map((value) => value as Fixed);
const someFill = fc
  .record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: amounts.map((value) => (value + 1n) as Fixed),
    quoteAmount: amounts,
    fees: fc.array(
      fc.record({
        asset: fc.constantFrom('BTC', 'USD', 'BNB', 'KFEE'),
        amount: fc.oneof(amounts, amounts.map(negate)),
      }),
      { maxLength: 4 },
    ),
  })
  .map((over) => fillOf('trade', over));

describe('the entries of a real fill', () => {
  it('book a fee where it was taken: from cash, from the coins held, or from a third coin', () => {
    const fees = [
      { asset: 'USD', amount: money('0.1') },
      { asset: 'BTC', amount: money('0.001') },
      { asset: 'BNB', amount: money('0.02') },
    ];
    expect(lines(venueFillEntries('agent', fillOf('a', { fees })))).toEqual([
      'cash -99.1 USD',
      'fees 0.1 USD',
      'venue 99 USD',
      'holding:agent:BTC/USD 0.999 BTC',
      'venue -1 BTC',
      'fees 0.001 BTC',
      'cash -0.02 BNB',
      'fees 0.02 BNB',
    ]);
  });

  it('sum to zero per coin, and change cash and holdings as the exchange changed its balances', () => {
    fc.assert(
      fc.property(someFill, (fill) => {
        const entries = venueFillEntries('agent', fill);
        for (const total of sumsByAsset(entries).values()) expect(total).toBe(0n);
        const owned = ownedByAsset(entries);
        for (const [asset, amount] of balanceChanges(fill))
          expect(owned.get(asset) ?? 0n, asset).toBe(amount);
      }),
    );
  });

  it('of a trade by hand are all external, and can be undone', () => {
    fc.assert(
      fc.property(someFill, (fill) => {
        const entries = handTradeEntries(fill);
        for (const total of sumsByAsset(entries).values()) expect(total).toBe(0n);
        expect(entries.every(({ bucket }) => ['cash', 'external'].includes(bucket))).toBe(true);
        const both = ownedByAsset([...entries, ...reversed(entries)]);
        for (const amount of both.values()) expect(amount).toBe(0n);
      }),
    );
  });

  it('of a deposit or withdrawal are external, and none for nothing', () => {
    expect(lines(externalEntries('USD', money('-5')))).toEqual(['cash -5 USD', 'external 5 USD']);
    expect(externalEntries('USD', money('0'))).toEqual([]);
  });
});

describe('the position after a real fill', () => {
  const held = { quantity: money('2'), cost: money('200'), stopPrice: money('90') };

  it('holds what is left of a purchase after a fee in the coin bought', () => {
    const fill = fillOf('a', { fees: [{ asset: 'BTC', amount: money('0.001') }] });
    const { after, oversold } = positionAfter(null, fill, money('90'));
    expect(after).toMatchObject({ quantity: money('0.999'), cost: money('99') });
    expect(oversold).toBe(0n);
  });

  it('gives up the fee of a sale that is taken from the coin sold', () => {
    const fees = [{ asset: 'BTC', amount: money('0.001') }];
    const { after, realized } = positionAfter(held, fillOf('a', { side: 'sell', fees }), null);
    expect(after).toMatchObject({ quantity: money('0.999'), cost: money('99.9') });
    expect(realized).toBe(money('-1.1'));
  });

  it('takes a fill that sells more than is held, and says by how much', () => {
    const fill = fillOf('a', { side: 'sell', quantity: money('3'), fees: [] });
    const { after, oversold } = positionAfter(held, fill, null);
    expect(after).toMatchObject({ quantity: 0n, cost: 0n });
    expect(oversold).toBe(money('1'));
    expect(positionAfter(null, fill, null).oversold).toBe(money('3'));
  });

  it('follows the ledger over any fills: coins held are those of the agent’s bucket', () => {
    fc.assert(
      fc.property(fc.array(someFill, { maxLength: 12 }), (fills) => {
        let position: { quantity: Fixed; cost: Fixed; stopPrice: Fixed | null } | null = null;
        let bucket = 0n;
        for (const fill of fills) {
          const isPossible: boolean =
            fill.side === 'buy' || (position?.quantity ?? 0n) + heldChange(fill) >= 0n;
          if (!isPossible || heldChange(fill) * (fill.side === 'buy' ? 1n : -1n) < 0n) continue;
          const step = positionAfter(position, fill, null);
          position = step.after;
          bucket += heldChange(fill);
          expect(step.oversold).toBe(0n);
          expect(position.quantity).toBe(bucket);
        }
      }),
    );
  });
});

/** The paper venue's fill, as an exchange would tell of it. */
function asVenueFill(fill: FillDraft): VenueFill {
  return {
    tradeId: 'paper-1',
    exchangeOrderId: 'paper',
    clientOrderId: ID,
    symbol: fill.pair,
    side: fill.side,
    quantity: fill.quantity,
    price: fill.price,
    quoteAmount: fill.notional,
    fees: [{ asset: fill.pair.split('/')[1] ?? '', amount: fill.fee }],
    atMs: fill.filledAt,
  };
}

describe('paper is the first venue', () => {
  const paperFills = fc
    .record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: fc.bigInt({ min: 10n ** 6n, max: 10n ** 15n }).map((value) => value as Fixed),
      bid: fc.bigInt({ min: 10n ** 8n, max: 10n ** 17n }).map((value) => value as Fixed),
      feeBps: fc.constantFrom(0, 0.1, 10, 26.26),
    })
    .map(({ side, quantity, bid, feeBps }) => {
      const quote = {
        pair: 'BTC/USDT',
        at: 5,
        last: bid,
        bid,
        ask: ((bid * 1_001n) / 1_000n) as Fixed,
      };
      const rules = {
        ...{ pair: 'BTC/USDT', base: 'BTC', quote: 'USDT', lot: 1n as Fixed },
        ...{ minNotional: 0n as Fixed, halfSpreadBps: 2, feeBps },
      };
      const depth = { candleVolume: 1_000, dayVolume: 1_000 * 1440, dailyVolatility: 0.04 };
      return paperFill({ side, wanted: quantity, quantity, quote, rules, depth, reason: 'test' });
    });

  it('its fill is planned, sent, open and filled, with the same entries and the same position', () => {
    fc.assert(
      fc.property(paperFills, (fill) => {
        const venueFill = asVenueFill(fill);
        const order = planOrder(
          intent({
            ...{ symbol: fill.pair, side: fill.side, quantity: fill.quantity, type: 'market' },
            reservation: reservationFor({
              ...{ symbol: fill.pair, side: fill.side, quantity: fill.quantity },
              ...{ worstPrice: fill.price, worstFeeBps: fill.feeBps, feeFromBase: false },
            }),
          }),
        );
        const states: string[] = [order.state];
        const effects: OrderEffect[] = [];
        let current = order;
        for (const event of [
          { kind: 'send_started', atMs: 1 },
          { kind: 'acknowledged', atMs: 1, exchangeOrderId: 'paper' },
          { kind: 'fill', atMs: 1, fill: venueFill },
        ] as const) {
          const step = applyOrderEvents(current, [event], POLICY);
          current = step.order;
          states.push(current.state);
          effects.push(...step.effects);
        }
        expect(states).toEqual(['planned', 'sending', 'open', 'filled']);
        // Reserved to the digit: nothing is left to release, and nothing was taken beyond it.
        expect(effects).toEqual([
          { kind: 'book', fill: venueFill, late: false, beyondReservation: 0n },
        ]);
        expect(venueFillEntries('agent', venueFill)).toEqual(fillEntries('agent', fill));
        samePosition(fill, venueFill);
      }),
    );
  });

  function samePosition(fill: FillDraft, venueFill: VenueFill): void {
    if (fill.side === 'buy') {
      expect(positionAfter(null, venueFill, money('1')).after).toEqual(
        applyBuy(null, fill, money('1')),
      );
      return;
    }
    const held = {
      quantity: (fill.quantity + 5n) as Fixed,
      cost: money('77'),
      stopPrice: money('1'),
    };
    const paper = applySell(held, fill);
    const real = positionAfter(held, venueFill, null);
    expect(real.after).toEqual(paper.after);
    expect([real.realized, real.costBasis]).toEqual([paper.fill.realized, paper.fill.costBasis]);
    expect(subtract(held.quantity, fill.quantity)).toBe(real.after.quantity);
  }
});

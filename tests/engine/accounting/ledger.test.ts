/** The ledger balances to the last digit, whatever is traded. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { add, parseFixed, subtract, sum, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { paperFill } from '../../../engine/execution/fills.ts';
import {
  applyBuy,
  applySell,
  CASH,
  depositEntries,
  EXTERNAL,
  FEES,
  fillEntries,
  holdingBucket,
  markToMarket,
  sumsByAsset,
  VENUE,
} from '../../../engine/accounting/ledger.ts';
import type { LedgerEntry } from '../../../engine/accounting/ledger-entry.ts';
import type { OpenPosition, PositionAfter } from '../../../engine/execution/agent-types.ts';
import { NOON, quoteOf, rulesOf } from '../tape.ts';

const PAIR = 'ETH/USDT';
const depth = { candleVolume: 1e5, dayVolume: 1e5 * 288, dailyVolatility: 0.04 };

describe('entries', () => {
  it('of a deposit stand against the outside', () => {
    expect(depositEntries('USDT', parseFixed('10000'))).toEqual([
      { bucket: CASH, asset: 'USDT', amount: parseFixed('10000') },
      { bucket: EXTERNAL, asset: 'USDT', amount: parseFixed('-10000') },
    ]);
    for (const amount of [ZERO, parseFixed('-1')])
      expect(() => depositEntries('USDT', amount)).toThrow('A deposit must be positive');
  });

  it('are kept under names that do not change: ledgers were written with them', () => {
    expect([CASH, EXTERNAL, FEES, VENUE, holdingBucket('a1', PAIR)]).toEqual([
      'cash',
      'external',
      'fees',
      'venue',
      'holding:a1:ETH/USDT',
    ]);
  });

  it('leave out what is zero', () => {
    const free = {
      pair: PAIR,
      side: 'buy',
      quantity: parseFixed('2'),
      notional: parseFixed('200'),
      fee: ZERO,
    } as const;
    expect(fillEntries('a1', free).map(({ bucket }) => bucket)).not.toContain(FEES);
    expect(fillEntries('a1', free)).toHaveLength(4);
  });

  it('of a buy and a sell name cash, fees, venue and holding', () => {
    const buy = paperFill({
      side: 'buy',
      wanted: parseFixed('2'),
      quantity: parseFixed('2'),
      quote: quoteOf(PAIR, '99', '100'),
      rules: rulesOf(PAIR),
      depth: { ...depth, dailyVolatility: 0 },
      reason: 'entered',
    });
    expect(fillEntries('a1', buy)).toEqual([
      { bucket: CASH, asset: 'USDT', amount: parseFixed('-200.2') },
      { bucket: FEES, asset: 'USDT', amount: parseFixed('0.2') },
      { bucket: VENUE, asset: 'USDT', amount: parseFixed('200') },
      { bucket: holdingBucket('a1', PAIR), asset: 'ETH', amount: parseFixed('2') },
      { bucket: VENUE, asset: 'ETH', amount: parseFixed('-2') },
    ]);
  });

  it('sum to zero per asset over any trading, cost is never negative, and rounding makes or loses nothing', () => {
    const step = fc.record({
      buy: fc.boolean(),
      share: fc.integer({ min: 1, max: 100 }),
      fee: fc.double({ min: 0, max: 200, noNaN: true }),
      price: fc.bigInt({ min: 1n, max: 10n ** 17n }),
      quantity: fc.bigInt({ min: 1n, max: 10n ** 15n }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const entries: LedgerEntry[] = depositEntries('USDT', parseFixed('1000000'));
        let held: PositionAfter | null = null;
        let realized = ZERO;
        for (const { buy, share, fee, price, quantity } of steps) {
          const quote = {
            pair: PAIR,
            at: NOON,
            last: price as Fixed,
            bid: price as Fixed,
            ask: price as Fixed,
          };
          const rules = rulesOf(PAIR, { feeBps: fee });
          const size: Fixed =
            buy || held === null
              ? (quantity as Fixed)
              : (((held.quantity * BigInt(share) + 99n) / 100n) as Fixed);
          const fill = paperFill({
            side: buy || held === null ? 'buy' : 'sell',
            wanted: size,
            quantity: size,
            quote,
            rules,
            depth,
            reason: 'test',
          });
          const before: PositionAfter | null = held;
          if (fill.side === 'buy') held = applyBuy(before, fill, null);
          else if (before !== null) {
            const sold = applySell(before, fill);
            realized = add(realized, sold.fill.realized ?? ZERO);
            held = sold.after.quantity === 0n ? null : sold.after;
            if (sold.after.quantity === 0n && sold.after.cost !== 0n) return false;
          }
          const booked = fillEntries('a1', fill);
          if ([...sumsByAsset(booked).values()].some((total) => total !== 0n)) return false;
          entries.push(...booked);
          if (held !== null && (held.cost < 0n || held.quantity < 0n)) return false;
        }
        const balance = (bucket: string, asset: string) =>
          sum(
            entries
              .filter((entry) => entry.bucket === bucket && entry.asset === asset)
              .map((entry) => entry.amount),
          );
        // Cash is what came in, plus what was realised, less what is still tied up in the position.
        const cash = subtract(add(parseFixed('1000000'), realized), held?.cost ?? ZERO);
        return (
          balance(CASH, 'USDT') === cash &&
          balance(holdingBucket('a1', PAIR), 'ETH') === (held?.quantity ?? ZERO) &&
          [...sumsByAsset(entries).values()].every((total) => total === 0n)
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('average cost', () => {
  it('takes its share of the cost with every part sold, and the rest with the last', () => {
    const quote = quoteOf(PAIR, '110', '110');
    const rules = rulesOf(PAIR, { feeBps: 0 });
    const sell = (held: PositionAfter, quantity: string) =>
      applySell(
        held,
        paperFill({
          side: 'sell',
          wanted: parseFixed(quantity),
          quantity: parseFixed(quantity),
          quote,
          rules,
          depth: { ...depth, dailyVolatility: 0 },
          reason: 'test',
        }),
      );
    const first = sell(
      {
        pair: PAIR,
        quantity: parseFixed('3'),
        cost: parseFixed('100'),
        stopPrice: parseFixed('90'),
      },
      '1',
    );
    expect(first.fill).toMatchObject({
      costBasis: parseFixed('33.333333333333'),
      realized: parseFixed('76.666666666667'),
    });
    expect(first.after).toMatchObject({
      quantity: parseFixed('2'),
      cost: parseFixed('66.666666666667'),
      stopPrice: parseFixed('90'),
    });
    expect(sell(first.after, '2').after).toMatchObject({
      quantity: 0n,
      cost: 0n,
      stopPrice: null,
    });
    expect(() => sell(first.after, '2.1')).toThrow(new RangeError('Cannot sell more than is held'));
  });
});

describe('marking to market', () => {
  it('values at the bid, at cost where there is no price, and adds up to the last digit', () => {
    const positions: OpenPosition[] = [
      {
        id: '1',
        pair: PAIR,
        quantity: parseFixed('0.333'),
        cost: parseFixed('30'),
        stopPrice: null,
        openedAt: 0,
      },
      {
        id: '2',
        pair: 'XYZ/USDT',
        quantity: parseFixed('7'),
        cost: parseFixed('70'),
        stopPrice: null,
        openedAt: 0,
      },
    ];
    const marked = markToMarket(
      parseFixed('900'),
      positions,
      new Map([[PAIR, quoteOf(PAIR, '99.999999999999', '101')]]),
    );
    expect(marked.equity).toBe(add(marked.cash, marked.positionsValue));
    expect(marked.positionsValue).toBe(sum(marked.marks.map((mark) => mark.value)));
    expect(marked.marks[0]?.value).toBe(parseFixed('33.299999999999'));
    expect(marked.marks[1]).toMatchObject({
      value: parseFixed('70'),
      unrealized: 0n,
      priced: false,
    });
    expect(marked.unpriced).toEqual(['XYZ/USDT']);
  });
});

/** What a paper order pays. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { formatFixed, multiply, parseFixed, subtract, toNumber } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import {
  impact,
  paperFill,
  priceFromNumber,
  quoteAround,
  roundTripCost,
  RULE_VERSION,
} from '../../../engine/execution/fills.ts';
import {
  exitTrade,
  stopHit,
  stopPriceFor,
  stopQuoteInCandle,
} from '../../../engine/execution/stops.ts';
import { NOON, quoteOf, rulesOf } from '../tape.ts';

const rules = rulesOf('ETH/USDT', { feeBps: 10 });
const quote = quoteOf('ETH/USDT', '99', '101');
const still = { candleVolume: 1e4, dayVolume: 1e6, dailyVolatility: 0 };
const fillOf = (side: 'buy' | 'sell', quantity: string, depth = still) =>
  paperFill({
    side,
    wanted: parseFixed(quantity),
    quantity: parseFixed(quantity),
    quote,
    rules,
    depth,
    reason: 'test',
  });

describe('a paper fill', () => {
  it('buys at the ask and sells at the bid, with the taker fee, against the mid', () => {
    expect(fillOf('buy', '2')).toMatchObject({
      price: parseFixed('101'),
      notional: parseFixed('202'),
      fee: parseFixed('0.202'),
      slippageBps: parseFixed('100'),
    });
    expect(fillOf('sell', '2')).toMatchObject({
      price: parseFixed('99'),
      notional: parseFixed('198'),
      fee: parseFixed('0.198'),
      slippageBps: parseFixed('100'),
    });
  });

  it('adds impact of σ·√(Q/V) over a day, whatever was traded in the newest candle', () => {
    const daily = { candleVolume: 30, dayVolume: 10_000, dailyVolatility: 0.04 };
    expect(impact(parseFixed('100'), daily)).toBeCloseTo(0.004, 12);
    expect(impact(parseFixed('100'), { ...daily, candleVolume: 0 })).toBeCloseTo(0.004, 12);
    expect(impact(parseFixed('100'), { ...daily, candleVolume: 9_000 })).toBeCloseTo(0.004, 12);
    expect(toNumber(fillOf('buy', '100', daily).price)).toBeCloseTo(101 * 1.004, 9);
    expect(toNumber(fillOf('sell', '100', daily).price)).toBeCloseTo(99 * 0.996, 9);
  });

  it('costs at most five percent of impact, also where nothing was traded', () => {
    expect(impact(parseFixed('1'), { ...still, dayVolume: 0 })).toBe(0.05);
    expect(
      impact(parseFixed('1000000000'), { candleVolume: 1, dayVolume: 288, dailyVolatility: 1 }),
    ).toBe(0.05);
    expect(impact(parseFixed('1'), { ...still, dayVolume: Number.NaN })).toBe(0.05);
  });

  it('freezes quote, fee rate, rule version and what was wanted', () => {
    expect(fillOf('buy', '1')).toMatchObject({
      quoteBid: quote.bid,
      quoteAsk: quote.ask,
      feeBps: parseFixed('10'),
      ruleVersion: RULE_VERSION,
      wanted: parseFixed('1'),
      filledAt: NOON,
      realized: null,
    });
  });

  it('rounds every digit against the trader', () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 16n }).map((value) => value as Fixed);
    fc.assert(
      fc.property(
        positive,
        positive,
        fc.constantFrom('buy' as const, 'sell' as const),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (quantity, price, side, dailyVolatility) => {
          const at = { pair: 'ETH/USDT', at: NOON, last: price, bid: price, ask: price };
          const fill = paperFill({
            side,
            wanted: quantity,
            quantity,
            quote: at,
            rules,
            depth: { ...still, dailyVolatility },
            reason: 'test',
          });
          const worse = side === 'buy' ? fill.price >= price : fill.price <= price;
          const notional =
            side === 'buy'
              ? fill.notional * 10n ** 12n >= quantity * fill.price
              : fill.notional * 10n ** 12n <= quantity * fill.price;
          return (
            worse && notional && fill.fee * 10_000n >= fill.notional * 10n && fill.slippageBps >= 0n
          );
        },
      ),
    );
    expect(() => fillOf('buy', '0')).toThrow(RangeError);
  });

  it('takes recorded prices to twelve digits and puts the half-spread around them', () => {
    expect(formatFixed(priceFromNumber(43451.14))).toBe('43451.14');
    expect(formatFixed(priceFromNumber(0.00001234))).toBe('0.00001234');
    expect(quoteAround(rules, NOON, parseFixed('100'))).toMatchObject({
      bid: parseFixed('99.98'),
      ask: parseFixed('100.02'),
    });
  });

  it('knows what a round trip costs', () => {
    expect(roundTripCost(quote, rules, parseFixed('0'), still)).toBeCloseTo(0.002 + 0.02, 12);
  });
});

describe('stops', () => {
  const position = {
    id: 'p',
    pair: 'ETH/USDT',
    quantity: parseFixed('5'),
    cost: parseFixed('500'),
    stopPrice: parseFixed('92'),
    openedAt: 0,
  };
  const candle = (open: number, low: number) => ({
    time: NOON,
    open,
    high: open,
    low,
    close: low,
    volume: 10,
  });

  it('are hit when the bid comes down to them, and never without one', () => {
    expect(stopHit(position, { bid: parseFixed('92.01') })).toBe(false);
    expect(stopHit(position, { bid: parseFixed('92') })).toBe(true);
    expect(stopHit({ stopPrice: null }, { bid: parseFixed('1') })).toBe(false);
    expect(stopPriceFor(parseFixed('100'), 0.08)).toBe(parseFixed('92'));
  });

  it('within a candle sell at a quote as wide as any other', () => {
    const quoted = stopQuoteInCandle(position, candle(95, 91), rules);
    const { bid, ask, last } = quoteAround(rules, NOON, parseFixed('92'));
    expect(quoted?.bid).toBe(parseFixed('92'));
    expect(toNumber(subtract(quoted?.ask ?? ask, quoted?.bid ?? ask))).toBeCloseTo(
      toNumber(subtract(ask, bid)),
      4,
    );
    expect((quoted?.last ?? last) > parseFixed('92')).toBe(true);
    expect(toNumber(quoted?.last ?? last)).toBeCloseTo(92 / (1 - rules.halfSpreadBps / 10_000), 9);
  });

  it('sell everything, past participation and minimum notional, and settle the whole cost', () => {
    const { fill, after } = exitTrade(
      position,
      quoteOf('ETH/USDT', '1', '1.01'),
      rules,
      { candleVolume: 0, dayVolume: 0.3, dailyVolatility: null },
      'stop_loss',
    );
    expect(fill).toMatchObject({
      side: 'sell',
      quantity: position.quantity,
      costBasis: position.cost,
      reason: 'stop_loss',
    });
    expect(fill.realized).toBe(subtract(subtract(fill.notional, fill.fee), position.cost));
    expect(after).toMatchObject({ quantity: 0n, cost: 0n, stopPrice: null });
  });

  it('get the worse of open and stop inside a candle', () => {
    expect(stopQuoteInCandle(position, candle(95, 93), rules)).toBeNull();
    expect(stopQuoteInCandle(position, candle(95, 90), rules)?.bid).toBe(parseFixed('92'));
    const gap = stopQuoteInCandle(position, candle(80, 79), rules);
    expect(gap?.last).toBe(parseFixed('80'));
    expect(gap && gap.bid < multiply(parseFixed('80'), parseFixed('1'), 'down')).toBe(true);
  });
});

/** Every limit binds where it is the least, and no order exceeds any of them. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { add, formatFixed, parseFixed, toNumber } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { paperFill } from '../../../engine/execution/fills.ts';
import { RISK_PROFILES, riskValues } from '../../../engine/execution/risk-profiles.ts';
import {
  driftOf,
  noTradeBand,
  sizeBuy,
  sizeReduction,
  targetPosition,
} from '../../../engine/execution/sizing.ts';
import { quoteOf, rulesOf } from '../tape.ts';

const amount = parseFixed;
const target = (more: Partial<Parameters<typeof targetPosition>[0]> = {}) =>
  targetPosition({
    equity: amount('10000'),
    risk: RISK_PROFILES.Aggressive,
    maxPositionSize: amount('1000000'),
    strength: 1,
    dailyVolatility: 0.01,
    share: 1,
    ...more,
  });
const quote = quoteOf('ETH/USDT', '99.9', '100');
const order = (more: Partial<Parameters<typeof sizeBuy>[0]> = {}) =>
  sizeBuy({
    wanted: amount('1000'),
    freeCash: amount('100000'),
    maxTradeAmount: amount('100000'),
    quote,
    rules: rulesOf('ETH/USDT'),
    depth: { candleVolume: 1e6, dayVolume: 1e6 * 288, dailyVolatility: 0.04 },
    ...more,
  });

describe('the position to hold', () => {
  it('is bound by each limit in its turn', () => {
    const loose = { ...RISK_PROFILES.Aggressive, riskPerTrade: 1 };
    expect(target({ risk: loose })).toEqual({ amount: amount('2000'), limit: 'position' });
    expect(target()).toEqual({ amount: amount('1250'), limit: 'risk' });
    expect(target({ maxPositionSize: amount('300') })).toEqual({
      amount: amount('300'),
      limit: 'max_position_size',
    });
    const volatile = target({ dailyVolatility: 0.1, strength: 0.5 });
    expect(volatile.limit).toBe('volatility');
    expect(toNumber(volatile.amount)).toBeCloseTo(
      (10_000 * 0.35 * 0.5) / (0.1 * Math.sqrt(365)),
      6,
    );
  });

  it('shares out risk between strategies, but not the cap in money', () => {
    expect(target({ share: 0.25 }).amount).toBe(amount('312.5'));
    expect(target({ share: 0.25, maxPositionSize: amount('300') }).amount).toBe(amount('300'));
    expect(target({ share: 0 }).amount).toBe(0n);
  });

  it('is nothing without strength, and survives a volatility of next to nothing', () => {
    expect(target({ strength: 0 }).amount).toBe(0n);
    expect(target({ dailyVolatility: 1e-300 }).limit).toBe('risk');
  });

  it("follows the table of profiles, and the user's own values over it", () => {
    expect(RISK_PROFILES.Conservative).toMatchObject({
      threshold: 0.7,
      maxPosition: 0.05,
      stopLoss: 0.03,
      riskPerTrade: 0.0025,
      volatilityTarget: 0.1,
      dayLossHalt: 0.02,
      drawdownHalt: 0.1,
    });
    expect(RISK_PROFILES.Moderate).toMatchObject({
      threshold: 0.55,
      maxPosition: 0.1,
      stopLoss: 0.05,
      riskPerTrade: 0.005,
      volatilityTarget: 0.2,
      dayLossHalt: 0.04,
      drawdownHalt: 0.2,
    });
    expect(
      riskValues('Moderate', {
        maxPositionPercentage: 12,
        confidenceThreshold: 0.3,
        stopLossPercentage: 2,
      }),
    ).toEqual({ ...RISK_PROFILES.Moderate, threshold: 0.3, maxPosition: 0.12, stopLoss: 0.02 });
    expect(riskValues('Aggressive')).toEqual(RISK_PROFILES.Aggressive);
  });
});

describe('a buy order', () => {
  it('is cut to the single trade, the volume and the cash, down to the lot, and says which', () => {
    expect(order()).toMatchObject({
      ok: true,
      wanted: amount('10'),
      quantity: amount('9.999'),
      limit: null,
    });
    expect(order({ maxTradeAmount: amount('250') })).toMatchObject({
      ok: true,
      limit: 'max_trade_amount',
    });
    const thin = order({
      depth: { candleVolume: 123.456, dayVolume: 123.456 * 288, dailyVolatility: 0.04 },
    });
    expect(thin).toMatchObject({
      ok: true,
      wanted: amount('10'),
      quantity: amount('1.234'),
      limit: 'participation',
    });
    expect(order({ freeCash: amount('500') })).toMatchObject({ ok: true, limit: 'cash' });
  });

  it('is skipped under the minimum notional, with the reason', () => {
    expect(order({ wanted: amount('9.99') })).toMatchObject({ ok: false, reason: 'below_minimum' });
    expect(order({ freeCash: amount('5') })).toMatchObject({ ok: false, reason: 'no_cash' });
    expect(order({ freeCash: amount('-5') })).toMatchObject({ ok: false, reason: 'no_cash' });
    expect(
      order({ depth: { candleVolume: 0, dayVolume: 1e6, dailyVolatility: 0.04 } }),
    ).toMatchObject({ ok: false, reason: 'no_volume' });
  });

  it('never costs more than the cash there is, fee, spread and impact included, and never passes what was wanted', () => {
    const money = fc.bigInt({ min: 10n ** 10n, max: 10n ** 17n }).map((value) => value as Fixed);
    fc.assert(
      fc.property(
        money,
        money,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (freeCash, wanted, candleVolume, feeBps) => {
          const rules = rulesOf('ETH/USDT', { feeBps });
          const depth = { candleVolume, dayVolume: candleVolume * 288, dailyVolatility: 0.04 };
          const sized = sizeBuy({
            wanted,
            freeCash,
            maxTradeAmount: amount('1000000'),
            quote,
            rules,
            depth,
          });
          if (!sized.ok) return true;
          const fill = paperFill({
            side: 'buy',
            wanted: sized.wanted,
            quantity: sized.quantity,
            quote,
            rules,
            depth,
            reason: 'entered',
          });
          return (
            add(fill.notional, fill.fee) <= freeCash &&
            sized.quantity % rules.lot === 0n &&
            toNumber(sized.quantity) <= candleVolume * 0.01 + 1e-9 &&
            fill.notional <= wanted &&
            fill.notional >= rules.minNotional
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('rebalancing', () => {
  it('sells down to the lot, or everything where the rest could not be sold later', () => {
    const rules = rulesOf('ETH/USDT');
    expect(formatFixed(sizeReduction(amount('10'), amount('333.33'), quote, rules))).toBe('3.336');
    expect(sizeReduction(amount('10'), amount('995'), quote, rules)).toBe(amount('10'));
  });

  it("sells no part under the venue's minimum, and all of a holding however small", () => {
    const rules = rulesOf('ETH/USDT', { minNotional: amount('5') });
    expect(formatFixed(sizeReduction(amount('0.535'), amount('3.5'), quote, rules))).toBe('0');
    expect(formatFixed(sizeReduction(amount('0.535'), amount('5.2'), quote, rules))).toBe('0.052');
    expect(formatFixed(sizeReduction(amount('0.04'), amount('1'), quote, rules))).toBe('0.04');
  });

  it('measures drift in shares of a full position, and leaves dear pairs alone for longer', () => {
    expect(driftOf(amount('250'), amount('0'), amount('1000'))).toBeCloseTo(0.25, 12);
    expect(driftOf(amount('0'), amount('10'), amount('0'))).toBe(-1);
    expect(noTradeBand(0.0026)).toBeCloseTo(Math.cbrt(0.0039), 12);
    expect(noTradeBand(0.01)).toBeGreaterThan(noTradeBand(0.001));
  });
});

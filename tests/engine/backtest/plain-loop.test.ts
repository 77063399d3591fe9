/** The backtest with its fast path gives the same result as a plain loop that skips nothing. */
import { describe, expect, it } from 'vitest';
import {
  ExecutionInterval,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../../../contract/agents.ts';
import { parseFixed } from '../../../contract/money.ts';
import { backtest, type BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import fc from '../../support/property.ts';
import { FIVE_MINUTES } from '../tape.ts';
import { plainBacktest } from './plain-loop.ts';
import { inputOf } from './random-input.ts';

const RUNS = Number(process.env.BACKTESTS ?? 12);

const weathers = fc.record({
  days: fc.constantFrom(40, 95),
  seed: fc.nat(1_000_000),
  swing: fc.constantFrom(0.002, 0.01, 0.03),
  crashes: fc.boolean(),
  gaps: fc.boolean(),
  thin: fc.boolean(),
  pegged: fc.constant(false),
  together: fc.boolean(),
});
const agents = fc.record({
  pool: fc.constantFrom(...PoolId.options),
  profile: fc.constantFrom(...RiskProfile.options),
  interval: fc.constantFrom(...ExecutionInterval.options),
  frequency: fc.constantFrom(...TradingFrequency.options),
});
const moneys = fc.record({
  deposit: fc.constantFrom('10000', '250'),
  cap: fc.constantFrom('1000000', '400'),
  trade: fc.constantFrom('1000000', '150'),
  feeBps: fc.constantFrom(0, 10),
});

/** Compares both backtests in full. */
function both(input: BacktestInput): number {
  const plain = plainBacktest(input);
  const { curve, ...fast } = backtest(input);
  expect({ ...fast, worth: curve.all() }).toEqual(plain);
  return plain.trades.length;
}

/**
 * A gap through a tight stop while the size stays close to its target: sold by the evaluation, not
 * inside the candle.
 */
const GAPS = {
  days: 40,
  seed: 0,
  swing: 0.002,
  crashes: false,
  gaps: true,
  thin: false,
  pegged: false,
};

describe('the fast path', () => {
  it('agrees with the plain loop on trades, decisions, reasons, equity and metrics', () => {
    let trades = 0;
    fc.assert(
      fc.property(
        weathers,
        agents,
        moneys,
        fc.integer({ min: 30, max: 90 }),
        (weather, agent, money, hours) => {
          trades += both(
            inputOf(
              { ...weather, pegged: agent.pool === 'stablecoin_arbitrage' },
              agent,
              hours,
              money,
            ),
          );
        },
      ),
      { numRuns: RUNS },
    );
    expect(trades).toBeGreaterThan(RUNS);
  });

  it.each(['base_ecosystem', 'momentum_24h'] as const)(
    'agrees where pairs are correlated and may not all be held: %s',
    (pool) => {
      let [shut, trades] = [0, 0];
      for (let seed = 1; seed <= 6; seed += 1) {
        const agent = {
          pool,
          profile: 'Moderate',
          interval: '5-minute',
          frequency: seed % 2 === 0 ? 'optimized' : 'high',
        } as const;
        const input = inputOf(
          {
            days: 40,
            seed,
            swing: 0.01,
            crashes: seed > 3,
            gaps: seed > 4,
            thin: false,
            pegged: false,
            together: true,
          },
          agent,
          100,
          { deposit: '10000', cap: '1000000', trade: '1000000', feeBps: 10 },
        );
        trades += both(input);
        shut += backtest(input).reasons.get('correlated_exposure') ?? 0;
      }
      expect(trades).toBeGreaterThan(5);
      expect(shut).toBeGreaterThan(100);
    },
  );

  it("agrees where holdings are so small that a reduction is under the venue's minimum", () => {
    let [kept, trades] = [0, 0];
    for (const [place, pool] of PoolId.options.entries()) {
      const pegged = pool === 'stablecoin_arbitrage';
      const input = inputOf(
        { ...GAPS, days: 95, seed: place + 1, swing: 0.01, pegged },
        { pool, profile: 'Aggressive', interval: '5-minute', frequency: 'high' },
        72,
        { deposit: '10000', cap: place % 2 === 0 ? '60' : '150', trade: '1000000', feeBps: 10 },
      );
      trades += both(input);
      const { reasons, trades: made } = backtest(input);
      kept += reasons.get('too_little_to_sell') ?? 0;
      for (const { notional, reason } of made)
        if (reason === 'reduced') expect(notional).toBeGreaterThan(parseFixed('9'));
    }
    expect(trades).toBeGreaterThan(5);
    expect(kept).toBeGreaterThan(50);
  });

  it('agrees where a pair has no price at a rebalance moment, which it makes up', () => {
    let madeUp = 0;
    for (const [place, frequency] of (['daily', 'weekly', 'daily', 'weekly'] as const).entries()) {
      const input = inputOf(
        { ...GAPS, gaps: false, seed: place + 1, swing: 0.01 },
        {
          pool: place < 2 ? 'base_ecosystem' : 'momentum_24h',
          profile: 'Aggressive',
          interval: '5-minute',
          frequency,
        },
        72,
        { deposit: '10000', cap: '1000000', trade: '1000000', feeBps: 10 },
      );
      const isSilent = (time: number): boolean => time % DAY_MS < 2 * FIVE_MINUTES;
      const silent = new Map(
        [...input.candles].map(([pair, candles]) => [
          pair,
          // Somebody trades, so that there is an evaluation.
          pair === 'USDC/USDT'
            ? candles
            : candles.filter(({ time }) => time < input.from || !isSilent(time)),
        ]),
      );
      const sparse = { ...input, candles: silent };
      both(sparse);
      // It comes to the size of an order only where the moment is made up: in the candles without a
      // price nobody traded.
      madeUp += backtest(sparse).reasons.get('no_volume') ?? 0;
    }
    expect(madeUp).toBeGreaterThan(0);
  });

  it.each(PoolId.options)('agrees on a tape where %s trades', (pool) => {
    const pegged = pool === 'stablecoin_arbitrage';
    const agent = {
      pool,
      profile: 'Aggressive',
      interval: '5-minute',
      frequency: 'optimized',
    } as const;
    expect(
      both(
        inputOf(
          { days: 95, seed: 5, swing: 0.01, crashes: true, gaps: true, thin: false, pegged },
          agent,
          120,
          { deposit: '10000', cap: '1000000', trade: '1000000', feeBps: pegged ? 0 : 10 },
        ),
      ),
    ).toBeGreaterThan(2);
  });

  it('sees a gap through a stop before the size is off target', () => {
    let stops = 0;
    for (let seed = 1; seed <= 6; seed += 1) {
      const input = inputOf(
        { ...GAPS, seed },
        {
          pool: 'base_ecosystem',
          profile: 'Conservative',
          interval: '5-minute',
          frequency: 'high',
        },
        72,
        { deposit: '10000', cap: '1000000', trade: '1000000', feeBps: 10 },
      );
      const tight = {
        ...input,
        agent: {
          ...input.agent,
          risk: { ...input.agent.risk, threshold: 0.1, stopLoss: 0.015, volatilityTarget: 9 },
        },
      };
      both(tight);
      stops += backtest(tight).acted.filter(
        ({ decision }) => decision.reason === 'stop_loss',
      ).length;
    }
    expect(stops).toBeGreaterThan(0);
  });
});

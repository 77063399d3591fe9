/**
 * The backtest that skips what cannot change anything makes the same journal as the loop that skips
 * nothing.
 */
import { describe, expect, it } from 'vitest';
import {
  ExecutionInterval,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../../../contract/agents.ts';
import { parseFixed } from '../../../contract/money.ts';
import { backtest, type BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import type { Candle } from '../../../engine/market-types.ts';
import fc from '../../support/property.ts';
import { plainBacktest } from './plain-loop.ts';
import { FIVE_MINUTES, MONDAY, rulesOf } from '../tape.ts';

const RUNS = Number(process.env.BACKTESTS ?? 20);

/** Numbers between 0 and 1 from a seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Weather {
  days: number;
  seed: number;
  swing: number;
  crashes: boolean;
  gaps: boolean;
  thin: boolean;
  pegged: boolean;
  together?: boolean;
}

/**
 * Hourly history and finer candles after it, with trends, crashes, missing candles and hours
 * without any trade.
 */
function tape(
  { crashes, days, gaps, pegged, seed, swing, thin, together }: Weather,
  index: number,
  from: number,
  to: number,
  length: number,
): Candle[] {
  const next = random(seed * 7919 + index * 104_729 + 1);
  // Pairs that move together have their moves from one source, and all else from their own.
  const move = together === true ? random(seed + 13) : next;
  const candles: Candle[] = [];
  let price = pegged ? 1 : ([0.02, 3, 120, 40_000][index % 4] ?? 1);
  let trend = 0;
  for (
    let time = from - days * DAY_MS;
    time < to;
    time += time < from - 2 * DAY_MS ? HOUR_MS : length
  ) {
    if (move() < 0.01) trend = (move() - 0.5) * swing * 0.4;
    const open =
      price * (gaps && next() < 0.004 ? 1 + (next() - 0.5) * (next() < 0.5 ? 0.3 : 0.09) : 1);
    const crash = crashes && move() < 0.001 ? 0.8 : 1;
    const pull = pegged ? (1 - open) * 0.1 : 0;
    const close =
      open * crash * (1 + pull + (pegged ? 0 : trend) + (move() - 0.5) * (pegged ? 0.006 : swing));
    price = close;
    const kept = !(gaps && next() < 0.03);
    if (kept)
      candles.push({
        time,
        open: Number(open.toPrecision(9)),
        high: Math.max(open, close) * (1 + next() * swing),
        low: Math.min(open, close) * (1 - next() * swing),
        close: Number(close.toPrecision(9)),
        volume: thin && next() < 0.3 ? 0 : (20_000 * next()) / price,
      });
  }
  return candles;
}

function inputOf(
  weather: Weather,
  agent: Pick<BacktestInput['agent'], 'pool' | 'profile' | 'interval' | 'frequency'>,
  hours: number,
  money: { deposit: string; cap: string; trade: string; feeBps: number },
): BacktestInput {
  const from = MONDAY - 13 * HOUR_MS;
  const length = agent.interval === 'daily' ? HOUR_MS : FIVE_MINUTES;
  const to = from + hours * HOUR_MS * (agent.interval === 'daily' ? 12 : 1);
  const pairs = weather.pegged
    ? ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT']
    : ['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'USDC/USDT'];
  return {
    agent: {
      ...agent,
      risk: riskValues(agent.profile),
      pairs: [...pairs, 'NONE/USDT'],
      maxPositionSize: parseFixed(money.cap),
    },
    candles: new Map(
      pairs.map((pair, index) => [
        pair,
        tape(
          { ...weather, pegged: weather.pegged || pair.startsWith('USDC') },
          index,
          from,
          to,
          length,
        ),
      ]),
    ),
    rules: new Map(pairs.map((pair) => [pair, rulesOf(pair, { feeBps: money.feeBps })])),
    deposit: parseFixed(money.deposit),
    maxTradeAmount: parseFixed(money.trade),
    from,
    to,
  };
}

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

/** Both ways, all that a test finds. */
function both(input: BacktestInput): number {
  const plain = plainBacktest(input);
  const { curve, ...fast } = backtest(input);
  expect({ ...fast, worth: curve.all() }).toEqual(plain);
  return plain.trades.length;
}

/**
 * A gap through a tight stop while the size stays close to its target: sold by the look, not by the
 * candle.
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

describe('a backtest that skips what cannot change anything', () => {
  it('finds what the loop that looks at everything finds: trades, decisions, reasons, equity, measures', () => {
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
    'does so where pairs move together and may not all be held: %s',
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

  it.each(PoolId.options)('does so with %s, which trades here', (pool) => {
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

  it('sees a gap through a stop that is nearer than the edge of the size', () => {
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

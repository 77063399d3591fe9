/**
 * Bad data and the worst of real markets in a backtest: no entry on bad data, exits executed, every
 * refusal explained.
 */
import { describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import {
  backtest,
  type BacktestInput,
  type BacktestResult,
} from '../../../engine/backtest/run-backtest.ts';
import {
  CandleGate,
  faultOf,
  faultsText,
  type CandleFault,
} from '../../../engine/signals/candle-gate.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import type { Candle } from '../../../engine/market-types.ts';
import fc from '../../support/property.ts';
import { ruleFor, STEP_MS, TAPE_START, TapeMarket } from '../../support/tape-market.ts';

const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
const FROM = TAPE_START + 36 * DAY_MS;
const CANDLES = 800;
const made = new TapeMarket({ pairs: PAIRS, candles: CANDLES }).tape;
const fresh = (): Map<string, Candle[]> =>
  new Map([...made].map(([pair, list]) => [pair, list.map((candle) => ({ ...candle }))]));
const indexOf = (n: number): number => 36 * 288 + n;
const at = (n: number): number => FROM + n * STEP_MS;

function run(
  candles: ReadonlyMap<string, readonly Candle[]>,
  more: Partial<BacktestInput> = {},
): BacktestResult {
  return backtest({
    agent: {
      pool: 'momentum_24h',
      profile: 'Aggressive',
      risk: riskValues('Aggressive'),
      pairs: PAIRS,
      maxPositionSize: parseFixed('5000'),
      interval: '5-minute',
      frequency: 'high',
    },
    candles,
    rules: new Map(PAIRS.map((pair) => [pair, ruleFor(pair)])),
    deposit: parseFixed('10000'),
    maxTradeAmount: parseFixed('1000000'),
    from: FROM,
    to: at(CANDLES),
    ...more,
  });
}
const journal = ({ trades, acted, reasons, finalEquity }: BacktestResult) => ({
  trades,
  acted,
  reasons: Object.fromEntries(reasons),
  finalEquity,
});
const buys = (result: BacktestResult, pair?: string) =>
  result.trades.filter((fill) => fill.side === 'buy' && (pair === undefined || fill.pair === pair));
const sells = (result: BacktestResult, pair?: string) =>
  result.trades.filter(
    (fill) => fill.side === 'sell' && (pair === undefined || fill.pair === pair),
  );
const clean = run(made);

/** Invalid candles: by their own values, or by their place. */
const SPOILT: Record<string, (candle: Candle, before: Candle) => Candle> = {
  negative: (candle) => ({ ...candle, low: -1, close: -candle.close }),
  zero: (candle) => ({ ...candle, low: 0, close: 0 }),
  'high under low': (candle) => ({ ...candle, high: candle.low, low: candle.high }),
  'close above high': (candle) => ({ ...candle, close: candle.high * 1.01 }),
  'not a number': (candle) => ({ ...candle, close: Number.NaN }),
  endless: (candle) => ({ ...candle, high: Number.POSITIVE_INFINITY }),
  'negative volume': (candle) => ({ ...candle, volume: -5 }),
  'absurd volume': (candle) => ({ ...candle, volume: 1e300 }),
  'hundred times': (candle) => ({ ...candle, high: candle.high * 100, close: candle.close * 100 }),
  'a hundredth': (candle) => ({ ...candle, low: candle.low / 100, close: candle.close / 100 }),
  doubled: (candle, before) => ({ ...candle, time: before.time }),
  late: (candle) => ({ ...candle, time: candle.time - 7 * STEP_MS }),
};

describe('candles that are none', () => {
  it.each(Object.keys(SPOILT))(
    '%s: the journal is that of a tape without them, and nothing is bought on them',
    (kind) => {
      const [spoilt, without] = [fresh(), fresh()];
      const bad = [3, 40, 44, 48, 160, 320];
      for (const pair of PAIRS.slice(0, 2)) {
        const list = spoilt.get(pair) ?? [];
        for (const n of bad)
          list[indexOf(n)] = (SPOILT[kind] ?? ((one) => one))(
            list[indexOf(n)] as Candle,
            made.get(pair)?.[indexOf(n) - 1] as Candle,
          );
        without.set(
          pair,
          (without.get(pair) ?? []).filter((_, i) => !bad.includes(i - indexOf(0))),
        );
      }
      const result = run(spoilt);
      expect(journal(result)).toEqual(journal(run(without)));
      expect(buys(result).length).toBeGreaterThan(0);
      for (const { pair, filledAt } of result.trades)
        if (pair !== 'SOL/USDT') expect(bad.map(at)).not.toContain(filledAt);
    },
  );

  it('any of them anywhere, many at once: as if they were not there', () => {
    const hits = fc.array(
      fc.record({
        n: fc.integer({ min: -400, max: CANDLES - 1 }),
        pair: fc.constantFrom(...PAIRS),
        kind: fc.constantFrom(...Object.keys(SPOILT)),
      }),
      { minLength: 1, maxLength: 25 },
    );
    fc.assert(
      fc.property(hits, (list) => {
        const [spoilt, without] = [fresh(), fresh()];
        for (const pair of PAIRS) {
          const mine = new Map(
            list.filter((hit) => hit.pair === pair).map((hit) => [indexOf(hit.n), hit.kind]),
          );
          const candles = spoilt.get(pair) ?? [];
          for (const [i, kind] of mine)
            candles[i] = (SPOILT[kind] ?? ((one) => one))(
              made.get(pair)?.[i] as Candle,
              made.get(pair)?.[i - 1] as Candle,
            );
          const gate = new CandleGate();
          // A late row may fill the place of a missing one: then it is an ordinary candle of that
          // moment.
          const kept = candles.filter((candle) => gate.judge(candle) === null);
          without.set(pair, kept);
          expect(kept.every((candle) => faultOf(candle) === null)).toBe(true);
        }
        expect(journal(run(spoilt))).toEqual(journal(run(without)));
      }),
      { numRuns: 10 },
    );
  });

  it('says of each what is wrong, and judges by what came before alone', () => {
    const list = (made.get('BTC/USDT') ?? []).slice(0, 400);
    const counts = new Map<CandleFault, number>();
    Object.values(SPOILT).forEach((spoil, i) => {
      list[100 + i * 20] = spoil(list[100 + i * 20] as Candle, list[99 + i * 20] as Candle);
    });
    const whole: (CandleFault | null)[] = [];
    const gate = new CandleGate();
    for (const candle of list) {
      const fault = gate.judge(candle);
      whole.push(fault);
      if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
    expect(faultsText(counts)).toBe(
      '3 zero or negative, 2 high under low, or open or close outside them, 2 not a number, 2 ten times or a tenth of the price before, and back, 2 doubled or out of order, 1 a volume that nobody trades',
    );
    for (const cut of [101, 181, 260, 341]) {
      const again = new CandleGate();
      expect(list.slice(0, cut).map((candle) => again.judge(candle))).toEqual(whole.slice(0, cut));
    }
  });

  it('takes a price that stays at ten times for what it is, after five in a row', () => {
    const gate = new CandleGate();
    const candle = (n: number, price: number): Candle => ({
      time: n,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: 1,
    });
    expect(
      [1, 1, 12, 12.1, 11.9, 12, 12.2, 12].map((price, n) => gate.judge(candle(n, price))),
    ).toEqual([null, null, 'jump', 'jump', 'jump', 'jump', null, null]);
  });

  it('takes a collapse for what it is that goes on falling, and a wrong price that goes back for none', () => {
    const judged = (prices: readonly number[]) => {
      const gate = new CandleGate();
      return prices.map((price, n) =>
        gate.judge({
          ...{ time: n, open: price, high: price, low: price, close: price },
          volume: 1,
        }),
      );
    };
    expect(judged([1.07, 0.05, 0.03, 0.02, 0.015, 0.01, 0.012])).toEqual([
      null,
      'jump',
      'jump',
      'jump',
      'jump',
      null,
      null,
    ]);
    expect(judged([1, 0.05, 0.03, 0.02, 0.015, 1.01, 1])).toEqual([
      null,
      'jump',
      'jump',
      'jump',
      'jump',
      null,
      null,
    ]);
  });
});

describe('a price that a market might send', () => {
  it('five times the last for one candle: nothing is bought on it, and the reason is the distance to it', () => {
    const tape = fresh();
    for (const pair of PAIRS) {
      const list = tape.get(pair) ?? [];
      const candle = list[indexOf(0) - 1] as Candle;
      list[indexOf(0) - 1] = { ...candle, high: candle.high * 5, close: candle.close * 5 };
    }
    const result = run(tape);
    expect(buys(result).filter(({ filledAt }) => filledAt === FROM)).toEqual([]);
    expect(buys(clean).filter(({ filledAt }) => filledAt === FROM).length).toBeGreaterThan(0);
    expect(result.reasons.get('bad_price')).toBeGreaterThan(0);
  });

  it('a wick of half the price: the stop is carried out at the stop, once, and the pair is left alone for a day', () => {
    const tape = fresh();
    const list = tape.get('BTC/USDT') ?? [];
    const candle = list[indexOf(30)] as Candle;
    list[indexOf(30)] = { ...candle, low: candle.open * 0.5 };
    const result = run(tape);
    const [stopped] = sells(result, 'BTC/USDT').filter(({ reason }) => reason === 'stop_loss');
    expect(stopped?.filledAt).toBe(at(30));
    const paid = toNumber(buys(result, 'BTC/USDT')[0]?.price ?? parseFixed('1'));
    expect(toNumber(stopped?.price ?? parseFixed('0')) / paid).toBeGreaterThan(1 - 0.08 - 0.01);
    expect(
      buys(result, 'BTC/USDT').filter(
        ({ filledAt }) => filledAt > at(30) && filledAt < at(30) + DAY_MS,
      ),
    ).toEqual([]);
    expect(result.reasons.get('stop_loss')).toBeGreaterThan(0);
  });
});

describe('a dead feed', () => {
  it('buys nothing while it is silent, says so, and sells at the first price after it where that is under the stop', () => {
    const tape = fresh();
    const [from, to] = [20, 20 + 72];
    const list = (tape.get('BTC/USDT') ?? [])
      .filter((_, i) => i < indexOf(from) || i >= indexOf(to))
      .map((candle) =>
        candle.time >= at(to)
          ? {
              ...candle,
              open: candle.open * 0.7,
              high: candle.high * 0.7,
              low: candle.low * 0.7,
              close: candle.close * 0.7,
            }
          : candle,
      );
    tape.set('BTC/USDT', list);
    const result = run(tape);
    expect(
      result.trades.filter(
        ({ filledAt, pair }) => pair === 'BTC/USDT' && filledAt >= at(from) && filledAt < at(to),
      ),
    ).toEqual([]);
    expect(result.reasons.get('no_price')).toBeGreaterThan(70);
    const [sold] = sells(result, 'BTC/USDT').filter(({ filledAt }) => filledAt >= at(to));
    expect([sold?.reason, sold?.filledAt]).toEqual(['stop_loss', at(to)]);
    // At the gap, not at the stop that it jumped over.
    expect(toNumber(sold?.quoteBid ?? parseFixed('0'))).toBeLessThan(
      (list.find(({ time }) => time === at(to))?.open ?? 0) * 1.0001,
    );
    expect(sells(result, 'ETH/USDT').length + buys(result, 'ETH/USDT').length).toBeGreaterThan(0);
  });
});

describe('a depeg', () => {
  const witness = (off: (n: number) => number): ReadonlyMap<string, readonly Candle[]> =>
    new Map([
      [
        'USDC/USDT',
        (made.get('BTC/USDT') ?? []).map(({ time }, i) => {
          const close = off(i - indexOf(0));
          return { time, open: close, high: close, low: close, close, volume: 1e6 };
        }),
      ],
    ]);

  it('of what is paid with: nothing is bought until it has been back for a day, and what is held is sold as before', () => {
    const result = run(made, { witnesses: witness((n) => (n >= -6 && n < 6 ? 1.03 : 1)) });
    expect(buys(result).length).toBeGreaterThan(0);
    expect(Math.min(...buys(result).map(({ filledAt }) => filledAt))).toBeGreaterThanOrEqual(
      at(6) + DAY_MS,
    );
    expect(result.reasons.get('depeg')).toBeGreaterThan(250);
    // While something is held: entries end, exits do not.
    const later = run(made, { witnesses: witness((n) => (n >= 2 ? 1.03 : 1)) });
    expect(buys(later).every(({ filledAt }) => filledAt <= at(2))).toBe(true);
    expect(sells(later).length).toBeGreaterThan(0);
    expect(later.trades.length).toBe(buys(later).length + sells(later).length);
  });

  it('of another coin than those traded changes nothing', () => {
    expect(journal(run(made, { witnesses: witness(() => 0.9) }))).toEqual(journal(clean));
  });
});

describe('a crash of 60 % in an hour', () => {
  /** Down over twelve candles, and back over the two hours after the next. */
  const fallen = (n: number): number =>
    0.4 ** (Math.min(12, Math.max(0, n - 20)) / 12 - Math.min(24, Math.max(0, n - 44)) / 24);
  const crashed = new Map(
    [...fresh()].map(([pair, list]) => [
      pair,
      list.map((candle, i) => {
        const n = i - indexOf(0);
        const [open, close] = [candle.open * fallen(n), candle.close * fallen(n + 1)];
        return {
          ...candle,
          open,
          close,
          high: Math.max(open, close) * 1.0003,
          low: Math.min(open, close) * 0.9997,
        };
      }),
    ]),
  );

  it('every position is sold at its stop on the way, nothing is bought, down or back up, and a guard says why and until when', () => {
    const result = run(crashed);
    const held = new Set(
      buys(result)
        .filter(({ filledAt }) => filledAt <= at(20))
        .map((fill) => fill.pair),
    );
    expect(held.size).toBe(3);
    for (const pair of held) {
      const [stopped] = sells(result, pair).filter(({ filledAt }) => filledAt >= at(20));
      expect([pair, stopped?.reason]).toEqual([pair, 'stop_loss']);
      expect(stopped?.filledAt).toBeLessThan(at(24));
    }
    expect(
      buys(result).filter(({ filledAt }) => filledAt > at(20) && filledAt < at(20) + 12 * HOUR_MS),
    ).toEqual([]);
    // Rising again they would be bought: three stops in a day block every entry.
    expect(result.reasons.get('stop_loss_cluster')).toBeGreaterThan(50);
    // The stops, at eight per cent and what a fall of five per cent a candle jumps over them.
    expect(toNumber(result.finalEquity)).toBeGreaterThan(9_000);
  });
});

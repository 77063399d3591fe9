/** The npm package grademark, with the same rule on the same candles, makes the same trades. */
import { describe, expect, it } from 'vitest';
import { backtest } from '../../../engine/backtest/run-backtest.ts';
import { makeSeries } from '../../../engine/signals/candle-series.ts';
import { cross, crossInput, crossSweep, PAIR, roundsOf, theirBars, theirRounds } from './cross.ts';
import { withOnlyGuards } from '../guards/registered-guards.ts';
import { plainBacktest } from './plain-loop.ts';
import { hasRecorded, madeTape, MONDAY, recorded } from '../tape.ts';

const NONE = { feeBps: 0, stopLoss: 1 };
/** The guards that the other side of the comparison waits for as well. */
const MODELLED = ['stop_loss', 'cooldown'] as const;
const TAPES = [
  [
    'a made tape',
    () =>
      madeTape(11, MONDAY, 6_000).map((candle) => ({
        ...candle,
        open: Number(candle.open.toFixed(6)),
      })),
  ] as const,
  ...(hasRecorded('5m', 'BTC')
    ? [['five-minute candles of Bitcoin', () => recorded('5m', 'BTC')] as const]
    : []),
];

describe('a cross of moving averages', () => {
  it.each(TAPES)('makes the same trades as grademark on %s, without costs', (_name, read) => {
    const candles = read();
    const { trades } = withOnlyGuards(MODELLED, () => backtest(crossInput(candles, NONE)));
    const rounds = roundsOf(trades);
    expect(
      trades.every(
        ({ fee, price, quoteAsk, quoteBid }) =>
          fee === 0n && price === quoteAsk && price === quoteBid,
      ),
    ).toBe(true);
    expect(rounds.length).toBeGreaterThan(50);
    expect(rounds).toEqual(
      theirRounds(theirBars(candles.map((candle) => ({ ...candle, time: new Date(candle.time) })))),
    );
  });

  it.each(TAPES)(
    'says the same at every candle of %s over the whole tape as at one moment, and its journal is that of the plain loop',
    (_name, read) => {
      const candles = read();
      const pairs = new Map([[PAIR, makeSeries(PAIR, candles)]]);
      const sweep = crossSweep(pairs, 'usual');
      let known = 0;
      for (const at of pairs.get(PAIR)?.closesAt ?? []) {
        const signal = cross({ pairs, at, horizon: 'usual' }).get(PAIR) ?? null;
        expect(sweep(at, PAIR)).toEqual(signal);
        known += signal === null ? 0 : 1;
      }
      expect(known).toBe(candles.length - 48);
      const input = crossInput(candles.slice(0, 5_000), { feeBps: 10, stopLoss: 0.02 });
      const { curve, ...swept } = backtest(input);
      expect({ ...swept, worth: curve.all() }).toEqual(plainBacktest(input));
      expect(swept.trades.filter((fill) => fill.reason === 'stop_loss').length).toBeGreaterThan(0);
    },
  );
});

/** The chosen indicators, over closed candles and the forming one. */
import { useMemo } from 'react';
import type { ChartCandle } from './chart-candles.ts';
import type { DrawnLine } from './candle-drawing.ts';
import {
  exponentialAverage,
  relativeStrength,
  simpleAverage,
  type Indicator,
} from './indicators.ts';

export interface ChosenIndicators {
  sma: readonly number[];
  ema: readonly number[];
  rsi: number | null;
  volume: boolean;
}

interface Named extends Indicator {
  name: string;
}

/** The series over closed candles are computed once per close; each price adds one step. */
export function useIndicators(
  closed: readonly ChartCandle[],
  forming: ChartCandle | null,
  { sma, ema, rsi }: ChosenIndicators,
): { lines: DrawnLine[]; rsi: DrawnLine | null } {
  const closes = useMemo(() => closed.map(([, , , , close]) => Number(close)), [closed]);
  const series = useMemo(
    (): Named[] => [
      ...sma.map((period) => ({ name: `SMA ${period}`, ...simpleAverage(closes, period) })),
      ...ema.map((period) => ({ name: `EMA ${period}`, ...exponentialAverage(closes, period) })),
    ],
    [closes, sma, ema],
  );
  const strength = useMemo(
    (): Named | null =>
      rsi === null ? null : { name: `RSI ${rsi}`, ...relativeStrength(closes, rsi) },
    [closes, rsi],
  );
  const price = forming === null ? null : Number(forming[4]);
  return useMemo(() => {
    const drawn = ({ name, values, next }: Named): DrawnLine => ({
      name,
      values,
      last: price === null ? null : next(price),
    });
    return { lines: series.map(drawn), rsi: strength === null ? null : drawn(strength) };
  }, [series, strength, price]);
}

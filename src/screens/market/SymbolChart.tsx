/** The candles of a pair with their lengths, averages and the person's own trades; without the server the last day as it was kept. */
import { useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import { DAY_LINE_MS, INTERVAL_MS, type CandleInterval, type DayLine } from '../../../contract/market.ts';
import type { Fill } from '../../../contract/trading.ts';
import { CandleChart } from '../../components/CandleChart.tsx';
import type { ChartMark } from '../../components/chart-drawing.ts';
import { ChartPlace, ReadError } from '../../components/EmptyState.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';
import { connection } from '../../stores/connection.ts';
import { CandleChoices } from './CandleChoices.tsx';
import { baseOf } from './market-order.ts';
import { useCandles } from './use-candles.ts';

const HEIGHT = 380;

/** The kept day as points in time, for a chart. */
export function lineOfDay(line: DayLine): [number, string][] {
  return line.points.map((price, place) => [line.to - DAY_LINE_MS + (DAY_LINE_MS * place) / (line.points.length - 1), price.toFixed(10)]);
}

export function SymbolChart({ symbol, known, fills, price, quote, line }: { symbol: string; known: boolean; fills: readonly Fill[]; price: string | null; quote: string; line: DayLine | undefined }) {
  const [interval, setCandleInterval] = useState<CandleInterval>('1h');
  const [averages, setAverages] = useState<readonly number[]>([20]);
  const { online } = useSnapshot(connection);
  const { candles, error, tooFine, again, older } = useCandles(known ? symbol : null, interval);
  const marks = useMemo<ChartMark[]>(() => fills.filter((fill) => fill.pair === symbol).map((fill) => ({ at: fill.filledAt, side: fill.side, text: '' })), [fills, symbol]);
  const day = useMemo(() => (line === undefined ? null : lineOfDay(line)), [line]);
  const choices = <CandleChoices interval={interval} onInterval={setCandleInterval} averages={averages} onAverages={setAverages} />;
  if (candles === null && online === 'offline' && day !== null) {
    return <TimeChart label={`The last day of ${symbol} kept on this device`} line={day} height={HEIGHT} unit={quote} empty="" note="The last day that was kept. Candles come when the server is back." />;
  }
  if (candles === null && error !== null && online !== 'offline') {
    return (
      <div>
        <div className="mb-1 min-h-12 md:min-h-4" />
        <div style={{ height: HEIGHT }} className="rule flex flex-col items-start justify-center gap-3 text-ink-3">
          {tooFine ? <p>{error}.</p> : <ReadError message={error} onRetry={again} />}
        </div>
        <div className="flex min-h-11 flex-wrap items-center gap-x-4 pointer-fine:min-h-8">{choices}</div>
      </div>
    );
  }
  if (candles === null) return <div><div className="mb-1 min-h-12 md:min-h-4" /><ChartPlace what={`Candles of ${symbol}`} className="h-[380px] w-full" /><div className="flex min-h-11 flex-wrap items-center gap-x-4 pointer-fine:min-h-8">{choices}</div></div>;
  return (
    <>
      {online !== 'offline' && <ReadError message={error} hasData onRetry={again} />}
      <CandleChart label={`Candles of ${symbol}, ${interval}`} candles={candles} intervalMs={INTERVAL_MS[interval]} marks={marks} averages={averages} price={price} height={HEIGHT} base={baseOf(symbol)} quote={quote} empty="No closed candles yet." controls={choices} onOlder={older} />
    </>
  );
}

/** The candles of a pair with their lengths, averages and the person's own trades; without the server the last day as it was kept. */
import { useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import { DAY_LINE_MS, INTERVAL_MS, type CandleInterval, type DayLine } from '../../../contract/market.ts';
import type { Fill } from '../../../contract/trading.ts';
import { CandleChart } from '../../components/CandleChart.tsx';
import type { ChartMark } from '../../components/chart-drawing.ts';
import { classes } from '../../components/class-names.ts';
import { ChartPlace, ReadError } from '../../components/EmptyState.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';
import { connection } from '../../stores/connection.ts';
import { baseOf } from './market-order.ts';
import { useCandles } from './use-candles.ts';

const INTERVALS: readonly CandleInterval[] = ['5m', '20m', '1h', '1d'];
const PERIODS = [20, 50] as const;
const HEIGHT = 380;
const SPAN: Record<CandleInterval, string> = { '5m': 'five minutes', '20m': 'twenty minutes', '1h': 'an hour', '1d': 'a day' };
const TONE = ['bg-accent', 'bg-amber'] as const;

/** The kept day as points in time, for a chart. */
export function lineOfDay(line: DayLine): [number, string][] {
  return line.points.map((price, place) => [line.to - DAY_LINE_MS + (DAY_LINE_MS * place) / (line.points.length - 1), price.toFixed(10)]);
}

interface ChoiceProps { interval: CandleInterval; onInterval: (interval: CandleInterval) => void; averages: readonly number[]; onAverages: (periods: readonly number[]) => void }

function Choices({ interval, onInterval, averages, onAverages }: ChoiceProps) {
  const button = 'inline-flex min-h-11 min-w-10 items-center justify-center gap-1.5 rounded-sm px-2 text-xs pointer-fine:min-h-8';
  return (
    <>
      <span role="group" aria-label="Length of a candle" className="-ml-2 flex">
        {INTERVALS.map((name) => <button key={name} type="button" aria-pressed={interval === name} title={`A candle lasts ${SPAN[name]}`} onClick={() => { onInterval(name); }} className={classes(button, interval === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink')}>{name}</button>)}
      </span>
      <span role="group" aria-label="Averages" className="flex">
        {PERIODS.map((period, place) => {
          const on = averages.includes(period);
          return <button key={period} type="button" aria-pressed={on} title={`Exponential average of ${period} closes, over ${period} candles of ${SPAN[interval]}`} onClick={() => { onAverages(on ? averages.filter((one) => one !== period) : PERIODS.filter((one) => one === period || averages.includes(one))); }} className={classes(button, on ? 'font-medium text-ink' : 'text-ink-3 hover:text-ink')}><span aria-hidden className={classes('h-0.5 w-3 rounded-full', on ? TONE[place] : 'bg-line')} />EMA {period}</button>;
        })}
      </span>
    </>
  );
}

export function SymbolChart({ symbol, known, fills, price, quote, line }: { symbol: string; known: boolean; fills: readonly Fill[]; price: string | null; quote: string; line: DayLine | undefined }) {
  const [interval, setCandleInterval] = useState<CandleInterval>('1h');
  const [averages, setAverages] = useState<readonly number[]>([20]);
  const { online } = useSnapshot(connection);
  const { candles, error, tooFine, again } = useCandles(known ? symbol : null, interval);
  const marks = useMemo<ChartMark[]>(() => fills.filter((fill) => fill.pair === symbol).map((fill) => ({ at: fill.filledAt, side: fill.side, text: '' })), [fills, symbol]);
  const day = useMemo(() => (line === undefined ? null : lineOfDay(line)), [line]);
  const choices = <Choices interval={interval} onInterval={setCandleInterval} averages={averages} onAverages={setAverages} />;
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
      <CandleChart label={`Candles of ${symbol}, ${interval}`} candles={candles} intervalMs={INTERVAL_MS[interval]} marks={marks} averages={averages} price={price} height={HEIGHT} base={baseOf(symbol)} quote={quote} empty="No closed candles yet." controls={choices} />
    </>
  );
}

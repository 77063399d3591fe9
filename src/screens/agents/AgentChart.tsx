/** The price of one of an agent's pairs with its own entries and exits; refuses marks of other agents. */
import { useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import { INTERVAL_MS, type CandleInterval } from '../../../contract/market.ts';
import type { Fill } from '../../../contract/trading.ts';
import { CandleChart } from '../../components/CandleChart.tsx';
import type { ChartMark } from '../../components/chart-drawing.ts';
import { ChartPlace, ReadError } from '../../components/EmptyState.tsx';
import { connection } from '../../stores/connection.ts';
import { CandleChoices } from '../market/CandleChoices.tsx';
import { baseOf } from '../market/market-order.ts';
import { useCandles } from '../market/use-candles.ts';
import { presentBoard, useQuote } from '../market/use-quote.ts';

const HEIGHT = 300;
/** Candles fine enough that its trades stand apart, for the rhythm at which it looks. */
const INTERVAL: Record<string, CandleInterval> = { '5-minute': '20m', '20-minute': '1h', daily: '1d' };

export default function AgentChart({ pairs, fills, rhythm, quote }: { pairs: readonly string[]; fills: readonly Fill[]; rhythm: string; quote: string }) {
  /** What it trades first: a pair without a trade says less. */
  const choices = useMemo(() => [...new Set([...fills.map((fill) => fill.pair), ...pairs])], [fills, pairs]);
  const [wanted, setWanted] = useState<string | null>(null);
  const [interval, setCandleInterval] = useState<CandleInterval>(INTERVAL[rhythm] ?? '1h');
  const [averages, setAverages] = useState<readonly number[]>([]);
  const pair = wanted !== null && choices.includes(wanted) ? wanted : choices[0] ?? '';
  const { online } = useSnapshot(connection);
  const { candles, error, tooFine, again, older } = useCandles(pair === '' ? null : pair, interval);
  const price = useQuote(presentBoard(), pair)?.price ?? null;
  const marks = useMemo<ChartMark[]>(() => fills.filter((fill) => fill.pair === pair).map((fill) => ({ at: fill.filledAt, side: fill.side, text: '' })), [fills, pair]);
  if (pair === '') return <p className="rule row flex items-center text-ink-3">It has no pairs on this market.</p>;
  const controls = (
    <>
      {choices.length > 1 && (
        <select aria-label="Pair" value={pair} onChange={(event) => { setWanted(event.target.value); }} className="h-11 rounded-md border border-line bg-surface px-2 text-xs pointer-fine:h-8">{choices.map((one) => <option key={one}>{one}</option>)}</select>
      )}
      <CandleChoices interval={interval} onInterval={setCandleInterval} averages={averages} onAverages={setAverages} />
    </>
  );
  if (candles === null) {
    return (
      <div>
        <div className="mb-1 min-h-12 md:min-h-4" />
        {error === null || online === 'offline' ? <ChartPlace what={`Candles of ${pair}`} className="h-[300px] w-full" />
          : <div className="rule flex h-[300px] flex-col items-start justify-center gap-3 text-ink-3">{tooFine ? <p>{error}.</p> : <ReadError message={error} onRetry={again} />}</div>}
        {/* Wraps as it will with the chart's own buttons. */}
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 pointer-fine:min-h-8">
          <span className="flex min-w-0 flex-wrap items-center gap-x-4">{controls}</span><span aria-hidden className="ml-auto h-11 w-32 pointer-fine:h-8 pointer-fine:w-26" />
        </div>
      </div>
    );
  }
  return (
    <>
      {online !== 'offline' && <ReadError message={error} hasData onRetry={again} />}
      <CandleChart label={`${pair}, ${interval} candles, entries and exits of this agent`} candles={candles} intervalMs={INTERVAL_MS[interval]} marks={marks} averages={averages} price={price} height={HEIGHT}
        base={baseOf(pair)} quote={quote} empty="No closed candles yet." controls={controls} onOlder={older} />
    </>
  );
}

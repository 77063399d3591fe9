/**
 * The price chart of one pair with indicators and trades, shared by the pages of a pair and of an
 * agent.
 */
import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import type { CandleInterval } from '../../contract/market.ts';
import { CHART_INTERVALS, INTERVAL_MS } from '../../contract/intervals.ts';
import type { Fill } from '../../contract/trading.ts';
import { ChartPlace, ReadError } from '../components/EmptyState.tsx';
import { useNow } from '../components/use-now.ts';
import { formatAgo } from '../format/ages.ts';
import { formatWhen } from '../format/times.ts';
import { chartChoices, timeframeFor } from '../stores/chart-choices.ts';
import { connection } from '../stores/connection.ts';
import { marketStore } from '../stores/market-store.ts';
import { CandleChart } from './CandleChart.tsx';
import { NO_CANDLES } from './chart-candles.ts';
import { Indicators, missingTimeframes, Timeframes } from './ChartControls.tsx';
import { tradesOf } from './trade-marks.ts';
import { useCandles, type ShownCandles } from './use-candles.ts';

export interface PairChartProps {
  /** Null while it is unknown whether the pair is offered. */
  symbol: string | null;
  /** Name for screen readers; the timeframe is added. */
  label: string;
  /** Default timeframe. */
  usual: CandleInterval;
  fills: readonly Fill[];
  /** The last price where no candle is forming. */
  price: string | null;
  quote: string;
  /** px, of the drawing alone. */
  height: number;
  /** Shown before the timeframes, such as a choice of pairs. */
  lead?: ReactNode;
  /** Shown offline where no candles of this chart are saved. */
  fallback?: ReactNode;
}

/** Older data shows its age even while the server is there. */
const OLD_MS = 90_000;

/** The timeframes that the source can build, or all while unknown. */
function useTimeframes(): readonly CandleInterval[] {
  const { data } = useSnapshot(marketStore);
  return data?.source.intervals ?? CHART_INTERVALS;
}

/** Age of what is shown; null while it is fresh. */
function useAge(candles: ShownCandles | null): string | null {
  const { online } = useSnapshot(connection);
  const now = useNow();
  if (candles === null || candles.heardAt === null) return null;
  const { heardAt, kept } = candles;
  if (online !== 'offline' && !kept && now - heardAt < OLD_MS) return null;
  return `As of ${formatWhen(heardAt)}, ${formatAgo(now - heardAt)}.`;
}

export function PairChart({
  symbol,
  label,
  usual,
  fills,
  price,
  quote,
  height,
  lead,
  fallback,
}: PairChartProps) {
  const { interval: wanted, sma, ema, rsi, volume, ready } = useSnapshot(chartChoices);
  const { online } = useSnapshot(connection);
  const has = useTimeframes();
  const chosen = timeframeFor(wanted ?? usual, has);
  // The press is shown with the next picture, and its candles with the one after.
  const interval = useDeferredValue(chosen);
  const candles = useCandles(ready ? symbol : null, interval);
  /** Kept here, so that it survives an outage. */
  const [table, setTable] = useState(false);
  const trades = useMemo(() => tradesOf(fills, symbol ?? ''), [fills, symbol]);
  const indicators = useMemo(() => ({ sma, ema, rsi, volume }), [sma, ema, rsi, volume]);
  const missing = missingTimeframes(has);
  const controls = (
    <>
      {lead}
      <Timeframes interval={chosen} has={has} />
      <Indicators />
    </>
  );
  const age = useAge(candles);
  const unknown = candles === null || !candles.known;
  if (unknown && online === 'offline' && fallback !== undefined && candles?.storageRead !== false)
    return fallback;
  return (
    <>
      {!unknown && online !== 'offline' && (
        <ReadError message={candles.error} hasData onRetry={candles.again} />
      )}
      <CandleChart
        label={`${label}, ${interval}`}
        closed={candles?.closed ?? NO_CANDLES.closed}
        forming={candles?.forming ?? null}
        intervalMs={INTERVAL_MS[interval]}
        trades={trades}
        indicators={indicators}
        price={candles?.forming?.close ?? price}
        height={height}
        base={symbol?.split('/')[0] ?? ''}
        quote={quote}
        empty={unknown ? <Unread symbol={symbol} candles={candles} /> : 'No closed candles yet.'}
        controls={controls}
        note={
          age === null ? (
            missing
          ) : (
            // Counted on each second: no live region.
            <span className="text-amber">{age}</span>
          )
        }
        table={table}
        onTable={setTable}
        onOlder={candles?.older}
      />
    </>
  );
}

/** Shown in place of candles that are not loaded yet. */
function Unread({ symbol, candles }: { symbol: string | null; candles: ShownCandles | null }) {
  const { online } = useSnapshot(connection);
  const error = candles?.error ?? null;
  if (candles === null || error === null || online === 'offline')
    return <ChartPlace what={`Candles of ${symbol ?? 'this pair'}`} className="h-full w-full" />;
  if (candles.notBuilt) return <p>{error}.</p>;
  return <ReadError message={error} onRetry={candles.again} />;
}

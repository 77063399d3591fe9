/** The chart of a pair with the user's own trades; offline, the last saved day. */
import { useMemo } from 'react';
import { DAY_LINE_MS, type DayLine } from '../../../contract/market.ts';
import type { Fill } from '../../../contract/trading.ts';
import { PairChart } from '../../charts/PairChart.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';

const HEIGHT = 380;

/** The saved day as points for a chart. */
function lineOfDay(line: DayLine): [number, string][] {
  return line.points.map((price, place) => [
    line.to - DAY_LINE_MS + (DAY_LINE_MS * place) / (line.points.length - 1),
    price.toFixed(10),
  ]);
}

export function SymbolChart({
  symbol,
  known,
  fills,
  price,
  quote,
  line,
}: {
  symbol: string;
  known: boolean;
  fills: readonly Fill[];
  price: string | null;
  quote: string;
  line: DayLine | undefined;
}) {
  const day = useMemo(() => (line === undefined ? null : lineOfDay(line)), [line]);
  const fallback =
    day === null ? undefined : (
      <TimeChart
        label={`Last saved day of ${symbol}`}
        line={day}
        height={HEIGHT}
        unit={quote}
        empty=""
        note="Last day saved on this device. Candles return with the connection."
      />
    );
  return (
    <PairChart
      symbol={known ? symbol : null}
      label={`Candles of ${symbol}`}
      usual="1h"
      fills={fills}
      price={price}
      quote={quote}
      height={HEIGHT}
      fallback={fallback}
    />
  );
}

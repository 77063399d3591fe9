/** The price of one of an agent's pairs, with the agent's own entries and exits. */
import { useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { CandleInterval } from '../../../../contract/market.ts';
import type { Fill } from '../../../../contract/trading.ts';
import { PairChart } from '../../../charts/PairChart.tsx';
import { marketStore } from '../../../stores/market-store.ts';
import { presentBoard, useQuote } from '../../market/use-quote.ts';

const HEIGHT = 300;
/** Timeframes fine enough to tell the agent's trades apart. */
const USUAL: Record<string, CandleInterval> = { '5-minute': '15m', '20-minute': '1h', daily: '1d' };

export default function AgentChart({
  pairs,
  fills,
  rhythm,
  quote,
}: {
  pairs: readonly string[];
  fills: readonly Fill[];
  rhythm: string;
  quote: string;
}) {
  /** The pair it traded last comes first. */
  const choices = useMemo(
    () => [...new Set([...fills.map((fill) => fill.pair), ...pairs])],
    [fills, pairs],
  );
  const [wanted, setWanted] = useState<string | null>(null);
  const pair = wanted !== null && choices.includes(wanted) ? wanted : (choices[0] ?? '');
  // The candle that is forming is drawn from the server's prices alone.
  const isDirect = useSnapshot(marketStore).origin === 'exchange';
  const price = useQuote(isDirect ? null : presentBoard(), pair)?.price ?? null;
  if (pair === '')
    return (
      <p className="rule row flex items-center text-ink-3">
        This agent has no pairs on this market.
      </p>
    );
  const lead = choices.length > 1 && (
    <select
      aria-label="Pair"
      value={pair}
      onChange={(event) => {
        setWanted(event.target.value);
      }}
      className="mr-2 h-11 rounded-md border border-line bg-surface px-2 text-xs pointer-fine:h-8"
    >
      {choices.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
  return (
    <PairChart
      symbol={pair}
      label={`${pair}, entries and exits of this agent`}
      usual={USUAL[rhythm] ?? '1h'}
      fills={fills}
      price={price}
      quote={quote}
      height={HEIGHT}
      lead={lead}
    />
  );
}

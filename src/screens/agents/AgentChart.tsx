/** The price of one of an agent's pairs with its own entries and exits; refuses marks of other agents. */
import { useEffect, useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { CandleInterval, CandleRow } from '../../../contract/market.ts';
import type { Fill } from '../../../contract/trading.ts';
import { api } from '../../api/api.ts';
import type { ChartMark } from '../../components/chart-drawing.ts';
import { ChartPlace } from '../../components/EmptyState.tsx';
import { TimeChart } from '../../components/TimeChart.tsx';
import { errorSentence } from '../../format/errors.ts';
import { whileSeen } from '../../resting-timer.ts';
import { connection } from '../../stores/connection.ts';

const COUNT = 300;
const REREAD_MS = 60_000;
const HEIGHT = 260;
/** Candles fine enough that its trades stand apart, for the rhythm at which it looks. */
const INTERVAL: Record<string, CandleInterval> = { '5-minute': '20m', '20-minute': '1h', daily: '1d' };

export default function AgentChart({ pairs, fills, rhythm, quote }: { pairs: readonly string[]; fills: readonly Fill[]; rhythm: string; quote: string }) {
  /** What it trades first: a pair without a trade says less. */
  const choices = useMemo(() => [...new Set([...fills.map((fill) => fill.pair), ...pairs])], [fills, pairs]);
  const [wanted, setWanted] = useState<string | null>(null);
  const pair = wanted !== null && choices.includes(wanted) ? wanted : choices[0] ?? '';
  const interval = INTERVAL[rhythm] ?? '1h';
  const { online } = useSnapshot(connection);
  const [read, setRead] = useState<{ key: string; candles: CandleRow[] | null; error: string | null }>({ key: '', candles: null, error: null });
  const key = `${pair} ${interval}`;
  useEffect(() => {
    if (pair === '') return;
    const stop = new AbortController();
    const ask = (): void => {
      api.call('candles', { query: { symbol: pair, interval, limit: COUNT }, signal: stop.signal }).then(
        (reply) => { setRead({ key, candles: reply.candles, error: null }); },
        (error: unknown) => { if (!stop.signal.aborted) setRead((held) => ({ key, candles: held.key === key ? held.candles : null, error: errorSentence(error) })); },
      );
    };
    ask();
    const rest = whileSeen(REREAD_MS, ask);
    return () => { stop.abort(); rest(); };
  }, [pair, interval, key, online]);
  const marks = useMemo<ChartMark[]>(() => fills.filter((fill) => fill.pair === pair).map((fill) => ({ at: fill.filledAt, side: fill.side, text: '' })), [fills, pair]);
  const mine = read.key === key ? read : { candles: null, error: null };
  if (pair === '') return <p className="rule row flex items-center text-ink-3">It has no pairs on this market.</p>;
  const choose = (
    <label className="flex items-center gap-2 text-xs text-ink-3">Pair
      <select value={pair} onChange={(event) => { setWanted(event.target.value); }} className="h-11 rounded-md border border-line bg-surface px-2 text-ink pointer-fine:h-8">{choices.map((one) => <option key={one}>{one}</option>)}</select>
    </label>
  );
  if (mine.candles === null) {
    return (
      <div>
        {mine.error === null || online === 'offline' ? <ChartPlace what={`Candles of ${pair}`} className="h-[260px] w-full" /> : <p className="rule flex h-[260px] items-center text-ink-3">The price of {pair} could not be read. {mine.error}</p>}
        <div className="flex min-h-11 items-center pointer-fine:min-h-8">{choose}</div>
      </div>
    );
  }
  return <TimeChart label={`${pair}, ${interval} candles, entries and exits of this agent`} candles={mine.candles} marks={marks} height={HEIGHT} unit={quote} empty="No closed candles yet." controls={choose} />;
}

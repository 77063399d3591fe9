/** The closed candles of a pair, read again while they are looked at; refuses to show those of another pair or length. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { CandleInterval, CandleRow } from '../../../contract/market.ts';
import { api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { errorSentence } from '../../format/errors.ts';
import { whileSeen } from '../../resting-timer.ts';
import { connection } from '../../stores/connection.ts';

/** Enough for the averages to have settled long before the first candle that is shown. */
const COUNT = 400;
const REREAD_MS = 60_000;

export interface CandleReading {
  candles: CandleRow[] | null;
  error: string | null;
  /** The source has no candles so short. */
  tooFine: boolean;
}

/** Nothing is asked for while `symbol` is null. */
export function useCandles(symbol: string | null, interval: CandleInterval): CandleReading & { again: () => void } {
  const { online } = useSnapshot(connection);
  const [read, setRead] = useState<{ key: string } & CandleReading>({ key: '', candles: null, error: null, tooFine: false });
  const [asked, setAsked] = useState(0);
  const key = `${symbol ?? ''} ${interval}`;
  useEffect(() => {
    if (symbol === null || online === 'offline') return;
    const stop = new AbortController();
    const ask = (): void => {
      api.call('candles', { query: { symbol, interval, limit: COUNT }, signal: stop.signal }).then(
        (reply) => { setRead({ key, candles: reply.candles, error: null, tooFine: false }); },
        (error: unknown) => {
          if (stop.signal.aborted) return;
          const tooFine = error instanceof ApiError && error.field === 'interval';
          setRead((held) => ({ key, candles: held.key === key ? held.candles : null, error: errorSentence(error), tooFine }));
        },
      );
    };
    ask();
    const rest = whileSeen(REREAD_MS, ask);
    return () => { stop.abort(); rest(); };
  }, [symbol, interval, key, online, asked]);
  const mine = read.key === key ? read : { candles: null, error: null, tooFine: false };
  return { candles: mine.candles, error: mine.error, tooFine: mine.tooFine, again: () => { setAsked(asked + 1); } };
}

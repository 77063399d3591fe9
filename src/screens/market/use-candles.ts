/** The closed candles of a pair, read again while they are looked at, and further back when asked; refuses to show those of another pair or length. */
import { useCallback, useEffect, useRef, useState } from 'react';
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
/** Further back than this nobody drags by hand, and each candle is drawn. */
const MOST = 6_000;
/** After a failure the edge, which is still in sight, does not ask at every move, ms. */
const REST_MS = 5_000;

export interface CandleReading {
  candles: CandleRow[] | null;
  error: string | null;
  /** The source has no candles so short. */
  tooFine: boolean;
}

type Held = { key: string } & CandleReading;

/** The newest reading with the older candles that are held already; where the two do not meet, those between are not known and the older ones go. */
export function renewed(held: readonly CandleRow[], fresh: readonly CandleRow[]): CandleRow[] {
  const first = fresh[0]?.[0];
  const last = held.at(-1)?.[0];
  if (first === undefined) return [...held];
  return last === undefined || last < first ? [...fresh] : [...held.filter(([at]) => at < first), ...fresh];
}

/** Asks for the candles before the first that is held, once at a time, until there are none. */
function useOlder(symbol: string | null, interval: CandleInterval, key: string, first: number | undefined, count: number, put: (change: (held: Held) => Held) => void): () => void {
  /** The reading that is under way, or the one that came to the beginning: both are not asked again. */
  const asked = useRef('');
  const rests = useRef(0);
  return useCallback(() => {
    const reading = `${key} ${first ?? ''}`;
    if (symbol === null || first === undefined || count >= MOST || asked.current === reading || Date.now() < rests.current || connection.online === 'offline') return;
    asked.current = reading;
    api.call('candles', { query: { symbol, interval, limit: COUNT, before: first } }).then(
      ({ candles }) => { put((held) => (held.key === key && held.candles?.[0]?.[0] === first ? { ...held, candles: [...candles.filter(([at]) => at < first), ...held.candles] } : held)); },
      (error: unknown) => {
        asked.current = '';
        rests.current = Date.now() + REST_MS;
        put((held) => (held.key === key ? { ...held, error: errorSentence(error) } : held));
      },
    );
  }, [symbol, interval, key, first, count, put]);
}

/** Nothing is asked for while `symbol` is null. `older` asks for what lies before the first candle. */
export function useCandles(symbol: string | null, interval: CandleInterval): CandleReading & { again: () => void; older: () => void } {
  const { online } = useSnapshot(connection);
  const [read, setRead] = useState<Held>({ key: '', candles: null, error: null, tooFine: false });
  const [asked, setAsked] = useState(0);
  const key = `${symbol ?? ''} ${interval}`;
  useEffect(() => {
    if (symbol === null || online === 'offline') return;
    const stop = new AbortController();
    const ask = (): void => {
      api.call('candles', { query: { symbol, interval, limit: COUNT }, signal: stop.signal }).then(
        (reply) => { setRead((held) => ({ key, candles: renewed(held.key === key ? held.candles ?? [] : [], reply.candles), error: null, tooFine: false })); },
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
  const older = useOlder(symbol, interval, key, mine.candles?.[0]?.[0], mine.candles?.length ?? 0, setRead);
  return { candles: mine.candles, error: mine.error, tooFine: mine.tooFine, again: () => { setAsked(asked + 1); }, older };
}

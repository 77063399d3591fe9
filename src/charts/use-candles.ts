/** The candles of a pair for a component, loaded and extended while it is shown. */
import { useCallback, useEffect, useState } from 'react';
import { subscribeKey } from 'valtio/utils';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { errorSentence } from '../format/error-text.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import { connection } from '../stores/connection.ts';
import { keepCandles, readKeptCandles } from '../stores/kept-candles.ts';
import { marketStore, serverBoard } from '../stores/market-store.ts';
import { subscribePrices, type PriceListener } from '../stores/price-news.ts';
import { ChartReader, type ChartPorts, type ChartReading } from './chart-reader.ts';

const sourceId = (): string | null => serverBoard()?.source.id ?? null;

/** The server may be back before its stream is open again. */
function hearPricesAndReturns(listener: PriceListener): () => void {
  const ends = [
    subscribePrices(listener),
    subscribeKey(connection, 'online', (online) => {
      if (online === 'online') listener.onGap();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function portsFor(symbol: string, interval: CandleInterval): ChartPorts {
  return {
    read: (query, signal) => api.call('candles', { query, signal }),
    hear: hearPricesAndReturns,
    kept: () => readKeptCandles(sourceId(), { symbol, interval }),
    keep: (reading) => {
      const source = sourceId();
      if (source !== null) void keepCandles(source, reading);
    },
    whileSeen,
    online: () => connection.online !== 'offline',
    barMs: () => INTERVAL_MS[marketStore.data?.source.intervals?.[0] ?? '5m'],
    random: Math.random,
  };
}

export interface ShownCandles extends Omit<ChartReading, 'error'> {
  error: string | null;
  /** The source has no candles of this length. */
  notBuilt: boolean;
  again: () => void;
  older: () => void;
}

/** Null while there is nothing to show. Nothing is loaded while `symbol` is null. */
export function useCandles(symbol: string | null, interval: CandleInterval): ShownCandles | null {
  const [shown, setShown] = useState<{ reader: ChartReader; reading: ChartReading } | null>(null);
  useEffect(() => {
    if (symbol === null) return;
    const reader: ChartReader = new ChartReader(
      { symbol, interval },
      portsFor(symbol, interval),
      () => {
        setShown({ reader, reading: reader.reading });
      },
    );
    setShown({ reader, reading: reader.reading });
    reader.start();
    return () => {
      reader.stop();
    };
  }, [symbol, interval]);
  const reader = shown?.reader;
  const again = useCallback(() => {
    reader?.again();
  }, [reader]);
  const older = useCallback(() => {
    reader?.older();
  }, [reader]);
  if (shown === null || symbol === null || !shown.reader.isOf(symbol, interval)) return null;
  const { error, ...reading } = shown.reading;
  return {
    ...reading,
    error: error === null ? null : errorSentence(error),
    notBuilt: error instanceof ApiError && error.field === 'interval',
    again,
    older,
  };
}

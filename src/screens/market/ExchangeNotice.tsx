/** The notice that prices come directly from an exchange while our server is away. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { whileSeen } from '../../platform/resting-timer.ts';
import { loadMarket, marketStore } from '../../stores/market-store.ts';

/** Interval at which a public price list is loaded, ms. */
const REREAD_MS = 30_000;

export function ExchangeNotice() {
  const { origin, data } = useSnapshot(marketStore);
  const direct = origin === 'exchange';
  useEffect(() => {
    if (!direct) return;
    return whileSeen(REREAD_MS, () => {
      void loadMarket(true);
    });
  }, [direct]);
  if (!direct || data === null) return null;
  return (
    <p role="status" className="mb-4 border-l-2 border-amber py-1 pl-3 text-amber">
      The server is not responding. Showing public prices from {data.source.label}, for display
      only. Your account and agents do not use them.
    </p>
  );
}

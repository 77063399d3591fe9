/** Reads an exchange's public prices again and again while they are shown in the server's place. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { whileSeen } from '../../platform/resting-timer.ts';
import { loadMarket, marketStore } from '../../stores/market-store.ts';

/** Interval at which a public price list is loaded, ms. */
const REREAD_MS = 30_000;

/** The line under the header says whose prices they are: nothing on the screen moves for it. */
export function useExchangePrices(): void {
  const direct = useSnapshot(marketStore).origin === 'exchange';
  useEffect(() => {
    if (!direct) return;
    return whileSeen(REREAD_MS, () => {
      void loadMarket(true);
    });
  }, [direct]);
}

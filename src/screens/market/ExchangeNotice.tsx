/**
 * Whose prices are shown while our server is away: an exchange's own, to look at; refuses to let
 * them pass for the server's.
 */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { whileSeen } from '../../platform/resting-timer.ts';
import { loadMarket, marketStore } from '../../stores/market-store.ts';

/** A public price list is read no oftener than a person would look, ms. */
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
      The server does not answer. These are the public prices of {data.source.label}, read by this
      device, to look at only: no account is valued by them and no agent trades at them.
    </p>
  );
}

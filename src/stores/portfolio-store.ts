/** The portfolio as the server last reported it. */
import { proxy } from 'valtio';
import type { Portfolio } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export const portfolioStore = proxy<Slot<Portfolio>>(emptySlot());

/** Replaces the portfolio unless a newer one is loaded: by sequence, then by the server's clock. */
export function applyPortfolio(next: Portfolio, origin: Origin, savedAt = Date.now()): void {
  const present = portfolioStore.data;
  const sameAccount =
    present !== null && present.accountId === next.accountId && present.book === next.book;
  if (
    sameAccount &&
    (next.sequence < present.sequence ||
      (next.sequence === present.sequence && next.servedAt < present.servedAt))
  )
    return;
  if (present !== null && present.sourceId === next.sourceId && next.book < present.book) return;
  fill(portfolioStore, next, origin, savedAt);
}

/** Loads the portfolio unless it is fresh; `force` loads it in any case. */
export function loadPortfolio(force = false): Promise<void> {
  return load(
    portfolioStore,
    force,
    () => api.call('portfolio', {}),
    (reply) => {
      applyPortfolio(reply, 'network');
    },
  );
}

export function clearPortfolio(): void {
  clear(portfolioStore);
}

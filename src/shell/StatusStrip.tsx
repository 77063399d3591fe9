/** One line under the header that is always there: whose prices, or that the server is away; refuses to move anything when it changes. */
import { WifiOff } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { classes } from '../components/class-names.ts';
import { useNow } from '../components/use-now.ts';
import { formatWhen } from '../format/times.ts';
import { session } from '../identity/session.ts';
import { connection } from '../stores/connection.ts';
import { marketStore } from '../stores/market.ts';
import { portfolioStore } from '../stores/portfolio.ts';

/** The words of the offline bar. `savedAt` is the device's clock, ms. */
export function offlineText(savedAt: number | null, expired: boolean, now: number): string {
  const showing = savedAt === null ? 'Nothing is saved on this device yet.' : `Showing ${formatWhen(savedAt, now)}.`;
  return expired
    ? `Offline, session ended. ${showing} Read-only; Stop still works.`
    : `Offline. ${showing} Stops will be sent first when you are back.`;
}

export function StatusStrip() {
  const { online, stream } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  const market = useSnapshot(marketStore);
  const { savedAt } = useSnapshot(portfolioStore);
  const now = useNow(60_000);
  const offline = online === 'offline';
  const source = market.data?.source;
  return (
    <div role="status" className={classes('border-b border-line px-4 md:px-6', offline ? 'bg-amber-wash text-amber' : 'text-ink-3')}>
      <div className="flex min-h-8 items-center justify-between gap-3 text-xs leading-4 md:min-h-7">
        {offline
          ? <span className="flex items-center gap-2 tracking-[-0.01em]"><WifiOff className="size-3.5 shrink-0" aria-hidden />{offlineText(savedAt, status === 'expired', now)}</span>
          : <>
            <span className="truncate">{source === undefined ? 'Prices not yet received' : source.label}{market.origin === 'exchange' ? ', read directly: display only' : ''}</span>
            {stream === 'stale' && <span className="shrink-0 text-amber">Live updates paused, reconnecting</span>}
          </>}
      </div>
    </div>
  );
}

/**
 * The access guard: a spinner while loading, then the screen or the reason why not. The server
 * decides every call itself.
 */
import { LoaderCircle } from 'lucide-react';
import { Suspense, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { useSearch } from 'wouter';
import { screenPart } from '../components/screen-part.tsx';
import { connection } from '../stores/connection.ts';
import { useAccess } from '../stores/use-security.ts';
import { subscriptionStore } from '../stores/subscription-store.ts';

// Hardly anybody sees them, and the start waits for this file.
const Refused = screenPart(async () => ({ default: (await import('./Refused.tsx')).Refused }));
const PlanUnknown = screenPart(async () => ({
  default: (await import('./Refused.tsx')).PlanUnknown,
}));

/** `path` is that of the screen inside, which may follow the address a moment later. */
export function RouteGuard({ path, children }: { path: string; children: ReactNode }) {
  // Subscribes to the query; it is read from the address, because the router decodes it.
  useSearch();
  const { loading, access } = useAccess(path);
  const { online } = useSnapshot(connection);
  const plan = useSnapshot(subscriptionStore).data;
  if (loading) {
    return (
      <div role="status" className="flex min-h-[60dvh] items-center justify-center text-ink-3">
        <LoaderCircle className="spin size-6" aria-hidden />
        <span className="sr-only">Checking your access</span>
      </div>
    );
  }
  if (access.allowed) return children;
  const isOffline = online === 'offline';
  // With its query: a return from a checkout with an ended session is handled after logging in.
  const asked = `${path}${location.search}${location.hash}`;
  return (
    <Suspense>
      {isOffline && plan === null && access.screen !== 'authentication' ? (
        <PlanUnknown />
      ) : (
        <Refused access={access} path={asked} offline={isOffline} />
      )}
    </Suspense>
  );
}

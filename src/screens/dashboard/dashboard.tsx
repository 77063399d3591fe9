/** The dashboard's router: says how a checkout ended, then shows a new person the first steps, everybody else the dashboard of their plan; refuses to trust the query for a plan. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useSearch } from 'wouter';
import { may } from '../../identity/security-context.ts';
import { session } from '../../identity/session.ts';
import { agentsStore } from '../../stores/agents.ts';
import { historyStore } from '../../stores/history.ts';
import { useSecurity } from '../../stores/security.ts';
import { checkSubscription } from '../../stores/subscription.ts';
import { pageToast } from '../../stores/toasts.ts';
import { note, readNotes } from '../getting-started/noted.ts';
import { Overview } from './standard-dashboard.tsx';

/** What to say on the way back from a checkout; null for anything but its two words. */
export function checkoutNotice(search: string): { type: 'success' | 'blank'; message: string } | null {
  const outcome = new URLSearchParams(search).get('subscription');
  if (outcome === 'success') return { type: 'success', message: 'Payment received. Your plan shows as soon as it is confirmed.' };
  if (outcome === 'canceled') return { type: 'blank', message: 'Checkout cancelled. Nothing was charged.' };
  return null;
}

const FirstDashboard = lazy(() => import('./FirstDashboard.tsx'));

/** Known to have no agent and never to have traded, and not having put the first steps away. */
function useIsNew(): { isNew: boolean; hide: () => void } {
  const uid = useSnapshot(session).user?.uid ?? '';
  const agents = useSnapshot(agentsStore).data?.agents.length ?? null;
  const fills = useSnapshot(historyStore).data?.fills.length ?? null;
  const [hidden, setHidden] = useState(() => readNotes(uid).has('hidden'));
  return { isNew: agents === 0 && fills === 0 && !hidden, hide: () => { note(uid, 'hidden'); setHidden(true); } };
}

export default function Dashboard() {
  const search = useSearch();
  // The last-known plan counts without a network too. Both dashboards begin alike, so that nothing moves if it changes.
  const pro = may(useSecurity(), 'pro-features', 'read');
  useEffect(() => {
    const notice = checkoutNotice(search);
    if (notice === null) return;
    pageToast(notice.type, notice.message, { id: 'checkout' });
    void checkSubscription();
    // Said once: a reload or a return by history must not say it again.
    history.replaceState(history.state, '', location.pathname);
  }, [search]);
  const { isNew, hide } = useIsNew();
  const overview = <Overview pro={pro} />;
  return isNew ? <Suspense fallback={overview}><FirstDashboard onHide={hide} /></Suspense> : overview;
}

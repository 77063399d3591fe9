/** The dashboard's router: says how a checkout ended, then shows the dashboard of the person's plan; refuses to trust the query for a plan. */
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import { may } from '../../identity/security-context.ts';
import { useSecurity } from '../../stores/security.ts';
import { checkSubscription } from '../../stores/subscription.ts';
import { pageToast } from '../../stores/toasts.ts';
import { Overview } from './standard-dashboard.tsx';

/** What to say on the way back from a checkout; null for anything but its two words. */
export function checkoutNotice(search: string): { type: 'success' | 'blank'; message: string } | null {
  const outcome = new URLSearchParams(search).get('subscription');
  if (outcome === 'success') return { type: 'success', message: 'Payment received. Your plan shows as soon as it is confirmed.' };
  if (outcome === 'canceled') return { type: 'blank', message: 'Checkout cancelled. Nothing was charged.' };
  return null;
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
  return <Overview pro={pro} />;
}

/**
 * Chooses the dashboard: getting started for a new user, otherwise the one of the plan. Also
 * reports how a checkout ended; the query alone proves nothing.
 */
import { Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useLocation, useSearch } from 'wouter';
import {
  checkoutReturn,
  checkoutReturnText,
  returnFromCheckout,
  endCheckoutReturn,
  leaveCheckoutReturn,
  outcomeOf,
} from '../../billing/checkout-return.ts';
import { forgetCheckout } from '../../billing/pending-checkout.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { screenPart } from '../../components/screen-part.tsx';
import { may } from '../../identity/security-context.ts';
import { session } from '../../identity/session.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import { agentsStore } from '../../stores/agents-store.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore } from '../../stores/fills-store.ts';
import { useSecurity } from '../../stores/use-security.ts';
import { checkSubscription } from '../../stores/subscription-store.ts';
import { note, readNotes } from '../getting-started/step-notes.ts';
import { Overview } from './StandardDashboard.tsx';

/** The state of a checkout until the server has confirmed it. */
function AfterCheckout() {
  const now = useSnapshot(checkoutReturn);
  const { online } = useSnapshot(connection);
  if (now.state === 'none') return null;
  return (
    <section
      aria-label="Checkout"
      role="status"
      className={classes(
        'mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-2 py-1 pl-3',
        now.state === 'active' ? 'border-accent' : 'border-amber text-amber',
      )}
    >
      <p className="max-w-[64ch]">{checkoutReturnText(now, online)}</p>
      <span className="flex gap-1">
        {now.state === 'late' && (
          <Button
            size="sm"
            onClick={() => {
              void checkSubscription();
            }}
          >
            Check again
          </Button>
        )}
        <Button
          size="sm"
          tone="plain"
          onClick={() => {
            forgetCheckout();
            endCheckoutReturn();
          }}
        >
          Hide
        </Button>
      </span>
    </section>
  );
}

const ChosenAccount = screenPart(async () => ({
  default: (await import('../live/account/LiveAccountScreen.tsx')).ChosenAccount,
}));
const FirstDashboard = screenPart(() => import('./FirstDashboard.tsx'));

/** A user known to have no agent and no trade, who has not hidden the first steps. */
function useIsNew(): { isNew: boolean; hide: () => void } {
  const uid = useSnapshot(session).user?.uid ?? '';
  const agents = useSnapshot(agentsStore).data?.agents.length ?? null;
  const fills = useSnapshot(historyStore).data?.fills.length ?? null;
  const [hidden, setHidden] = useState(() => readNotes(uid).has('hidden'));
  return {
    isNew: agents === 0 && fills === 0 && !hidden,
    hide: () => {
      note(uid, 'hidden');
      setHidden(true);
    },
  };
}

export default function DashboardScreen() {
  const search = useSearch();
  // Offline the last known plan counts. Both dashboards begin alike, so that nothing moves if it
  // changes.
  const pro = may(useSecurity(), 'pro-features', 'read');
  const [, go] = useLocation();
  // Before the first paint, so that nothing moves.
  useLayoutEffect(() => {
    const outcome = outcomeOf(search);
    // Handled once: a reload or a step back in history must not repeat it.
    if (outcome !== null) history.replaceState(history.state, '', location.pathname);
    returnFromCheckout(outcome, (path) => {
      go(path, { replace: true });
    });
  }, [search, go]);
  useEffect(() => leaveCheckoutReturn, []);
  const { isNew, hide } = useIsNew();
  const { chosen } = useSnapshot(accountChoice);
  const overview =
    chosen === null ? (
      <Overview pro={pro} />
    ) : (
      <Suspense>
        <ChosenAccount />
      </Suspense>
    );
  return (
    <>
      <AfterCheckout />
      {isNew && chosen === null ? (
        <Suspense fallback={overview}>
          <FirstDashboard onHide={hide} />
        </Suspense>
      ) : (
        overview
      )}
    </>
  );
}

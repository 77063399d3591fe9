/** Chooses the dashboard: getting started for a new user, otherwise the one of the plan. */
import { Suspense, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useSearch } from 'wouter';
import { followsCheckout, outcomeOf } from '../../billing/checkout-outcome.ts';
import { screenPart } from '../../components/screen-part.tsx';
import { may } from '../../identity/security-context.ts';
import { session } from '../../identity/session.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import { agentsStore } from '../../stores/agents-store.ts';
import { historyStore } from '../../stores/fills-store.ts';
import { useSecurity } from '../../stores/use-security.ts';
import { note, readNotes } from '../getting-started/step-notes.ts';
import { Overview } from './StandardDashboard.tsx';

const AfterCheckout = screenPart(() => import('./AfterCheckout.tsx'));
const ChosenDashboard = screenPart(() => import('./ChosenDashboard.tsx'));
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
  const { isNew, hide } = useIsNew();
  const { chosen } = useSnapshot(accountChoice);
  const overview =
    chosen === null ? (
      <Overview pro={pro} />
    ) : (
      <Suspense>
        <ChosenDashboard />
      </Suspense>
    );
  return (
    <>
      {followsCheckout(search) && (
        <Suspense
          fallback={
            outcomeOf(search) === 'success' && (
              <p className="mb-5 min-h-20 border-l-2 border-amber py-1 pl-3 text-amber md:min-h-10">
                Checkout finished.
              </p>
            )
          }
        >
          <AfterCheckout />
        </Suspense>
      )}
      {isNew && chosen === null ? (
        <Suspense fallback={overview}>
          <FirstDashboard onHide={hide} meanwhile={overview} />
        </Suspense>
      ) : (
        overview
      )}
    </>
  );
}

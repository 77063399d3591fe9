/** The next step of a user whose dashboard lists no agents. */
import { useSnapshot } from 'valtio';
import { LinkButton } from '../../components/Button.tsx';
import { EmptyState, Skeleton } from '../../components/EmptyState.tsx';
import { connection } from '../../stores/connection.ts';
import { useAuth } from '../../stores/use-security.ts';
import { useIsPlanUnknown, useMayTryTrial } from '../subscription/subscription-text.ts';

const FIRST = 'Answer four questions to set up an agent that trades with paper money.';

/** Promises the trial only to whom it is open, and sells nothing while the plan is unknown. */
export default function FirstStep() {
  const { loading, hasUsedTrial, isSubscribed } = useAuth();
  const { online } = useSnapshot(connection);
  const mayTry = useMayTryTrial();
  const isUnknown = useIsPlanUnknown();
  const buys = hasUsedTrial && !isSubscribed && !isUnknown;
  // A text that grew under the finger would move its button.
  if (loading && online !== 'offline') return <Skeleton className="h-52 w-full" />;
  return (
    <EmptyState
      title="No agents yet"
      action={
        <LinkButton to={buys ? '/subscription' : '/guided-setup'} tone="primary">
          {buys ? 'View Plans' : 'Set up my first agent'}
        </LinkButton>
      }
    >
      {buys
        ? 'Agents are included from the Starter plan.'
        : `${FIRST}${mayTry ? ' You can start the free trial on the way.' : ''}`}
    </EmptyState>
  );
}

/** The next step of a user whose dashboard lists no agents. */
import { LinkButton } from '../../components/Button.tsx';
import { EmptyState, Skeleton } from '../../components/EmptyState.tsx';
import { useFirstOffer } from '../subscription/use-known-plan.ts';

const FIRST = 'Answer four questions to set up an agent that trades with paper money.';

/** Promises the trial only to whom it is open, and sells nothing while the plan is unknown. */
export default function FirstStep() {
  const offer = useFirstOffer();
  // A text that grew under the finger would move its button.
  if (offer === undefined) return <Skeleton className="h-52 w-full" />;
  const buys = offer === 'plan';
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
        : `${FIRST}${offer === 'trial' ? ' You can start the free trial on the way.' : ''}`}
    </EmptyState>
  );
}

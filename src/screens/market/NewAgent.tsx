/** The agents' create dialog, opened from the market with a pool or a pair filled in. */
import { Suspense } from 'react';
import { placesTaken } from '../../../contract/agent-account.ts';
import type { PoolId } from '../../../contract/agents.ts';
import { tierPermits } from '../../../contract/tiers.ts';
import { screenPart } from '../../components/screen-part.tsx';
import { useAuth } from '../../stores/use-security.ts';
import { useAgentViews } from '../use-store.ts';

const CreateDialog = screenPart(async () => ({
  default: (await import('../agents/list/AgentsScreen.tsx')).CreateDialog,
}));

export function NewAgent({
  title,
  keptAs,
  pool,
  pairs,
  onDone,
}: {
  title: string;
  /** The name under which its draft is kept. */
  keptAs: string;
  pool: PoolId;
  pairs: readonly string[];
  onDone: () => void;
}) {
  const count = placesTaken((useAgentViews().views ?? []).map(({ agent }) => agent));
  const { subscriptionTier } = useAuth();
  // A plan without choice of pools shows the one it has.
  const allowed = tierPermits(subscriptionTier, 'trading', 'advanced') ? pool : 'all_pools';
  const draft = {
    name: '',
    pool: allowed,
    pairs: [...pairs],
    risk_profile: 'Moderate',
    size: '1000',
    execution_interval: '5-minute',
  };
  return (
    <Suspense>
      <CreateDialog
        open
        title={title}
        count={count}
        given={{ keptAs, draft }}
        onOpenChange={(open) => {
          if (!open) onDone();
        }}
      />
    </Suspense>
  );
}

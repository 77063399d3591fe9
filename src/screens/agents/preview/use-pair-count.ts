/** How many pairs an agent made of a draft would trade. */
import { AGENT_PAIRS_MAX } from '../../../../contract/limits.ts';
import { loadPools, poolsStore } from '../../../stores/market-store.ts';
import { useSlot } from '../../use-store.ts';
import type { AgentDraft } from '../create/agent-draft.ts';

/** The most there can be while the pool's list is not loaded. */
export function usePairCount({ pairs, pool }: Pick<AgentDraft, 'pairs' | 'pool'>): number {
  const pools = useSlot(poolsStore, loadPools).data?.pools;
  if (pairs.length > 0) return pairs.length;
  return pools?.find(({ id }) => id === pool)?.pairs.length ?? AGENT_PAIRS_MAX;
}

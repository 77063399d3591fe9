/** Every strategy, by the id of its pool. */
import type { PoolId } from '../../contract/agents.ts';
import { allPools } from './all-pools.ts';
import { baseEcosystem } from './base-ecosystem.ts';
import { momentum24h } from './momentum-24h.ts';
import { stablecoinArbitrage } from './stablecoin-arbitrage.ts';
import type { Strategy } from './strategy.ts';
import { weeklyLeaders } from './weekly-leaders.ts';
import { ytdChampions } from './ytd-champions.ts';

export const STRATEGIES: { readonly [Id in PoolId]: Strategy & { readonly id: Id } } = {
  base_ecosystem: baseEcosystem,
  momentum_24h: momentum24h,
  weekly_leaders: weeklyLeaders,
  ytd_champions: ytdChampions,
  stablecoin_arbitrage: stablecoinArbitrage,
  all_pools: allPools,
};

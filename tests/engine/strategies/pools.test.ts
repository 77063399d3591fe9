/** The pools, their coins and the profiles they suit. */
import { describe, expect, it } from 'vitest';
import { Pair, PoolId } from '../../../contract/agents.ts';
import { isStablecoinPair } from '../../../engine/pair-coins.ts';
import {
  POOLS,
  POOLS_FOR_PROFILE,
  universeAt,
  universeFor,
} from '../../../engine/strategies/pools.ts';

describe('pools', () => {
  it('are the fixed list of the contract, for any tier (R6-10)', () => {
    expect(POOLS.map((pool) => pool.id)).toEqual(PoolId.options);
    expect(PoolId.options.slice(0, 6)).toEqual([
      'base_ecosystem',
      'momentum_24h',
      'weekly_leaders',
      'ytd_champions',
      'stablecoin_arbitrage',
      'all_pools',
    ]);
    for (const { about, description, name, universe } of POOLS) {
      expect(universe.length, name).toBeGreaterThan(0);
      expect(about.risks.length, name).toBeGreaterThanOrEqual(2);
      expect(description, name).toMatch(/\.$/);
    }
  });

  it('list at most twenty coins that a pair can spell, at every version', () => {
    for (const { universe } of POOLS) {
      for (const { bases } of universe) {
        expect(new Set(bases).size).toBe(bases.length);
        expect(bases.length).toBeLessThanOrEqual(20);
        for (const base of bases) expect(Pair.safeParse(`${base}/USDT`).success, base).toBe(true);
      }
      expect(universe.map((version) => version.from)).toEqual(
        [...universe.map((version) => version.from)].sort((a, b) => a - b),
      );
    }
  });

  it('use the list of the time, not of today', () => {
    expect(universeAt('weekly_leaders', Date.UTC(2022, 0, 1))).toContain('MATIC');
    expect(universeAt('weekly_leaders', Date.UTC(2025, 0, 1))).not.toContain('MATIC');
    expect(universeAt('base_ecosystem', Date.UTC(2022, 0, 1))).not.toContain('AERO');
  });

  it("trade an agent's own pairs where it has any, else the pool's, always only what is offered", () => {
    const offered = ['SOL/USDT', 'ETH/USDT', 'USDC/USDT', 'BTC/USDT'];
    expect(universeFor('all_pools', ['ETH/USDT', 'XRP/USDT'], offered)).toEqual(['ETH/USDT']);
    expect(universeFor('weekly_leaders', [], offered)).toEqual([
      'BTC/USDT',
      'ETH/USDT',
      'SOL/USDT',
    ]);
    expect(universeFor('stablecoin_arbitrage', [], offered)).toEqual(['USDC/USDT']);
    expect(isStablecoinPair('USDC/USDT')).toBe(true);
    expect(isStablecoinPair('BTC/USDC')).toBe(false);
  });

  it('suit profiles in the order in which free places are filled', () => {
    const careful = ['stablecoin_arbitrage', 'base_ecosystem'];
    const balanced = [...careful, 'weekly_leaders', 'all_pools'];
    const bold = [...balanced, 'momentum_24h', 'ytd_champions'];
    const known = (pools: readonly PoolId[]) => pools.filter((id) => bold.includes(id));
    expect(known(POOLS_FOR_PROFILE.conservative)).toEqual(careful);
    expect(known(POOLS_FOR_PROFILE.moderate)).toEqual(balanced);
    expect(known(POOLS_FOR_PROFILE.aggressive)).toEqual(bold);
    expect([...POOLS_FOR_PROFILE.aggressive].sort()).toEqual([...PoolId.options].sort());
  });
});

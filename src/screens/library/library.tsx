/** What each strategy looks for, its weakness, and the pairs it would trade here; refuses promises. */
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { ReadError } from '../../components/EmptyState.tsx';
import type { PoolId } from '../../../contract/agents.ts';
import { loadPools, poolsStore } from '../../stores/market.ts';
import { POOL_LINE, POOL_NAME } from '../agents/agent-words.ts';
import { useSlot } from '../reading.ts';

const WEAKNESS: Record<PoolId, string> = {
  base_ecosystem: 'Sideways markets: it enters late and leaves late.',
  momentum_24h: 'Reversals after a spike, and the cost of trading often.',
  weekly_leaders: 'Leaders of one week are often not those of the next.',
  ytd_champions: 'Crashes: momentum in crypto has turned within days, and was not there in every period.',
  stablecoin_arbitrage: 'A peg that breaks. It halts above 1 % off, after the loss has begun.',
  all_pools: 'Everything above, in smaller pieces.',
};

export default function Library() {
  const { data, error } = useSlot(poolsStore, loadPools);
  return (
    <>
      <ScreenTitle title="Library" note="Six strategies, what each looks for, and what hurts it" />
      <ReadError message={error} hasData={data !== null} />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 md:grid-cols-2">
        {(Object.keys(POOL_NAME) as PoolId[]).map((id) => {
          const pairs = data?.pools.find((pool) => pool.id === id)?.pairs ?? [];
          return (
            <Section key={id} title={POOL_NAME[id]} aside={data === null ? undefined : `${pairs.length} pairs`}>
              <div className="rule flex flex-col gap-2 py-3 text-ink-2">
                <p>{POOL_LINE[id]}</p>
                <p><span className="text-ink">Weakness. </span>{WEAKNESS[id]}</p>
                {pairs.length > 0 && <p className="text-xs text-ink-3">{pairs.slice(0, 10).join(', ')}{pairs.length > 10 ? ` and ${pairs.length - 10} more` : ''}</p>}
              </div>
            </Section>
          );
        })}
      </div>
      <p className="mt-8 max-w-[68ch] text-ink-3">Signal strength is a number from 0 to 1 that says how unusual a move is for that pair. It is not a probability of gain. Size comes from the risk profile, the stop and the pair’s volatility, whichever allows least.</p>
    </>
  );
}

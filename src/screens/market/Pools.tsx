/** The six pools: rules, coins, risk and suitable profiles. */
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Pool } from '../../../contract/market.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { formatDate } from '../../format/times.ts';
import { loadPools, poolsStore } from '../../stores/market-store.ts';
import { useSlot } from '../use-store.ts';
import { baseOf, matches } from './market-order.ts';
import { NewAgent } from './NewAgent.tsx';

const CAPITAL = {
  conservative: 'Conservative',
  moderate: 'Moderate',
  aggressive: 'Aggressive',
} as const;

/** Coins of the pool: offered ones as links, the others as missing. */
function Universe({ pool }: { pool: Pool }) {
  const offered = new Map(pool.pairs.map((pair) => [baseOf(pair), pair]));
  const missing = (pool.about?.universe ?? []).filter((base) => !offered.has(base));
  return (
    <div className="py-2">
      <h3 className="text-xs font-normal text-ink-3">
        {pool.pairs.length === 0
          ? 'No pairs offered here'
          : `${pool.pairs.length} ${pool.pairs.length === 1 ? 'pair' : 'pairs'} offered here`}
      </h3>
      <ul className="flex flex-wrap gap-x-3">
        {pool.pairs.map((pair) => (
          <li key={pair}>
            <Link
              href={`/market/${pair.replace('/', '-')}`}
              className="inline-flex min-h-11 min-w-6 items-center font-medium hover:text-accent hover:underline pointer-fine:min-h-7"
            >
              {baseOf(pair)}
            </Link>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <p className="text-xs text-ink-3">Not offered by this source: {missing.join(', ')}.</p>
      )}
      {pool.about?.listedSince != null && (
        <p className="text-xs text-ink-3">List as of {formatDate(pool.about.listedSince)}.</p>
      )}
    </div>
  );
}

function PoolPart({ pool, onCreate }: { pool: Pool; onCreate: () => void }) {
  const { about } = pool;
  return (
    <section
      aria-label={pool.name}
      className="rule grid gap-x-10 gap-y-3 py-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]"
    >
      <div>
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 className="text-lg">{pool.name}</h2>
          {about !== undefined && <span className="text-ink-2">{pool.risk} risk</span>}
        </div>
        <p className="mt-1 max-w-[56ch] text-ink-2">{pool.description}</p>
        <Universe pool={pool} />
        {about !== undefined && (
          <Button size="sm" onClick={onCreate} className="mt-1">
            Create agent with this pool
          </Button>
        )}
      </div>
      {about !== undefined && (
        <div>
          <dl>
            <Rule term="Buys">{about.enters}</Rule>
            <Rule term="Sells">{about.leaves}</Rule>
            <Rule term="Decides">{about.looks}</Rule>
            <Rule term="Risks">
              <ul className="flex flex-col gap-1.5">
                {about.risks.map((risk) => (
                  <li key={risk}>{risk}</li>
                ))}
              </ul>
            </Rule>
            <Rule term="Suits">{about.suits.map((profile) => CAPITAL[profile]).join(', ')}</Rule>
          </dl>
        </div>
      )}
    </section>
  );
}

function Rule({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="rule grid grid-cols-[4.5rem_minmax(0,1fr)] gap-3 py-2">
      <dt className="text-ink-2">{term}</dt>
      <dd className="m-0">{children}</dd>
    </div>
  );
}

/** A pool matches by its name or by its coins, as in `bitcoin`. */
function poolMatches(pool: Pool, query: string): boolean {
  if (query.trim() === '' || pool.name.toUpperCase().includes(query.trim().toUpperCase()))
    return true;
  return [...pool.pairs.map(baseOf), ...(pool.about?.universe ?? [])].some((base) =>
    matches(base, query),
  );
}

export default function Pools({ query }: { query: string }) {
  const pools = useSlot(poolsStore, loadPools);
  const shown = pools.data?.pools.filter((pool) => poolMatches(pool, query)) ?? [];
  const [creating, setCreating] = useState<Pool | null>(null);
  return (
    <>
      <ReadError
        message={pools.error}
        hasData={pools.data !== null}
        onRetry={() => {
          void loadPools(true);
        }}
      />
      {pools.data === null && pools.error === null && (
        <SkeletonRows rows={6} rowClass="min-h-24" label="Pools" />
      )}
      {pools.data !== null && (
        <p className="mb-4 max-w-[68ch] text-ink-2">
          A pool is a strategy with a list of coins. All plans have the same six pools. An agent
          follows one pool, within the limits of your risk profile: stop loss, largest position and
          pause after losses.
        </p>
      )}
      {pools.data !== null && shown.length === 0 && (
        <EmptyState title={`No pool matches “${query.trim()}”`}>Search by pool or coin.</EmptyState>
      )}
      {shown.map((pool) => (
        <PoolPart
          key={pool.id}
          pool={pool}
          onCreate={() => {
            setCreating(pool);
          }}
        />
      ))}
      {creating !== null && (
        <NewAgent
          title={`New agent: ${creating.name}`}
          keptAs={`agent-pool.${creating.id}`}
          pool={creating.id}
          pairs={[]}
          onDone={() => {
            setCreating(null);
          }}
        />
      )}
    </>
  );
}

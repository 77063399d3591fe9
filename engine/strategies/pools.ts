/**
 * The six pools and the coins each looks at; refuses to ask what a market offers (the caller says).
 */
import type { PoolId, UserRiskProfile } from '../../contract/agents.ts';
import { AGENT_PAIRS_MAX } from '../../contract/limits.ts';

/**
 * A list of base symbols as curated at a date, so that a test of the past trades what was listed
 * then.
 */
export interface UniverseVersion {
  version: number;
  /** In force from this moment, ms UTC. */
  from: number;
  bases: readonly string[];
}

/** What a pool does, in words that say what its strategy does and no more. */
interface PoolRules {
  enters: string;
  leaves: string;
  looks: string;
  risks: readonly string[];
}

export interface PoolDescription {
  id: PoolId;
  name: string;
  description: string;
  risk: 'Low' | 'Medium' | 'High';
  about: PoolRules;
  universe: readonly UniverseVersion[];
}

export const STABLECOINS: ReadonlySet<string> = new Set([
  'USDC',
  'USDT',
  'DAI',
  'BUSD',
  'TUSD',
  'USDP',
  'FDUSD',
  'PYUSD',
  'GUSD',
  'USDS',
  'RLUSD',
]);

const MAJORS: readonly UniverseVersion[] = [
  {
    version: 1,
    from: 0,
    bases: [
      'BTC',
      'ETH',
      'SOL',
      'XRP',
      'ADA',
      'AVAX',
      'DOT',
      'DOGE',
      'LINK',
      'MATIC',
      'LTC',
      'ATOM',
      'UNI',
      'AAVE',
      'BCH',
      'ETC',
      'XLM',
      'FIL',
      'ALGO',
      'NEAR',
    ],
  },
  {
    version: 2,
    from: Date.UTC(2024, 6, 1),
    bases: [
      'BTC',
      'ETH',
      'SOL',
      'XRP',
      'ADA',
      'AVAX',
      'DOT',
      'DOGE',
      'LINK',
      'LTC',
      'ATOM',
      'UNI',
      'AAVE',
      'BCH',
      'XLM',
      'NEAR',
      'APT',
      'ARB',
      'OP',
      'SUI',
    ],
  },
];

/**
 * What is built on Base: its settlement coins and lenders first, the chain's own tokens once they
 * traded widely.
 */
const BASE_ECOSYSTEM: readonly UniverseVersion[] = [
  {
    version: 1,
    from: 0,
    bases: ['ETH', 'BTC', 'LINK', 'UNI', 'AAVE', 'COMP', 'CRV', 'SNX', 'SUSHI', 'YFI'],
  },
  {
    version: 2,
    from: Date.UTC(2024, 6, 1),
    bases: [
      'ETH',
      'BTC',
      'LINK',
      'UNI',
      'AAVE',
      'COMP',
      'CRV',
      'SNX',
      'AERO',
      'DEGEN',
      'BRETT',
      'TOSHI',
      'WELL',
    ],
  },
  {
    version: 3,
    from: Date.UTC(2025, 6, 1),
    bases: [
      'ETH',
      'BTC',
      'LINK',
      'UNI',
      'AAVE',
      'COMP',
      'CRV',
      'AERO',
      'MORPHO',
      'VIRTUAL',
      'BRETT',
      'TOSHI',
      'DEGEN',
      'WELL',
      'ZORA',
    ],
  },
];

const STABLES: readonly UniverseVersion[] = [
  { version: 1, from: 0, bases: ['USDC', 'USDT', 'DAI', 'BUSD', 'TUSD', 'USDP', 'GUSD'] },
  {
    version: 2,
    from: Date.UTC(2024, 6, 1),
    bases: ['USDC', 'USDT', 'DAI', 'TUSD', 'FDUSD', 'PYUSD', 'USDS'],
  },
];

export const POOLS: readonly PoolDescription[] = [
  {
    id: 'base_ecosystem',
    name: 'Base Ecosystem',
    risk: 'Medium',
    universe: BASE_ECOSYSTEM,
    description:
      'Follows the trend of 7, 14 and 28 days in a curated list of coins that the Base chain is built on.',
    about: {
      enters:
        'A coin whose returns of 7, 14 and 28 days, each measured against its own usual swings, point up on average.',
      leaves: 'When that average turns negative, or at the stop.',
      looks: 'At every look of the agent, coin by coin; coins are not compared with each other.',
      risks: [
        'A market that turns back and forth makes it buy late and sell late, with a fee each time.',
        'The list leans on one chain: what harms that chain harms most of it at once.',
        'Its younger coins trade thinly, and a large order moves their price.',
      ],
    },
  },
  {
    id: 'momentum_24h',
    name: '24-Hour Momentum',
    risk: 'High',
    universe: MAJORS,
    description:
      'Holds the three strongest moves of the last 24 hours, where volume stands behind them.',
    about: {
      enters:
        'One of the three strongest 24-hour moves of the list, if the day\u2019s volume is at least that of a usual day of the week before.',
      leaves: 'When it falls out of the six strongest, or at the stop.',
      looks: 'At every look of the agent: the ranking is new each time.',
      risks: [
        'It buys what has already risen, and a fast rise often gives back as fast.',
        'It changes its coins often: fees and slippage are the highest of the six.',
        'A price may jump over the stop.',
      ],
    },
  },
  {
    id: 'weekly_leaders',
    name: 'Weekly Leaders',
    risk: 'Medium',
    universe: MAJORS,
    description:
      'Every Monday, the top fifth of the week by return for its risk; a coin stays while it is in the top two fifths.',
    about: {
      enters: 'The top fifth of the list by the week\u2019s return for its risk.',
      leaves: 'When a new list no longer has it in the top two fifths, or at the stop.',
      looks: 'The list is formed on Monday, 00:00 UTC, and holds for the week.',
      risks: [
        'A leader may turn on Tuesday and is held until Monday or its stop.',
        'It is invested even in a weak week: the strongest of a falling market still falls.',
      ],
    },
  },
  {
    id: 'ytd_champions',
    name: 'Year-to-Date Champions',
    risk: 'High',
    universe: MAJORS,
    description:
      'Every month, the top fifth of the year so far (at least 90 days) by return for its risk.',
    about: {
      enters:
        'The top fifth of the list by return for its risk since the year began, over 90 days at the least.',
      leaves: 'When a new list no longer has it in the top two fifths, or at the stop.',
      looks: 'The list is formed on the 1st of the month, 00:00 UTC, and holds for the month.',
      risks: [
        'The year\u2019s winners are far from where they began and can fall far.',
        'A month is long: between two lists only the stop protects.',
        'Positions are held long and fall together when the market does.',
      ],
    },
  },
  {
    id: 'stablecoin_arbitrage',
    name: 'Stablecoin Arbitrage',
    risk: 'Low',
    universe: STABLES,
    description:
      'Buys a stablecoin well under its usual price and sells on the way back; stands aside when a peg breaks.',
    about: {
      enters:
        'A stablecoin further under its fair price than it usually strays, if the gap also pays for buying and selling.',
      leaves: 'When three quarters of the gap are closed, after 48 hours, or at the stop.',
      looks:
        'At every look of the agent. Over 1 % away from one it counts as a broken peg, and nothing is bought.',
      risks: [
        'A peg that breaks after the purchase may never return.',
        'Gains are small: with the fees of an ordinary account most gaps do not pay, and it trades seldom or not at all.',
      ],
    },
  },
  {
    id: 'all_pools',
    name: 'All Pools',
    risk: 'Medium',
    universe: MAJORS,
    description:
      'Every strategy at once, each an equal share of the risk, netted to one position a pair.',
    about: {
      enters:
        'When at least one of the strategies above would: coins by the four that follow moves, stablecoins by the fifth.',
      leaves: 'When none of them holds on any more, or at the stop.',
      looks: 'At every look of the agent; each share by the calendar of its own strategy.',
      risks: [
        'Four of the five follow rises: in a sudden fall they lose together.',
        'Shares that disagree cancel out, and money then lies idle.',
      ],
    },
  },
];

/** @throws RangeError for an id that is not a pool: the contract lets none through. */
export function poolDescription(id: PoolId): PoolDescription {
  const pool = POOLS.find((candidate) => candidate.id === id);
  if (!pool) throw new RangeError(`Unknown pool ${id}`);
  return pool;
}

/** A pool's list as curated at `at` (ms). */
export function universeVersionAt(pool: PoolId, at: number): UniverseVersion {
  const versions = poolDescription(pool).universe;
  return (
    versions.findLast((version) => version.from <= at) ??
    versions[0] ?? { version: 0, from: 0, bases: [] }
  );
}

/** Base symbols of a pool as curated at `at` (ms). */
export function universeAt(pool: PoolId, at: number): readonly string[] {
  return universeVersionAt(pool, at).bases;
}

/**
 * The pairs an agent trades: its own where it names any, else the pool's list, in the order of that
 * list; always only what the market offers, at most 20. `at` (ms, market clock) picks the version
 * of the list; the newest by default.
 */
export function universeFor(
  pool: PoolId,
  agentPairs: readonly string[],
  offeredPairs: readonly string[],
  at = Number.POSITIVE_INFINITY,
): string[] {
  // An agent has twenty pairs at most: looking each up is cheaper than a set of all that is
  // offered, made for every agent.
  if (agentPairs.length > 0) return agentPairs.filter((pair) => offeredPairs.includes(pair));
  const byBase = new Map<string, string>();
  for (const pair of offeredPairs) {
    const base = baseOf(pair);
    if (!byBase.has(base)) byBase.set(base, pair);
  }
  return universeAt(pool, at)
    .flatMap((base) => byBase.get(base) ?? [])
    .slice(0, AGENT_PAIRS_MAX);
}

/** `BTC` of `BTC/USDT`. */
export function baseOf(pair: string): string {
  return pair.slice(0, pair.indexOf('/'));
}

export function isStablecoinPair(pair: string): boolean {
  return STABLECOINS.has(baseOf(pair));
}

/** Pools that suit a profile, in the order in which create-pool fills the free places. */
export const POOLS_FOR_PROFILE: Record<UserRiskProfile, readonly PoolId[]> = {
  conservative: ['stablecoin_arbitrage', 'base_ecosystem'],
  moderate: ['stablecoin_arbitrage', 'base_ecosystem', 'weekly_leaders', 'all_pools'],
  aggressive: [
    'stablecoin_arbitrage',
    'base_ecosystem',
    'weekly_leaders',
    'all_pools',
    'momentum_24h',
    'ytd_champions',
  ],
};

/** The profiles that a pool suits, the most careful first. */
export function profilesFor(pool: PoolId): UserRiskProfile[] {
  return (['conservative', 'moderate', 'aggressive'] as const).filter((profile) =>
    POOLS_FOR_PROFILE[profile].includes(pool),
  );
}

/**
 * The pools' ids in the order of the list, each with its name and a line on screen. A strategy
 * (`engine/strategies/`) does not compile until its id is here.
 */
export const POOL_TEXT = {
  base_ecosystem: {
    name: 'Base ecosystem',
    line: 'Enters a curated list while its trend over 7, 14 and 28 days points up.',
  },
  momentum_24h: {
    name: '24 h momentum',
    line: 'Holds the three strongest of the last 24 hours, while volume confirms.',
  },
  weekly_leaders: {
    name: 'Weekly leaders',
    line: 'Holds the strongest fifth of the week, chosen on Monday 00:00 UTC.',
  },
  ytd_champions: {
    name: 'Year-to-date champions',
    line: 'Holds the leaders of the year, chosen on the first of the month.',
  },
  stablecoin_arbitrage: {
    name: 'Stablecoin arbitrage',
    line: 'Buys a stablecoin below its fair price and leaves when it is back.',
  },
  all_pools: {
    name: 'All pools',
    line: 'An equal-risk blend of all five, with one net target per pair.',
  },
} as const;

export const POOL_IDS = Object.keys(POOL_TEXT) as (keyof typeof POOL_TEXT)[];

/**
 * The pools' ids in the order of the list, each with its name and a line on screen. A strategy
 * (`engine/strategies/`) does not compile until its id is here.
 */
export const POOL_TEXT = {
  base_ecosystem: {
    name: 'Base ecosystem',
    line: 'Buys coins of a curated list while their 7, 14 and 28-day trend is up.',
  },
  momentum_24h: {
    name: '24 h momentum',
    line: 'Holds the three strongest coins of the last 24 hours if volume confirms the move.',
  },
  weekly_leaders: {
    name: 'Weekly leaders',
    line: 'Holds the strongest fifth of the week. Picks new coins on Mondays at 00:00 UTC.',
  },
  ytd_champions: {
    name: 'Year-to-date champions',
    line: 'Holds the leaders of the year. Picks new coins on the first of each month.',
  },
  stablecoin_arbitrage: {
    name: 'Stablecoin arbitrage',
    line: 'Buys a stablecoin below its fair price and sells when the price recovers.',
  },
  all_pools: {
    name: 'All pools',
    line: 'All five strategies with equal risk, netted to one target per pair.',
  },
} as const;

export const POOL_IDS = Object.keys(POOL_TEXT) as (keyof typeof POOL_TEXT)[];

/**
 * The articles on the six pools, on signal strength and on backtests; refuses to call any of them a
 * way to earn.
 */
import { YEARLY_LEAST_DAYS } from '../../../../contract/limits.ts';
import { FILL_FIGURES, HISTORY, percent, POOL_FIGURES } from '../../content/stated-figures.ts';
import { PRESET_RISK } from '../../agents/agent-risk.ts';
import type { LibraryArticle } from '../article.ts';

const MARKET = { to: '/market', label: 'Markets' };
const AGENTS = { to: '/agents', label: 'Agents' };
const days = POOL_FIGURES.trendDays;
const top = percent(POOL_FIGURES.rankEnter);
const keep = percent(POOL_FIGURES.rankKeep);

export const STRATEGIES: readonly LibraryArticle[] = [
  {
    id: 'base-ecosystem',
    topic: 'Strategies',
    title: 'Base Ecosystem: following a trend',
    summary:
      'Holds what has risen over one, two and four weeks, each measured in the coin’s own restlessness.',
    also: ['pool', 'trend following', 'time-series momentum', 'base_ecosystem'],
    blocks: [
      { h: 'The rule' },
      `For each pair the return over ${days.join(', ')} days is divided by what such a span usually brings: the daily volatility times the root of the days. The mean of the three is z.`,
      {
        formula: 'z = mean of  return(d) ÷ (σ · √d),  d = 7, 14, 28',
        says: `σ is the spread of daily returns over ${HISTORY.volatility} days`,
      },
      'It gets in when z is above zero and the signal strength reaches the agent’s threshold. It gets out when z falls below zero. Between the two it holds, so that a signal on the edge does not pay fees every hour.',
      { h: 'What it looks at' },
      'A list of coins that the Base chain is built on or that live there, kept by hand and with the date from which each version holds. A test of the past uses the list of that time, not the one of today: a list made afterwards contains only survivors.',
      { h: 'Where it comes from' },
      'Moskowitz, Ooi and Pedersen (2012) describe the rule for futures: assets that rose for their own risk went on rising for a while. Liu, Tsyvinski and Wu (2022) find momentum in crypto assets as well. Grobys and Sapkota (2019) did not find it significant in 2014 to 2018.',
      { h: 'When it loses' },
      {
        list: [
          'In a market without direction it buys after each rise and sells after each fall, and pays for both.',
          'At every turn it gives back part of what it had: it leaves after the fall has begun, never before.',
          'Coins of one ecosystem fall together. Ten positions may then be one.',
        ],
      },
    ],
    screens: [MARKET, AGENTS],
    next: ['signal-strength', 'all-pools', 'stops'],
  },
  {
    id: 'momentum-24h',
    topic: 'Strategies',
    title: '24-Hour Momentum: the day’s strongest moves',
    summary: 'Holds the three strongest movers of the last day, if volume stands behind them.',
    also: ['pool', 'gainers', 'pump', 'volume', 'momentum_24h'],
    blocks: [
      { h: 'The rule' },
      `Every pair is ranked by its return over 24 hours divided by its daily volatility. The first ${POOL_FIGURES.momentumTop} can be bought, and only where the day’s volume is at least the median day of the last ${POOL_FIGURES.momentumVolumeDays}. A pair is sold when it leaves the first ${POOL_FIGURES.momentumKeep}.`,
      `With ${POOL_FIGURES.momentumKeep} pairs or fewer nobody can leave the first ${POOL_FIGURES.momentumKeep}. There a move that has turned is the way out.`,
      { h: 'Why volume is asked for' },
      'A rise on thin trading is often one buyer. When that buyer is done there is nobody behind, and the price an agent would get on the way out is not the one on the screen. The decision then reads “No trade: the move has too little volume behind it.”',
      { h: 'When it loses' },
      {
        list: [
          'The strongest move of a day is often its last. A reversal hits all three positions at once.',
          'It trades the most of the six, so fee and spread take the largest share of it. Read [what a round trip costs](/library?article=fees).',
          'A jump down between two prices fills a stop far below its mark.',
        ],
      },
      {
        note: 'Its risk is marked High. With the profile Aggressive, starting it takes a held press.',
        title: 'Note.',
      },
    ],
    screens: [MARKET, AGENTS],
    next: ['fees', 'stops', 'weekly-leaders'],
  },
  {
    id: 'weekly-leaders',
    topic: 'Strategies',
    title: 'Weekly Leaders: ranked once a week',
    summary:
      'On Monday at 00:00 UTC the best fifth of the week by return for its risk; kept while in the best two fifths.',
    also: ['pool', 'ranking', 'cross-sectional', 'monday', 'weekly_leaders'],
    blocks: [
      { h: 'The rule' },
      `On Monday at 00:00 UTC every pair of the list gets a score: its return over 7 days divided by its volatility over such a span. The first ${top}, rounded up, can be bought. A pair is kept while it is in the first ${keep} of a later list.`,
      'z is how far a score stands from the mean of the list, in the list’s own spread. It therefore takes at least two pairs, and a coin can lead a falling market: the rule asks who is best, not whether anybody is good.',
      { h: 'Between two Mondays' },
      'Nothing is ranked anew. An agent that is started on a Thursday joins the list of the Monday before. A pair that was stopped out is not bought again before the next list.',
      { h: 'When it loses' },
      {
        list: [
          'When leaders change every week it always holds last week’s.',
          'In a general fall it stays invested in what falls least, or fell least until Monday.',
          'A week is long. Until the next list only the stop loss takes a position out.',
        ],
      },
    ],
    screens: [MARKET, AGENTS],
    next: ['ytd-champions', 'drawdown', 'signal-strength'],
  },
  {
    id: 'ytd-champions',
    topic: 'Strategies',
    title: 'Year-to-Date Champions: ranked once a month',
    summary:
      'On the first of each month the best fifth of the year so far, by return for its risk.',
    also: ['pool', 'ranking', 'monthly', 'year', 'ytd_champions'],
    blocks: [
      { h: 'The rule' },
      `The same ranking as the [Weekly Leaders](/library?article=weekly-leaders), formed at 00:00 UTC on the 1st over the year so far, but over at least ${POOL_FIGURES.yearDaysLeast} days: in January a year of two weeks would be noise. The first ${top} can be bought, the first ${keep} are kept.`,
      `A pair whose history covers less than ${percent(POOL_FIGURES.coverageLeast)} of the window has no rank. Where a little is missing, the data quality, and with it the signal strength, is lower.`,
      { h: 'When it loses' },
      {
        list: [
          'It buys what has already risen far, and sits in it for a month.',
          'The champions of a rising year lead the fall as well: its losses come together.',
          'Few trades make a result that says little. A good year of this rule is a handful of decisions.',
        ],
      },
    ],
    screens: [MARKET, AGENTS],
    next: ['weekly-leaders', 'backtests', 'drawdown'],
  },
  {
    id: 'stablecoin-arbitrage',
    topic: 'Strategies',
    title: 'Stablecoin Arbitrage: the way back to the peg',
    summary:
      'Buys a stablecoin well under its usual price and sells on the way back. Many small gains against one rare loss.',
    also: ['pool', 'depeg', 'peg', 'usdc', 'dai', 'mean reversion', 'stablecoin_arbitrage'],
    blocks: [
      { h: 'The rule' },
      `Fair is the median price of the last 24 hours, held within ${percent(POOL_FIGURES.fairBand)} of one. z is how far the price stands under fair, in the day’s own spread.`,
      {
        list: [
          'In: the gap is larger than one such spread plus the cost of the round trip. A gap that fees would eat is left alone, and the decision says so.',
          `Out: the gap has shrunk to ${percent(POOL_FIGURES.pegLeaveShare)} of what it was at the entry, or ${POOL_FIGURES.pegHoldHours} hours have passed.`,
          `Not at all: the price is more than ${percent(POOL_FIGURES.pegBreak)} off one. That is no bargain but a break.`,
        ],
      },
      'Lyons and Viswanath-Natraj describe why pegs come back: somebody can create or redeem the coin at one. The rule lives off that somebody.',
      { h: 'When it loses' },
      `When the somebody is gone. A peg that breaks falls further in an hour than a year of this rule earns, and a position bought at 0.996 is held while the price goes through 0.99. What is held then stays under its stop and the ${POOL_FIGURES.pegHoldHours} hours; nothing new is bought.`,
      'Its risk is marked Low because it moves little on most days. Low is not none, and days like that are the reason.',
    ],
    screens: [MARKET, AGENTS],
    next: ['fees', 'stops', 'all-pools'],
  },
  {
    id: 'all-pools',
    topic: 'Strategies',
    title: 'All Pools: every strategy, netted',
    summary:
      'The default: each strategy votes with an equal share, and one position per pair comes out.',
    also: ['pool', 'blend', 'default', 'diversification', 'sleeves', 'all_pools'],
    blocks: [
      { h: 'The rule' },
      'An ordinary coin is judged by four strategies, each with a quarter of a full position: [trend](/library?article=base-ecosystem), [24-hour momentum](/library?article=momentum-24h), the [weekly](/library?article=weekly-leaders) and the [monthly](/library?article=ytd-champions) list. A stablecoin answers to the [peg rule](/library?article=stablecoin-arbitrage) alone. What the strategies want is added up to one target per pair, so that one never sells to another through the market and pays for it twice.',
      'A share joins by its own rule and the agent’s threshold, and leaves by its own rule alone. A position may therefore be a quarter, a half, three quarters or whole.',
      { h: 'Why it is the default' },
      'The parts fail at different times: the trend rule in a market without direction, the rankings when leaders change. Together they are calmer than each. That is an observation about spread, not a promise of a result.',
      'An agent without a pool runs this over the pairs you gave it. Choosing another pool needs the Pro plan.',
      { h: 'When it loses' },
      'In a crash. All four directional parts hold coins, and coins fall together: what spreads the small losses does not spread the large one. The stops and the drawdown guard are there for that day.',
    ],
    screens: [AGENTS, { to: '/performance', label: 'Performance' }],
    next: ['signal-strength', 'position-size', 'guards'],
  },
  {
    id: 'signal-strength',
    topic: 'Strategies',
    title: 'Signal strength, and why it is not a probability',
    summary: 'How a price history becomes a number between 0 and 1.',
    also: ['z', 'threshold', 'confidence', '0.41', '0.55', 'probability'],
    blocks: [
      'Each pool computes how unusual the present move is, measured in the pair’s own volatility. Call that z. A move of two daily spreads means as much for a calm pair as for a wild one.',
      {
        formula: 'c = q · max(0, 2Φ(z) − 1)',
        says: 'Φ is the normal distribution, q says from 0 to 1 how complete the data is',
      },
      {
        table: {
          caption: 'z and the strength it gives, with complete data',
          head: ['z', 'Strength'],
          rows: [
            ['0.5', '0.38'],
            ['1.0', '0.68'],
            ['1.5', '0.86'],
            ['2.0', '0.95'],
          ],
        },
      },
      { h: 'What the threshold does' },
      `An agent enters only at or above its threshold: ${PRESET_RISK.Conservative.threshold.toFixed(2)} for Conservative, ${PRESET_RISK.Moderate.threshold.toFixed(2)} for Moderate, ${PRESET_RISK.Aggressive.threshold.toFixed(2)} for Aggressive, unless you set your own. A higher one trades less and later.`,
      { h: 'What it is not' },
      'Prices are not normally distributed, and the past does not bind the future. 0.70 does not mean that seven in ten such trades win. The strength ranks and gates, and it sizes: a stronger signal may hold more, up to the [limits](/library?article=position-size).',
      `A pair needs ${HISTORY.volatilityLeast} days of prices for a volatility and up to ${HISTORY.warmUp} days for the longest rule. Before that the decision reads “too little history”.`,
    ],
    screens: [AGENTS, { to: '/trading', label: 'Trading settings' }],
    next: ['decisions', 'position-size', 'risk-profiles'],
  },
  {
    id: 'backtests',
    topic: 'Strategies',
    title: 'Backtests, and what they cannot tell',
    summary: 'A test on past prices can show that a rule is bad. It cannot show that it is good.',
    also: ['history', 'simulation', 'overfitting', 'look-ahead', 'survivorship', 'replay', 'past'],
    blocks: [
      { h: 'What is done right here' },
      {
        list: [
          'Decided on a candle that has closed, filled at the first price after it. A rule that trades in the candle it looked at is trading on the future.',
          'Fee, half-spread and impact are paid on every fill, and an order takes at most ' +
            percent(FILL_FIGURES.participation) +
            ' of the candle’s volume.',
          'Lists of coins carry dates: a test of the past sees the list of that day.',
          'The code of a test and the code that runs your agent are the same. A recorded market can be run through the whole product, and it is labelled as recorded.',
        ],
      },
      { h: 'What no test can do' },
      {
        list: [
          '**Choose without knowing.** Whoever tries twenty settings on one past finds one that worked. That one worked there.',
          '**Hold many markets.** Ten years of crypto hold perhaps three different markets. That is a sample of three.',
          '**Move the price.** On paper your order never uses up the offer. Impact is an estimate.',
          '**Fail.** Exchanges stop, feeds lag, programs break, mostly on the days that matter.',
          '**Feel.** A drawdown of 30 % is a number in a table and a decision in real life.',
        ],
      },
      { h: 'How to read a result' },
      `Beside what doing nothing would have brought, with its worst drawdown, and with the number of trades it is made of. Under ${YEARLY_LEAST_DAYS} days no yearly figure is shown here, because it would be a figure about the days.`,
    ],
    screens: [
      { to: '/analytics', label: 'Analytics' },
      { to: '/performance', label: 'Performance' },
    ],
    next: ['paper-money', 'fees', 'drawdown'],
  },
];

/** Library articles on the six pools, on signal strength and on backtests. */
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
      'Holds coins that have risen over one, two and four weeks, relative to their own volatility.',
    also: ['pool', 'trend following', 'time-series momentum', 'base_ecosystem'],
    blocks: [
      { h: 'The rule' },
      `For each pair, the return over ${days.join(', ')} days is divided by the move that is ` +
        'normal for that period: the daily volatility times the square root of the number of days. ' +
        'The average of the three is the signal, z.',
      {
        formula: 'z = mean of  return(d) ÷ (σ · √d),  d = 7, 14, 28',
        says: `σ is the standard deviation of daily returns over ${HISTORY.volatility} days`,
      },
      'The agent enters when z is above zero and the signal strength reaches its threshold. It ' +
        'exits when z falls below zero. In between it holds, so that a signal near the threshold ' +
        'does not cost fees every hour.',
      { h: 'Which coins it trades' },
      'A hand-picked list of coins that the Base chain is built on or that live on it. Each ' +
        'version of the list has a start date. A backtest uses the list of that time, not today’s: ' +
        'a list made afterwards would contain only the survivors.',
      { h: 'Where it comes from' },
      'Moskowitz, Ooi and Pedersen (2012) describe the rule for futures: assets that had risen ' +
        'relative to their risk kept rising for a while. Liu, Tsyvinski and Wu (2022) also find ' +
        'momentum in crypto assets. Grobys and Sapkota (2019) found no significant effect for 2014 ' +
        'to 2018.',
      { h: 'When it loses' },
      {
        list: [
          'In a market without direction it buys after each rise, sells after each fall, and pays for both.',
          'At every reversal it gives back part of the gain: it exits after a fall has begun, never before.',
          'Coins of one ecosystem tend to fall together. Ten positions can behave like one.',
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
    summary:
      'Holds the three strongest movers of the last day, if trading volume confirms the move.',
    also: ['pool', 'gainers', 'pump', 'volume', 'momentum_24h'],
    blocks: [
      { h: 'The rule' },
      'Every pair is ranked by its 24-hour return divided by its daily volatility. The top ' +
        `${POOL_FIGURES.momentumTop} can be bought, but only if the day’s volume is at least the ` +
        `median daily volume of the last ${POOL_FIGURES.momentumVolumeDays} days. A pair is sold ` +
        `when it drops out of the top ${POOL_FIGURES.momentumKeep}.`,
      `With ${POOL_FIGURES.momentumKeep} pairs or fewer, no pair can drop out of the top ` +
        `${POOL_FIGURES.momentumKeep}. The agent then sells when the move has reversed.`,
      { h: 'Why volume matters' },
      'A rise on low volume is often a single buyer. When that buyer is done, nobody is left, ' +
        'and the agent could not sell at the price on the screen. The decision then reads “No ' +
        'trade: volume is too low to confirm the move.”',
      { h: 'When it loses' },
      {
        list: [
          'The strongest move of a day is often its last. A reversal hits all three positions at once.',
          'It trades more often than the other five, so fees and spread take the largest share. ' +
            'Read [what a round trip costs](/library?article=fees).',
          'If the price gaps down, a stop loss fills far below its level.',
        ],
      },
      {
        note: 'Its risk is rated High. With the Aggressive profile, you hold the button to start it.',
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
      'Buys the top fifth of the week by risk-adjusted return every Monday at 00:00 UTC, and ' +
      'keeps what stays in the top two fifths.',
    also: ['pool', 'ranking', 'cross-sectional', 'monday', 'weekly_leaders'],
    blocks: [
      { h: 'The rule' },
      'On Monday at 00:00 UTC every pair on the list gets a score: its 7-day return divided by ' +
        `its volatility over 7 days. The top ${top}, rounded up, can be bought. A pair is kept ` +
        `while it ranks in the top ${keep} of later lists.`,
      'z is the distance of a score from the average of the list, in standard deviations of the ' +
        'list. So the rule needs at least two pairs, and a coin can lead a falling market: it asks ' +
        'which coin is best, not whether any coin is good.',
      { h: 'Between two Mondays' },
      'The ranking does not change. An agent started on a Thursday uses the list of the Monday ' +
        'before. A pair that was stopped out is not bought again before the next list.',
      { h: 'When it loses' },
      {
        list: [
          'When leaders change every week, it always holds last week’s.',
          'In a broad decline it stays invested in the coins that fall least, or fell least until Monday.',
          'A week is long. Until the next list, only a stop loss closes a position.',
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
      'Buys the top fifth of the year so far by risk-adjusted return on the first of each month.',
    also: ['pool', 'ranking', 'monthly', 'year', 'ytd_champions'],
    blocks: [
      { h: 'The rule' },
      'The same ranking as [Weekly Leaders](/library?article=weekly-leaders), made at 00:00 UTC ' +
        'on the 1st of each month. It covers the year so far, but at least ' +
        `${POOL_FIGURES.yearDaysLeast} days: two weeks of January would be noise. The top ${top} ` +
        `can be bought, and the top ${keep} are kept.`,
      `A pair whose history covers less than ${percent(POOL_FIGURES.coverageLeast)} of the ` +
        'period is not ranked. If only a little is missing, the data quality is lower, and so is ' +
        'the signal strength.',
      { h: 'When it loses' },
      {
        list: [
          'It buys what has already risen a lot, and holds it for a month.',
          'The champions of a rising year often lead the fall as well, so its losses come together.',
          'It makes few trades, so its results say little. A good year can rest on a handful of decisions.',
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
      'Buys a stablecoin well below its usual price and sells as it recovers. Many small gains, one rare large loss.',
    also: ['pool', 'depeg', 'peg', 'usdc', 'dai', 'mean reversion', 'stablecoin_arbitrage'],
    blocks: [
      { h: 'The rule' },
      'The fair price is the median of the last 24 hours, kept within ' +
        `${percent(POOL_FIGURES.fairBand)} of 1. z is how far the price is below fair, in standard ` +
        'deviations of the day.',
      {
        list: [
          'Entry: the gap is larger than one standard deviation plus the cost of a round trip. ' +
            'If fees would use up the gap, the agent does not trade, and the decision says so.',
          `Exit: the gap has shrunk to ${percent(POOL_FIGURES.pegLeaveShare)} of its size at ` +
            `entry, or ${POOL_FIGURES.pegHoldHours} hours have passed.`,
          `No entry: the price is more than ${percent(POOL_FIGURES.pegBreak)} away from 1. That ` +
            'is a broken peg, not a bargain.',
        ],
      },
      'Lyons and Viswanath-Natraj describe why pegs recover: somebody can create or redeem the ' +
        'coin at 1. This rule depends on them.',
      { h: 'When it loses' },
      'When nobody redeems the coin any more. A broken peg can fall further in an hour than this ' +
        'rule earns in a year, and a position bought at 0.996 is still held while the price falls ' +
        'through 0.99. Open positions keep their stop loss and the limit of ' +
        `${POOL_FIGURES.pegHoldHours} hours; nothing new is bought.`,
      'Its risk is rated Low because its value moves little on most days. Low does not mean ' +
        'none: a broken peg is the reason.',
    ],
    screens: [MARKET, AGENTS],
    next: ['fees', 'stops', 'all-pools'],
  },
  {
    id: 'all-pools',
    topic: 'Strategies',
    title: 'All Pools: every strategy, netted',
    summary:
      'The default: every strategy has an equal share, and the agent holds one combined position per pair.',
    also: ['pool', 'blend', 'default', 'diversification', 'sleeves', 'all_pools'],
    blocks: [
      { h: 'The rule' },
      'Four strategies judge each ordinary coin, each with a quarter of a full position: ' +
        '[trend](/library?article=base-ecosystem), [24-hour ' +
        'momentum](/library?article=momentum-24h), and the ' +
        '[weekly](/library?article=weekly-leaders) and [monthly](/library?article=ytd-champions) ' +
        'rankings. Stablecoins follow only the [peg rule](/library?article=stablecoin-arbitrage). ' +
        'The shares are added up to one target per pair, so that one strategy never sells what ' +
        'another is buying and pays fees twice.',
      'Each share enters by its own rule and the agent’s threshold, and exits by its own rule ' +
        'alone. A position can therefore be a quarter, a half, three quarters or full size.',
      { h: 'Why it is the default' },
      'The strategies lose at different times: the trend rule in a market without direction, the ' +
        'rankings when leaders change. Together they fluctuate less than each alone. That is an ' +
        'observation about diversification, not a promise of a result.',
      'An agent without a pool uses this rule on the pairs you chose. You need the Pro plan to choose another pool.',
      { h: 'When it loses' },
      'In a crash. All four directional strategies hold coins, and coins fall together. ' +
        'Diversification softens small losses, not the large one. Stop losses and the drawdown ' +
        'guard exist for that day.',
    ],
    screens: [AGENTS, { to: '/performance', label: 'Performance' }],
    next: ['signal-strength', 'position-size', 'guards'],
  },
  {
    id: 'signal-strength',
    topic: 'Strategies',
    title: 'Signal strength, and why it is not a probability',
    summary: 'How price history becomes a number between 0 and 1.',
    also: ['z', 'threshold', 'confidence', '0.41', '0.55', 'probability'],
    blocks: [
      'Each pool measures how unusual the current move is, relative to the pair’s own ' +
        'volatility. This number is called z. A move of two standard deviations means as much for ' +
        'a calm pair as for a volatile one.',
      {
        formula: 'c = q · max(0, 2Φ(z) − 1)',
        says: 'Φ is the normal distribution; q, from 0 to 1, is how complete the data is',
      },
      {
        table: {
          caption: 'z and signal strength, with complete data',
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
      'An agent enters only if the strength is at or above its threshold: ' +
        `${PRESET_RISK.Conservative.threshold.toFixed(2)} for Conservative, ` +
        `${PRESET_RISK.Moderate.threshold.toFixed(2)} for Moderate, ` +
        `${PRESET_RISK.Aggressive.threshold.toFixed(2)} for Aggressive, unless you set your own. A ` +
        'higher threshold means fewer and later trades.',
      { h: 'What it is not' },
      'Prices are not normally distributed, and the past does not determine the future. A ' +
        'strength of 0.70 does not mean that seven in ten such trades win. Strength ranks pairs, ' +
        'decides on entries and affects size: a stronger signal can hold more, up to the ' +
        '[limits](/library?article=position-size).',
      `A pair needs ${HISTORY.volatilityLeast} days of prices for its volatility, and up to ` +
        `${HISTORY.warmUp} days for the longest rule. Until then, the decision reads “too little ` +
        'history”.',
    ],
    screens: [AGENTS, { to: '/trading', label: 'Trading settings' }],
    next: ['decisions', 'position-size', 'risk-profiles'],
  },
  {
    id: 'backtests',
    topic: 'Strategies',
    title: 'Backtests, and what they cannot tell',
    summary: 'A backtest can show that a rule is bad. It cannot show that it is good.',
    also: ['history', 'simulation', 'overfitting', 'look-ahead', 'survivorship', 'replay', 'past'],
    blocks: [
      { h: 'How Tradewind backtests' },
      {
        list: [
          'Decisions use closed candles and fill at the first price afterwards. A rule that ' +
            'trades within the candle it has just read is trading on the future.',
          'Every fill pays the fee, half the spread and its price impact, and an order takes at ' +
            `most ${percent(FILL_FIGURES.participation)} of the candle’s volume.`,
          'Lists of coins are dated. A backtest uses today’s list for its whole period and names its ' +
            'date: coins that fell off a list are not in it, which flatters the past.',
          'Backtests and live agents run the same code. A recorded market can run through the ' +
            'whole product and is labelled as recorded.',
        ],
      },
      { h: 'What no backtest can do' },
      {
        list: [
          '**Choose without hindsight.** If you try twenty settings on one past, one of them ' +
            'will have worked. There.',
          '**Cover many markets.** Ten years of crypto contain perhaps three different markets. ' +
            'That is a sample of three.',
          '**Move the price.** A paper order never uses up the order book. Impact is an estimate.',
          '**Fail.** Exchanges go down, feeds lag and programs break, mostly on the days that matter.',
          '**Feel.** A drawdown of 30 % is a number in a table, and a decision in real life.',
        ],
      },
      { h: 'How to read a result' },
      'Compare it with buy-and-hold, look at its worst drawdown, and check how many trades it is ' +
        `based on. With less than ${YEARLY_LEAST_DAYS} days of data, no yearly figures are shown, ` +
        'because they would mean nothing.',
    ],
    screens: [
      { to: '/analytics', label: 'Analytics' },
      { to: '/performance', label: 'Performance' },
    ],
    next: ['paper-money', 'fees', 'drawdown'],
  },
];

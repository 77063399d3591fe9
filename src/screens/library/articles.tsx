/** The library's articles: how to read the screens and what the numbers mean; refuses advice on what to buy. */
import type { ReactNode } from 'react';

export interface LibraryArticle { id: string; title: string; topic: 'Strategies' | 'Risk' | 'Money' | 'Reading the screens'; summary: string; body: ReactNode; words: string }

const article = (id: string, title: string, topic: LibraryArticle['topic'], summary: string, paragraphs: readonly string[]): LibraryArticle => ({
  id, title, topic, summary,
  words: [title, summary, ...paragraphs].join(' ').toLowerCase(),
  body: paragraphs.map((text) => <p key={text.slice(0, 40)}>{text}</p>),
});

export const ARTICLES: readonly LibraryArticle[] = [
  article('signal-strength', 'Signal strength, and why it is not a probability', 'Strategies',
    'How a price history becomes a number between 0 and 1.', [
      'Each pool computes how unusual the present move is, measured in the pair’s own volatility. Call that z. A move of two daily standard deviations means as much for a calm pair as for a wild one.',
      'The strength is q · max(0, 2Φ(z) − 1), where Φ is the normal distribution and q, between 0 and 1, says how complete the data is. A z of 0.5 gives 0.38, a z of 1 gives 0.68, a z of 2 gives 0.95.',
      'Prices are not normally distributed and the past does not bind the future, so the strength is a way to rank and to gate, not a chance of winning. Your threshold says how much is enough: 0.70 for Conservative, 0.55 for Moderate, 0.40 for Aggressive, unless you set your own.',
    ]),
  article('pools', 'The six pools', 'Strategies',
    'What each pool looks for, and when it fails.', [
      'Base ecosystem follows trends over one, two and four weeks in a curated list. It earns in long moves and gives back at every turn.',
      'Momentum 24h holds the strongest movers of the last day that trade with enough volume. It is fast, pays many fees, and suffers most when a market reverses at once.',
      'Weekly leaders and YTD champions rank pairs against each other by their risk-adjusted return, once a week and once a month. They need a market in which leaders stay leaders.',
      'Stablecoin arbitrage buys a stablecoin a little under its fair value and sells it back near it. Many small gains stand against the rare day on which a peg breaks; it halts when the price is more than 1 % off.',
      'All pools blends the others into one target for each pair. It is the default, and the smoothest, because its parts fail at different times.',
    ]),
  article('position-size', 'How a position gets its size', 'Risk',
    'Six limits, and the smallest one wins.', [
      'The size is the least of: a share of your equity, the agent’s largest position, the loss you accept at the stop divided by the distance to the stop, a volatility target, one hundredth of the last candle’s volume, and your free cash.',
      'An example: equity 10,000, Moderate. Ten percent of equity is 1,000. Half a percent at risk with a stop 5 % away is also 1,000. If the pair is twice as volatile as the target, the volatility limit halves it to 500, and 500 it is.',
      'Sizes are rounded down to what the venue trades. Below the venue’s smallest order nothing is done, and the decision says so.',
    ]),
  article('stop-loss', 'What a stop loss does, and what it cannot', 'Risk',
    'Checked on every price, filled at the price that is there.', [
      'The stop price is set when a position is opened. It is checked on every price that arrives, whether or not the agent is due to look, and it stays on guard after you stop the agent.',
      'When the price jumps past the stop, the exit is filled at the price found, less spread and fee. Large pairs have lost half their price within an hour. A stop limits ordinary losses, not extraordinary ones.',
    ]),
  article('drawdown', 'Drawdown', 'Risk',
    'The distance from the highest point so far.', [
      'Drawdown is how far equity stands below its highest value so far; the maximum drawdown is the worst of these. It is what a result felt like, which the total return does not tell.',
      'A loss of 20 % needs a gain of 25 % to be made good, one of 50 % needs 100 %. That is why agents halt at a drawdown limit of 10, 20 or 30 percent by profile.',
    ]),
  article('fees', 'Fees, spread and impact', 'Money',
    'Why a strategy that trades often must be right more often.', [
      'Every fill pays a taker fee, buys at the ask and sells at the bid, and moves the price a little. Each is written into the fill and never changes afterwards.',
      'With a fee of 0.1 % and a spread of 0.1 %, going in and out costs about 0.3 %. A strategy that does this daily must earn more than 100 % a year to come out even.',
      'Realised profit in this app is net of fees. The fee total beside it shows how much went there.',
    ]),
  article('equity', 'Equity, realised and unrealised', 'Money',
    'How the numbers on the portfolio add up.', [
      'Equity is cash plus every open position at the bid, the price at which you could sell now. It equals your deposits plus realised plus unrealised profit, to the last digit.',
      'Unrealised profit is what open positions would bring beyond their cost, entry fees included. Selling turns it into realised profit, less the fee of the sale.',
      'Every amount is kept as an exact decimal in a double-entry ledger, whose entries sum to zero for each asset.',
    ]),
  article('ages', 'Why numbers have an age', 'Reading the screens',
    'Fresh, stale, and unknown are three different things.', [
      'A number from the network is as old as its last word from the server. While it is fresh no age is shown. After that you see “40 s ago” or “4 min old”, and offline the time of the last view.',
      'A dash means unknown, and says why when you point at it. It is never shown as zero: zero is a number.',
    ]),
  article('queue', 'What “saved on this phone” means', 'Reading the screens',
    'The way of a command from the button to the server.', [
      'Start and Stop are written to the device before the app says “saved”. Then they are sent: stops first, starts after, in order for each agent.',
      'Each command carries an id. It leaves the queue only when the server has answered with that id; if the answer is lost, the same id is sent again and the server answers what it did the first time.',
      'A Start goes out by itself for 30 minutes. Later, or when the agent changed meanwhile, it asks you first; after a day it lapses. A Stop never lapses.',
    ]),
];

/**
 * The articles on fills, fees, paper money, the sums of the portfolio and lots; refuses advice on
 * tax.
 */
import { STARTING_DEPOSIT } from '../../../../contract/limits.ts';
import { formatAmount } from '../../../format/numbers.ts';
import { FILL_FIGURES, percent, roundTrip, TERMS } from '../../content/stated-figures.ts';
import type { LibraryArticle } from '../article.ts';

const PORTFOLIO = { to: '/portfolio', label: 'Portfolio' };
const ANALYTICS = { to: '/analytics', label: 'Analytics' };
const bps = (points: number): string => percent(points / 10_000);
const plain = roundTrip(TERMS.feeBps, TERMS.halfSpreadBps);
const daily = Math.round(plain * 365 * 100);

export const MONEY: readonly LibraryArticle[] = [
  {
    id: 'paper-fill',
    topic: 'Money',
    title: 'How a paper fill is made',
    summary: 'From the decision to the entry in the ledger, step by step.',
    also: ['execution', 'order', 'slippage', 'ask', 'bid', 'partial fill', 'quote'],
    blocks: [
      {
        list: [
          'A candle closes. The agent decides on it and on nothing that came after.',
          'The server waits for the first sane quote after the close. If none comes, the decision reads “No price of BTC/USDT since the candle closed.”, and nothing is traded.',
          'A buy pays the **ask**, a sale gets the **bid**. Where a source gives prices without a book, bid and ask stand a stated half-spread from the price.',
          'The price moves against the order by its impact (below).',
          `A buy takes at most ${percent(FILL_FIGURES.participation)} of the volume of the candle. What is cut off stays unfilled; the decision says so.`,
          'The fee is charged on the amount and rounded up. Quantities are rounded down to the lot.',
          'Price, fee rate, quote and the version of these rules are written into the fill and never change.',
        ],
        ordered: true,
      },
      {
        formula: 'impact = σ · √(Q ÷ V), at most ' + percent(FILL_FIGURES.impactMost),
        says: 'σ a day’s volatility, Q your quantity, V a day’s volume: the square-root law',
      },
      { h: 'Ways out are different' },
      'Stops, “Close” and “Stop and sell” sell everything at once, whatever the volume, and pay the impact for it. Who must get out gets out.',
      { h: 'What is kinder than a real market' },
      'Your order meets no queue, is never refused, and leaves the offer as it was for the next order. A real fill of a large order is worse than this one.',
    ],
    screens: [PORTFOLIO, { to: '/market', label: 'Markets' }],
    next: ['fees', 'paper-money', 'backtests'],
  },
  {
    id: 'fees',
    topic: 'Money',
    title: 'Fees, half-spread, and what a round trip costs',
    summary: 'Why a strategy that trades often must be right more often.',
    also: ['taker fee', 'commission', 'costs', 'spread', 'impact', 'turnover', 'basis points'],
    blocks: [
      'Every fill pays a taker fee and half the spread, and moves the price a little. In and out is all of that twice.',
      {
        table: {
          caption: 'What this app charges on paper, where the source has no terms of its own',
          head: ['Source', 'Fee', 'Half-spread', 'Round trip'],
          rows: [
            ['Recorded, coins', bps(TERMS.feeBps), bps(TERMS.halfSpreadBps), percent(plain)],
            [
              'Recorded, stablecoins',
              bps(TERMS.feeStableBps),
              bps(TERMS.halfSpreadStableBps),
              percent(roundTrip(TERMS.feeStableBps, TERMS.halfSpreadStableBps)),
            ],
          ],
        },
      },
      `Simulated prices have the same fees and a half-spread by how much a coin trades. With an exchange, the exchange’s own taker rate is used where it tells one, else ${bps(TERMS.exchangeFeeBps)}, and its own bid and ask. The rate stands in every trade.`,
      { h: 'What that means' },
      `A round trip at ${percent(plain)} looks small. One every day costs ${daily} % of the money traded in a year, before impact. A strategy that trades daily has to earn that first.`,
      'That is also why an agent with the frequency “optimized” leaves a position alone while being off target is cheaper than mending it.',
      { h: 'Where you see it' },
      'Realised profit is net of fees, everywhere. The total of fees stands beside it under Portfolio, and each trade shows its own. Turnover under Analytics says how often the account was traded through.',
    ],
    screens: [PORTFOLIO, ANALYTICS],
    next: ['paper-fill', 'momentum-24h', 'position-size'],
  },
  {
    id: 'paper-money',
    topic: 'Money',
    title: 'Paper money: what it is and what it is not',
    summary: 'Prices can be real. The money is not, and neither are the fills.',
    also: ['paper trading', 'demo', 'simulated', 'real money', 'deposit', 'reset', 'live'],
    blocks: [
      { h: 'What it is' },
      `An account with ${formatAmount(STARTING_DEPOSIT, { least: 0 })} of the market’s quote currency that nobody paid in. Agents trade it by the same code, limits and stops as they would anything else, at the prices of the source that stands under the header.`,
      'Every place that shows money carries the outlined mark PAPER. There is no other kind of account in Tradewind today: no exchange key is asked for, and no order leaves the server.',
      { h: 'What it is not' },
      {
        list: [
          '**Not a forecast.** A month is one month of one market.',
          '**Not your nerves.** A paper loss of a third is easy to sit through.',
          '**Not a full market.** No queue, no refusal, no outage at the exchange, no price that moves away because you came. Results with real money are usually worse.',
          '**Not yours to take out.** It cannot be paid out, and nothing you pay for a plan becomes trading money.',
        ],
      },
      { h: 'Three kinds of prices' },
      'An exchange’s, read live. A recording, played at a stated speed. Or simulated: made by a formula from a seed, for learning the screens. A result on simulated prices says nothing at all about a market. The line under the header always says which it is.',
      { h: 'Starting over' },
      '“Reset paper account” under Portfolio stops all agents, closes the book and opens a new one with a fresh deposit. The old book stays readable.',
    ],
    screens: [PORTFOLIO, { to: '/market', label: 'Markets' }],
    next: ['paper-fill', 'equity', 'backtests'],
  },
  {
    id: 'equity',
    topic: 'Money',
    title: 'Equity, realised, unrealised: how the sums add up',
    summary: 'Two equations that hold to the last digit.',
    also: ['profit', 'loss', 'p&l', 'pnl', 'cash', 'ledger', 'average cost', 'explain this number'],
    blocks: [
      {
        formula: 'equity = cash + open positions at the bid',
        says: 'the bid is what a sale would get now, before its fee',
      },
      {
        formula: 'equity = deposits + realised + unrealised',
        says: 'the same number from the other side',
      },
      'Press the equity on the dashboard: both equations open with their rows. If they ever left something unexplained, that would be shown as a row too.',
      { h: 'Unrealised' },
      'What open positions would bring at the bid, less what they cost. The fee of the purchase is part of the cost. So a position just opened starts a little under zero: spread and fee have been paid.',
      { h: 'Realised' },
      'What sales have brought: proceeds less the fee of the sale, less the average cost of what was sold. Selling a part takes that part of the cost with it.',
      { h: 'Why it cannot drift' },
      'Every movement is written twice, as in a merchant’s book, in exact decimals. The entries sum to zero for each asset, and the server goes through the whole ledger every night and says loudly where they do not.',
      { h: 'When a price is missing' },
      'A position without a price is valued at cost and says so. A dash means unknown. It never means zero.',
    ],
    screens: [PORTFOLIO, { to: '/dashboard', label: 'Dashboard' }],
    next: ['tax-lots', 'fees', 'dashboard'],
  },
  {
    id: 'tax-lots',
    topic: 'Money',
    title: 'Lots: average cost and first in, first out',
    summary: 'Why the gain on paper and the gain in a tax form can differ. Basics, not advice.',
    also: ['tax', 'fifo', 'lifo', 'cost basis', 'capital gains', 'csv', 'export'],
    blocks: [
      'A lot is one purchase: a quantity, a price, a fee, a day. When you sell less than you hold, somebody has to say which lots were sold. The answers give different gains in one year and the same in the end.',
      {
        table: {
          caption: 'Bought 1 at 100, then 1 at 140; sold 1 at 150; fees left out',
          head: ['Method', 'Cost of what was sold', 'Gain now', 'Gain still to come at 150'],
          rows: [
            ['Average cost', '120', '30', '30'],
            ['First in, first out', '100', '50', '10'],
            ['Last in, first out', '140', '10', '50'],
          ],
        },
      },
      { h: 'What Tradewind shows' },
      'Average cost, per agent and pair: it needs no choice and reads the same on every screen. Two agents that hold the same coin hold it apart.',
      'Which method counts for a tax, how long a coin must be held, and whether selling one coin for another is a sale, differs by country and changes. Ask somebody who is liable for the answer.',
      { h: 'What you can take with you' },
      'The CSV under Portfolio holds the trades that are on the device with time (UTC), pair, side, quantity, price, amount, fee and realised result: what any lot method is computed from.',
      {
        note: 'On a paper account nothing was bought and nothing was sold. The table is for learning.',
        title: 'Paper.',
      },
    ],
    screens: [PORTFOLIO],
    next: ['equity', 'fees', 'paper-money'],
  },
];

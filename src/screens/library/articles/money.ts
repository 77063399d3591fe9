/** Library articles on fills, fees, paper money, the arithmetic of the portfolio and tax lots. */
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
    summary: 'From the decision to the ledger entry, step by step.',
    also: ['execution', 'order', 'slippage', 'ask', 'bid', 'partial fill', 'quote'],
    blocks: [
      {
        list: [
          'A candle closes. The agent decides on that candle and on nothing that came later.',
          'The server waits for the first valid quote after the close. If there is none, the ' +
            'decision reads “No price of BTC/USDT since the candle closed.”, and nothing is traded.',
          'A buy pays the **ask**, a sell gets the **bid**. If a source has prices but no order ' +
            'book, bid and ask are a stated half-spread away from the price.',
          'The order’s own price impact moves the price against it (see below).',
          `A buy takes at most ${percent(FILL_FIGURES.participation)} of the candle’s volume. ` +
            'The rest stays unfilled, and the decision says so.',
          'The fee is charged on the amount and rounded up. Quantities are rounded down to the lot size.',
          'Price, fee rate, quote and the version of these rules are stored with the fill and never change.',
        ],
        ordered: true,
      },
      {
        formula: 'impact = σ · √(Q ÷ V), at most ' + percent(FILL_FIGURES.impactMost),
        says: 'σ is the daily volatility, Q your quantity, V the daily volume: the square-root law',
      },
      { h: 'Exits are different' },
      'Stop losses, “Close” and “Stop and sell” sell everything at once, whatever the volume, ' +
        'and pay the impact for it. Getting out comes first.',
      { h: 'What is easier than in a real market' },
      'Your order waits in no queue, is never rejected, and leaves the order book unchanged for ' +
        'the next one. A large real order would fill at a worse price.',
    ],
    screens: [PORTFOLIO, { to: '/market', label: 'Markets' }],
    next: ['fees', 'paper-money', 'backtests'],
  },
  {
    id: 'fees',
    topic: 'Money',
    title: 'Fees, half-spread, and what a round trip costs',
    summary: 'Why a strategy that trades often has to be right more often.',
    also: ['taker fee', 'commission', 'costs', 'spread', 'impact', 'turnover', 'basis points'],
    blocks: [
      'Every fill pays a taker fee and half the spread, and moves the price a little. A round ' +
        'trip, in and out, pays all of that twice.',
      {
        table: {
          caption: 'Paper trading costs, where the source has no terms of its own',
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
      'Simulated prices have the same fees, and a half-spread that depends on how much a coin ' +
        'trades. For a live exchange, its own taker rate is used if it is known, otherwise ' +
        `${bps(TERMS.exchangeFeeBps)}, with its own bid and ask. Every trade shows its rate.`,
      { h: 'What that means' },
      `A round trip at ${percent(plain)} looks small. One a day costs ${daily} % of the traded ` +
        'amount in a year, before impact. A strategy that trades daily has to earn that first.',
      'That is also why an agent with the frequency “optimized” leaves a position alone while ' +
        'correcting it would cost more than being off target.',
      { h: 'Where to see it' },
      'Realised profit is always net of fees. Total fees are shown next to it under Portfolio, ' +
        'and each trade shows its own. Turnover under Analytics tells how often the whole account ' +
        'was traded.',
    ],
    screens: [PORTFOLIO, ANALYTICS],
    next: ['paper-fill', 'momentum-24h', 'position-size'],
  },
  {
    id: 'paper-money',
    topic: 'Money',
    title: 'Paper money: what it is and what it is not',
    summary: 'Prices can be real. The money and the fills are not.',
    also: ['paper trading', 'demo', 'simulated', 'real money', 'deposit', 'reset', 'live'],
    blocks: [
      { h: 'What it is' },
      `An account that starts with ${formatAmount(STARTING_DEPOSIT, { least: 0 })} of the ` +
        'market’s quote currency, which nobody paid in. Agents trade it with the same code, limits ' +
        'and stop losses as they would trade real money, at the prices of the source named under ' +
        'the header.',
      'Every amount carries the outlined PAPER tag. No order of a paper account leaves the server, ' +
        'and it needs no exchange key. Live accounts are separate, look different, and are never ' +
        'added to paper.',
      { h: 'What it is not' },
      {
        list: [
          '**Not a forecast.** One month is one month of one market.',
          '**Not a test of your nerves.** A paper loss of a third is easy to sit through.',
          '**Not a full market.** No queue, no rejected orders, no exchange outage, and no price ' +
            'that moves away because of you. Results with real money are usually worse.',
          '**Not withdrawable.** It cannot be paid out, and what you pay for a plan does not become trading money.',
        ],
      },
      { h: 'Three kinds of prices' },
      'Live prices of an exchange. A recording, played back at a stated speed. Or simulated ' +
        'prices, generated by a formula for learning the app. A result on simulated prices says ' +
        'nothing about a real market. The line under the header always names the kind.',
      { h: 'Starting over' },
      '“Reset paper account” under Portfolio stops all agents, closes the account and opens a ' +
        'new one with a fresh deposit. The old account stays readable.',
    ],
    screens: [PORTFOLIO, { to: '/market', label: 'Markets' }],
    next: ['paper-to-live', 'paper-fill', 'equity'],
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
        says: 'the bid is what a sale would bring now, before its fee',
      },
      {
        formula: 'equity = deposits + realised + unrealised',
        says: 'the same number, from the other side',
      },
      'Press the equity on the dashboard to see both equations with all their rows. Any ' +
        'difference would be shown as a row of its own.',
      { h: 'Unrealised' },
      'The value of open positions at the bid, minus their cost. The purchase fee is part of the ' +
        'cost. That is why a new position starts slightly negative: spread and fee have already ' +
        'been paid.',
      { h: 'Realised' },
      'The result of your sales: proceeds minus the selling fee, minus the average cost of what ' +
        'was sold. A partial sale takes its share of the cost.',
      { h: 'Why it cannot drift' },
      'Every movement is recorded twice, as in double-entry bookkeeping, with exact decimals. ' +
        'The entries of each asset sum to zero. The server checks the whole ledger every night and ' +
        'raises an alarm if they do not.',
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
    summary: 'Why the gain in the app and the gain on a tax return can differ. Basics, not advice.',
    also: ['tax', 'fifo', 'lifo', 'cost basis', 'capital gains', 'csv', 'export'],
    blocks: [
      'A lot is one purchase: a quantity, a price, a fee and a date. If you sell less than you ' +
        'hold, a rule has to say which lots were sold. Different rules give different gains in a ' +
        'given year, and the same total in the end.',
      {
        table: {
          caption: 'Bought 1 at 100, then 1 at 140; sold 1 at 150; without fees',
          head: ['Method', 'Cost of what was sold', 'Gain now', 'Gain still to come at 150'],
          rows: [
            ['Average cost', '120', '30', '30'],
            ['First in, first out', '100', '50', '10'],
            ['Last in, first out', '140', '10', '50'],
          ],
        },
      },
      { h: 'What Tradewind shows' },
      'Average cost, per agent and pair. It needs no choice and reads the same on every screen. ' +
        'If two agents hold the same coin, each has its own average.',
      'Which method applies to taxes, how long a coin must be held, and whether a swap counts as ' +
        'a sale depends on the country and changes. Ask a tax adviser.',
      { h: 'What you can export' },
      'The CSV under Portfolio contains every trade of the paper account with time (UTC), pair, ' +
        'side, quantity, price, amount, fee and realised result: everything a lot method needs. ' +
        'Offline it holds the trades on this device, and its name says how many.',
      'The tax lots of an exchange account come from its real fills. A fee in a third coin, such as ' +
        'BNB, has no price here: gains are before it, and the file lists it by lot.',
      {
        note: 'Nothing is bought or sold on a paper account. The table is for learning.',
        title: 'Paper.',
      },
    ],
    screens: [PORTFOLIO],
    next: ['equity', 'fees', 'paper-money'],
  },
];

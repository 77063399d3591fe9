/** The library article on the way from paper to an exchange account of one's own. */
import { LIVE_EXCHANGES } from '../../../../contract/exchanges.ts';
import { KEY_ADVICE } from '../../../../contract/key-advice.ts';
import { exchangeName } from '../../../format/exchange-names.ts';
import { LIVE_FIGURES } from '../../content/stated-figures.ts';
import type { LibraryArticle } from '../article.ts';

const { firstWeekDays, firstOrder, firstExposure, firstDailyLoss, confirmMinutes } = LIVE_FIGURES;

export const LIVE: readonly LibraryArticle[] = [
  {
    id: 'paper-to-live',
    topic: 'Money',
    title: 'From paper to live',
    summary: 'What changes when an agent trades your own exchange account, and how to begin small.',
    also: [
      'live trading',
      'real money',
      'exchange',
      'api key',
      'kraken',
      'coinbase',
      'binance',
      'connect',
      'signer',
      'passkey',
    ],
    blocks: [
      'Live trading is off unless the operator of this server runs it and prices come from an ' +
        'exchange. Paper stays as it is. Nothing moves from one to the other.',
      { h: 'What stays the same' },
      'The agent decides with the same code, on closed candles, within the same guards. Every ' +
        'decision has its reason. A Stop pressed offline is kept and sent first.',
      { h: 'What changes' },
      {
        list: [
          '**Fills are the exchange’s.** Price, fee and quantity are what it reports. An order can be ' +
            'filled in part, or be rejected.',
          '**Nothing is done before the exchange says so.** An order without an answer is shown as ' +
            'unknown. It is looked up, not sent again on a guess.',
          '**Stop losses rest at the exchange** where it takes them. Otherwise the server watches ' +
            'the price, and the screen says so.',
          '**Selling takes a moment.** Stops of that coin are cancelled first, then it is sold.',
          '**Your own trades are yours.** They appear as external. Agents sell only what they bought.',
        ],
      },
      { h: 'A key that can trade and nothing else' },
      {
        table: {
          caption: 'Permissions of the key, in each exchange’s own words',
          head: ['Exchange', 'Create it under', 'Turn on', 'Leave off'],
          rows: LIVE_EXCHANGES.map((exchange) => {
            const { page, allow, forbid } = KEY_ADVICE[exchange];
            return [exchangeName(exchange), page, allow.join(', '), forbid.join(', ')];
          }),
        },
      },
      'A key that can withdraw or transfer is rejected. Restrict it to the operator’s address if the ' +
        'exchange offers that. Best is a sub-account or portfolio that holds only what you want ' +
        'to trade.',
      { h: 'Limits' },
      `For ${firstWeekDays} days, one order costs at most $${firstOrder}, at most ` +
        `$${firstExposure} are in the market, and after a loss of $${firstDailyLoss} in a day ` +
        'nothing more is bought. You can lower these at any time. Raising them takes a ' +
        'confirmation and holds after those days. A separate process enforces them, on a list of ' +
        'pairs with enough volume and near the market price.',
      { h: 'Begin small' },
      {
        list: [
          'Run the agent on paper for a few weeks, at prices of an exchange. Compare with buy-and-hold.',
          'Read the [risk disclosure](/risk-disclosure).',
          'Put a small sum into an account of its own at the exchange, one you can lose.',
          'Connect the key, read what was found, and lower the limits to your sum.',
          'Start one agent live with one pair. Confirm with your passkey or password: it counts for ' +
            `${confirmMinutes} minutes, once, for this agent and these limits.`,
          'After its first trade, compare price, fee and stop with the exchange’s own page.',
          'Press Stop once, and check that the agent has stopped.',
          'Let it run for a week before you raise anything.',
        ],
        ordered: true,
      },
      { h: 'Getting out' },
      'Stop ends new purchases and keeps stop losses. Ending live trading cancels all orders of ' +
        'Tradewind at the exchange, stop losses too: what you hold is then unprotected. You can ' +
        'also sell at the exchange itself, or delete the key there. The app then shows what changed.',
    ],
    screens: [
      { to: '/portfolio', label: 'Portfolio' },
      { to: '/security', label: 'Security' },
    ],
    next: ['paper-money', 'stops', 'queued-stop'],
  },
];

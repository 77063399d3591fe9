/** What can go wrong with automated crypto trading, stated plainly. */
import { useSearch } from 'wouter';
import { ownPath } from '../../billing/pending-checkout.ts';
import { NextStepLink } from '../getting-started/NextStep.tsx';
import { FILL_FIGURES, LIVE_FIGURES, percent } from './stated-figures.ts';
import { useLookedAt } from '../getting-started/step-notes.ts';
import { DocumentPage } from './DocumentPage.tsx';
import type { Block } from './rich-text.ts';

export const RISKS: readonly Block[] = [
  { h: 'You can lose everything' },
  'You can lose all the money you invest in crypto assets. No profile, strategy or setting is ' +
    'safe: “Conservative” means smaller and slower, not free of losses. Nothing in this app is ' +
    'advice, and nothing in it promises a profit.',
  { h: 'Paper trading is easier than real trading' },
  'A paper account trades at observed prices with a stated model of fees, spread and price ' +
    'impact. Real orders also face queues, rejections, partial fills, outages, and prices that ' +
    'move because of the order. If you trade the same rules with real money, expect worse results.',
  `The model is cautious: an order takes at most ${percent(FILL_FIGURES.participation)} of a ` +
    'candle’s volume, and fills after the candle it was decided on. It is still only a model.',
  { h: 'Live trading is your money' },
  'Where the operator offers live trading, an agent that you start live buys and sells with the ' +
    'money in your own exchange account. Nobody insures it against losses, and a trade cannot be ' +
    'undone.',
  {
    list: [
      `**Limits are not a guarantee.** In the first ${LIVE_FIGURES.firstWeekDays} days, one order ` +
        `costs at most $${LIVE_FIGURES.firstOrder} and at most $${LIVE_FIGURES.firstExposure} are ` +
        `in the market. After a loss of $${LIVE_FIGURES.firstDailyLoss} in a day, nothing more is ` +
        'bought. What is already bought can still fall to zero.',
      '**An outcome can be unknown.** If the exchange does not answer, an order may or may not ' +
        'have taken effect. The app says so and keeps looking. Until it is known, money is held ' +
        'back and that pair buys nothing.',
      '**A stop at the exchange can fail.** It can be rejected, cancelled by hand, or too small to ' +
        'place. Then the server watches the price, but only while it runs. A stop at the exchange ' +
        `is a limit order ${percent(LIVE_FIGURES.stopRoom)} below the stop price, at Coinbase ` +
        `${percent(LIVE_FIGURES.stopRoomCoinbase)}: if the price falls past that at once, it does ` +
        'not sell. The server then cancels it and sells at the market, but only while it runs.',
      '**The exchange can fail.** It can be down, delist a coin, change its rules, freeze your ' +
        'account or become insolvent.',
      '**A stolen server can trade within your limits.** The key cannot withdraw, and limits and ' +
        'new starts are checked by a separate process. Within them, a thief could still trade badly on ' +
        'purpose.',
      '**Your own trades count.** If you trade by hand in the same account, agents may find less ' +
        'money or fewer coins than they need. Use an account of its own for Tradewind.',
    ],
  },
  { h: 'Price gaps' },
  'A stop loss sells at the next price, not at the stop price. If the price jumps past the stop, ' +
    'you get the price after the jump. A stop loss at 5 % can lose 10, 30 or 90 %. Weekends, ' +
    'listings, hacks and failing issuers cause such gaps, often in many coins on the same day.',
  { h: 'Liquidity' },
  'In a falling market, buyers leave first. Spreads widen, volume drops, and your own sale ' +
    'pushes the price down. Small coins can become impossible to sell at any price. A position ' +
    'that looks small in money can be large for its market.',
  { h: 'Coins fall together' },
  'Ten positions in ten coins are not ten independent risks. In every large crash so far, nearly ' +
    'all coins fell. Limits per position do not help on such a day. The limits on daily loss and ' +
    'drawdown only stop **new** trades; they do not sell.',
  { h: 'Pegs break' },
  'A stablecoin is only as good as its issuer’s promise. Peg arbitrage earns a little on many ' +
    'days and loses a lot on the day that promise is in doubt.',
  { h: 'Past results do not repeat' },
  'Momentum in crypto assets has paid off in some years and not in others, and it crashes when ' +
    'markets turn. A backtest knows how its period ended; you do not know how yours will. A rule ' +
    'found by trying many usually describes only the past.',
  { h: 'Software fails' },
  'Like all software, this app has bugs that nobody has found yet. An agent that fails opens no ' +
    'new positions and keeps its stop losses, and the ledger is checked for errors. None of this ' +
    'makes a wrong rule right.',
  'Servers, networks, exchanges and phones fail too. While the server is down, no stop loss is ' +
    'watched. When it is back, it goes through the missed candles of paper accounts, and a stop ' +
    'that was reached sells at the candle’s open or at the stop, whichever is lower. Live stops ' +
    'that rest at the exchange stay there, but sell nothing below their limit until the server ' +
    'is back and sells. Live stops that the server watches sell late, at the price of that moment.',
  { h: 'A Stop that comes late' },
  'If you press Stop while offline, it is saved on your device, sent first when you are back ' +
    'online, and carried out once. **Until it arrives, your agent keeps trading.** Notifications ' +
    'can be late or fail, depending on your device, its maker and its settings. If you must stop ' +
    'an agent at once, do not rely on the queue: use another network or another device.',
  { h: 'Prices can be wrong' },
  'Price feeds can send late, duplicate or absurd prices. Absurd prices are held back, and late ' +
    'ones block new trades, but agents will act on a wrong price that looks right.',
  { h: 'Law and tax' },
  'Rules on crypto assets differ by country and change. It is up to you to find out whether you ' +
    'may use this service and what tax you owe.',
  { h: 'Before you start an agent' },
  {
    list: [
      'Check the worst loss shown before the start. A gap can exceed it.',
      'Set the largest position and the stop loss yourself.',
      'Know how you would stop it without this device.',
      'Never rely on paper results alone, and never invest money you need.',
    ],
  },
];

export default function RiskDisclosureScreen() {
  useLookedAt('risk');
  const from = ownPath(new URLSearchParams(useSearch()).get('from'));
  return (
    <DocumentPage
      title="Risk Disclosure"
      updated="23 November 2026"
      blocks={RISKS}
      lead="Crypto prices can halve within an hour. Agents act on them without asking you each time. Read this before you start one."
      after={<NextStepLink from={from} />}
    />
  );
}

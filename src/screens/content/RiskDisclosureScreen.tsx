/** What can go wrong with automated crypto trading, stated plainly. */
import { useSearch } from 'wouter';
import { ownPath } from '../../billing/pending-checkout.ts';
import { NextStepLink } from '../getting-started/NextStep.tsx';
import { FILL_FIGURES, percent } from './stated-figures.ts';
import { useLookedAt } from '../getting-started/step-notes.ts';
import { DocumentPage } from './DocumentPage.tsx';
import type { Block } from './rich-text.ts';

export const RISKS: readonly Block[] = [
  { h: 'You can lose everything' },
  'You can lose all the money you invest in crypto assets. No profile, strategy or setting is ' +
    'safe: “Conservative” means smaller and slower, not free of losses. Nothing in this app is ' +
    'advice, and nothing in it promises a profit.',
  { h: 'Paper trading is easier than real trading' },
  'Every account in Tradewind today is a paper account. It trades at observed prices with a ' +
    'stated model of fees, spread and price impact. Real orders also face queues, rejections, ' +
    'partial fills, outages, and prices that move because of the order. If you trade the same ' +
    'rules elsewhere with real money, expect worse results.',
  `The model is cautious: an order takes at most ${percent(FILL_FIGURES.participation)} of a ` +
    'candle’s volume, and fills after the candle it was decided on. It is still only a model.',
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
    'watched. When it is back, it goes through the missed candles, and a stop that was reached ' +
    'sells at the candle’s open or at the stop, whichever is lower.',
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
      updated="21 November 2026"
      blocks={RISKS}
      lead="Crypto prices can halve within an hour. Agents act on them without asking you each time. Read this before you start one."
      after={<NextStepLink from={from} />}
    />
  );
}

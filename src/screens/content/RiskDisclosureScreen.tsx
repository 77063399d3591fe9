/** What can go wrong with automated crypto trading, said plainly; refuses to soften it. */
import { useSearch } from 'wouter';
import { ownPath } from '../../billing/pending-checkout.ts';
import { NextStepLink } from '../getting-started/NextStep.tsx';
import { FILL_FIGURES, percent } from './stated-figures.ts';
import { useLookedAt } from '../getting-started/step-notes.ts';
import { DocumentPage } from './DocumentPage.tsx';
import type { Block } from './rich-text.ts';

export const RISKS: readonly Block[] = [
  { h: 'You can lose all of it' },
  'Trading crypto assets can lose all the money put into it. No profile, pool or setting here is safe: “Conservative” is smaller and slower, not free of loss. Nothing in this app is advice, and nothing in it promises a profit.',
  { h: 'Paper is kinder than a market' },
  'Every account in Tradewind today is a paper account. It trades at observed prices with a stated model of fee, spread and impact. Real orders also meet queues, refusals, partial fills, outages, and prices that move because the order came. Whoever trades the same rules elsewhere with real money should expect worse results than these.',
  `The model is cautious where it can be: an order takes at most ${percent(FILL_FIGURES.participation)} of a candle’s volume, and is decided on one candle and filled after it. It is still a model.`,
  { h: 'Gaps' },
  'A stop loss is an order to sell at the next price, not at the stop. When a price jumps past it, the exit happens at the price that is there. A stop 5 % below can lose 10, 30 or 90 %. Weekends, listings, hacks and failing issuers make such gaps, and they come to many coins on the same day.',
  { h: 'Liquidity' },
  'In a fall the buyers leave first. The spread widens, the volume thins out, and a sale moves the price against itself. Small coins can become impossible to sell at any price. A position that looks small in money may be large for its market.',
  { h: 'Coins fall together' },
  'Ten positions in ten coins are not ten independent risks. In every large fall so far nearly all of them fell. Limits for each position do not limit that day; the limits for a day’s loss and for drawdown stop **new** trades and sell nothing.',
  { h: 'Pegs break' },
  'A stablecoin is a promise of its issuer. Peg arbitrage earns little on many days and loses much on the day the promise is doubted.',
  { h: 'The past does not repeat on request' },
  'Momentum in crypto assets has paid in some years, was not significant in others, and crashes when markets turn. A backtest chooses from a past that is known; you trade into one that is not. A rule found by trying many is usually a rule about the past.',
  { h: 'Software fails' },
  'This program has faults that nobody has found yet, as every program has. A faulty agent is set apart, stops opening, and keeps its stops; the ledger is checked against itself. None of this makes a wrong rule right.',
  'Servers, networks, exchanges and phones fail too. When the server is down, no stop is watched. On its return the missed candles are gone through, and a stop that was touched sells at the worse of the candle’s opening and the stop.',
  { h: 'A Stop that comes late' },
  'A Stop pressed without a connection is saved on your device, sent first, and carried out once. **Until it has arrived your agent trades on.** Notifications can be late or not come at all: your device, its maker and its settings stand in between. If you must be out at once, do not rely on a queue: use another network or another device.',
  { h: 'Prices can be wrong' },
  'Feeds send late, doubled and absurd prices. What looks absurd is held back, what is late blocks new trades, but a wrong price that looks right is acted on.',
  { h: 'Law and tax' },
  'Rules on crypto assets differ by country and change. What you owe on a gain, and whether you may use such a service at all, is yours to find out.',
  { h: 'Before you start an agent' },
  {
    list: [
      'Read the worst loss shown before the start, and remember that a gap can exceed it.',
      'Set the largest position and the stop yourself.',
      'Know how you would stop it without this device.',
      'Never build on paper results alone, and never on money you need.',
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
      lead="Crypto prices can halve in an hour. Automated rules act on them without asking you each time. Read this before you start an agent."
      after={<NextStepLink from={from} />}
    />
  );
}

/** What the product offers, what it does not, and for whom it is; refuses a promise of profit. */
import { agentCap } from '../../../contract/tiers.ts';
import { STARTING_DEPOSIT } from '../../../contract/limits.ts';
import { formatAmount } from '../../format/numbers.ts';
import { DocumentPage } from './DocumentPage.tsx';
import { TRIAL_DAYS } from './stated-figures.ts';
import type { Block } from './rich-text.ts';

export const LEARN_MORE: readonly Block[] = [
  { h: 'What you get' },
  {
    list: [
      'Agents that trade one of six pools, or pairs of your own, within your limits.',
      'A reason for every decision, also for those not to trade.',
      'A portfolio that adds up: equity is cash plus positions at the bid, to the last digit.',
      `Paper trading with ${formatAmount(STARTING_DEPOSIT, { least: 0 })} of the market’s quote currency, always marked PAPER, with fee, spread and impact in its sums.`,
      'An app that opens in a tunnel on your last portfolio, and a Stop that arrives.',
      'Results beside what doing nothing would have brought.',
    ],
  },
  { h: 'What you do not get' },
  'A promise. Most short-term traders lose money, and rules that worked on past prices may not work on the next ones. Advice: nothing here knows your situation. Custody: no money and no coin of yours is held. Real orders: today every account is a paper account. Read the [risk disclosure](/risk-disclosure) first.',
  { h: 'For whom it is' },
  'For somebody who wants to see a rule at work before believing in it, with the reason for each step and the costs in the sum. Not for somebody who needs an income from it.',
  { h: 'The six pools' },
  {
    table: {
      caption: 'What each looks for',
      head: ['Pool', 'Idea', 'Suffers when'],
      rows: [
        ['Base Ecosystem', 'trends of 7, 14 and 28 days', 'there is no direction'],
        ['24-Hour Momentum', 'the day’s three strongest moves', 'the move turns at once'],
        ['Weekly Leaders', 'the best fifth of the week', 'leaders change every week'],
        ['Year-to-Date Champions', 'the best fifth of the year', 'champions fall together'],
        ['Stablecoin Arbitrage', 'the way back to the peg', 'a peg breaks'],
        ['All Pools', 'all of them, netted', 'everything falls at once'],
      ],
    },
  },
  'Each has an article of its own in the [library](/library), which is part of the app once you have an account.',
  { h: 'What it costs' },
  `Looking is free. Running agents needs a plan, from ${agentCap('starter')} agents on Starter to ${agentCap('pro-max')} on Pro Max, or the free trial: everything in Standard, ${TRIAL_DAYS} days unless the operator of this server has set another length, no card. A plan that ends keeps your agents and history, and Stop always works.`,
  { h: 'Where prices come from' },
  'From the exchange that the operator chose, from a recording, or from a simulation. The line under the header always says which. Simulated prices are made by a formula: they are for learning the screens, and a result on them says nothing about a market.',
  { h: 'Next' },
  'Read [how it works](/how-it-works), the [questions](/faq), then [create an account](/register). The first steps are laid out for you.',
];

export default function LearnMoreScreen() {
  return (
    <DocumentPage
      title="Learn more"
      blocks={LEARN_MORE}
      lead="Tradewind runs automated trading agents, shows you everything they do and why, and keeps working with you when the signal does not."
    />
  );
}

/** What the product offers and what it does not; refuses a promise of profit. */
import { Link } from 'wouter';
import { Article } from './article.tsx';

export function LearnMore() {
  return (
    <Article
      title="Learn more"
      lead="Tradewind runs automated trading agents, shows you everything they do and why, and keeps working with you when the signal does not."
      sections={[
        { heading: 'What you get', body: (
          <ul>
            <li>Agents that trade one of six pools or pairs of your own, with your limits.</li>
            <li>A reason for every decision, also for those not to trade.</li>
            <li>A portfolio that adds up: equity is cash plus positions at the bid, to the last digit.</li>
            <li>Paper trading in the quote currency of the market, always marked PAPER, with real fees and spreads in its sums.</li>
            <li>An app that opens in a tunnel, and a Stop that arrives.</li>
          </ul>
        ) },
        { heading: 'What you do not get', body: (
          <p>A promise. Most short-term traders lose money, and rules that worked on past prices may not work on the next ones. We show buy-and-hold beside results for that reason. Read the <Link href="/risk-disclosure">risk disclosure</Link> first.</p>
        ) },
        { heading: 'What it costs', body: (
          <p>Looking is free. Running agents needs a plan or the free trial, whose length the operator of this server sets. The plans and their limits are on the subscription page once you have an account. A plan that ends keeps your agents and history; Stop always works.</p>
        ) },
        { heading: 'Where prices come from', body: (
          <p>From the exchange that the operator chose, from a recording, or from a simulation. The app always says which. Simulated prices are made by a formula: they are for learning the screens, and a result on them says nothing about a market.</p>
        ) },
      ]}
    />
  );
}

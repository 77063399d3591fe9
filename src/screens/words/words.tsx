/** The pages of words: terms, privacy, risk, how it works; refuses claims that the product does not keep. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';

function Page({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <article className="prose mx-auto pb-8">
      <h1 className="text-xl">{title}</h1>
      <p className="mt-2">{lead}</p>
      {children}
    </article>
  );
}

function Terms() {
  return (
    <Page title="Terms of Service" lead="What you may expect of Tradewind, and what it expects of you.">
      <h2>The service</h2><p>Tradewind runs trading agents that you create, on a paper account: no order reaches an exchange and no money of yours is held. Prices come from the source that the app names; “Simulated prices” are made by the server and are no market.</p>
      <h2>Your account</h2><p>One person, one account. Keep your password to yourself. A session ends four hours after the sign-in.</p>
      <h2>Plans and the trial</h2><p>The free trial lasts 14 days, once. Paid plans renew monthly until you cancel in the billing portal; a cancelled plan lasts to the end of its month. When a plan ends, agents and history are kept, starting is refused, and stopping always works.</p>
      <h2>What you may not do</h2><p>Attack or overload the service, get at other people’s data, or present paper results as real ones.</p>
      <h2>No advice</h2><p>Nothing here is investment advice or a promise of a result. See the <Link href="/risk-disclosure">Risk Disclosure</Link>.</p>
      <h2>Liability</h2><p>The service is provided as it is. Whoever operates this server answers for intent and gross negligence, and otherwise as far as the law demands.</p>
    </Page>
  );
}

function Privacy() {
  return (
    <Page title="Privacy Policy" lead="What is stored, where, and how to be rid of it.">
      <h2>On the server</h2><p>Your email and name, held by the identity provider; your agents, decisions, paper trades, settings and subscription, held by the server. Decisions are kept 30 days in full, then as daily counts. Trades and the ledger are kept as long as the account.</p>
      <h2>On this device</h2><p>The last portfolio, agents, trades, prices and subscription you saw, so that they can be read without a network, and commands that wait to be sent. “Keep my last snapshot on this device” on the <Link href="/security">Security</Link> screen governs the snapshot. Signing out deletes all of it, also without a network. The browser’s identity library keeps the sign-in itself.</p>
      <h2>Third parties</h2><p>The identity provider signs you in. The payment provider sees what you enter at its checkout; card data never reaches this server. If the server fails while you are online, the app may read public prices directly from the exchange it names. A wallet’s parts are loaded only when you open one.</p>
      <h2>No tracking</h2><p>No advertising, no analytics unless whoever runs this server has switched the wallet kit’s on.</p>
    </Page>
  );
}

function Risk() {
  return (
    <Page title="Risk Disclosure" lead="Read this before you believe any number in this app.">
      <h2>You can lose everything</h2><p>Crypto assets move by tens of percent within days. A stop is an order to sell, not a guarantee of a price: in a gap it fills lower.</p>
      <h2>Paper is kinder than a market</h2><p>Paper fills pay spread, impact and fees by a stated model, at most one percent of a candle’s volume. Real fills can be worse, late or absent. Paper results do not forecast real ones.</p>
      <h2>Strategies stop working</h2><p>The strategies here rest on published research, some of which found no effect in other periods. Momentum in crypto has crashed. Results are shown beside buy-and-hold where they can be compared.</p>
      <h2>Software fails</h2><p>Servers stop, networks drop, prices arrive late or wrong. Tradewind refuses prices that cannot be true and opens nothing on old ones, and it shows the age of what you see. It cannot remove the risk.</p>
      <h2>Stablecoins</h2><p>A coin pegged to a currency can leave its peg and not return.</p>
    </Page>
  );
}

function LearnMore() {
  return (
    <Page title="Learn more" lead="What an agent is made of.">
      <h2>A pool</h2><p>The strategy: which pairs it ranks and when it wants in or out. There are six, described in the Library once you are signed in.</p>
      <h2>A risk profile</h2><p>Conservative, Moderate or Aggressive: how strong a signal must be, how much of the equity one position may take, where its stop is, and after which loss the agent opens nothing more. You can set your own values.</p>
      <h2>An interval</h2><p>How often it looks: every 5 or 20 minutes, or once a day, always at a candle that has closed. Stops are watched on every price, whatever the interval.</p>
      <h2>A cap</h2><p>The most it may put into one position. The size it takes is the least of seven limits, rounded down.</p>
      <p><Link href="/how-it-works">How a decision is made</Link></p>
    </Page>
  );
}

function HowItWorks() {
  return (
    <Page title="How it works" lead="From a price to a trade, and what stands between.">
      <ol>
        <li><strong>Prices</strong> are checked as they arrive. Zero, crossed, stale or tenfold prices are refused and counted.</li>
        <li><strong>A candle closes.</strong> The strategy measures the move in units of that pair’s own volatility and turns it into a signal strength from 0 to 1. It is not a probability.</li>
        <li><strong>The threshold</strong> of the risk profile decides whether it counts. “No trade: signal 0.41, needs 0.55.”</li>
        <li><strong>Guards</strong> may block an entry: cooldown, a day’s loss, a drawdown, an old feed. They never block an exit.</li>
        <li><strong>Size</strong> is the least that equity, cap, stop, volatility, volume and cash allow.</li>
        <li><strong>The fill</strong> happens at the first price after the decision, with spread, impact and fee. Decision, fill and ledger are written together.</li>
        <li><strong>The stop</strong> is watched on every price, for stopped agents too.</li>
      </ol>
      <h2>Without a network</h2><p>The app opens with the last portfolio and its age. Start and Stop are saved on the device and sent when the server is back, stops first. The app says “Stopped” only when the server has.</p>
    </Page>
  );
}

const QUESTIONS: readonly [string, string][] = [
  ['Is this real money?', 'No. Every account is a paper account with 10,000 to begin with, marked PAPER wherever money is shown.'],
  ['Why has my agent not traded?', 'Open the agent: each look is listed with its reason. Most looks end without a trade, because the signal is below the threshold.'],
  ['What does Stop do to open positions?', 'They stay open and their stops go on guarding them. “Stop and sell” also sells them.'],
  ['I pressed Stop without a network. Is it stopped?', 'Not yet. The press is saved on the device and is sent first when the server is back. Until then the app says so, and the agent runs on.'],
  ['What happens when the trial ends?', 'Agents are kept and open nothing more. Starting and creating need a plan. Stops and Stop work as before.'],
  ['Why am I asked to sign in again?', 'A session lasts four hours from the sign-in. What waits to be sent is kept.'],
  ['What does the dash mean?', 'That the figure is not known or not defined yet. It is never shown as zero.'],
  ['Can I install it?', 'Yes, from the browser’s menu: “Install” or “Add to Home Screen”.'],
];

function Faq() {
  return (
    <Page title="FAQ" lead="Short answers.">
      {QUESTIONS.map(([question, answer]) => <section key={question}><h2>{question}</h2><p>{answer}</p></section>)}
    </Page>
  );
}

export const WORDS = { terms: Terms, privacy: Privacy, risk: Risk, learnMore: LearnMore, faq: Faq, howItWorks: HowItWorks } as const;

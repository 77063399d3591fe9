/** The landing page: what the product does, shown by its own parts. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { STARTING_DEPOSIT } from '../../../contract/limits.ts';
import { LinkButton } from '../../components/Button.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { session } from '../../identity/session.ts';
import { PlanPrices } from './PlanPrices.tsx';
import { TunnelDemo } from './TunnelDemo.tsx';

/** In the words in which agents record; the values of this page are an example and say so. */
const EXAMPLE = [
  ['14:25', 'BTC', 'No trade: signal 0.41, needs 0.55.'],
  ['14:25', 'ETH', 'Bought 0.3981 ETH: signal 0.63, needs 0.55.'],
  ['14:25', 'SOL', 'No trade: the trend is down.'],
  ['14:20', 'BTC', 'No trade: the move has too little volume behind it.'],
  ['14:20', 'LINK', 'Sold: the price came down to the stop at 17.31.'],
] as const;

const PARTS = [
  [
    'A reason for every decision',
    'Six strategies check the market on closed candles. Each check is listed with its signal, its threshold and the outcome.',
  ],
  [
    'Limits that hold',
    'Position and stop are yours to set; the limits for a day’s loss and for drawdown come with the profile. Stops are checked on every price, for stopped agents too, and no plan or setting holds an exit back.',
  ],
  [
    'Numbers that add up',
    'Fills pay fee, half-spread and impact. Equity is cash plus positions at the bid, to the last digit, and opens into its equation.',
  ],
  [
    'Nothing on trust',
    'See results against buy-and-hold. Unknown figures show a dash, old ones show their age, and simulated prices say so.',
  ],
] as const;

const WIDE = 'mx-auto max-w-6xl px-4 md:px-6';
const H2 = 'text-[1.375rem] leading-8 tracking-[-0.015em]';

function Hero() {
  const { status } = useSnapshot(session);
  return (
    <section
      className={`${WIDE} grid items-center gap-x-16 gap-y-12 pt-24 pb-16 md:pt-32 lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]`}
    >
      <div>
        <h1 className="text-hero tracking-[-0.025em]">Trading agents that show their work</h1>
        <p className="mt-5 max-w-[46ch] text-lg text-ink-2">
          Tradewind runs automated crypto strategies on paper money, writes down why each one acted
          or did not, and keeps Stop within reach when the network is not.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          {status === 'signed-in' ? (
            <LinkButton to="/dashboard" tone="primary">
              Open the dashboard
            </LinkButton>
          ) : (
            <LinkButton to="/register" tone="primary">
              Start on paper
            </LinkButton>
          )}
          <LinkButton to="/how-it-works">How it works</LinkButton>
        </div>
        <p className="mt-4 max-w-[52ch] text-ink-3">
          {formatAmount(STARTING_DEPOSIT, { least: 0 })} of paper money, and a free trial of
          everything in Standard. No card, no exchange key.
        </p>
      </div>
      <TunnelDemo />
    </section>
  );
}

function Decisions() {
  return (
    <section className="border-t border-line" aria-labelledby="decides">
      <div
        className={`${WIDE} grid gap-x-16 gap-y-8 py-14 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.35fr)]`}
      >
        <div>
          <h2 id="decides" className={H2}>
            Ask any agent why
          </h2>
          <p className="mt-3 max-w-[46ch] text-base text-ink-2">
            Most checks end with no trade. We show you why.
          </p>
          <p className="mt-4">
            <Link href="/learn-more" className="text-accent underline underline-offset-2">
              What the six strategies look for
            </Link>
          </p>
        </div>
        <figure className="m-0 min-w-0">
          <ul>
            {EXAMPLE.map(([time, asset, text]) => (
              <li
                key={time + asset}
                className="grid grid-cols-[3rem_3rem_minmax(0,1fr)] gap-3 border-b border-line py-2.5 first:border-t"
              >
                <span className="text-ink-3">{time}</span>
                <span className="font-medium">{asset}</span>
                <span className={text.startsWith('No trade') ? 'text-ink-2' : 'text-ink'}>
                  {text}
                </span>
              </li>
            ))}
          </ul>
          <figcaption className="mt-2 text-xs text-ink-3">
            An example of what an agent records. Not a result.
          </figcaption>
        </figure>
      </div>
    </section>
  );
}

function Parts() {
  return (
    <section className="border-t border-line" aria-label="What it does">
      <div className={`${WIDE} grid gap-x-16 gap-y-9 py-14 sm:grid-cols-2`}>
        {PARTS.map(([title, text]) => (
          <div key={title}>
            <h2 className="text-lg">{title}</h2>
            <p className="mt-1 max-w-[52ch] text-base text-ink-2">{text}</p>
          </div>
        ))}
      </div>
    </section>
  );
}

function Plans() {
  return (
    <section className="border-t border-line" aria-labelledby="plans">
      <div
        className={`${WIDE} grid gap-x-16 gap-y-6 py-14 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.35fr)]`}
      >
        <div>
          <h2 id="plans" className={H2}>
            Free to explore. Pay to run agents.
          </h2>
          <p className="mt-3 max-w-[46ch] text-base text-ink-2">
            A plan that ends keeps your agents and history. It opens nothing new, and Stop always
            works.
          </p>
          <p className="mt-3 max-w-[46ch] text-xs text-ink-3">
            Prices of the built-in plans. The operator of a server may set others: what you pay is
            what is shown before you pay.
          </p>
        </div>
        <PlanPrices />
      </div>
    </section>
  );
}

function Closing() {
  return (
    <section className="border-t border-line">
      <div className={`${WIDE} flex flex-wrap items-center justify-between gap-4 py-8`}>
        <p className="max-w-[60ch] text-ink-2">
          Crypto prices fall as well as rise, and strategies that worked stop working. Paper results
          are no forecast. Read the{' '}
          <Link href="/risk-disclosure" className="underline underline-offset-2">
            Risk Disclosure
          </Link>
          .
        </p>
        <div className="flex gap-3">
          <LinkButton to="/faq">Questions</LinkButton>
          <LinkButton to="/learn-more">Learn more</LinkButton>
        </div>
      </div>
    </section>
  );
}

export default function LandingScreen() {
  return (
    <>
      <Hero />
      <Decisions />
      <Parts />
      <Plans />
      <Closing />
    </>
  );
}

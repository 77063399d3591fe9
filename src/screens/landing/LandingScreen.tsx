/** The landing page: what the product does, shown by its own parts. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { STARTING_DEPOSIT } from '../../../contract/limits.ts';
import { LinkButton } from '../../components/Button.tsx';
import { formatAmount } from '../../format/numbers.ts';
import { session } from '../../identity/session.ts';
import { PlanPrices } from './PlanPrices.tsx';
import { TunnelDemo } from './TunnelDemo.tsx';

/** Worded like real decisions; the values are an example, and the caption says so. */
const EXAMPLE = [
  ['14:25', 'BTC', 'No trade: signal 0.41, needs 0.55.'],
  ['14:25', 'ETH', 'Bought 0.3981 ETH: signal 0.63, needs 0.55.'],
  ['14:25', 'SOL', 'No trade: the trend is down.'],
  ['14:20', 'BTC', 'No trade: volume is too low to confirm the move.'],
  ['14:20', 'LINK', 'Sold: stop loss hit at 17.31.'],
] as const;

const PARTS = [
  [
    'A reason for every decision',
    'Six strategies check the market at fixed times. Every check is listed with its outcome and the reason for it.',
  ],
  [
    'Limits that hold',
    'You choose the risk profile, the position size and the stop loss. Stop losses are checked on every price, ' +
      'also for stopped agents. No plan or setting can block a sale.',
  ],
  [
    'Numbers that add up',
    'Results include fees and slippage. Open any total to see the amounts that add up to it, to the last digit.',
  ],
  [
    'Nothing hidden',
    'See results against buy-and-hold. Unknown figures show a dash, old ones their age, and simulated prices are labelled.',
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
          Tradewind runs automated crypto strategies with paper money, shows the reason for every
          decision, and lets you press Stop even when you are offline.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          {/* While it is not known who reads, styles choose by what the page was marked with. */}
          {status !== 'signed-in' && (
            <LinkButton
              to="/register"
              tone="primary"
              className={status === 'loading' ? 'for-visitors' : ''}
            >
              Start with paper money
            </LinkButton>
          )}
          {(status === 'signed-in' || status === 'loading') && (
            <LinkButton
              to="/dashboard"
              tone="primary"
              className={status === 'loading' ? 'for-users' : ''}
            >
              Open the dashboard
            </LinkButton>
          )}
          <LinkButton to="/how-it-works">How it works</LinkButton>
        </div>
        <p className="mt-4 max-w-[52ch] text-ink-3">
          {formatAmount(STARTING_DEPOSIT, { least: 0 })} in paper money and a free trial of the
          Standard plan. No card, no exchange account.
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
              The six strategies
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
            An example of an agent’s log. Not a real result.
          </figcaption>
        </figure>
      </div>
    </section>
  );
}

function Parts() {
  return (
    <section className="border-t border-line" aria-label="Features">
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
            When a plan ends, you keep your agents and history. Agents open no new positions, and
            Stop always works.
          </p>
          <p className="mt-3 max-w-[46ch] text-xs text-ink-3">
            The operator of this server may set other prices. You see the exact price before you
            pay.
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
          Crypto prices fall as well as rise, and a strategy that worked can stop working. Paper
          results are not a forecast. Read the{' '}
          <Link href="/risk-disclosure" className="underline underline-offset-2">
            Risk Disclosure
          </Link>
          .
        </p>
        <div className="flex gap-3">
          <LinkButton to="/faq">FAQ</LinkButton>
          <LinkButton to="/learn-more">What you get</LinkButton>
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

/** The landing page: what the product does, shown by what it shows its users; refuses promises. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { LinkButton } from '../../components/Button.tsx';
import { session } from '../../identity/session.ts';

/** The form of what agents record; the values of this page are an example and say so. */
const EXAMPLE = [
  ['14:25', 'BTC', 'No trade: signal 0.41, needs 0.55.'],
  ['14:20', 'ETH', 'Entered: signal 0.63, needs 0.55. Stop 5 % below.'],
  ['14:15', 'SOL', 'No trade: the feed was 4 min old.'],
  ['14:10', 'ETH', 'No trade: 12 min of cooldown left.'],
] as const;

const PARTS = [
  ['Every decision has its reason', 'Six strategies look at closed candles. Each look is recorded with its signal, its threshold and what was done, also when nothing was.'],
  ['Stop always works', 'A stop pressed without a network is saved on the device, sent first when it is back, and called stopped only when the server says so.'],
  ['Numbers that add up', 'Fills pay spread, impact and fees. Equity is cash plus positions at the bid, to the last digit, and every figure opens into its equation.'],
  ['Readable in a tunnel', 'Your last portfolio opens without a network, with its age. It installs on a phone from the browser.'],
] as const;

export default function Landing() {
  const { status } = useSnapshot(session);
  return (
    <>
      <section className="mx-auto grid max-w-6xl items-center gap-x-16 gap-y-12 px-4 pt-28 pb-16 md:px-6 md:pt-36 lg:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)]">
        <div>
          <h1 className="text-hero tracking-[-0.025em]">Trading agents that show their work</h1>
          <p className="mt-5 max-w-[46ch] text-lg text-ink-2">Tradewind runs automated crypto strategies on paper money, records why each one acted or did not, and lets you stop them from anywhere.</p>
          <div className="mt-8 flex flex-wrap gap-3">
            {status === 'signed-in' ? <LinkButton to="/dashboard" tone="primary">Open the dashboard</LinkButton> : <LinkButton to="/register" tone="primary">Start on paper</LinkButton>}
            <LinkButton to="/how-it-works">How it works</LinkButton>
          </div>
          <p className="mt-4 text-ink-3">Paper money to begin with, and a free trial of everything in Standard. No card.</p>
        </div>
        <figure className="m-0 min-w-0 border-t border-line">
          {EXAMPLE.map(([time, asset, text]) => (
            <div key={time} className="grid grid-cols-[3rem_3rem_minmax(0,1fr)] gap-3 border-b border-line py-3.5 text-base">
              <span className="text-ink-3">{time}</span><span className="font-medium">{asset}</span><span className={text.startsWith('Entered') ? 'text-ink' : 'text-ink-2'}>{text}</span>
            </div>
          ))}
          <figcaption className="mt-3 text-xs text-ink-3">An example of the decisions an agent records. Not a result.</figcaption>
        </figure>
      </section>
      <section className="mx-auto grid max-w-6xl gap-x-12 gap-y-10 px-4 pb-20 sm:grid-cols-2 md:px-6">
        {PARTS.map(([title, text]) => <div key={title}><h2 className="text-lg">{title}</h2><p className="mt-1 max-w-[52ch] text-base text-ink-2">{text}</p></div>)}
      </section>
      <section className="border-t border-line">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-4 px-4 py-8 md:px-6">
          <p className="max-w-[60ch] text-ink-2">Crypto prices fall as well as rise, and strategies that worked stop working. Paper results are no forecast. Read the <Link href="/risk-disclosure" className="underline underline-offset-2">Risk Disclosure</Link>.</p>
          <LinkButton to="/learn-more">Learn more</LinkButton>
        </div>
      </section>
    </>
  );
}

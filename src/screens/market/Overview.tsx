/** The market at a glance: how many rise and fall, what was traded, who leads; refuses a figure that the list below would contradict. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { MarketOverview } from '../../../contract/market.ts';
import { Skeleton } from '../../components/EmptyState.tsx';
import { Percent } from '../../components/Figures.tsx';
import { formatShort } from '../../format/numbers.ts';
import { baseOf } from './market-order.ts';
import { presentBoard, useQuote } from './use-quote.ts';

function Figure({ term, children, under }: { term: string; children: ReactNode; under: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="label">{term}</dt>
      <dd className="m-0">
        <span className="block min-h-6 truncate text-base font-medium">{children}</span>
        <span className="block min-h-4 truncate text-xs text-ink-3">{under}</span>
      </dd>
    </div>
  );
}

/** Who rises and who falls, as one bar: the words beside it say the same. */
function Breadth({ overview }: { overview: MarketOverview }) {
  const { advancing, declining, unchanged } = overview;
  const whole = Math.max(1, advancing + declining + unchanged);
  return (
    <span aria-hidden className="mt-1.5 flex h-1 gap-px overflow-hidden rounded-full bg-sunken">
      <span style={{ width: `${(advancing / whole) * 100}%` }} className="bg-gain" />
      <span style={{ width: `${(unchanged / whole) * 100}%` }} className="bg-line-strong" />
      <span style={{ width: `${(declining / whole) * 100}%` }} className="bg-loss" />
    </span>
  );
}

/** A leader by the server's last overview, at the price of this moment. */
function Leader({ symbol }: { symbol: string }) {
  const quote = useQuote(presentBoard(), symbol);
  return <Link href={`/market/${symbol.replace('/', '-')}`} className="hover:text-accent">{baseOf(symbol)} <span className="text-sm font-normal"><Percent value={quote?.price_change_24h} why="Price not yet received" /></span></Link>;
}

const none = (what: string): ReactNode => <span className="text-ink-3" title={what}><span aria-hidden>—</span><span className="sr-only">{what}</span></span>;

/** `missing`: why there is none; its place stays, since the list below is under somebody's finger. */
export function Overview({ overview, missing = null }: { overview: MarketOverview | null; missing?: string | null }) {
  if (overview === null && missing !== null) {
    return (
      <dl aria-label="Market overview" className="mb-5 grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">
        {['Rising and falling', 'Volume, 24 h', 'Strongest, 24 h', 'Weakest, 24 h'].map((term) => <Figure key={term} term={term} under="">{none(missing)}</Figure>)}
      </dl>
    );
  }
  if (overview === null) {
    return <div role="status" aria-label="Market overview" className="mb-5 grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">{[0, 1, 2, 3].map((place) => <div key={place} className="h-14"><Skeleton className="h-3 w-16" /><Skeleton className="mt-2 h-5 w-28" /></div>)}</div>;
  }
  const { advancing, declining, unchanged, symbols, gainers, losers, mostTraded, source } = overview;
  const known = advancing + declining + unchanged;
  const [best, worst, busiest] = [gainers[0], losers[0], mostTraded[0]];
  return (
    <dl aria-label="Market overview" className="mb-5 grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">
      <Figure term="Rising and falling" under={known === 0 ? 'Less than a day of history' : <Breadth overview={overview} />}>
        {known === 0 ? none('Less than a day of history') : <>{advancing} up, {declining} down{unchanged > 0 ? <span className="text-ink-3">, {unchanged} level</span> : ''}</>}
      </Figure>
      <Figure term={`Volume, 24 h, ${source.quote}`} under={busiest === undefined ? `${symbols} pairs` : <>most in <Link href={`/market/${busiest.symbol.replace('/', '-')}`} className="text-ink-2 underline underline-offset-2 hover:text-accent">{baseOf(busiest.symbol)}</Link> of {symbols} pairs</>}>{formatShort(overview.volume_24h)}</Figure>
      <Figure term="Strongest, 24 h" under={gainers.length > 1 ? `then ${gainers.slice(1, 4).map((one) => baseOf(one.symbol)).join(', ')}` : ''}>{best === undefined ? none('Nothing rises') : <Leader symbol={best.symbol} />}</Figure>
      <Figure term="Weakest, 24 h" under={losers.length > 1 ? `then ${losers.slice(1, 4).map((one) => baseOf(one.symbol)).join(', ')}` : ''}>{worst === undefined ? none('Nothing falls') : <Leader symbol={worst.symbol} />}</Figure>
    </dl>
  );
}

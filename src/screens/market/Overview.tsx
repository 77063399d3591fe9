/** The market at a glance: how many pairs rise and fall, volume and leaders. */
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { Skeleton } from '../../components/EmptyState.tsx';
import { Percent } from '../../components/Figures.tsx';
import { counted } from '../../format/counts.ts';
import { formatShort } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { connection } from '../../stores/connection.ts';
import { loadOverview, marketStore, overviewStore } from '../../stores/market-store.ts';
import { useSlot } from '../use-store.ts';
import { glanceOfOverview, useGlance, type MarketGlance } from './market-glance.ts';
import { baseOf } from './market-order.ts';
import { presentBoard } from './use-quote.ts';

const GRID = 'mb-5 grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4';
const TERMS = ['Rising and falling', 'Volume, 24 h', 'Strongest, 24 h', 'Weakest, 24 h'];
const NO_DAY = 'Less than a day of history';

function Figure({
  term,
  children,
  under,
}: {
  term: ReactNode;
  children: ReactNode;
  under: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <dt className="label truncate">{term}</dt>
      <dd className="m-0">
        <span className="block min-h-6 text-base font-medium">{children}</span>
        <span className="block min-h-4 truncate text-xs text-ink-3">{under}</span>
      </dd>
    </div>
  );
}

/**
 * Rising and falling pairs as one bar, and those that do neither. Their number comes and goes with
 * every quote, so it has a place of its own.
 */
function Breadth({ glance: { advancing, declining, unchanged } }: { glance: MarketGlance }) {
  const whole = Math.max(1, advancing + declining + unchanged);
  const part = (count: number) => ({ width: `${(count / whole) * 100}%` });
  return (
    <span className="flex h-4 items-center gap-2">
      <span
        aria-hidden
        className="flex h-1 min-w-0 grow gap-px overflow-hidden rounded-full bg-sunken"
      >
        <span style={part(advancing)} className="bg-gain" />
        <span style={part(unchanged)} className="bg-line-strong" />
        <span style={part(declining)} className="bg-loss" />
      </span>
      <span className="shrink-0">{unchanged} unchanged</span>
    </span>
  );
}

const addressOf = (symbol: string): string => `/market/${symbol.replace('/', '-')}`;

function Leader({ of: { symbol, price_change_24h } }: { of: MarketGlance['rising'][number] }) {
  return (
    <Link href={addressOf(symbol)} className="reach block truncate hover:text-accent">
      {baseOf(symbol)}{' '}
      <span className="text-sm font-normal">
        <Percent value={price_change_24h} why={NO_DAY} />
      </span>
    </Link>
  );
}

const none = (what: string): ReactNode => (
  <span className="text-ink-3" title={what}>
    <span aria-hidden>—</span>
    <span className="sr-only">{what}</span>
  </span>
);

/** The leaders of a direction; if there are none, the pair nearest to it. */
function Led({
  term,
  leaders,
  nobody,
  nearest,
  near,
  known,
}: {
  term: string;
  leaders: MarketGlance['rising'];
  nobody: string;
  nearest: string;
  near: MarketGlance['smallestFall'];
  known: boolean;
}) {
  const [first, ...rest] = leaders;
  if (!known)
    return (
      <Figure term={term} under="">
        {none(NO_DAY)}
      </Figure>
    );
  if (first === undefined) {
    const under =
      near === undefined ? (
        ''
      ) : (
        <>
          {nearest}: {baseOf(near.symbol)} <Percent value={near.price_change_24h} why={NO_DAY} />
        </>
      );
    return (
      <Figure term={term} under={under}>
        <span className="block truncate font-normal text-ink-2">{nobody}</span>
      </Figure>
    );
  }
  const under = rest.length === 0 ? '' : `then ${rest.map((one) => baseOf(one.symbol)).join(', ')}`;
  return (
    <Figure term={term} under={under}>
      <Leader of={first} />
    </Figure>
  );
}

function Known({ glance, age }: { glance: MarketGlance; age: ReactNode }) {
  const { advancing, declining, unchanged, symbols, traded, volume, busiest } = glance;
  const pairs = counted(traded === 0 ? symbols : traded, 'pair', 'pairs');
  const known = advancing + declining + unchanged > 0;
  const most =
    busiest === undefined ? (
      pairs
    ) : (
      <>
        most in{' '}
        <Link
          href={addressOf(busiest)}
          className="text-ink-2 underline underline-offset-2 hover:text-accent"
        >
          {baseOf(busiest)}
        </Link>{' '}
        of {pairs}
      </>
    );
  return (
    <dl aria-label="Market overview" className={GRID}>
      <Figure
        term={<>Rising and falling{age}</>}
        under={known ? <Breadth glance={glance} /> : NO_DAY}
      >
        {known ? (
          <span className="block truncate">
            {advancing} up, {declining} down
          </span>
        ) : (
          none(NO_DAY)
        )}
      </Figure>
      <Figure term={`Volume, 24 h, ${glance.quote}`} under={most}>
        {volume === null ? (
          none('No volume available')
        ) : (
          <span className="block truncate">{formatShort(volume)}</span>
        )}
      </Figure>
      <Led
        term="Strongest, 24 h"
        leaders={glance.rising}
        nobody="No pair is up"
        nearest="Smallest fall"
        near={glance.smallestFall}
        known={known}
      />
      <Led
        term="Weakest, 24 h"
        leaders={glance.falling}
        nobody="No pair is down"
        nearest="Smallest rise"
        near={glance.smallestRise}
        known={known}
      />
    </dl>
  );
}

/** Counts, leaders and rows are of one moment: the figures come from the list's quotes. */
export function Overview() {
  const overview = useSlot(overviewStore, loadOverview);
  const { online } = useSnapshot(connection);
  const live = useGlance(presentBoard());
  const glance = live ?? (overview.data === null ? null : glanceOfOverview(overview.data));
  const missing = online === 'offline' ? 'Not saved on this device' : overview.error;
  const at = live === null ? overview.savedAt : marketStore.savedAt;
  const isOld = !useCurrent('market') || glance?.stale === true;
  const age =
    isOld && at !== null ? <span className="text-amber">, at {formatWhen(at)}</span> : null;
  if (glance !== null) return <Known glance={glance} age={age} />;
  if (missing === null) {
    return (
      <div role="status" aria-label="Market overview" className={GRID}>
        {TERMS.map((term) => (
          <div key={term} className="h-14">
            <Skeleton className="h-3 w-16" />
            <Skeleton className="mt-2 h-5 w-28" />
          </div>
        ))}
      </div>
    );
  }
  return (
    <dl aria-label="Market overview" className={GRID}>
      {TERMS.map((term) => (
        <Figure key={term} term={term} under="">
          {none(missing)}
        </Figure>
      ))}
    </dl>
  );
}

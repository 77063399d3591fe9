/** The market: an overview, a live list with search, sorting and favourites, and the pools. */
import { RefreshCw, Search, Star } from 'lucide-react';
import { Suspense, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useSnapshot } from 'valtio';
import { Link, useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { classes } from '../../components/class-names.ts';
import { EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { counted } from '../../format/counts.ts';
import { formatWhen } from '../../format/times.ts';
import { whileSeen } from '../../platform/resting-timer.ts';
import { connection } from '../../stores/connection.ts';
import { marketChoices } from '../../stores/market-choices.ts';
import {
  loadMarket,
  loadSparklines,
  marketStore,
  sparklinesStore,
} from '../../stores/market-store.ts';
import { useSlot } from '../use-store.ts';
import { AlertsLink } from '../alerts/AlertsLink.tsx';
import { ColumnChoice } from './quote-columns.tsx';
import {
  matches,
  orderOf,
  USUAL_SORT,
  VIEWS,
  viewOf,
  type MarketView,
  type Sort,
} from './market-order.ts';
import { Overview } from './Overview.tsx';
import { QuoteList, type QuoteListProps } from './QuoteList.tsx';
import { useExchangePrices } from './use-exchange-prices.ts';
import { presentBoard } from './use-quote.ts';

const Pools = screenPart(() => import('./Pools.tsx'));

/** Sparklines are loaded again at this interval while visible; everything else streams. */
const REREAD_MS = 60_000;
const TITLE: Record<MarketView, string> = {
  all: 'All',
  favourites: 'Favourites',
  gainers: 'Gainers',
  losers: 'Losers',
  volume: 'Volume',
  pools: 'Pools',
};
const EMPTY: Record<MarketView, { title: string; text: string }> = {
  all: { title: 'No prices yet', text: 'Pairs appear with their first price.' },
  volume: {
    title: 'No prices yet',
    text: 'Pairs appear with their first price.',
  },
  favourites: {
    title: 'No favourites yet',
    text: 'Press the star beside a pair to add it. Favourites are stored on this device until you log out.',
  },
  gainers: {
    title: 'No gainers',
    text: 'No pair with a day of history is above its price of 24 hours ago.',
  },
  losers: {
    title: 'No losers',
    text: 'No pair with a day of history is below its price of 24 hours ago.',
  },
  pools: { title: '', text: '' },
};

function Views({ view }: { view: MarketView }) {
  return (
    <nav
      aria-label="Market views"
      className="-mx-4 mb-3 flex gap-1 overflow-x-auto px-4 md:mx-0 md:px-0"
    >
      {VIEWS.map((name) => (
        <Link
          key={name}
          href={name === 'all' ? '/market' : `/market?view=${name}`}
          aria-current={name === view ? 'page' : undefined}
          className={classes(
            'inline-flex min-h-11 shrink-0 items-center border-b-2 px-2 pointer-fine:min-h-9',
            name === view
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-3 hover:text-ink',
          )}
        >
          {name === 'favourites' ? (
            <>
              <Star className="size-4 sm:hidden" aria-hidden />
              <span className="max-sm:sr-only">{TITLE[name]}</span>
            </>
          ) : (
            TITLE[name]
          )}
        </Link>
      ))}
    </nav>
  );
}

function SearchField({
  query,
  onQuery,
  onEnter,
  input,
}: {
  query: string;
  onQuery: (text: string) => void;
  onEnter: () => void;
  input: RefObject<HTMLInputElement | null>;
}) {
  return (
    <form
      role="search"
      className="relative min-w-0 flex-1 sm:w-64 sm:flex-none"
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <label className="sr-only" htmlFor="market-search">
        Search pairs
      </label>
      <Search
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-3"
        aria-hidden
      />
      <input
        ref={input}
        id="market-search"
        type="search"
        value={query}
        onChange={(event) => {
          onQuery(event.target.value);
        }}
        placeholder="BTC or Bitcoin"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="go"
        className="h-11 w-full rounded-md border border-line-strong/70 bg-surface pr-3 pl-9 placeholder:text-ink-3 pointer-fine:h-10"
      />
    </form>
  );
}

/**
 * The order of a view, computed when asked for and when pairs or favourites come or go. Prices
 * change in place.
 */
function useOrder(view: MarketView) {
  const [sort, setSort] = useState<Sort>(USUAL_SORT[view]);
  const [sortedFor, setSortedFor] = useState(view);
  const [asked, setAsked] = useState(0);
  if (sortedFor !== view) {
    setSortedFor(view);
    setSort(USUAL_SORT[view]);
  }
  const { favourites, favouritesFirst } = useSnapshot(marketChoices);
  const names = Object.keys(useSnapshot(marketStore).data?.symbols ?? {})
    .sort()
    .join(' ');
  const taken = useMemo(
    () => ({
      order: orderOf(
        Object.values(marketStore.data?.symbols ?? {}),
        view,
        sort,
        favourites,
        favouritesFirst,
      ),
      // Prices of a snapshot are those of its time, and their order is too.
      at: marketStore.savedAt ?? Date.now(),
    }),
    // The prices of the moment, and not of every moment.
    // oxlint-disable-next-line react/exhaustive-deps
    [names, view, sort, favourites, favouritesFirst, asked],
  );
  return {
    ...taken,
    sort,
    setSort,
    again: () => {
      setAsked(asked + 1);
    },
  };
}

/** The pairs of a view in order, and those that match the search. */
function usePairs(view: MarketView) {
  const [query, setQuery] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const taken = useOrder(view);
  const { order } = taken;
  const shown = useMemo(
    () => (query.trim() === '' ? order : order.filter((symbol) => matches(symbol, query))),
    [order, query],
  );
  const clear = (): void => {
    setQuery('');
    input.current?.focus();
  };
  return { ...taken, query, setQuery, input, shown, clear };
}

type Pairs = ReturnType<typeof usePairs>;

/** Why a view has no pairs. `source`: whose pairs these are; the favourites may be of another. */
function emptyOf(view: MarketView, source: string): (typeof EMPTY)[MarketView] {
  return view === 'favourites' && marketChoices.favourites.length > 0
    ? { title: 'No favourites here', text: `${source} does not offer any of your favourites.` }
    : EMPTY[view];
}

function NoPairs({
  view,
  query,
  source,
  onClear,
}: {
  view: MarketView;
  query: string;
  source: string;
  onClear: () => void;
}) {
  if (query.trim() !== '')
    return (
      <EmptyState
        title={`No pair matches “${query.trim()}”`}
        action={
          <button
            type="button"
            className="text-accent underline underline-offset-2"
            onClick={onClear}
          >
            Clear search
          </button>
        }
      >
        {view === 'all'
          ? 'Search by symbol or coin name.'
          : `Searched in ${TITLE[view].toLowerCase()} only.`}
      </EmptyState>
    );
  const { title, text } = emptyOf(view, source);
  return (
    <EmptyState
      title={title}
      {...(view === 'all'
        ? {}
        : {
            action: (
              <Link href="/market" className="text-accent underline underline-offset-2">
                All pairs
              </Link>
            ),
          })}
    >
      {text}
    </EmptyState>
  );
}

/** The number of pairs, and the time of their order. */
function OrderLine({ shown, order, at, again }: Pairs) {
  return (
    <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 text-xs text-ink-3">
      <span role="status">
        {shown.length === order.length
          ? counted(order.length, 'pair', 'pairs')
          : `${shown.length} of ${counted(order.length, 'pair', 'pairs')}`}
        , sorted at {formatWhen(at)}
      </span>
      <button
        type="button"
        onClick={again}
        className="inline-flex min-h-11 items-center gap-1.5 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8"
      >
        <RefreshCw className="size-3" aria-hidden />
        Sort again
      </button>
    </div>
  );
}

function PairList({
  view,
  pairs,
  market,
  lines,
}: {
  view: MarketView;
  pairs: Pairs;
  market: typeof marketStore;
  lines: QuoteListProps['lines'];
}) {
  const choices = useSnapshot(marketChoices);
  const { query, order, shown, sort, setSort, clear } = pairs;
  const ready = market.data !== null && choices.ready;
  return (
    <>
      {!ready && market.error === null && (
        <SkeletonRows rows={12} rowClass="max-md:min-h-14" label="Prices" />
      )}
      {ready && shown.length > 0 && (
        <QuoteList
          board={presentBoard()}
          symbols={shown}
          lines={lines}
          favourites={choices.favourites}
          columns={choices.columns}
          quote={market.data?.source.quote ?? ''}
          sort={sort}
          onSort={setSort}
        />
      )}
      {ready && shown.length === 0 && (
        <NoPairs
          view={view}
          query={query}
          source={market.data?.source.label ?? ''}
          onClear={clear}
        />
      )}
      {ready && order.length > 0 && <OrderLine {...pairs} />}
    </>
  );
}

export default function MarketScreen() {
  const view = viewOf(new URLSearchParams(useSearch()).get('view'));
  const market = useSlot(marketStore, loadMarket);
  useExchangePrices();
  const lines = useSlot(sparklinesStore, loadSparklines).data?.lines;
  const choices = useSnapshot(marketChoices);
  const pairs = usePairs(view);
  const { query, setQuery, input, shown } = pairs;
  useEffect(
    () =>
      whileSeen(REREAD_MS, () => {
        if (connection.online === 'online') void loadSparklines();
      }),
    [],
  );
  const first = shown[0];
  return (
    <>
      <ScreenTitle title="Markets">
        <AlertsLink />
        <SearchField
          query={query}
          onQuery={setQuery}
          input={input}
          onEnter={() => {
            if (view !== 'pools' && query.trim() !== '' && first !== undefined)
              navigate(`/market/${first.replace('/', '-')}`);
          }}
        />
        {view !== 'pools' && (
          <ColumnChoice chosen={choices.columns} favouritesFirst={choices.favouritesFirst} />
        )}
      </ScreenTitle>
      <ScreenError
        message={market.error}
        hasData={market.data !== null}
        onRetry={() => {
          void loadMarket(true);
        }}
      />
      <Overview />
      <Views view={view} />
      {view === 'pools' ? (
        <Suspense fallback={<SkeletonRows rows={6} rowClass="min-h-24" label="Pools" />}>
          <Pools query={query} />
        </Suspense>
      ) : (
        <PairList view={view} pairs={pairs} market={market} lines={lines} />
      )}
    </>
  );
}

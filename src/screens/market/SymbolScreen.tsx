/** One pair: price, candles with the user's own trades, positions and agents. */
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { SymbolQuote } from '../../../contract/market.ts';
import type { History, Portfolio } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { Percent, Price } from '../../components/Figures.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { coinName } from '../../format/coin-names.ts';
import {
  formatPercent,
  formatPrice,
  formatQuantity,
  formatShort,
  UNKNOWN,
} from '../../format/numbers.ts';
import { formatSpan } from '../../format/ages.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import type { ScreenProps } from '../../shell/routes.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { marketChoices } from '../../stores/market-choices.ts';
import {
  loadMarket,
  loadSparklines,
  marketStore,
  sparklinesStore,
} from '../../stores/market-store.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import type { Slot } from '../../stores/slot.ts';
import { useMarketNow, useSlot } from '../use-store.ts';
import { SetAlert, SymbolAlerts } from '../alerts/SymbolAlerts.tsx';
import { priceDecimals, spreadPercent, volumeText } from './quote-columns.tsx';
import { baseOf, matches } from './market-order.ts';
import { NewAgent } from './NewAgent.tsx';
import { Star } from './Star.tsx';
import { SymbolChart } from './SymbolChart.tsx';
import { MarksNote, OwnError, SymbolAgents, SymbolPositions, SymbolTrades } from './SymbolSide.tsx';
import { useExchangePrices } from './use-exchange-prices.ts';
import { presentBoard, useQuote } from './use-quote.ts';

const NEAR_NAMES = 5;

const back = (
  <Link
    href="/market"
    className="mb-1 inline-flex min-h-11 items-center text-xs text-ink-3 hover:text-ink pointer-fine:min-h-8"
  >
    Markets
  </Link>
);

/** `unpriced`: why there is no quote; null while one is loading. */
interface Priced {
  quote: SymbolQuote | undefined;
  unpriced: string | null;
}

/** Position of the price between the day's low and high, in [0, 1]; null without a range. */
function placeInDay(quote: Pick<SymbolQuote, 'price' | 'high_24h' | 'low_24h'>): number | null {
  if (quote.high_24h === null || quote.low_24h === null) return null;
  const [low, high] = [Number(quote.low_24h), Number(quote.high_24h)];
  return high <= low ? null : Math.min(1, Math.max(0, (Number(quote.price) - low) / (high - low)));
}

function DayRange({ quote }: { quote: SymbolQuote }) {
  const place = placeInDay(quote);
  const decimals = priceDecimals(quote);
  return (
    <div className="rule py-2">
      <div className="flex items-baseline justify-between gap-3">
        <span>
          <span className="label block">Low, 24 h</span>
          {formatPrice(quote.low_24h, decimals)}
        </span>
        <span className="text-right">
          <span className="label block">High, 24 h</span>
          {formatPrice(quote.high_24h, decimals)}
        </span>
      </div>
      {place !== null && (
        <div aria-hidden className="relative mt-2 h-1 rounded-full bg-sunken">
          <span
            style={{ width: `${place * 100}%` }}
            className="absolute inset-y-0 left-0 rounded-full bg-line-strong/60"
          />
          <span
            style={{ left: `${place * 100}%` }}
            className="absolute top-1/2 size-2 -translate-x-1/2 -translate-y-1/2 rounded-full bg-accent"
          />
        </div>
      )}
    </div>
  );
}

/** How many coins: every digit that counts of a few, and no more than that of many. */
const coinsText = (volume: string | null): string =>
  Number(volume ?? 0) < 100 ? formatQuantity(volume) : formatShort(volume);

function Today({ quote, unpriced, unit }: Priced & { unit: string }) {
  if (quote === undefined)
    return (
      <Section title="24 hours">
        {unpriced === null ? (
          <SkeletonRows rows={5} label="24-hour figures" />
        ) : (
          <p className="rule row flex items-center text-ink-3">— {unpriced}</p>
        )}
      </Section>
    );
  const decimals = priceDecimals(quote);
  return (
    <Section title="24 hours" aside={<DataAge kind="market" />}>
      <DayRange quote={quote} />
      <dl>
        <Line term="Bid">{formatPrice(quote.bid, decimals)}</Line>
        <Line term="Ask">{formatPrice(quote.ask, decimals)}</Line>
        <Line term="Spread">
          {formatPercent(spreadPercent(quote), { signed: false, decimals: 3 })}
        </Line>
        <Line term="Volume, 24 h">
          {coinsText(quote.volume_24h)} {baseOf(quote.symbol)}
        </Line>
        <Line term="Turnover, 24 h, at this price">
          {volumeText(quote) ?? '—'} {unit}
        </Line>
      </dl>
    </Section>
  );
}

/** A pair that the source does not offer: similar ones, and the way back. */
function NotOffered({
  symbol,
  source,
  offered,
}: {
  symbol: string;
  source: string;
  offered: readonly string[];
}) {
  const near = offered
    .filter((one) => matches(one, baseOf(symbol)) || matches(symbol, baseOf(one)))
    .slice(0, NEAR_NAMES);
  return (
    <>
      {back}
      <h1 className="text-lg break-words">{symbol}</h1>
      <EmptyState
        title="Pair not available"
        action={
          <Link href="/market" className="text-accent underline underline-offset-2">
            All pairs
          </Link>
        }
      >
        {source} does not offer this pair.
        {near.length > 0 && (
          <>
            {' '}
            Similar pairs:{' '}
            {near.map((one) => (
              <Link
                key={one}
                href={`/market/${one.replace('/', '-')}`}
                className="mr-3 inline-flex min-h-11 items-center text-accent underline underline-offset-2"
              >
                {one}
              </Link>
            ))}
          </>
        )}
      </EmptyState>
    </>
  );
}

/**
 * The price, and below it what is said of it. Ages come late: their line is there before them, so
 * that no button moves.
 */
function HeadPrice({ quote, unpriced }: Priced) {
  const now = useMarketNow(10_000);
  const figure = 'flex h-10 items-center text-figure font-semibold tracking-[-0.02em]';
  if (quote === undefined)
    return (
      <>
        <div className={figure}>
          {unpriced === null ? (
            <Skeleton className="h-9 w-40" />
          ) : (
            <span aria-hidden className="text-ink-3">
              {UNKNOWN}
            </span>
          )}
        </div>
        <p className="min-h-5 text-ink-3">{unpriced}</p>
      </>
    );
  return (
    <>
      <div className={figure}>
        <Price value={quote.price} least={priceDecimals(quote)} />
      </div>
      <div className="flex min-h-5 flex-wrap items-baseline gap-x-3">
        <Percent value={quote.price_change_24h} why="Less than a day of history" />
        <span className="text-ink-3">24 h</span>
        <DataAge kind="market" />
        {quote.stale && (
          <span className="text-amber">Price {formatSpan(now - quote.timestamp)} old</span>
        )}
      </div>
    </>
  );
}

function Head({
  symbol,
  quote,
  unpriced,
  starred,
  onCreate,
}: Priced & {
  symbol: string;
  starred: boolean;
  onCreate: () => void;
}) {
  const name = coinName(baseOf(symbol));
  return (
    <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
      <div className="min-w-0">
        <div className="flex items-center gap-1">
          <h1 className="text-lg">
            {symbol}{' '}
            {name !== null && <span className="ml-2 text-sm font-normal text-ink-3">{name}</span>}
          </h1>
          <Star symbol={symbol} on={starred} className="size-11 pointer-fine:size-9" />
        </div>
        <HeadPrice quote={quote} unpriced={unpriced} />
      </div>
      <div className="flex flex-wrap gap-2">
        <SetAlert symbol={symbol} />
        <Button size="sm" onClick={onCreate}>
          <Plus className="size-4" aria-hidden />
          Create agent for this pair
        </Button>
      </div>
    </div>
  );
}

/** The column beside the chart. */
function Aside({
  symbol,
  unit,
  portfolio,
  history,
  ...priced
}: Priced & {
  symbol: string;
  unit: string;
  portfolio: Slot<Portfolio>;
  history: Slot<History>;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-8">
      <Today {...priced} unit={unit} />
      <SymbolAlerts symbol={symbol} />
      <OwnError portfolio={portfolio} history={history} />
      <SymbolPositions portfolio={portfolio} symbol={symbol} />
      <SymbolAgents symbol={symbol} />
      <p className="text-xs text-ink-3">
        <MarksNote history={history.data} /> Charts by{' '}
        <a
          href="https://www.tradingview.com/"
          rel="noreferrer"
          className="underline underline-offset-2"
        >
          TradingView
        </a>{' '}
        Lightweight Charts.
      </p>
    </div>
  );
}

/**
 * The pair's price, or why there is none. `direct`: an exchange tells prices in the server's place,
 * which says nothing of what the server offers.
 */
function usePriced(symbol: string): Priced & { direct: boolean } {
  const { data, origin } = useSnapshot(marketStore);
  const quote = useQuote(presentBoard(), symbol);
  const direct = origin === 'exchange';
  return { quote, direct, unpriced: direct ? `No price at ${data?.source.label ?? ''}` : null };
}

/** Why the prices are missing or old; offline without any, the page itself says so. */
function BoardError() {
  const { data, error } = useSlot(marketStore, loadMarket);
  const { online } = useSnapshot(connection);
  if (data === null && online === 'offline') return null;
  return (
    <ScreenError
      message={error}
      hasData={data !== null}
      onRetry={() => {
        void loadMarket(true);
      }}
    />
  );
}

export default function SymbolScreen({ params }: ScreenProps) {
  const symbol = (params.symbol ?? '').toUpperCase().replace('-', '/');
  const market = useSlot(marketStore, loadMarket);
  useExchangePrices();
  const { direct, ...priced } = usePriced(symbol);
  const { quote } = priced;
  const line = useSlot(sparklinesStore, loadSparklines).data?.lines[symbol];
  const history = useSlot(historyStore, loadHistory);
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const { favourites } = useSnapshot(marketChoices);
  const [creating, setCreating] = useState(false);
  const unit = symbol.split('/')[1] ?? '';
  if (market.data !== null && !direct && quote === undefined)
    return (
      <NotOffered
        symbol={symbol}
        source={market.data.source.label}
        offered={Object.keys(market.data.symbols)}
      />
    );
  return (
    <>
      {back}
      <Head
        symbol={symbol}
        {...priced}
        starred={favourites.includes(symbol)}
        onCreate={() => {
          setCreating(true);
        }}
      />
      <BoardError />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-8">
          <div className="min-w-0">
            <SymbolChart
              symbol={symbol}
              known={quote !== undefined || direct}
              fills={history.data?.fills ?? []}
              price={quote?.price ?? null}
              quote={unit}
              line={line}
            />
          </div>
          <SymbolTrades history={history} symbol={symbol} quote={unit} />
        </div>
        <Aside symbol={symbol} {...priced} unit={unit} portfolio={portfolio} history={history} />
      </div>
      {creating && (
        <NewAgent
          title={`New agent for ${symbol}`}
          keptAs={`agent-pair.${symbol}`}
          pool="all_pools"
          pairs={[symbol]}
          onDone={() => {
            setCreating(false);
          }}
        />
      )}
    </>
  );
}

/** The optional columns of the market list, and their choice. */
import { useMemo, type ReactNode } from 'react';
import type { DayLine, SymbolQuote } from '../../../contract/market.ts';
import { ColumnMenu, MENU_ROW } from '../../components/ColumnMenu.tsx';
import { Sparkline } from '../../components/Sparkline.tsx';
import { useNow } from '../../components/use-now.ts';
import { numberMarks } from '../../format/number-marks.ts';
import { formatPercent, formatPrice, formatShort, UNKNOWN } from '../../format/numbers.ts';
import { formatSpan } from '../../format/ages.ts';
import { formatWhen } from '../../format/times.ts';
import { chooseView, MARKET_COLUMNS, type MarketColumn } from '../../stores/market-choices.ts';
import { useMarketNow } from '../use-store.ts';
import { dayWay, turnover, type SortKey } from './market-order.ts';

interface Column {
  /** The header; `note` explains it in the column menu. */
  title: string;
  note: string;
  width: string;
  sort?: SortKey;
  cell(quote: SymbolQuote, line: DayLine | undefined): ReactNode;
}

type DayQuote = Pick<SymbolQuote, 'price' | 'price_change_24h' | 'timestamp'>;

function Ago({ at }: { at: number }) {
  // A component of its own, because it renders with the clock.
  useNow(1_000);
  return <>{formatSpan(useMarketNow(1_000) - at)}</>;
}

const unknown = (why: string): ReactNode => (
  <span title={why}>
    <span aria-hidden>{UNKNOWN}</span>
    <span className="sr-only">{why}</span>
  </span>
);
const NO_DAY = 'Less than a day of history';

/** A line that ended longer ago than this belongs to another day than the change beside it. */
const LINE_WITHIN_MS = 7_200_000;

/** The day of the change beside it: from the price 24 hours ago to the current one. */
function dayValues({ points }: DayLine, price: string, change: number): number[] {
  const now = Number(price);
  return [now / (1 + change / 100), ...points.slice(1), now];
}

function lineValues(
  line: DayLine | undefined,
  old: boolean,
  price: string,
  change: number | null,
): readonly number[] {
  if (line === undefined) return [];
  return old || change === null ? line.points : dayValues(line, price, change);
}

/** The day as a line. An older one has no colour and says when it ends. */
export function DayLineCell({
  line,
  quote,
  className = '',
}: {
  line: DayLine | undefined;
  quote: DayQuote;
  className?: string;
}) {
  const { price, price_change_24h: change, timestamp } = quote;
  const old = line === undefined || timestamp - line.to > LINE_WITHIN_MS || change === null;
  const values = useMemo(() => lineValues(line, old, price, change), [line, old, price, change]);
  if (line === undefined) return null;
  const label = old ? `24 hours to ${formatWhen(line.to)}` : 'Last 24 hours';
  return (
    <Sparkline
      values={values}
      label={label}
      level={old || dayWay(quote) === 0}
      className={className}
    />
  );
}

/** The full spread in percent of the price, not half of it. */
export function spreadPercent(quote: Pick<SymbolQuote, 'bid' | 'ask'>): number | null {
  if (quote.bid === null || quote.ask === null) return null;
  const [bid, ask] = [Number(quote.bid), Number(quote.ask)];
  return bid + ask <= 0 ? null : ((ask - bid) / ((ask + bid) / 2)) * 100;
}

export const COLUMNS: Readonly<Record<MarketColumn, Column>> = {
  line: {
    title: 'Last 24 h',
    note: '24-hour line',
    width: '7rem',
    cell: (quote, line) => <DayLineCell line={line} quote={quote} className="ml-auto block" />,
  },
  high: {
    title: 'High',
    note: 'Highest of 24 h',
    width: '7.5rem',
    sort: 'high',
    cell: (quote) =>
      quote.high_24h === null ? unknown(NO_DAY) : formatPrice(quote.high_24h, priceDecimals(quote)),
  },
  low: {
    title: 'Low',
    note: 'Lowest of 24 h',
    width: '7.5rem',
    sort: 'low',
    cell: (quote) =>
      quote.low_24h === null ? unknown(NO_DAY) : formatPrice(quote.low_24h, priceDecimals(quote)),
  },
  volume: {
    title: 'Volume',
    note: '24-hour volume at the present price',
    width: '6.5rem',
    sort: 'volume',
    cell: (quote) => volumeText(quote) ?? unknown('No volume available'),
  },
  bid: {
    title: 'Bid',
    note: 'Best bid',
    width: '7.5rem',
    cell: (quote) =>
      quote.bid === null
        ? unknown('No bid available')
        : formatPrice(quote.bid, priceDecimals(quote)),
  },
  ask: {
    title: 'Ask',
    note: 'Best ask',
    width: '7.5rem',
    cell: (quote) =>
      quote.ask === null
        ? unknown('No ask available')
        : formatPrice(quote.ask, priceDecimals(quote)),
  },
  spread: {
    title: 'Spread',
    note: 'Ask minus bid, in percent',
    width: '5.5rem',
    cell: (quote) => {
      const spread = spreadPercent(quote);
      return spread === null
        ? unknown('No bid or ask available')
        : formatPercent(spread, { signed: false, decimals: 3 });
    },
  },
  age: {
    title: 'Age',
    note: 'Age of the price',
    width: '4.5rem',
    cell: (quote) => <Ago at={quote.timestamp} />,
  },
};

/**
 * Decimals shown for all prices of one pair, so that a trailing zero does not make a column jump.
 */
export function priceDecimals(quote: Pick<SymbolQuote, 'price' | 'high_24h' | 'low_24h'>): number {
  const { decimal } = numberMarks();
  return Math.max(
    ...[quote.price, quote.high_24h, quote.low_24h].map((text) =>
      text === null ? 0 : (formatPrice(text).split(decimal)[1]?.length ?? 0),
    ),
  );
}

/** The day's turnover in the quote currency, short: `1.2 B`. */
export function volumeText(quote: Pick<SymbolQuote, 'volume_24h' | 'price'>): string | null {
  const value = turnover(quote);
  return value === null ? null : formatShort(value.toFixed(2));
}

export function ColumnChoice({
  chosen,
  favouritesFirst,
}: {
  chosen: readonly MarketColumn[];
  favouritesFirst: boolean;
}) {
  return (
    <ColumnMenu
      columns={MARKET_COLUMNS.map((key) => ({ key, note: COLUMNS[key].note }))}
      chosen={chosen}
      onChoose={(columns) => {
        void chooseView({ columns });
      }}
      className="hidden h-10 items-center gap-2 rounded-md border border-line-strong/60 px-3 font-medium hover:bg-sunken md:inline-flex"
    >
      <label className={`${MENU_ROW} mt-1 border-t border-line`}>
        <input
          type="checkbox"
          checked={favouritesFirst}
          onChange={(event) => {
            void chooseView({ favouritesFirst: event.target.checked });
          }}
        />
        <span>Favourites first</span>
      </label>
    </ColumnMenu>
  );
}

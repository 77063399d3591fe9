/** The trade history with filters and CSV export, as far as it is loaded. */
import { Landmark, SlidersHorizontal } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Fill } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { Amount } from '../../components/Figures.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { connection } from '../../stores/connection.ts';
import { sumOf } from '../explain/equation.ts';
import type { TradedAccount } from './csv.ts';
import { SaveTrades, type SaveTradesProps } from './SaveTrades.tsx';
import { TradesTable } from './TradesTable.tsx';
import { choicesOf, EVERY_TRADE, filterFills, type TradeFilter } from './trade-filter.ts';
import { formatNumber } from '../../format/numbers.ts';
import { READ_AT_ONCE, useOlderTrades } from './use-older-trades.ts';

const TaxExport = screenPart(() => import('../tax/TaxExport.tsx'));

const PAGE = 25;
const SIDES = [
  { value: '', label: 'Bought and sold' },
  { value: 'buy', label: 'Bought' },
  { value: 'sell', label: 'Sold' },
];
const OUTCOMES = [
  { value: '', label: 'Gains and losses' },
  { value: 'gain', label: 'Gains' },
  { value: 'loss', label: 'Losses' },
];

function Filters({
  fills,
  filter,
  onChange,
}: {
  fills: readonly Fill[];
  filter: TradeFilter;
  onChange: (next: TradeFilter) => void;
}) {
  const { agents, pairs } = useMemo(() => choicesOf(fills), [fills]);
  const set = (part: Partial<TradeFilter>): void => {
    onChange({ ...filter, ...part });
  };
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-2 pb-4 sm:grid-cols-3">
      <Select
        label="Agent"
        value={filter.agentId}
        onChange={(event) => {
          set({ agentId: event.target.value });
        }}
        options={[{ value: '', label: 'All agents' }, ...agents]}
      />
      <Select
        label="Pair"
        value={filter.pair}
        onChange={(event) => {
          set({ pair: event.target.value });
        }}
        options={[{ value: '', label: 'All pairs' }, ...pairs]}
      />
      <Select
        label="Side"
        value={filter.side}
        onChange={(event) => {
          set({ side: event.target.value as TradeFilter['side'] });
        }}
        options={SIDES}
      />
      <Select
        label="Result"
        value={filter.outcome}
        onChange={(event) => {
          set({ outcome: event.target.value as TradeFilter['outcome'] });
        }}
        options={OUTCOMES}
      />
      <Field
        label="From"
        type="date"
        value={filter.from}
        onChange={(event) => {
          set({ from: event.target.value });
        }}
      />
      <Field
        label="To"
        type="date"
        value={filter.to}
        onChange={(event) => {
          set({ to: event.target.value });
        }}
      />
    </div>
  );
}

/** How many trades are shown, out of how many. */
interface TradeCounts {
  mine: readonly Fill[];
  fills: readonly Fill[];
  total: number | undefined;
  missing: number;
  isFiltered: boolean;
}

function countText({ mine, fills, total, missing, isFiltered }: TradeCounts): string {
  const loaded = formatNumber(fills.length);
  const all = formatNumber(total ?? fills.length);
  if (isFiltered && missing > 0)
    return `${formatNumber(mine.length)} of the newest ${loaded} trades (${all} in all)`;
  if (isFiltered) return `${formatNumber(mine.length)} of ${loaded} trades`;
  if (missing > 0) return `Newest ${loaded} of ${all} trades`;
  return `${loaded} ${fills.length === 1 ? 'trade' : 'trades'}`;
}

/** Null where nothing was sold. */
const realizedOf = (fills: readonly Fill[]): string | null =>
  fills.some(({ realized }) => realized !== null)
    ? sumOf(fills.map(({ realized }) => realized))
    : null;

function TradeTools({
  counts,
  file,
  filtering,
  onFiltering,
  book,
}: {
  counts: TradeCounts;
  file: Omit<SaveTradesProps, 'read' | 'onRead'>;
  filtering: boolean;
  onFiltering: (filtering: boolean) => void;
  book: number | undefined;
}) {
  const { mine } = counts;
  const [taxing, setTaxing] = useState(false);
  /** How many trades are read for the file; null while none is made. */
  const [read, setRead] = useState<number | null>(null);
  const realized = useMemo(() => realizedOf(mine), [mine]);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 pb-2">
      <p className="text-ink-3" role="status">
        {read === null
          ? countText(counts)
          : `Reading ${formatNumber(read)} of ${formatNumber(file.total)} trades`}
        {read === null && realized !== null && (
          <>
            , realised <Amount value={realized} change />
          </>
        )}
      </p>
      <span className="-mr-3 flex">
        <Button
          size="sm"
          tone="plain"
          aria-expanded={filtering}
          onClick={() => {
            onFiltering(!filtering);
          }}
        >
          <SlidersHorizontal className="size-4" aria-hidden />
          Filter
        </Button>
        <SaveTrades {...file} read={read} onRead={setRead} />
        <Button
          size="sm"
          tone="plain"
          aria-haspopup="dialog"
          title="Gains by tax lot (FIFO)"
          onClick={() => {
            setTaxing(true);
          }}
        >
          <Landmark className="size-4" aria-hidden />
          Tax lots
        </Button>
      </span>
      {taxing && (
        <Suspense>
          <TaxExport
            account={{ kind: 'paper', book }}
            onClose={() => {
              setTaxing(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

function NoMatch({
  fills,
  missing,
  onShowAll,
}: {
  fills: readonly Fill[];
  missing: number;
  onShowAll: () => void;
}) {
  return (
    <EmptyState
      title="No matching trades"
      action={
        <Button size="sm" onClick={onShowAll}>
          Show all
        </Button>
      }
    >
      {missing > 0
        ? `Searched the newest ${formatNumber(fills.length)} trades. Older trades are not loaded.`
        : 'No trades in this account match the filter.'}
    </EmptyState>
  );
}

/** Trades that are only on the server. */
function OlderTrades({
  missing,
  busy,
  onRead,
}: {
  missing: number;
  busy: boolean;
  onRead: () => void;
}) {
  const { online } = useSnapshot(connection);
  return online === 'offline' ? (
    <p className="py-2 text-xs text-ink-3">
      {formatNumber(missing)} older {missing === 1 ? 'trade is' : 'trades are'} available online.
    </p>
  ) : (
    <Button wide tone="plain" busy={busy} onClick={onRead}>
      Load {formatNumber(Math.min(READ_AT_ONCE, missing))} older
    </Button>
  );
}

/** Below the shown rows: more of the loaded trades, then older ones. */
function MoreTrades({
  rest,
  missing,
  busy,
  onMore,
  onRead,
}: {
  rest: number;
  missing: number;
  busy: boolean;
  onMore: () => void;
  onRead: () => void;
}) {
  if (rest > 0)
    return (
      <Button wide tone="plain" onClick={onMore}>
        Show more
      </Button>
    );
  return missing > 0 && <OlderTrades missing={missing} busy={busy} onRead={onRead} />;
}

export interface TradesProps {
  known: readonly Fill[];
  total: number | undefined;
  quote: string;
  /** Whose trades they are. */
  account: TradedAccount;
  /** Of an earlier account: its number too. */
  book?: number;
}

export function Trades({ known, total, quote, account, book }: TradesProps) {
  const { fills, read, readAll, busy } = useOlderTrades(known, total, book);
  const [filter, setFilter] = useState(EVERY_TRADE);
  const [filtering, setFiltering] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const mine = useMemo(() => filterFills(fills, filter), [fills, filter]);
  const isFiltered = filter !== EVERY_TRADE && Object.values(filter).some((value) => value !== '');
  const missing = Math.max(0, (total ?? fills.length) - fills.length);
  if (fills.length === 0)
    return (
      <EmptyState title="No trades yet">
        Every trade is kept with its price, fee and reason.
      </EmptyState>
    );
  return (
    <>
      <TradeTools
        counts={{ mine, fills, total, missing, isFiltered }}
        file={{
          fills,
          total: total ?? fills.length,
          filter,
          isFiltered,
          account,
          readAll,
        }}
        filtering={filtering}
        onFiltering={setFiltering}
        book={book}
      />
      {filtering && (
        <Filters
          fills={fills}
          filter={filter}
          onChange={(next) => {
            setFilter(next);
            setShown(PAGE);
          }}
        />
      )}
      {mine.length === 0 ? (
        <NoMatch
          fills={fills}
          missing={missing}
          onShowAll={() => {
            setFilter(EVERY_TRADE);
          }}
        />
      ) : (
        <TradesTable fills={mine} most={shown} quote={quote} />
      )}
      <MoreTrades
        rest={mine.length - shown}
        missing={missing}
        busy={busy}
        onMore={() => {
          setShown(shown + 4 * PAGE);
        }}
        onRead={() => {
          void read();
        }}
      />
    </>
  );
}

/** The portfolio: equity, allocation, positions, trades and closed accounts. */
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Analytics, History, Portfolio } from '../../../contract/trading.ts';
import {
  ChartPlace,
  EmptyState,
  NotRead,
  ReadError,
  SkeletonRows,
} from '../../components/EmptyState.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Amount } from '../../components/Figures.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { useCurrent } from '../../shell/data-age.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { formatMoment } from '../../format/times.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import {
  closedAccountsStore,
  loadClosedAccount,
  type ClosedAccount,
} from '../../stores/closed-accounts-store.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { serverBoard } from '../../stores/market-store.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { emptySlot, type Slot } from '../../stores/slot.ts';
import type { Account } from '../explain/account-sums.ts';
import { Explain } from '../explain/Explain.tsx';
import { sumOf } from '../explain/equation.ts';
import { useAnalytics, useSlot } from '../use-store.ts';
import { Allocation } from './Allocation.tsx';
import { AccountPicker } from './AccountPicker.tsx';
import { EquityFigure } from './EquityFigure.tsx';
import { heldOf, whyNotHeld, type PriceNow } from './held-value.ts';
import { PaperReset } from './PaperReset.tsx';
import { Positions } from './Positions.tsx';
import { TableTools } from './TableTools.tsx';
import { Trades } from './Trades.tsx';

const ChosenAccount = screenPart(async () => ({
  default: (await import('../live/account/LiveAccountScreen.tsx')).ChosenAccount,
}));

interface Shown {
  data: Portfolio | null;
  history: History | null;
  analytics: Analytics | null;
  error: string | null;
  retry: () => void;
}

function AccountLines({ portfolio, book }: { portfolio: Portfolio; book?: Account | undefined }) {
  const of = book === undefined ? {} : { book };
  const opens = (
    what: 'result' | 'realized' | 'unrealized' | 'fees',
    name: string,
    value: string,
    change = true,
  ) => (
    <Explain ask={{ of: what, ...of }} name={name}>
      <Amount value={value} change={change} />
    </Explain>
  );
  return (
    <dl>
      <Line term="Cash">
        <Amount value={portfolio.cash} quote={portfolio.quote} />
      </Line>
      <Line term="Positions at the bid">
        <Amount value={portfolio.positionsValue} />
      </Line>
      <Line term="Deposits">
        <Amount value={portfolio.deposits} />
      </Line>
      <Line term="Result">
        {opens('result', 'the result', sumOf([portfolio.realized, portfolio.unrealized]))}
      </Line>
      <Line term="Realised, net of fees">
        {opens('realized', 'the realised result', portfolio.realized)}
      </Line>
      <Line term="Unrealised">
        {opens('unrealized', 'the unrealised result', portfolio.unrealized)}
      </Line>
      <Line term="Fees">{opens('fees', 'the fees', portfolio.fees, false)}</Line>
    </dl>
  );
}

/** On a phone the trades stand below: without it, the account would push them down. */
function AccountPlace() {
  return (
    <>
      <Section title="Allocation">
        <SkeletonRows rows={2} label="Allocation" />
      </Section>
      <Section title="Account">
        <SkeletonRows rows={7} label="Account" />
      </Section>
    </>
  );
}

function InDoubt({ since }: { since: number }) {
  return (
    <p role="status" className="mt-2 max-w-[72ch] border-l-2 border-amber py-1 pl-3 text-amber">
      A check of this account failed on {formatMoment(since)}. The operator must review it. Figures
      may be wrong. Until then, no new positions. Stop losses, exits and closing still work.
    </p>
  );
}

/** The current price of a pair, so that both lines of the chart end at the same moment. */
function priceAt(pair: string, at: number): PriceNow | null {
  const quote = serverBoard()?.symbols[pair];
  return quote === undefined ? null : { price: quote.price, at };
}

function heldText(closed: boolean, current: boolean): string {
  if (closed) return 'valued as a whole';
  return current ? 'open' : 'open when last seen';
}

/** Equity, its chart and positions. `book` is given for a closed account. */
function Body({
  shown: { data, analytics, error, retry },
  closed,
  book,
}: {
  shown: Shown;
  closed: boolean;
  book?: Account | undefined;
}) {
  const quote = data?.quote ?? '';
  const asOf = data?.asOf;
  const held = useMemo(
    () => heldOf(analytics, (pair) => (closed || asOf === undefined ? null : priceAt(pair, asOf))),
    [analytics, closed, asOf],
  );
  const current = useCurrent('portfolio');
  return (
    <div className="flex min-w-0 flex-col gap-8">
      <div>
        <EquityFigure
          portfolio={data}
          failed={error !== null}
          {...(book === undefined ? {} : { book })}
        />
        <ReadError message={error} hasData={data !== null} onRetry={retry} />
        {data?.inDoubtSince != null && <InDoubt since={data.inDoubtSince} />}
        <div className="mt-2">
          {data === null ? (
            <ChartPlace
              what="Equity curve"
              className="h-[264px] w-full pointer-fine:h-[252px]"
              failed={error !== null}
            />
          ) : (
            <EquityChart
              curve={data.equityCurve}
              quote={quote}
              height={220}
              now={[data.asOf, data.equity]}
              held={held}
              whyNotHeld={whyNotHeld(analytics, quote)}
            />
          )}
        </div>
      </div>
      <Section
        title={closed ? 'Positions at close' : 'Positions'}
        aside={
          data === null || data.positions.length === 0
            ? undefined
            : `${data.positions.length} ${heldText(closed, current)}`
        }
      >
        {data === null && error === null && <SkeletonRows rows={3} label="Positions" />}
        {data === null && error !== null && <NotRead />}
        {data !== null &&
          (data.positions.length === 0 ? (
            <EmptyState title={closed ? 'No positions at close' : 'No open positions'}>
              {closed
                ? 'This account closed in cash.'
                : `${current ? '' : 'When last seen. '}Open positions appear here with their cost, value and stop loss.`}
            </EmptyState>
          ) : (
            <Positions portfolio={data} closed={closed} table Tools={TableTools} />
          ))}
      </Section>
    </div>
  );
}

/** Below everything else, because it may be long; on a wide window as well. */
function Traded({ shown: { data, history, error }, closed }: { shown: Shown; closed: boolean }) {
  return (
    <Section title="Trades" aside={closed ? undefined : <DataAge kind="history" />}>
      {history === null && error === null && <SkeletonRows rows={5} label="Trades" />}
      {history === null && error !== null && <NotRead />}
      {history !== null && (
        <Trades
          key={data?.book ?? 0}
          known={history.fills}
          total={history.total}
          quote={data?.quote ?? ''}
          account={{
            number: history.book ?? data?.book ?? null,
            quote: history.quote ?? data?.quote ?? '',
          }}
          {...(closed && data !== null ? { book: data.book } : {})}
        />
      )}
    </Section>
  );
}

const UNREAD = emptySlot<ClosedAccount>();

function useShown(book: number | null): Shown {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const history = useSlot(historyStore, loadHistory);
  const analytics = useAnalytics();
  const read = useCallback(
    () => (book === null ? Promise.resolve() : loadClosedAccount(book)),
    [book],
  );
  useSlot(portfolioStore, read);
  const old = useSnapshot(closedAccountsStore).byNumber as Record<number, Slot<ClosedAccount>>;
  if (book === null)
    return {
      data: portfolio.data,
      history: history.data,
      analytics: analytics.data,
      error: portfolio.error ?? history.error,
      retry: () => {
        void loadPortfolio(true);
        void loadHistory(true);
      },
    };
  const slot = old[book] ?? UNREAD;
  return {
    data: slot.data?.portfolio ?? null,
    history: slot.data?.history ?? null,
    analytics: slot.data?.analytics ?? null,
    error: slot.error,
    retry: () => {
      void loadClosedAccount(book, true);
    },
  };
}

/** Real money has its own portfolio; the two are never shown in one. */
export default function PortfolioScreen() {
  const { chosen } = useSnapshot(accountChoice);
  if (chosen === null) return <PaperPortfolio />;
  return (
    <Suspense>
      <ChosenAccount />
    </Suspense>
  );
}

function PaperPortfolio() {
  const [book, setBook] = useState<number | null>(null);
  const open = useSnapshot(portfolioStore).data as Portfolio | null;
  const shown = useShown(book);
  const { data, history } = shown;
  // What stands above it comes with the account, and would push it down.
  const mayReset = book === null && (open !== null || shown.error !== null);
  const account =
    book === null || data === null ? undefined : { portfolio: data, fills: history?.fills ?? [] };
  return (
    <>
      <h1 className="sr-only">Portfolio</h1>
      <AccountPicker
        books={open?.books ?? []}
        open={open?.book ?? null}
        book={book}
        onPick={setBook}
      />
      <div className="grid gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_22rem] xl:grid-rows-[auto_1fr]">
        <Body shown={shown} closed={book !== null} book={account} />
        <aside
          className="flex min-w-0 flex-col gap-8 xl:col-start-2 xl:row-span-2 xl:row-start-1"
          aria-label="Account"
        >
          {data !== null && (
            <Section title="Allocation">
              <Allocation portfolio={data} />
            </Section>
          )}
          {data !== null && (
            <Section title="Account" aside={`Paper account ${data.book}`}>
              <AccountLines portfolio={data} book={account} />
            </Section>
          )}
          {data === null && shown.error === null && <AccountPlace />}
          {mayReset && (
            <div className="max-xl:hidden">
              <PaperReset portfolio={open} />
            </div>
          )}
        </aside>
        <Traded shown={shown} closed={book !== null} />
        {mayReset && (
          <div className="xl:hidden">
            <PaperReset portfolio={open} />
          </div>
        )}
      </div>
    </>
  );
}

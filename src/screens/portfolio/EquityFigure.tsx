/** Equity and the day's change, each opening into its sum. */
import { add, formatFixed, parseFixed, subtract, ZERO } from '../../../contract/money.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { Amount, Percent } from '../../components/Figures.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { DataAge } from '../../shell/DataAge.tsx';
import { formatDate } from '../../format/times.ts';
import { useCurrent } from '../../shell/data-age.ts';
import type { Account } from '../explain/account-sums.ts';
import { Explain } from '../explain/Explain.tsx';
import { useMarketNow } from '../use-store.ts';

/** equity − (deposits + realised + unrealised): zero, or what the rows leave unexplained. */
export function unexplained(
  portfolio: Pick<Portfolio, 'equity' | 'deposits' | 'realized' | 'unrealized'>,
): string {
  const parts = [portfolio.deposits, portfolio.realized, portfolio.unrealized].reduce(
    (total, text) => add(total, parseFixed(text)),
    ZERO,
  );
  return formatFixed(subtract(parseFixed(portfolio.equity), parts));
}

const DAY_MS = 86_400_000;

/** "today", or the date where the account was last loaded on another market day (UTC). */
function useDayName(asOf: number): string {
  const current = useCurrent('portfolio');
  const now = useMarketNow(60_000);
  const isPast = !current && asOf > 0 && Math.floor(now / DAY_MS) !== Math.floor(asOf / DAY_MS);
  return isPast ? `on ${formatDate(asOf)}` : 'today';
}

/** `failed`: loading failed. */
export function EquityFigure({
  portfolio,
  book,
  failed = false,
}: {
  portfolio: Portfolio | null;
  book?: Account;
  failed?: boolean;
}) {
  const day = useDayName(portfolio?.asOf ?? 0);
  if (portfolio === null && failed)
    return (
      <p className="min-h-16 text-figure font-semibold">
        <Amount value={null} why="Could not load the account" />
      </p>
    );
  if (portfolio === null)
    return (
      <div role="status" aria-label="Portfolio" className="-mt-1 pt-1">
        <Skeleton className="h-10 w-56" />
        <Skeleton className="mt-2 h-4 w-40" />
      </div>
    );
  const of = book === undefined ? {} : { book };
  return (
    <div>
      <Explain ask={{ of: 'equity', ...of }} name="the equity" plain className="block text-left">
        <span className="block text-figure font-semibold tracking-[-0.02em]">
          <Amount value={portfolio.equity} />
          <span className="ml-1.5 text-base font-normal tracking-normal text-ink-3">
            {portfolio.quote}
          </span>
        </span>
      </Explain>
      <div className="flex min-h-6 flex-wrap items-baseline gap-x-3">
        {portfolio.dayChange === null &&
        portfolio.books?.find((one) => one.book === portfolio.book)?.closedAt != null ? (
          <span className="text-ink-3">when account {portfolio.book} closed</span>
        ) : (
          <Explain
            ask={{ of: 'today', ...of }}
            name="the change of today"
            plain
            className="flex min-h-6 flex-wrap items-baseline gap-x-3"
          >
            <Percent value={portfolio.dayChangePercent} why="No valuation before today" />
            <Amount value={portfolio.dayChange} change why="No valuation before today" />
            <span className="text-ink-3">{day}</span>
          </Explain>
        )}
        {book === undefined && <DataAge kind="portfolio" />}
      </div>
    </div>
  );
}

/** Trades, newest first unless sorted: a table on wide windows, a list on a phone. */
import { useMemo } from 'react';
import type { Fill } from '../../../contract/trading.ts';
import { ColumnMenu } from '../../components/ColumnMenu.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { Amount } from '../../components/Figures.tsx';
import { SortMenu } from '../../components/SortMenu.tsx';
import { SideTag } from '../../components/Tags.tsx';
import { useWide } from '../../components/use-wide.ts';
import { formatPrice, formatQuantity } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { reasonText } from '../agents/reason-text.ts';
import { Explain } from '../explain/Explain.tsx';
import { useSeenOnScreen } from '../getting-started/step-notes.ts';
import { useMarketNow } from '../use-store.ts';
import { menuColumns, useTableView } from '../table-view.ts';
import { tradesTable } from './trade-columns.tsx';

export interface FillsProps {
  fills: readonly Fill[];
  quote: string;
  showAgent?: boolean;
}

function ListRow({
  fill,
  quote,
  showAgent,
  now,
}: {
  fill: Fill;
  quote: string;
  showAgent: boolean;
  now: number;
}) {
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
      <div className="min-w-0">
        <p>
          <SideTag side={fill.side} /> {formatQuantity(fill.quantity)} {fill.pair.split('/')[0]} at{' '}
          {formatPrice(fill.price)}
        </p>
        <p className="text-xs text-ink-3">
          {formatWhen(fill.filledAt, now)}
          {showAgent ? ` · ${fill.agentName}` : ''} · {reasonText(fill.reason)}
          {' · '}
          <span className="whitespace-nowrap">
            fee {formatPrice(fill.fee)} {quote}
          </span>
        </p>
      </div>
      <div className="text-right">
        {fill.realized === null ? (
          <Amount value={fill.notional} className="text-ink-2" />
        ) : (
          <Explain ask={{ of: 'sale', fill, quote }} name={`the result of ${fill.pair}`} plain>
            <Amount value={fill.realized} change />
          </Explain>
        )}
        <p className="text-xs text-ink-3">{fill.realized === null ? 'spent' : 'realised'}</p>
      </div>
    </li>
  );
}

/** In the given order. */
export function Fills({ fills, quote, showAgent = true }: FillsProps) {
  const now = useMarketNow(60_000);
  const seen = useSeenOnScreen('trade');
  return (
    <ul ref={fills.length > 0 ? seen : undefined}>
      {fills.map((fill) => (
        <ListRow key={fill.id} fill={fill} quote={quote} showAgent={showAgent} now={now} />
      ))}
    </ul>
  );
}

/** `most`: the number of rows shown, after sorting. */
export function TradesTable({
  fills,
  quote,
  showAgent = true,
  most,
}: FillsProps & { most: number }) {
  const now = useMarketNow(60_000);
  const setup = useMemo(() => tradesTable(quote, now, showAgent), [quote, now, showAgent]);
  const view = useTableView(setup, fills);
  const order = { ...view.order, order: view.order.order.slice(0, most) };
  const asTable = useWide();
  const seen = useSeenOnScreen('trade');
  return (
    <div ref={fills.length > 0 ? seen : undefined}>
      {fills.length > 1 && (
        <div className="flex items-center justify-end">
          {asTable ? (
            <ColumnMenu
              label="Columns of trades"
              columns={menuColumns(setup)}
              chosen={view.chosen}
              onChoose={view.onChoose}
              className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-3 hover:text-ink"
            />
          ) : (
            <SortMenu columns={setup.columns} sort={view.sort} onSort={view.onSort} />
          )}
        </div>
      )}
      {asTable ? (
        <DataTable
          label="Trades"
          columns={view.shown}
          rows={view.rows}
          order={order}
          sort={view.sort}
          onSort={view.onSort}
        />
      ) : (
        <ul {...order.hold}>
          {order.order.map((id) => {
            const fill = view.rows.get(id);
            return (
              fill !== undefined && (
                <ListRow key={id} fill={fill} quote={quote} showAgent={showAgent} now={now} />
              )
            );
          })}
        </ul>
      )}
    </div>
  );
}

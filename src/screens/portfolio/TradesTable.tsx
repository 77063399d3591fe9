/** All trades, newest first unless sorted: a table on wide windows, a list on a phone. */
import { useMemo } from 'react';
import { DataTable } from '../../components/DataTable.tsx';
import { useWide } from '../../components/use-wide.ts';
import { useSeenOnScreen } from '../getting-started/step-notes.ts';
import { useMarketNow } from '../use-store.ts';
import { useTableView } from '../table-view.ts';
import { FillRow, type FillsProps } from './Fills.tsx';
import { TableTools } from './TableTools.tsx';
import { tradesTable } from './trade-columns.tsx';

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
        <TableTools label="Columns of trades" asTable={asTable} setup={setup} view={view} />
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
                <FillRow key={id} fill={fill} quote={quote} showAgent={showAgent} now={now} />
              )
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** Open positions: a table on wide windows, a list on a phone. Each opens its details. */
import { Suspense, useMemo, useState, type ComponentType } from 'react';
import type { Portfolio, Position } from '../../../contract/trading.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { Amount, Percent, Price } from '../../components/Figures.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { useWide } from '../../components/use-wide.ts';
import { formatPrice, formatQuantity, formatShare } from '../../format/numbers.ts';
import { useTableView } from '../table-view.ts';
import { positionsTable, type PositionColumn } from './position-columns.tsx';
import { gainPercent, shareOf } from './position-figures.ts';
import type { TableToolsProps } from './TableTools.tsx';

const PositionDialog = screenPart(() => import('./PositionDialog.tsx'));
const NO_PRICE = 'No price yet';

/** Depends on the container: a narrow column has the phone's layout. */
function ListRow({
  position,
  equity,
  showAgent,
  onOpen,
}: {
  position: Position;
  equity: string | undefined;
  showAgent: boolean;
  onOpen: () => void;
}) {
  const small = 'block text-xs text-ink-3';
  return (
    <button
      type="button"
      onClick={onOpen}
      title="Explain this position"
      className="row grid w-full grid-cols-[minmax(0,1fr)_auto_5.5rem] items-center gap-x-4 py-1.5 text-left hover:text-accent @lg:grid-cols-[minmax(0,1fr)_6.5rem_6.5rem_4rem_6rem]"
    >
      <span className="min-w-0">
        <span className="font-medium">{position.pair.split('/')[0]}</span>{' '}
        <span className="text-ink-2">{formatQuantity(position.quantity)}</span>
        <span className={`${small} break-words`}>
          {showAgent && `${position.agentName} · `}
          {/* A price that is cut off reads as another one. */}
          <span className="whitespace-nowrap">stop {formatPrice(position.stopPrice)}</span>
        </span>
      </span>
      <span className="hidden text-right @lg:block">
        <Amount value={position.cost} />
        <span className={small}>cost</span>
      </span>
      <span className="text-right">
        <Amount value={position.value} why={NO_PRICE} />
        <span className={`${small} @max-lg:hidden`}>
          <span className="mr-1.5">at</span>
          <Price value={position.price} why={NO_PRICE} />
        </span>
        <span className={`${small} @lg:hidden`}>
          cost <Amount value={position.cost} />
        </span>
      </span>
      <span className="hidden text-right text-ink-2 @lg:block">
        {equity !== undefined && (
          <>
            {formatShare(shareOf(position, equity), { signed: false, decimals: 1 })}
            <span className={small}>of equity</span>
          </>
        )}
      </span>
      <span className="text-right">
        <Percent value={gainPercent(position)} why={NO_PRICE} />
        <span className="block text-xs">
          <Amount value={position.unrealized} change why={NO_PRICE} />
        </span>
      </span>
    </button>
  );
}

export interface PositionsProps {
  portfolio: Pick<Portfolio, 'positions' | 'quote'> & { equity?: string };
  closed?: boolean;
  showAgent?: boolean;
  /** Wide windows have space for a table. */
  table?: boolean;
  /** Chooses columns, and the order where there are no headers. The start has none. */
  Tools?: ComponentType<TableToolsProps<Position, PositionColumn>>;
}

export function Positions({
  portfolio: { positions, quote, equity },
  closed = false,
  showAgent = true,
  table = false,
  Tools,
}: PositionsProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  const open = positions.find((position) => position.id === openId);
  const setup = useMemo(() => positionsTable(equity, showAgent), [equity, showAgent]);
  const view = useTableView(setup, positions);
  const asTable = useWide() && table;
  return (
    <>
      {Tools !== undefined && positions.length > 1 && (
        <Tools label="Columns of positions" asTable={asTable} setup={setup} view={view} />
      )}
      {asTable ? (
        <DataTable
          label="Positions"
          columns={view.shown}
          rows={view.rows}
          order={view.order}
          sort={view.sort}
          onSort={view.onSort}
          onOpen={setOpenId}
          said={() => 'Explain'}
        />
      ) : (
        <ul className="@container" {...view.order.hold}>
          {view.order.order.map((id) => {
            const position = view.rows.get(id);
            return (
              position !== undefined && (
                <li key={id} className="rule">
                  <ListRow
                    position={position}
                    equity={equity}
                    showAgent={showAgent}
                    onOpen={() => {
                      setOpenId(id);
                    }}
                  />
                </li>
              )
            );
          })}
        </ul>
      )}
      {open !== undefined && (
        <Suspense>
          <PositionDialog
            key={open.id}
            position={open}
            quote={quote}
            equity={equity}
            closed={closed}
            onClose={() => {
              setOpenId(null);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** The columns of open positions. */
import {
  divide,
  parseFixed,
  subtract,
  toNumber,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { Position } from '../../../contract/trading.ts';
import type { DataColumn } from '../../components/DataTable.tsx';
import { Amount, Percent, Price } from '../../components/Figures.tsx';
import { exactly } from '../../components/table-order.ts';
import { formatPrice, formatQuantity, formatShare } from '../../format/numbers.ts';
import type { TableSetup } from '../table-view.ts';
import { gainPercent, shareOf } from './position-figures.ts';

const NO_PRICE = 'No price yet';
export type PositionColumn =
  | 'pair'
  | 'quantity'
  | 'agent'
  | 'averageCost'
  | 'price'
  | 'stop'
  | 'toStop'
  | 'cost'
  | 'value'
  | 'share'
  | 'percent'
  | 'result';
type Columns = readonly DataColumn<Position, PositionColumn>[];

/** Compared at the 12 decimals of money. */
const percentOf = ({ unrealized, cost }: Position): Fixed | null => {
  const paid = parseFixed(cost);
  return unrealized === null || paid === ZERO
    ? null
    : divide(parseFixed(unrealized), paid, 'half-even');
};

/** How far the price is above the stop, as a share of the price. */
const toStop = ({ price, stopPrice }: Position): Fixed | null => {
  if (price === null || stopPrice === null || parseFixed(price) === ZERO) return null;
  return divide(subtract(parseFixed(price), parseFixed(stopPrice)), parseFixed(price), 'half-even');
};

const toNumberOrNull = (value: Fixed | null): number | null =>
  value === null ? null : toNumber(value);
const nameOf = ({ pair }: Position): string => pair.split('/')[0] ?? pair;

const HOLDING: Columns = [
  { key: 'pair', title: 'Pair', isText: true, names: true, value: nameOf, cell: nameOf },
  {
    key: 'quantity',
    title: 'Quantity',
    value: ({ quantity }) => exactly(quantity),
    cell: ({ quantity }) => formatQuantity(quantity),
  },
  {
    key: 'agent',
    title: 'Agent',
    isText: true,
    value: ({ agentName }) => agentName,
    cell: ({ agentName }) => (
      <span className="block max-w-36 truncate text-ink-2">{agentName}</span>
    ),
  },
  {
    key: 'averageCost',
    title: 'Avg. cost',
    note: 'Average cost per unit',
    value: ({ averageCost }) => exactly(averageCost),
    cell: ({ averageCost }) => formatPrice(averageCost),
  },
  {
    key: 'price',
    title: 'Price',
    value: ({ price }) => exactly(price),
    cell: ({ price }) => <Price value={price} why={NO_PRICE} />,
  },
  {
    key: 'stop',
    title: 'Stop',
    value: ({ stopPrice }) => exactly(stopPrice),
    cell: ({ stopPrice }) => formatPrice(stopPrice),
  },
  {
    key: 'toStop',
    title: 'To stop',
    note: 'Distance to the stop',
    value: toStop,
    cell: (row) => formatShare(toNumberOrNull(toStop(row)), { signed: false, decimals: 1 }),
  },
  {
    key: 'cost',
    title: 'Cost',
    value: ({ cost }) => exactly(cost),
    cell: ({ cost }) => <Amount value={cost} />,
  },
  {
    key: 'value',
    title: 'Value',
    value: ({ value }) => exactly(value),
    cell: ({ value }) => <Amount value={value} why={NO_PRICE} />,
  },
];

const shareColumns = (equity: string): Columns => [
  {
    key: 'share',
    title: 'Share',
    note: 'Share of equity',
    value: ({ value }: Position) => exactly(value),
    cell: (row: Position) => formatShare(shareOf(row, equity), { signed: false, decimals: 1 }),
  },
];

const RESULT: Columns = [
  {
    key: 'percent',
    title: 'Result, %',
    note: 'Result in percent',
    value: percentOf,
    cell: (row) => <Percent value={gainPercent(row)} why={NO_PRICE} />,
  },
  {
    key: 'result',
    title: 'Result',
    value: ({ unrealized }) => exactly(unrealized),
    cell: ({ unrealized }) => <Amount value={unrealized} change why={NO_PRICE} />,
  },
];

const columnsOf = (equity: string | undefined): Columns => [
  ...HOLDING,
  ...(equity === undefined ? [] : shareColumns(equity)),
  ...RESULT,
];

const idOf = ({ id }: Position): string => id;

export function positionsTable(
  equity: string | undefined,
  showAgent: boolean,
): TableSetup<Position, PositionColumn> {
  return {
    name: 'positions',
    idOf,
    columns: columnsOf(equity).filter(({ key }) => showAgent || key !== 'agent'),
    usual: {
      sort: { key: 'pair', down: false },
      columns: ['quantity', 'agent', 'stop', 'cost', 'value', 'percent', 'result'],
    },
  };
}

/** The columns of the trade history. */
import type { Fill } from '../../../contract/trading.ts';
import type { DataColumn } from '../../components/DataTable.tsx';
import { Amount } from '../../components/Figures.tsx';
import { exactly } from '../../components/table-order.ts';
import { SideTag } from '../../components/Tags.tsx';
import { formatPrice, formatQuantity } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { reasonText } from '../agents/reason-text.ts';
import { Explain } from '../explain/Explain.tsx';
import type { TableSetup } from '../table-view.ts';

export type TradeColumn =
  | 'time'
  | 'side'
  | 'pair'
  | 'quantity'
  | 'price'
  | 'notional'
  | 'fee'
  | 'realized'
  | 'agent'
  | 'reason';

function Realized({ fill, quote }: { fill: Fill; quote: string }) {
  if (fill.realized === null) return <Amount value={null} why="Buys have no realised result" />;
  return (
    <Explain ask={{ of: 'sale', fill, quote }} name={`the result of ${fill.pair}`} plain>
      <Amount value={fill.realized} change />
    </Explain>
  );
}

const nameOf = ({ pair }: Fill): string => pair.split('/')[0] ?? pair;
const idOf = ({ id }: Fill): string => id;

function columnsOf(quote: string, now: number): readonly DataColumn<Fill, TradeColumn>[] {
  return [
    {
      key: 'time',
      title: 'Time',
      isLeft: true,
      value: ({ filledAt }) => filledAt,
      cell: ({ filledAt }) => <span className="text-ink-2">{formatWhen(filledAt, now)}</span>,
    },
    {
      key: 'side',
      title: 'Side',
      isText: true,
      value: ({ side }) => side,
      cell: ({ side }) => <SideTag side={side} />,
    },
    { key: 'pair', title: 'Pair', isText: true, names: true, value: nameOf, cell: nameOf },
    {
      key: 'quantity',
      title: 'Quantity',
      value: ({ quantity }) => exactly(quantity),
      cell: ({ quantity }) => formatQuantity(quantity),
    },
    {
      key: 'price',
      title: 'Price',
      value: ({ price }) => exactly(price),
      cell: ({ price }) => formatPrice(price),
    },
    {
      key: 'notional',
      title: 'Amount',
      value: ({ notional }) => exactly(notional),
      cell: ({ notional }) => <Amount value={notional} />,
    },
    {
      key: 'fee',
      title: 'Fee',
      value: ({ fee }) => exactly(fee),
      cell: ({ fee }) => <span className="text-ink-2">{formatPrice(fee)}</span>,
    },
    {
      key: 'realized',
      title: 'Realised',
      value: ({ realized }) => exactly(realized),
      cell: (fill) => <Realized fill={fill} quote={quote} />,
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
      key: 'reason',
      title: 'Reason',
      isText: true,
      value: ({ reason }) => reasonText(reason),
      cell: ({ reason }) => <span className="text-ink-2">{reasonText(reason)}</span>,
    },
  ];
}

export function tradesTable(
  quote: string,
  now: number,
  showAgent: boolean,
): TableSetup<Fill, TradeColumn> {
  return {
    name: 'trades',
    idOf,
    columns: columnsOf(quote, now).filter(({ key }) => showAgent || key !== 'agent'),
    usual: {
      sort: { key: 'time', down: true },
      columns: ['time', 'side', 'quantity', 'price', 'fee', 'realized', 'agent'],
    },
  };
}

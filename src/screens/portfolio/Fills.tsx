/** Trades as they were made, newest first; refuses to leave out the fee. */
import type { Fill } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { formatPrice, formatQuantity } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { reasonText } from '../agents/reason-words.ts';
import { Explain } from '../explain/Explain.tsx';
import { useMarketNow } from '../reading.ts';

export function Fills({ fills, quote, showAgent = true }: { fills: readonly Fill[]; quote: string; showAgent?: boolean }) {
  const now = useMarketNow(60_000);
  return (
    <ul>
      {fills.map((fill) => (
        <li key={fill.id} className="rule grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
          <div className="min-w-0">
            <p><span aria-hidden className={`mr-1.5 text-[0.7em] ${fill.side === 'buy' ? 'text-gain' : 'text-loss'}`}>{fill.side === 'buy' ? '▲' : '▼'}</span>{fill.side === 'buy' ? 'Bought' : 'Sold'} {formatQuantity(fill.quantity)} {fill.pair.split('/')[0]} at {formatPrice(fill.price)}</p>
            <p className="text-xs text-ink-3">{formatWhen(fill.filledAt, now)}{showAgent ? ` · ${fill.agentName}` : ''} · {reasonText(fill.reason)}{' · '}<span className="whitespace-nowrap">fee {formatPrice(fill.fee)} {quote}</span></p>
          </div>
          <div className="text-right">
            {fill.realized === null ? <Amount value={fill.notional} className="text-ink-2" /> : <Explain ask={{ of: 'sale', fill, quote }} name={`what ${fill.pair} brought`} plain><Amount value={fill.realized} change /></Explain>}
            <p className="text-xs text-ink-3">{fill.realized === null ? 'spent' : 'realised'}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Trades as a list, in the given order. */
import type { Fill } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { SideTag } from '../../components/Tags.tsx';
import { formatPrice, formatQuantity } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { reasonText } from '../agents/reason-text.ts';
import { Explain } from '../explain/Explain.tsx';
import { useSeenOnScreen } from '../getting-started/step-notes.ts';
import { useMarketNow } from '../use-store.ts';

export interface FillsProps {
  fills: readonly Fill[];
  quote: string;
  showAgent?: boolean;
}

export function FillRow({
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

export function Fills({ fills, quote, showAgent = true }: FillsProps) {
  const now = useMarketNow(60_000);
  const seen = useSeenOnScreen('trade');
  return (
    <ul ref={fills.length > 0 ? seen : undefined}>
      {fills.map((fill) => (
        <FillRow key={fill.id} fill={fill} quote={quote} showAgent={showAgent} now={now} />
      ))}
    </ul>
  );
}

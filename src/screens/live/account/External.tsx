/** What changed in the account without Tradewind, and orders there that are not ours. */
import * as z from 'zod/mini';
import type { LiveAccount } from '../../../../contract/live.ts';
import { Section } from '../../../components/Section.tsx';
import { formatExact } from '../../../format/numbers.ts';
import { formatWhen } from '../../../format/times.ts';
import { movementText, nameOf, writeOffText } from '../live-text.ts';

const Foreign = z.object({
  exchangeOrderId: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  quantity: z.string(),
});

interface Row {
  id: string;
  at: number;
  kind: string;
  what: string;
}

/** Movements, and what agents gave up of them; newest first. */
function rowsOf({ connection, external, writeOffs = [] }: LiveAccount): Row[] {
  const exchange = nameOf(connection);
  const moved = external.map((one): Row => ({ id: one.id, at: one.at, ...movementText(one) }));
  const givenUp = writeOffs.map((one): Row => ({
    id: one.id,
    at: one.at,
    ...writeOffText(one, exchange),
  }));
  return [...moved, ...givenUp].sort((a, b) => b.at - a.at);
}

function Movements({ account }: { account: LiveAccount }) {
  const rows = rowsOf(account);
  return (
    <Section title="Outside Tradewind" aside="booked, never touched">
      {rows.length === 0 ? (
        <p className="rule row flex items-center py-2 text-ink-3">
          Deposits, withdrawals and trades by hand appear here.
        </p>
      ) : (
        <ul>
          {rows.map(({ id, at, kind, what }) => (
            <li key={id} className="rule live-frame flex justify-between gap-4 py-1.5">
              <span className="min-w-0">
                {kind}
                <span className="block text-xs text-ink-3">{formatWhen(at)}</span>
              </span>
              <span className="live-amount text-right">{what}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function ForeignOrders({ account }: { account: LiveAccount }) {
  const list = account.foreignOrders.flatMap((order) => {
    const parsed = Foreign.safeParse(order);
    return parsed.success ? [parsed.data] : [];
  });
  if (list.length === 0) return null;
  return (
    <Section title="Your own orders" aside={`at ${nameOf(account.connection)}, never touched`}>
      <ul>
        {list.map(({ exchangeOrderId, side, quantity, symbol }) => (
          <li key={exchangeOrderId} className="rule live-frame flex justify-between gap-4 py-1.5">
            <span>
              {side === 'buy' ? 'Buy' : 'Sell'} {formatExact(quantity)} {symbol.split('/')[0]}
            </span>
            <span className="text-xs text-ink-3">{symbol}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function External({ account }: { account: LiveAccount }) {
  return (
    <>
      <ForeignOrders account={account} />
      <Movements account={account} />
    </>
  );
}

/** What agents hold in this account, with its stop loss, and how to sell it. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { LiveAccount } from '../../../../contract/live.ts';
import type { Position } from '../../../../contract/trading.ts';
import { api } from '../../../api/api.ts';
import { CommandState } from '../../../components/CommandState.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { LiveAmount, LiveFigure } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { Section } from '../../../components/Section.tsx';
import { formatExact } from '../../../format/numbers.ts';
import { connection as server } from '../../../stores/connection.ts';
import { liveSlots } from '../../../stores/live-slots.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { showFailure } from '../../show-result.ts';
import { AccountAge } from '../AccountAge.tsx';
import { closedSentence } from '../closed-account.ts';
import { hasEnded, nameOf } from '../live-text.ts';
import { baseOf, saleText } from '../sale-text.ts';
import { useAccountCurrent } from '../use-live.ts';
import { stopText } from './stop-text.ts';

/** A sale that is on its way, or that waits to be tried again. */
const isSelling = ({ pair, agentId }: Position, { orders, exits = [] }: LiveAccount): boolean =>
  exits.some(
    (exit) => exit.quantity === null && exit.symbol === pair && exit.agentId === agentId,
  ) ||
  orders.some(
    (order) =>
      !hasEnded(order) &&
      order.side === 'sell' &&
      order.type !== 'stop' &&
      order.symbol === pair &&
      order.agentId === agentId,
  );

/** The part of a position that waits to be sold, or is on its way. */
export function partText(
  { pair, agentId }: Position,
  { exits = [], connection }: Pick<LiveAccount, 'exits' | 'connection'>,
  current = true,
): string | null {
  const part = exits.find((exit) => exit.symbol === pair && exit.agentId === agentId)?.quantity;
  if (part === undefined || part === null) return null;
  const what = `${formatExact(part)} ${baseOf(pair)}`;
  return current
    ? `Selling ${what}. Tried again until ${nameOf(connection)} confirms it.`
    : `Selling ${what} when last seen, not confirmed.`;
}

interface RowProps {
  position: Position;
  account: LiveAccount;
  /** Whether the account may be told in the present. */
  current: boolean;
}

const readingOf = ({ sequence, asOf }: Pick<LiveAccount, 'sequence' | 'asOf'>): string =>
  `${sequence} ${asOf}`;

/**
 * A sale that the server has taken, until the account has been read after it: from then on its exits
 * and orders tell, also that the sale was called off.
 */
function useSale(id: string, account: LiveAccount) {
  const [asked, setAsked] = useState<'no' | 'asking' | 'taken'>('no');
  /** The reading from before the sale, where the one after it failed. */
  const [staleAt, setStaleAt] = useState<string | null>(null);
  const { id: accountId } = account.connection;
  const exchange = nameOf(account.connection);
  const sell = async (): Promise<void> => {
    setAsked('asking');
    const wasTaken = await showFailure(
      api.call('closeLivePosition', { params: { id } }),
      `Sale recorded. Done when ${exchange} confirms it.`,
    );
    setStaleAt(null);
    setAsked(wasTaken ? 'taken' : 'no');
    await loadLiveAccount(accountId, true);
    const { status, data = null } = liveSlots.accounts[accountId] ?? {};
    if (data?.exits === undefined) return;
    if (status === 'ready') setAsked('no');
    else setStaleAt(readingOf(data));
  };
  // Read in every picture: a snapshot draws again only for what was read of it.
  const reading = readingOf(account);
  const isOutOfDate = staleAt === null || account.exits === undefined || reading === staleAt;
  return { asking: asked === 'asking', isTaken: asked === 'taken' && isOutOfDate, sell };
}

/** What is known of a sale that has begun; null where none has. */
function saleState(
  { position, account, current }: RowProps,
  { asking, isTaken }: Pick<ReturnType<typeof useSale>, 'asking' | 'isTaken'>,
): ReactNode {
  if (asking)
    return (
      <CommandState phase="sending" className="text-xs">
        Asking the server to sell.
      </CommandState>
    );
  if (!isSelling(position, account) && !isTaken) return null;
  return (
    <span className="text-xs text-ink-2">
      {current
        ? `Selling. Done when ${nameOf(account.connection)} confirms it.`
        : 'Selling when last seen, not confirmed.'}
    </span>
  );
}

/** The button, or the state of its sale in its place. */
function Sell(props: RowProps) {
  const { position, account, current } = props;
  const { online } = useSnapshot(server);
  const place = useRef<HTMLDivElement>(null);
  const sale = useSale(position.id, account);
  const state = saleState(props, sale);
  const isTold = state !== null;
  /** Pressed here, and the button has not gone since. */
  const pressed = useRef(false);
  // The button goes with its press: the focus stays here and does not fall to the page's beginning.
  useEffect(() => {
    if (isTold && pressed.current && document.activeElement === document.body)
      place.current?.focus({ preventScroll: true });
    if (isTold) pressed.current = false;
  }, [isTold]);
  return (
    <div
      ref={place}
      role="group"
      aria-label={`Sale of ${baseOf(position.pair)}`}
      tabIndex={-1}
      className="outline-none"
    >
      <div role="status" className="empty:hidden">
        {state}
      </div>
      {!isTold && (
        <HoldToConfirm
          label="Sell"
          size="sm"
          sentence={`${saleText([position], account, current)} Its stop loss is cancelled first.`}
          disabled={online === 'offline'}
          onConfirm={() => {
            pressed.current = true;
            void sale.sell();
          }}
        />
      )}
    </div>
  );
}

function Row(props: RowProps) {
  const { position, account, current } = props;
  const part = partText(position, account, current);
  return (
    <li className="rule live-frame grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 py-2">
      <div className="min-w-0">
        <span className="font-medium">{baseOf(position.pair)}</span>{' '}
        <span data-quantity={position.pair}>
          <LiveFigure>{formatExact(position.quantity)}</LiveFigure>
        </span>
        <p className="text-xs text-ink-3">
          <Link
            href={`/agents/${encodeURIComponent(position.agentId)}`}
            className="underline underline-offset-2 hover:text-ink"
          >
            {position.agentName}
          </Link>
        </p>
      </div>
      <div className="text-right">
        <LiveAmount value={position.value} quote={account.quote} why="No price yet" />
        <p className="text-xs">
          <LiveAmount value={position.unrealized} change why="No price yet" />
        </p>
      </div>
      <div className="col-span-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        {/* Room for two lines, so that nothing moves when the words become those of the past. */}
        <p className="flex min-h-8 min-w-0 flex-1 basis-44 items-center text-xs text-ink-2">
          {stopText(position, account, current)}
        </p>
        {account.connection.state === 'open' && <Sell {...props} />}
      </div>
      {part !== null && <p className="col-span-2 text-xs text-ink-2">{part}</p>}
    </li>
  );
}

export function LivePositions({ account }: { account: LiveAccount }) {
  const { id, state, exchange } = account.connection;
  const current = useAccountCurrent(id);
  return (
    <Section
      title="Positions"
      aside={
        <>
          <AccountAge id={id} /> <LiveTag />
        </>
      }
    >
      {state === 'ended' && account.positions.length > 0 && (
        <p className="mb-2 text-ink-2">{closedSentence(exchange)}</p>
      )}
      {account.positions.length === 0 ? (
        <p className="rule row flex items-center py-2 text-ink-3">
          {current ? 'None open.' : 'None open when last seen.'}
        </p>
      ) : (
        <ul>
          {account.positions.map((position) => (
            <Row key={position.id} position={position} account={account} current={current} />
          ))}
        </ul>
      )}
    </Section>
  );
}

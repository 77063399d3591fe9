/** Orders at the exchange: what is confirmed, what is unknown, and what the person can do. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { LiveAccount } from '../../../../contract/live.ts';
import type { LiveOrderWire } from '../../../../contract/live-state.ts';
import { api } from '../../../api/api.ts';
import { classes } from '../../../components/class-names.ts';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Section } from '../../../components/Section.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { useNow } from '../../../components/use-now.ts';
import { UNKNOWN } from '../../../format/numbers.ts';
import { formatWhen } from '../../../format/times.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { connection as server } from '../../../stores/connection.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { showFailure } from '../../show-result.ts';
import { AccountAge } from '../AccountAge.tsx';
import {
  doubtText,
  hasEnded,
  nameOf,
  orderReason,
  orderState,
  orderTitle,
  unreadText,
} from '../live-text.ts';
import { useAccountCurrent } from '../use-live.ts';

/** Only the server's list can say that an agent is deleted. */
function useAgentName(id: string): string {
  const { data, origin } = useSnapshot(agentsStore);
  const name = data?.agents.find((agent) => agent.id === id)?.name;
  if (name !== undefined) return name;
  return data === null || origin === 'snapshot' ? `${UNKNOWN} agent not loaded` : 'Deleted agent';
}

interface RowProps {
  order: LiveOrderWire;
  account: LiveAccount;
}

/** Gives up an order that nothing else can settle. */
function GiveUp({ order, account, sentence }: RowProps & { sentence: string }) {
  const { online } = useSnapshot(server);
  const [busy, setBusy] = useState(false);
  const giveUp = async (): Promise<void> => {
    setBusy(true);
    await showFailure(
      api.call('giveUpOrder', { params: { id: order.clientOrderId } }),
      'Given up. If the order turns up, it is booked.',
    );
    await loadLiveAccount(account.connection.id, true);
    setBusy(false);
  };
  return (
    <HoldToConfirm
      label="Give this order up"
      sentence={sentence}
      disabled={busy || online === 'offline'}
      onConfirm={() => {
        void giveUp();
      }}
    />
  );
}

/** An order that only a refused key could read. */
function UnreadOf({ order, account }: RowProps) {
  const now = useNow(1_000);
  const { online } = useSnapshot(server);
  const unread = unreadText(order, account.connection, now);
  if (unread === null) return null;
  const exchange = nameOf(account.connection);
  return (
    <div className="mt-1 flex flex-col items-start gap-1 border-l-2 border-amber pl-3">
      <p className="text-amber">{unread.what}</p>
      <p className="text-ink-2">{unread.you}</p>
      {order.exchangeOrderId !== null && (
        <p className="text-xs text-ink-3">Its id there: {order.exchangeOrderId}</p>
      )}
      {unread.mayGiveUp && (
        <GiveUp
          order={order}
          account={account}
          sentence={`It may still rest at ${exchange}. Cancel it there yourself.`}
        />
      )}
      {unread.mayGiveUp && online === 'offline' && (
        <p className="text-xs text-amber">You need a connection to give it up.</p>
      )}
    </div>
  );
}

function DoubtOf({ order, account, current }: RowProps & { current: boolean }) {
  const now = useNow(1_000);
  const doubt = doubtText(order, nameOf(account.connection), now, current);
  if (doubt === null) return null;
  return (
    <div className="mt-1 flex flex-col items-start gap-1 border-l-2 border-amber pl-3">
      <p className="text-amber">{doubt.since}</p>
      <p className="text-ink-2">{doubt.doing}</p>
      <p className="text-ink-2">{doubt.you}</p>
      {order.exchangeOrderId !== null && (
        <p className="text-xs text-ink-3">Its id there: {order.exchangeOrderId}</p>
      )}
      {doubt.mayGiveUp && (
        <GiveUp
          order={order}
          account={account}
          sentence={`You have looked at ${nameOf(account.connection)}, and the order is not there. Its money is free again.`}
        />
      )}
    </div>
  );
}

export function OrderRow({ order, account }: RowProps) {
  const agent = useAgentName(order.agentId);
  const current = useAccountCurrent(account.connection.id);
  // Room for the words of the past, so that no row grows when the network is lost.
  const minWidth = `min(100%, ${orderState(order, false).length}ch)`;
  return (
    <li className="rule live-frame py-2" data-order={order.clientOrderId} data-state={order.state}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="live-amount font-medium">{orderTitle(order)}</span>
        <span
          className={classes(
            'ml-auto text-right',
            order.state === 'unknown' ? 'text-amber' : 'text-ink-2',
          )}
          style={{ minWidth }}
        >
          {orderState(order, current)}
        </span>
      </div>
      <p className="text-xs text-ink-3">
        {order.symbol} · {agent} · {orderReason(order)} · {formatWhen(order.changedAt)}
      </p>
      {order.doubt === null ? (
        <UnreadOf order={order} account={account} />
      ) : (
        <DoubtOf order={order} account={account} current={current} />
      )}
    </li>
  );
}

/** `certain`: those of unknown outcome are shown elsewhere on the screen. */
export function OpenOrders({
  account,
  certain = false,
}: {
  account: LiveAccount;
  certain?: boolean;
}) {
  const open = account.orders.filter(
    (order) => !hasEnded(order) && (!certain || order.doubt === null),
  );
  const { id, unknownOrders } = account.connection;
  const then = useAccountCurrent(id) ? '' : ' when last seen';
  return (
    <Section
      title="Open orders"
      aside={
        <>
          <AccountAge id={id} /> <LiveTag />
        </>
      }
    >
      {open.length === 0 ? (
        <p className="rule row flex items-center py-2 text-ink-3">
          {certain && unknownOrders > 0
            ? `No other${then}. Orders of unknown outcome are at the top.`
            : `None${then}. Orders and stop losses appear here.`}
        </p>
      ) : (
        <ul>
          {open.map((order) => (
            <OrderRow key={order.clientOrderId} order={order} account={account} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const SHOWN = 10;

export function PastOrders({ account }: { account: LiveAccount }) {
  const [all, setAll] = useState(false);
  const ended = account.orders.filter(hasEnded);
  if (ended.length === 0) return null;
  return (
    <Section title="Ended orders" aside="newest first">
      <ul>
        {(all ? ended : ended.slice(0, SHOWN)).map((order) => (
          <OrderRow key={order.clientOrderId} order={order} account={account} />
        ))}
      </ul>
      {!all && ended.length > SHOWN && (
        <button
          type="button"
          className="rule row w-full text-left text-accent"
          onClick={() => {
            setAll(true);
          }}
        >
          Show {ended.length - SHOWN} more
        </button>
      )}
    </Section>
  );
}

/** Ends live trading of an account, and deletes its key. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import type { Agent } from '../../../../contract/agents.ts';
import type { LiveAccount } from '../../../../contract/live.ts';
import { api } from '../../../api/api.ts';
import { CommandState } from '../../../components/CommandState.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Section } from '../../../components/Section.tsx';
import { connection as server } from '../../../stores/connection.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { applyConnection, loadLiveAccount } from '../../../stores/live-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { stopFirst } from '../../agents/start-stop/stop-first.ts';
import { showFailure } from '../../show-result.ts';
import { useViewsOf } from '../../use-store.ts';
import { hasEnded, nameOf } from '../live-text.ts';
import { useAccountCurrent } from '../use-live.ts';

const count = (many: number, one: string, more: string): string =>
  `${many} ${many === 1 ? one : more}`;

/** The agents of the account that run; null while that is not known. */
function useRunning(connectionId: string): Agent[] | null {
  const { views } = useViewsOf(connectionId);
  return views?.map(({ agent }) => agent).filter(({ status }) => status !== 'stopped') ?? null;
}

/** Exactly what the switch does now, as far as it is known. */
export function endSentence(
  running: number | null,
  account: Pick<LiveAccount, 'orders' | 'positions' | 'connection'>,
  current = true,
): string {
  const exchange = nameOf(account.connection);
  const open = account.orders.filter((order) => !hasEnded(order));
  const stops = open.filter(({ type }) => type === 'stop').length;
  const agents =
    running === null
      ? 'Stops every agent of this account.'
      : running === 0
        ? 'No agent is running.'
        : `Stops ${count(running, 'agent', 'agents')}.`;
  const orders =
    open.length === 0
      ? 'No order of Tradewind’s is open.'
      : `Cancels ${count(open.length, 'open order', 'open orders')} of Tradewind’s at ${exchange}${stops === 0 ? '' : `, ${stops === open.length ? 'all' : stops} of them stop losses`}.`;
  const held =
    account.positions.length === 0
      ? 'Nothing is sold.'
      : `Nothing is sold: ${count(account.positions.length, 'position stays', 'positions stay')} in your account without a stop loss.`;
  return `${current ? '' : 'As last seen: '}${agents} ${orders} ${held}`;
}

function End({ account }: { account: LiveAccount }) {
  const { online } = useSnapshot(server);
  const [busy, setBusy] = useState(false);
  const { connection } = account;
  const running = useRunning(connection.id);
  const current = useAccountCurrent(connection.id);
  const sentence = endSentence(running?.length ?? null, account, current);
  const end = async (): Promise<void> => {
    setBusy(true);
    const reply = await stopFirst(
      running ?? [],
      () => api.call('endLiveTrading', { params: { id: connection.id } }),
      `Live trading at ${nameOf(connection)} is not confirmed as ended: the server did not answer.`,
    );
    if (reply !== null) {
      pageToast(
        'success',
        `Asked to end. Orders are cancelled when ${nameOf(connection)} confirms it.`,
      );
      applyConnection(reply.connection);
    }
    setBusy(false);
    await Promise.all([loadLiveAccount(connection.id, true), loadAgents(true)]);
  };
  return (
    <div className="rule flex flex-col items-start gap-2 py-3">
      <p className="text-ink-2">{sentence}</p>
      <HoldToConfirm
        label="End live trading"
        sentence={sentence}
        tone="danger"
        disabled={busy || online === 'offline'}
        onConfirm={() => {
          void end();
        }}
      />
      <div role="status" className="empty:hidden">
        {busy && (
          <CommandState phase="sending">
            Asking the server to end live trading. Nothing counts as ended until it answers.
          </CommandState>
        )}
      </div>
      {online === 'offline' && (
        <p className="text-xs text-amber">
          You need a connection to end live trading. Stop all works offline and is sent first.
        </p>
      )}
    </div>
  );
}

/** Why the key cannot be deleted now; null where it can. */
function keptBecause(
  running: readonly Agent[] | null,
  { orders, connection }: LiveAccount,
): string | null {
  if (running === null) return 'The agents of this account are not loaded yet.';
  if (running.length > 0) return 'Stop all agents of this account first.';
  const isOpen = orders.some((order) => !hasEnded(order));
  if (isOpen && (connection.ordersUnreadSince ?? null) !== null)
    return 'End live trading first. Then give up the orders that cannot be read, under Open orders.';
  if (isOpen) return 'End live trading first, and wait until every order has ended.';
  return null;
}

/**
 * What goes with the key, as far as it is known. No order is open then: whatever guards a position
 * is a price that Tradewind watches, and a sale is one that it goes on trying.
 */
function deleteSentence(
  { connection, positions, exits = [] }: LiveAccount,
  current: boolean,
): string {
  const exchange = nameOf(connection);
  const lost = [
    ...(positions.length === 0
      ? []
      : [`${count(positions.length, 'position stays', 'positions stay')} without a stop loss.`]),
    ...(exits.length === 0 ? [] : [`${count(exits.length, 'sale is', 'sales are')} given up.`]),
  ].join(' ');
  return [
    `Deletes the key of ${exchange} and closes this account here, for good. What you hold stays at ${exchange}.`,
    ...(lost === '' ? [] : [`${current ? '' : 'As last seen: '}${lost}`]),
  ].join(' ');
}

function DeleteKey({ account }: { account: LiveAccount }) {
  const { online } = useSnapshot(server);
  const { connection } = account;
  const running = useRunning(connection.id);
  const kept = keptBecause(running, account);
  const remove = async (): Promise<void> => {
    const path = location.pathname;
    const work = api.call('removeConnection', { params: { id: connection.id } });
    if (!(await showFailure(work, 'Key deleted. You can delete it at the exchange too.'))) return;
    applyConnection((await work).connection);
    // Whoever has gone on elsewhere is not taken from there.
    if (location.pathname === path) navigate('/dashboard');
  };
  const sentence = deleteSentence(account, useAccountCurrent(connection.id));
  return (
    <div className="rule flex flex-col items-start gap-2 py-3">
      <p className="text-ink-2">{kept ?? sentence}</p>
      <HoldToConfirm
        label="Delete key"
        sentence={sentence}
        disabled={kept !== null || online === 'offline'}
        onConfirm={() => {
          void remove();
        }}
      />
    </div>
  );
}

export function EndTrading({ account }: { account: LiveAccount }) {
  return (
    <Section title="End and disconnect">
      <End account={account} />
      <DeleteKey account={account} />
    </Section>
  );
}

/** The two actions that cannot be undone: stop and sell, and delete. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import type { Agent } from '../../../../contract/agents.ts';
import { accountOf } from '../../../../contract/agent-account.ts';
import type { LiquidateReply } from '../../../../contract/trading.ts';
import { api } from '../../../api/api.ts';
import { stopAgent } from '../../../commands.ts';
import { CommandState } from '../../../components/CommandState.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Section } from '../../../components/Section.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { connection } from '../../../stores/connection.ts';
import { loadHistory } from '../../../stores/fills-store.ts';
import { liveSlots } from '../../../stores/live-slots.ts';
import { loadPortfolio } from '../../../stores/portfolio-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { closedSentence } from '../../live/closed-account.ts';
import { showResult, showFailure } from '../../show-result.ts';
import { useAgentView } from '../../use-agent-view.ts';
import { stopFirst } from '../start-stop/stop-first.ts';
import { stopSentence } from '../start-stop/stop-sentence.ts';

/** What the server said of the sale. At an exchange it has only been asked for. */
function saySold({ name, ...agent }: Agent, unsold: LiquidateReply['unsold']): void {
  const account = accountOf(agent);
  if (account.kind === 'live')
    pageToast(
      'success',
      `${name} stopped. ${exchangeName(account.exchange)} was asked to sell; sold when it confirms.`,
    );
  else if (unsold.length === 0) pageToast('success', `${name} stopped. Its positions were sold.`);
  else
    pageToast(
      'error',
      [`${name} stopped. Not everything was sold.`, ...unsold.map(({ message }) => message)].join(
        ' ',
      ),
    );
}

async function stopAndSell(agent: Agent): Promise<void> {
  const reply = await stopFirst(
    [agent],
    () => api.call('liquidateAgent', { params: { id: agent.id } }),
    `${agent.name} is not confirmed as sold: the server did not answer.`,
  );
  if (reply === null) return;
  saySold(agent, reply.unsold);
  // What is asked for ends with its answer, not with what is read anew after it.
  void Promise.all([loadAgents(true), loadPortfolio(true), loadHistory(true)]);
}

/** How what it holds is sold. At an exchange nothing is sold before it says so. */
function sellSentence(agent: Agent): string {
  const account = accountOf(agent);
  if (account.kind === 'paper') return 'All positions are then sold at the bid, less fees.';
  const exchange = exchangeName(account.exchange);
  return `Its stop losses at ${exchange} are then cancelled, and all positions sold at the price there is, less fees. Real money. Done when ${exchange} confirms it.`;
}

/** Why it cannot be sold from here; null where it can, or where that is not known yet. */
function useClosed(agent: Agent): string | null {
  const account = accountOf(agent);
  const { accounts } = useSnapshot(liveSlots);
  if (account.kind === 'paper') return null;
  const state = accounts[account.connectionId]?.data?.connection.state;
  return state === 'ended' ? closedSentence(account.exchange) : null;
}

function Sell({ agent, offline }: { agent: Agent; offline: boolean }) {
  const view = useAgentView(agent);
  /** What was held for, until the server has answered or the call is given up. */
  const [held, setHeld] = useState<string | null>(null);
  const text =
    held ??
    (offline
      ? `Offline. Hold to save the stop of ${agent.name} on this device. Nothing is sold: selling needs a connection.`
      : `${stopSentence(view)} ${sellSentence(agent)}`);
  const sell = async (): Promise<void> => {
    // Selling is not queued; stopping is.
    if (offline) {
      showResult(stopAgent(agent));
      return;
    }
    setHeld(text);
    await stopAndSell(agent);
    setHeld(null);
  };
  return (
    <div className="rule flex flex-col items-start gap-2 py-3">
      <p className="text-ink-2">{text}</p>
      <HoldToConfirm
        label="Stop and sell"
        sentence={text}
        disabled={held !== null}
        onConfirm={() => {
          void sell();
        }}
      />
      <div role="status" className="empty:hidden">
        {held !== null && (
          <CommandState phase="sending">
            Asking the server to sell. Nothing counts as sold until it answers.
          </CommandState>
        )}
      </div>
    </div>
  );
}

/** Why the agent cannot be deleted now; null if it can. */
function keptBecause({ openPositions, status }: Agent, offline: boolean): string | null {
  if (openPositions > 0) return 'Close all positions before deleting this agent.';
  if (status === 'running') return 'Stop this agent before deleting it.';
  return offline ? 'Deleting needs a connection.' : null;
}

function Delete({ agent, offline }: { agent: Agent; offline: boolean }) {
  const remove = async (): Promise<void> => {
    const path = location.pathname;
    const deleted = await showFailure(
      api.call('deleteAgent', { params: { id: agent.id } }),
      `${agent.name} deleted. Its trades stay in your history.`,
    );
    if (!deleted) return;
    await loadAgents(true);
    // Whoever has gone on elsewhere is not taken from there.
    if (location.pathname === path) navigate('/agents');
  };
  return (
    <div className="rule flex flex-col items-start gap-2 py-3">
      <p className="text-ink-2">
        {keptBecause(agent, offline) ??
          `Deletes ${agent.name} permanently. Its trades stay in your history.`}
      </p>
      {agent.openPositions <= 0 && agent.status !== 'running' && (
        <HoldToConfirm
          label="Delete"
          tone="danger-quiet"
          sentence={`Deletes ${agent.name}. Its trades stay in your history.`}
          disabled={offline}
          onConfirm={() => {
            void remove();
          }}
        />
      )}
    </div>
  );
}

/** Actions that cannot be undone, kept apart from Stop. Each needs a hold. */
export function ExitActions({ agent }: { agent: Agent }) {
  const offline = useSnapshot(connection).online === 'offline';
  const closed = useClosed(agent);
  return (
    <Section title="Close and delete">
      {agent.openPositions > 0 &&
        (closed === null ? (
          <Sell agent={agent} offline={offline} />
        ) : (
          <p className="rule py-3 text-ink-2">{closed}</p>
        ))}
      <Delete agent={agent} offline={offline} />
    </Section>
  );
}

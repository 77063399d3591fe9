/** The two actions that cannot be undone: stop and sell, and delete. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import type { Agent } from '../../../../contract/agents.ts';
import { accountOf } from '../../../../contract/agent-account.ts';
import type { LiveAccount } from '../../../../contract/live.ts';
import { SALE_RECORDED } from '../../../../contract/sale-recorded.ts';
import type { LiquidateReply } from '../../../../contract/trading.ts';
import { api } from '../../../api/api.ts';
import { stopAgent } from '../../../commands.ts';
import { CommandState } from '../../../components/CommandState.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Section } from '../../../components/Section.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { samePerson } from '../../../identity/session.ts';
import { useCurrent } from '../../../shell/data-age.ts';
import type { AgentView } from '../../../stores/agent-view.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { connection } from '../../../stores/connection.ts';
import { loadHistory } from '../../../stores/fills-store.ts';
import { liveSlots } from '../../../stores/live-slots.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { loadPortfolio } from '../../../stores/portfolio-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import type { Slot } from '../../../stores/slot.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { AccountAge } from '../../live/AccountAge.tsx';
import { closedSentence } from '../../live/closed-account.ts';
import { saleText } from '../../live/sale-text.ts';
import { useAccountCurrent } from '../../live/use-live.ts';
import { showResult, showFailure } from '../../show-result.ts';
import { useAgentView } from '../../use-agent-view.ts';
import { stopFirst } from '../start-stop/stop-first.ts';
import { stopSentence } from '../start-stop/stop-sentence.ts';

type Unsold = LiquidateReply['unsold'];
type AtExchange = Extract<ReturnType<typeof accountOf>, { kind: 'live' }>;

/** Only the account says whether it is closed here: then nothing is recorded. */
async function readClosed(connectionId: string): Promise<boolean> {
  await loadLiveAccount(connectionId, true);
  return liveSlots.accounts[connectionId]?.data?.connection.state === 'ended';
}

/** At an exchange a sale has only been recorded, and nothing was sold yet. */
async function sayRecorded(name: string, account: AtExchange, unsold: Unsold): Promise<void> {
  const isHere = samePerson();
  const messages = [...new Set(unsold.map(({ message }) => message))];
  const more = messages.filter((message) => message !== SALE_RECORDED);
  const reading = readClosed(account.connectionId);
  const isClosed = messages.length > 0 && more.length === messages.length && (await reading);
  if (!isHere()) return;
  const what = isClosed
    ? 'Nothing was sold.'
    : messages.length === 0
      ? 'There was nothing left to sell.'
      : `Sale recorded. Done when ${exchangeName(account.exchange)} confirms it.`;
  pageToast(isClosed ? 'error' : 'success', [`${name} stopped.`, what, ...more].join(' '));
}

/** What the server said of a sale on paper, which is done at once. */
function saySold(name: string, unsold: Unsold): void {
  if (unsold.length === 0) pageToast('success', `${name} stopped. Its positions were sold.`);
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
  const account = accountOf(agent);
  if (account.kind === 'live') void sayRecorded(agent.name, account, reply.unsold);
  else saySold(agent.name, reply.unsold);
  // What is asked for ends with its answer, not with what is read anew after it.
  void Promise.all([loadAgents(true), loadPortfolio(true), loadHistory(true)]);
}

type Accounts = Readonly<Record<string, Slot<LiveAccount> | undefined>>;

/** What it holds at the exchange and how that is sold: nothing is before the exchange says so. */
function liveSentence(
  { agent, current }: AgentView,
  at: AtExchange,
  isNow: boolean,
  all: Accounts,
) {
  const account = all[at.connectionId]?.data ?? null;
  const exchange = exchangeName(at.exchange);
  const held = account?.positions.filter(({ agentId }) => agentId === agent.id) ?? [];
  const sells =
    account === null || held.length === 0
      ? `Sells all it holds at ${exchange} at the price there is, less fees. How much that is has not been loaded yet.`
      : saleText(held, account, isNow);
  return `${agent.name} opens no new positions${current ? '' : ' once the server has the stop'}. ${sells} Its stop losses there are cancelled first. Real money. Done when ${exchange} confirms it.`;
}

/** What holding does, and to how much. */
function useSaleSentence(view: AgentView): string {
  const account = accountOf(view.agent);
  const { accounts } = useSnapshot(liveSlots);
  const isNow = useAccountCurrent(account.kind === 'live' ? account.connectionId : '');
  return account.kind === 'live'
    ? liveSentence(view, account, isNow, accounts as Accounts)
    : `${stopSentence(view)} All positions are then sold at the bid, less fees.`;
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
  const sentence = useSaleSentence(useAgentView(agent, useCurrent('agents')));
  const connectionId = connectionOf(agent);
  /** What was held for, until the server has answered or the call is given up. */
  const [held, setHeld] = useState<string | null>(null);
  const text =
    held ??
    (offline
      ? `Offline. Hold to save the stop of ${agent.name} on this device. Nothing is sold: selling needs a connection.`
      : sentence);
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
      <p className="text-ink-2">
        {text}
        {connectionId !== null && !offline && (
          <>
            {' '}
            <AccountAge id={connectionId} />
          </>
        )}
      </p>
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

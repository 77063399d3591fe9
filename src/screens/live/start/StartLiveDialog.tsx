/**
 * Starts an agent with real money: what can be lost, in money, and the confirmation. Offline the
 * wish is saved, and asks for the confirmation when it arrives.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import type { LiveAccount, StepUpWire } from '../../../../contract/live.ts';
import { formatFixed } from '../../../../contract/money.ts';
import { stopRoomBps } from '../../../../contract/stop-limit.ts';
import { api } from '../../../api/api.ts';
import { cancelCommand, startAgent } from '../../../commands.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ReadError, SkeletonRows } from '../../../components/EmptyState.tsx';
import { LiveAmount, LiveFrame } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { Line } from '../../../components/Section.tsx';
import { formatNumber } from '../../../format/numbers.ts';
import { formatWhen } from '../../../format/times.ts';
import { may } from '../../../identity/security-context.ts';
import { applyAgent, loadAgents } from '../../../stores/agents-store.ts';
import { connection as server } from '../../../stores/connection.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { useSecurity } from '../../../stores/use-security.ts';
import { riskOf, type RiskNumbers } from '../../agents/agent-risk.ts';
import { planText } from '../../agents/agent-text.ts';
import { EntriesOffNotice } from '../../agents/EntriesOffNotice.tsx';
import { showResult } from '../../show-result.ts';
import { undoCommand } from '../../undo-command.ts';
import { useSlot } from '../../use-store.ts';
import { UpgradeHere } from '../../subscription/UpgradeHere.tsx';
import { ConfirmForm } from '../confirm/ConfirmForm.tsx';
import { AccountAge } from '../AccountAge.tsx';
import { connectionText, nameOf } from '../live-text.ts';
import { useAccountCurrent, useLiveAccount } from '../use-live.ts';
import { equityOfAgents, liveRisk, takerFeeBps, type LiveRisk } from './live-risk.ts';

/** What the loss follows from, besides the account: the person's own risk values, and fees. */
interface Terms {
  risk: RiskNumbers;
  /** Null where the rate of the account's exchange is not known. */
  feeBps: number | null;
  /** When the risk values were saved, where they are a saved copy; null where the server told them. */
  copyOf: number | null;
}

/** They may have been changed on another device since, whatever their age here. */
const readSettings = (): Promise<void> => loadSettings(true);

/** Null while a part is not loaded: of real money no preset stands in for the person's own values. */
function useTerms(
  agent: Agent,
  exchange: string | undefined,
): { terms: Terms | null; error: string | null } {
  const settings = useSlot(settingsStore, readSettings);
  const market = useSlot(marketStore, loadMarket);
  if (settings.data === null || market.data === null)
    return { terms: null, error: settings.data === null ? settings.error : market.error };
  const risk = riskOf(agent.risk_profile, settings.data.riskProfiles);
  const feeBps = takerFeeBps(market.data.source, exchange);
  const copyOf = settings.origin === 'snapshot' ? (settings.savedAt ?? 0) : null;
  return { terms: { risk, feeBps, copyOf }, error: settings.error };
}

/** Null where something that agents hold has no price. */
function lossOf(agent: Agent, account: LiveAccount, { risk, feeBps }: Terms): LiveRisk | null {
  const equity = equityOfAgents(account);
  return equity === null
    ? null
    : liveRisk(agent, equity, account.connection.limits, risk, feeBps ?? 0);
}

/** At what price a stop that rests sells. */
function stopSaleText(exchange: LiveAccount['connection']['exchange']): string {
  const room = stopRoomBps(exchange);
  const percent = formatNumber(Number(formatFixed(room)) / 100);
  return (
    `they have a limit and sell down to ${percent} % below the stop. Where the price falls through ` +
    'that, Tradewind cancels them and sells at the price there is, while its server runs.'
  );
}

/** What the agent has held without a stop loss since the end of live trading. */
function Unguarded({ agent, account }: { agent: Agent; account: LiveAccount }) {
  const pairs = account.positions.flatMap(({ agentId, pair, stopPrice }) =>
    agentId === agent.id && stopPrice === null ? pair : [],
  );
  if (pairs.length === 0) return null;
  return (
    <p className="mt-3">
      No stop loss now: {pairs.join(', ')}. This start sets it. What is below it already is sold at
      once.
    </p>
  );
}

function Stakes({
  agent,
  account,
  terms: { risk, feeBps },
  can,
}: {
  agent: Agent;
  account: LiveAccount;
  terms: Terms;
  can: LiveRisk | null;
}) {
  const { quote, positions, connection } = account;
  const current = useAccountCurrent(connection.id);
  const equity = equityOfAgents(account);
  const unpriced = positions.flatMap(({ pair, value }) => (value === null ? pair : []));
  const why = `No price for ${[...new Set(unpriced)].join(', ')}`;
  return (
    <>
      <dl aria-label="What can be lost">
        <Line
          term={
            <>
              Cash and what agents hold <AccountAge id={connection.id} />
            </>
          }
        >
          <LiveAmount value={equity} quote={quote} why={why} />
        </Line>
        <Line term="Most in one pair">
          <LiveAmount value={can?.position} quote={quote} why={why} />
        </Line>
        <Line term="Most at once, over all pairs">
          <LiveAmount value={can?.atOnce} quote={quote} why={why} />
        </Line>
        <Line term={<strong className="text-ink">Lost if all stops fill at their price</strong>}>
          <strong data-figure="at-stops">
            <LiveAmount value={can?.atStops} quote={quote} change why={why} />
          </strong>
        </Line>
        <Line
          term={<strong className="text-ink">Lost at worst if prices gap past the stops</strong>}
        >
          <strong data-figure="in-gap">
            <LiveAmount value={can?.inGap} quote={quote} change why={why} />
          </strong>
        </Line>
        <Line term="Account stops buying after a day’s loss of">
          <LiveAmount value={connection.limits.maxDailyLoss} quote="USD" />
        </Line>
      </dl>
      {can === null && (
        <p role="status" className="mt-3 text-amber">
          {why}, so what can be lost is not known. You can start the agent once there is one.
        </p>
      )}
      <Unguarded agent={agent} account={account} />
      <p className="my-3 text-ink-2">
        {feeBps === null ? 'Before fees. ' : 'Fees included. '}Stop losses are{' '}
        {formatNumber(risk.stop)} % below entry and rest at {nameOf(connection)};{' '}
        {stopSaleText(connection.exchange)} All agents of this account share its limits.{' '}
        {connectionText(connection, current, positions)}
      </p>
    </>
  );
}

/** Without a connection nothing starts; the wish can be saved. */
function SaveStart({ agent, onDone }: { agent: Agent; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="border-l-2 border-amber py-1 pl-3 text-amber">
        You're offline. A start with real money is never made without you: it is saved on this
        device, and asks for your confirmation when you're back online.
      </p>
      <Button
        wide
        onClick={() => {
          onDone();
          showResult(startAgent(agent));
        }}
      >
        Save start
      </Button>
    </div>
  );
}

interface StartProps {
  agent: Agent;
  commandId: string | null;
  /** Whether the start is on its way to the server. */
  onSending: (sending: boolean) => void;
  onDone: () => void;
}

function Confirmation({
  agent,
  account,
  commandId,
  onSending,
  onDone,
}: StartProps & { account: LiveAccount }) {
  const { connection } = account;
  const start = async (stepUp: StepUpWire): Promise<void> => {
    onSending(true);
    try {
      const reply = await api.call('startLiveAgent', {
        params: { id: agent.id },
        body: {
          stepUp,
          requestedAt: Date.now(),
          ageMs: 0,
          confirmed: true,
          seenGeneration: agent.generation,
        },
      });
      applyAgent(reply.agent, null);
      if (commandId !== null) await cancelCommand(commandId);
      pageToast('success', `${agent.name} started with real money at ${nameOf(connection)}.`);
      onDone();
    } finally {
      onSending(false);
    }
  };
  return (
    <ConfirmForm
      act={{
        connectionId: connection.id,
        purpose: 'start_agent',
        agentId: agent.id,
        limits: null,
        shown: connection.limits,
      }}
      keys={connection.stepUpKeys}
      label="Start"
      onConfirmed={start}
      unanswered={`${agent.name} may have been started with real money: see its state.`}
      onUnanswered={() => {
        void loadAgents(true);
      }}
    />
  );
}

/** What can be lost follows from these too: nobody starts on values that may have been changed. */
function SavedCopy({ copyOf, error }: { copyOf: number; error: string | null }) {
  const { online } = useSnapshot(server);
  return (
    <div className="my-3 flex flex-col gap-2">
      <p role="status" className="text-amber">
        Your risk values are a copy saved on this device {formatWhen(copyOf)}, so what can be lost
        may be out of date.
        {online !== 'offline' && ' You can start the agent once they have been read again.'}
      </p>
      {online !== 'offline' && (
        <ReadError
          message={error}
          onRetry={() => {
            void readSettings();
          }}
        />
      )}
    </div>
  );
}

/** Without a network: the wish can be saved, and one that was saved waits. */
function WhileOffline({ agent, commandId, onDone }: Omit<StartProps, 'onSending'>) {
  if (commandId === null) return <SaveStart agent={agent} onDone={onDone} />;
  return (
    <p role="status" className="text-amber">
      You need a connection to confirm this start. It waits on this device.
    </p>
  );
}

/** What can be lost, and the confirmation where that is known now. */
function Known({ account, terms, ...props }: StartProps & { account: LiveAccount; terms: Terms }) {
  const { agent, onSending } = props;
  const { online } = useSnapshot(server);
  const { error } = useSnapshot(settingsStore);
  /** From then on the form stays, also without a network: it tells what becomes of the start. */
  const [wasSent, setWasSent] = useState(false);
  const can = lossOf(agent, account, terms);
  return (
    <>
      <Stakes {...{ agent, account, terms, can }} />
      {terms.copyOf !== null && <SavedCopy copyOf={terms.copyOf} error={error} />}
      {online === 'offline' && !wasSent && <WhileOffline {...props} />}
      {(wasSent || (online !== 'offline' && can !== null && terms.copyOf === null)) && (
        <Confirmation
          {...props}
          account={account}
          onSending={(sending) => {
            if (sending) setWasSent(true);
            onSending(sending);
          }}
        />
      )}
    </>
  );
}

function Body(props: StartProps) {
  const { agent } = props;
  const { online } = useSnapshot(server);
  const slot = useLiveAccount(connectionOf(agent) ?? '');
  const { data: account } = slot;
  const current = useAccountCurrent(connectionOf(agent) ?? '');
  const { terms, error } = useTerms(agent, account?.connection.exchange);
  // Until the first comparison nothing of the account is booked, and its value is not known.
  const isCompared = account !== null && account.connection.reconciledAt !== null;
  if (isCompared && terms !== null)
    return (
      <LiveFrame>
        <EntriesOffNotice agentId={agent.id} className="mb-3" />
        <Known {...props} {...{ account, terms }} />
      </LiveFrame>
    );
  return (
    <LiveFrame>
      <EntriesOffNotice agentId={agent.id} className="mb-3" />
      {account === null || terms === null ? (
        <>
          <ReadError
            message={account === null ? slot.error : error}
            onRetry={() => {
              void Promise.all([
                loadLiveAccount(connectionOf(agent) ?? '', true),
                readSettings(),
                loadMarket(true),
              ]);
            }}
          />
          <SkeletonRows rows={5} label="What can be lost" />
        </>
      ) : (
        <p role="status" className="my-3 text-amber">
          {nameOf(account.connection)} has not been read yet, so what can be lost is not known. You
          can start the agent once it has been.{' '}
          {connectionText(account.connection, current, account.positions)}
        </p>
      )}
      {online === 'offline' && <WhileOffline {...props} />}
    </LiveFrame>
  );
}

export interface StartLiveDialogProps {
  agent: Agent;
  /** A start that was saved and waits for this; null for a new one. */
  commandId?: string | null;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export default function StartLiveDialog({
  agent,
  commandId = null,
  open,
  onOpenChange,
}: StartLiveDialogProps) {
  const allowed = may(useSecurity(), 'trading', 'basic');
  const [sending, setSending] = useState(false);
  const close = (): void => {
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Start ${agent.name} with real money`}
      description={
        <>
          <LiveTag className="mr-2" />
          {planText(agent)}
        </>
      }
    >
      {allowed ? (
        <Body {...{ agent, commandId }} onSending={setSending} onDone={close} />
      ) : (
        <>
          <p className="mb-4 text-ink-2">
            You need a plan or the free trial to start agents. Stop, stop losses and sales always
            work.
          </p>
          <UpgradeHere
            need={{ resource: 'trading', action: 'basic', agents: 1 }}
            from={`/agents/${encodeURIComponent(agent.id)}`}
          />
        </>
      )}
      {commandId !== null && (
        <Button
          wide
          className="mt-3"
          disabled={sending}
          onClick={() => {
            close();
            void undoCommand(commandId);
          }}
        >
          Don't start
        </Button>
      )}
    </Dialog>
  );
}

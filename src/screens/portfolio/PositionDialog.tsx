/** One position in full: cost, result, stop, agent, and the button to close it. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { add, formatFixed, multiply, parseFixed, subtract } from '../../../contract/money.ts';
import type { Position } from '../../../contract/trading.ts';
import { api } from '../../api/api.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Amount, Percent } from '../../components/Figures.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line } from '../../components/Section.tsx';
import { formatAmount, formatPrice, formatQuantity, formatShare } from '../../format/numbers.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import type { AgentView } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { loadPortfolio } from '../../stores/portfolio-store.ts';
import { showFailure } from '../show-result.ts';
import { stopSentence } from '../agents/start-stop/stop-sentence.ts';
import { StopButton, useStopPlace } from '../agents/start-stop/StopButton.tsx';
import { ofPosition } from '../explain/account-sums.ts';
import { Sum } from '../explain/Sum.tsx';
import { UndoStop } from '../agents/start-stop/UndoStop.tsx';
import { useAgentViews } from '../use-store.ts';
import { buysBehind } from './buys-behind.ts';
import { gainPercent, shareOf } from './position-figures.ts';

/** Stop, with the Undo below it: docked notices are hidden behind this dialog. */
function ItsStop({ view }: { view: AgentView }) {
  const isPlace = useStopPlace(view);
  if (!isPlace) return null;
  return (
    <div className="mt-3">
      <p className="mb-2 text-ink-2">{stopSentence(view)}</p>
      <StopButton view={view} shows="name" wide />
      <div role="status">
        <UndoStop agentId={view.agent.id} />
      </div>
    </div>
  );
}

/** The agent of a position: its state, and Stop while it runs. */
function ItsAgent({ position }: { position: Pick<Position, 'agentId' | 'agentName'> }) {
  const view = useAgentViews().views?.find(({ agent }) => agent.id === position.agentId);
  return (
    <>
      <dl>
        <Line term="Agent">
          <Link
            href={`/agents/${encodeURIComponent(position.agentId)}`}
            className="text-accent underline underline-offset-2"
          >
            {position.agentName}
          </Link>
          {view === undefined ? '' : `, ${view.statusText.toLowerCase()}`}
        </Line>
      </dl>
      {view !== undefined && view.entry !== null && view.commandText !== null && (
        <div className="py-1.5">
          <CommandState phase={view.entry.state}>{view.commandText}</CommandState>
        </div>
      )}
      {view !== undefined && <ItsStop view={view} />}
    </>
  );
}

/** What is known of a position in a closed account. */
function ClosedAccountNote({ position, quote }: { position: Position; quote: string }) {
  return (
    <dl>
      <Line term="Agent">{position.agentName}</Line>
      <Line term="Quantity">{formatQuantity(position.quantity)}</Line>
      <Line term="Average cost per unit, entry fees included">
        {formatPrice(position.averageCost)}
      </Line>
      <Line term="Cost">
        <Amount value={position.cost} quote={quote} />
      </Line>
      <p className="rule py-3 text-ink-2">
        The account was valued as a whole when it closed. The value of this position at that time is
        not known.
      </p>
    </dl>
  );
}

function Cost({ position, quote }: { position: Position; quote: string }) {
  const fills = useSnapshot(historyStore).data?.fills;
  const buys = buysBehind(position, fills ?? []);
  return (
    <dl aria-label="Cost">
      {buys?.map((fill) => (
        <Line
          key={fill.id}
          term={`Bought ${formatQuantity(fill.quantity)} at ${formatPrice(fill.price)}, fee ${formatPrice(fill.fee)}`}
        >
          <Amount value={formatFixed(add(parseFixed(fill.notional), parseFixed(fill.fee)))} />
        </Line>
      ))}
      {buys === null && (
        <Line term="Average cost per unit, entry fees included">
          {formatPrice(position.averageCost)}
        </Line>
      )}
      <Line term={<strong className="text-ink">{buys === null ? 'Cost' : '= Cost'}</strong>}>
        <strong>
          <Amount value={position.cost} quote={quote} />
        </strong>
      </Line>
    </dl>
  );
}

/** The result so far, and at the stop. */
function ResultAndStop({ position, equity }: { position: Position; equity: string | undefined }) {
  const worst =
    position.stopPrice === null
      ? null
      : formatFixed(
          subtract(
            multiply(parseFixed(position.stopPrice), parseFixed(position.quantity), 'down'),
            parseFixed(position.cost),
          ),
        );
  return (
    <dl className="mt-4">
      <Line term="Result, % of cost">
        <Percent value={gainPercent(position)} why="No price yet" />
      </Line>
      <Line term="Stop">{formatPrice(position.stopPrice)}</Line>
      <Line term="Result at the stop, before fees">
        <Amount value={worst} change why="No stop set" />
      </Line>
      {equity !== undefined && (
        <Line term="Share of equity">
          {formatShare(shareOf(position, equity), { signed: false, decimals: 1 })}
        </Line>
      )}
    </dl>
  );
}

function ClosePosition({
  position,
  quote,
  onDone,
}: {
  position: Position;
  quote: string;
  onDone: () => void;
}) {
  const { online } = useSnapshot(connection);
  const [busy, setBusy] = useState(false);
  const close = async (): Promise<void> => {
    setBusy(true);
    if (
      await showFailure(
        api.call('closePosition', { params: { id: position.id } }),
        `${position.pair} sold.`,
      )
    ) {
      await Promise.all([loadPortfolio(true), loadHistory(true)]);
      onDone();
    }
    setBusy(false);
  };
  const [base = ''] = position.pair.split('/');
  const sentence =
    `Sells ${formatQuantity(position.quantity)} ${base} ` +
    `for about ${formatAmount(position.value)} ${quote} at the bid, less the fee.`;
  return (
    <div className="mt-4">
      <p className="mb-2 text-ink-2">
        {online === 'offline'
          ? 'You need a connection to close a position. You can stop the agent now.'
          : sentence}
      </p>
      <HoldToConfirm
        label="Close position"
        sentence={sentence}
        tone="danger"
        wide
        disabled={busy || online === 'offline'}
        onConfirm={() => {
          void close();
        }}
      />
    </div>
  );
}

function Explained({
  position,
  quote,
  equity,
  onDone,
}: {
  position: Position;
  quote: string;
  equity: string | undefined;
  onDone: () => void;
}) {
  return (
    <>
      <p className="mb-2 empty:hidden">
        <DataAge kind="portfolio" />
      </p>
      <Cost position={position} quote={quote} />
      <div className="mt-4">
        {ofPosition(position, quote).equations.map((one) => (
          <Sum key={one.name} equation={one} quote={quote} />
        ))}
      </div>
      <ResultAndStop position={position} equity={equity} />
      <ItsAgent position={position} />
      <ClosePosition position={position} quote={quote} onDone={onDone} />
    </>
  );
}

export default function PositionDialog({
  position,
  quote,
  equity,
  closed,
  onClose,
}: {
  position: Position;
  quote: string;
  equity: string | undefined;
  closed: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={position.pair}
    >
      {closed ? (
        <ClosedAccountNote position={position} quote={quote} />
      ) : (
        <Explained position={position} quote={quote} equity={equity} onDone={onClose} />
      )}
    </Dialog>
  );
}

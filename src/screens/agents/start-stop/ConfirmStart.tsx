/**
 * Asks for confirmation of a start that waited too long: prices then and now, plan, maximum loss
 * and changes since.
 */
import { Suspense, useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { cancelCommand, confirmCommand } from '../../../commands.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Amount, Percent } from '../../../components/Figures.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Line } from '../../../components/Section.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { useNow } from '../../../components/use-now.ts';
import { formatPrice } from '../../../format/numbers.ts';
import { formatAgo, formatSpan } from '../../../format/ages.ts';
import { formatWhen } from '../../../format/times.ts';
import { STALE_AFTER } from '../../../stores/data-kinds.ts';
import { agentsStore, loadAgents } from '../../../stores/agents-store.ts';
import { loadMarket, loadPools, marketStore, poolsStore } from '../../../stores/market-store.ts';
import { portfolioStore } from '../../../stores/portfolio-store.ts';
import { pairsOf } from '../../../stores/observed-state.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showResult } from '../../show-result.ts';
import type { OutboxEntryView } from '../../outbox-view.ts';
import { NOT_UNDONE, ON_ITS_WAY } from '../../undo-command.ts';
import { useSlot } from '../../use-store.ts';
import { PreviewButton } from '../preview/PreviewButton.tsx';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import { planText } from '../agent-text.ts';
import {
  changedMeanwhile,
  priceRows,
  whyUnknown,
  worstOf,
  type PriceRow,
} from './confirm-start-text.ts';

const StartLiveDialog = screenPart(() => import('../../live/start/StartLiveDialog.tsx'));

const NONE = '—';

const idsOf = ({ agentId, agents }: OutboxEntryView): string[] =>
  agentId === null ? agents.map((agent) => agent.id) : [agentId];

function PriceCell({ price, why }: { price: string | null; why: string | null }) {
  return price === null ? <span title={why ?? ''}>{NONE}</span> : formatPrice(price);
}

/** `common`: the age in the heading for all rows; another age is shown in its row. */
function PairRow({ row, common }: { row: PriceRow; common: string | null }) {
  return (
    <tr>
      <td className="font-medium">{row.pair.split('/')[0]}</td>
      <td className="num">
        <PriceCell price={row.then} why={row.why} />
      </td>
      <td className="num">
        <PriceCell price={row.now} why={row.why} />
        {row.nowAgeMs !== null &&
          row.nowAgeMs > STALE_AFTER.market &&
          formatSpan(row.nowAgeMs) !== common && (
            <span className="block text-xs text-amber">{formatSpan(row.nowAgeMs)} old</span>
          )}
      </td>
      <td className="num">
        {row.change === null ? (
          <span className="text-xs text-ink-3">{row.why}</span>
        ) : (
          <Percent value={row.change} />
        )}
      </td>
    </tr>
  );
}

interface PricesProps {
  rows: readonly PriceRow[];
  pressedAt: number;
  now: number;
}

function Prices({ rows, pressedAt, now }: PricesProps) {
  if (rows.length === 0)
    return (
      <p className="rule py-2 text-ink-2">
        Prices then and now: {NONE}. The pairs of this agent are not loaded on this device.
      </p>
    );
  const ages = rows.flatMap((row) => (row.nowAgeMs === null ? [] : [row.nowAgeMs]));
  const youngest = ages.length === 0 ? null : Math.min(...ages);
  const common = youngest !== null && youngest > STALE_AFTER.market ? formatSpan(youngest) : null;
  return (
    <div
      className="max-h-56 overflow-y-auto"
      tabIndex={0}
      role="group"
      aria-label="Prices then and now"
    >
      <table className="sheet-table w-full [&_th]:top-0 [&_th]:bg-surface">
        <thead>
          <tr>
            <th scope="col">Pair</th>
            <th scope="col" className="num">
              Then, {formatWhen(pressedAt, now)}
            </th>
            <th scope="col" className="num">
              Now{common !== null && <span className="text-amber">, {common} old</span>}
            </th>
            <th scope="col" className="num">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PairRow key={row.pair} row={row} common={common} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StartReviewProps {
  entry: OutboxEntryView;
  agents: readonly Agent[];
  now: number;
}

interface AgentPlanProps {
  entry: OutboxEntryView;
  id: string;
  agent: Agent | undefined;
  /** Name and maximum loss; null where one agent alone is started. */
  head: { name: string; loss: string | undefined; why: string } | null;
  now: number;
}

function AgentPlan({ entry, id, agent, head, now }: AgentPlanProps) {
  return (
    <li className="rule py-2">
      {head !== null && (
        <p className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 truncate font-medium">{head.name}</span>
          {agent !== undefined && <Amount value={head.loss} change why={head.why} />}
        </p>
      )}
      {agent !== undefined && <p className="text-ink-2">{planText(agent)}</p>}
      <p className={agent === undefined ? 'text-amber' : 'text-ink-2'}>
        {changedMeanwhile(entry, id, agent, now)}
      </p>
      {agent !== undefined && (
        <PreviewButton agentId={id} name={agent.name} rows={agent.trading_pairs.length} />
      )}
    </li>
  );
}

function StartReview({ entry, agents, now }: StartReviewProps) {
  const market = useSlot(marketStore, loadMarket);
  useSlot(poolsStore, loadPools);
  const own = useSlot(settingsStore, loadSettings).data?.riskProfiles ?? null;
  const equity = useSnapshot(portfolioStore).data?.equity ?? null;
  const ids = idsOf(entry);
  const rows = priceRows(
    entry,
    agents.flatMap((agent) => pairsOf(agent)),
    market,
    now,
  );
  // The rates of an exchange that tells prices in the server's place are not this account's.
  const feeBps = market.origin === 'exchange' ? undefined : market.data?.source.feeBps;
  const worst = worstOf(agents, equity, own, feeBps);
  const why = whyUnknown(own);
  const names = new Map(entry.seen?.agents.map((agent) => [agent.id, agent.name]));
  return (
    <div className="flex flex-col gap-4">
      <EntriesOffNotice agentId={ids.length === 1 ? (ids[0] ?? null) : null} className="" />
      <Prices rows={rows} pressedAt={entry.createdAt} now={now} />
      <ul>
        {ids.map((id) => {
          const agent = agents.find((one) => one.id === id);
          const name = agent?.name ?? names.get(id) ?? 'Deleted agent';
          return (
            <AgentPlan
              key={id}
              entry={entry}
              id={id}
              agent={agent}
              head={ids.length > 1 ? { name, loss: worst?.each.get(id), why } : null}
              now={now}
            />
          );
        })}
      </ul>
      <dl>
        <Line
          term={
            <strong className="text-ink">
              Maximum loss per pair at the stop{ids.length > 1 ? ', all agents together' : ''}
              {agents[0] === undefined ? '' : `, ${agents[0].quote}`}
            </strong>
          }
        >
          <strong>
            <Amount value={worst?.together} change why={why} />
          </strong>
        </Line>
      </dl>
      <p className="text-xs text-ink-3">If the price gaps, you can lose more. Paper money.</p>
    </div>
  );
}

interface ConfirmStartProps {
  entry: OutboxEntryView;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** A start that asks, or is over without having gone: prices have moved since. */
const isReviewed = ({ intent, state }: OutboxEntryView): boolean =>
  (intent === 'start' || intent === 'start-all') &&
  (state === 'needs-you' || state === 'failed' || state === 'lapsed');

/**
 * A start with real money is confirmed by passkey or password, never by a press alone. `entry` is the
 * agent's newest command: once it is another than the start that was to be reviewed, the dialog is
 * gone, and does not open by itself for the next one.
 */
export default function ConfirmStart(props: ConfirmStartProps) {
  const { entry, open, onOpenChange } = props;
  const known = useSlot(agentsStore, loadAgents).data?.agents ?? [];
  const agent = known.find(({ id }) => id === entry.agentId);
  const [openedFor] = useState(entry.commandId);
  const asks = openedFor === entry.commandId && isReviewed(entry);
  const close = useRef(onOpenChange);
  useEffect(() => {
    close.current = onOpenChange;
    if (!asks) onOpenChange(false);
  }, [asks, onOpenChange]);
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
      // In development React takes each component away once and puts it back.
      queueMicrotask(() => {
        if (!here.current) close.current(false);
      });
    };
  }, []);
  if (!asks) return null;
  if (agent === undefined || connectionOf(agent) === null) return <ConfirmOnPaper {...props} />;
  return (
    <Suspense>
      <StartLiveDialog
        agent={agent}
        commandId={entry.commandId}
        open={open}
        onOpenChange={onOpenChange}
      />
    </Suspense>
  );
}

/** Takes a start back that asks to be confirmed, and says what came of it. */
async function refuseStart(
  { commandId, attempts, reason }: ConfirmStartProps['entry'],
  askAgain: () => void,
): Promise<void> {
  const result = await cancelCommand(commandId);
  if (result === 'not-done') {
    pageToast('error', NOT_UNDONE);
    askAgain();
  } else if (result === 'already-sent') pageToast('blank', ON_ITS_WAY);
  else if (result !== 'gone')
    pageToast(
      'success',
      attempts === 0
        ? 'Not started. Nothing was sent.'
        : reason?.code === 'agent_changed'
          ? 'Not started. The server had refused the earlier start.'
          : 'Dismissed. The earlier start was sent, but not confirmed by the server.',
    );
}

function ConfirmOnPaper({ entry, open, onOpenChange }: ConfirmStartProps) {
  const now = useNow(1_000);
  const known = useSlot(agentsStore, loadAgents).data?.agents ?? [];
  const ids = idsOf(entry);
  const agents = known.filter((agent) => ids.includes(agent.id));
  const name = entry.agentId === null ? `${ids.length} agents` : entry.agentName;
  const confirm = (): void => {
    onOpenChange(false);
    showResult(confirmCommand(entry.commandId));
  };
  const refuse = (): void => {
    onOpenChange(false);
    void refuseStart(entry, () => {
      onOpenChange(true);
    });
  };
  const since =
    now < entry.createdAt
      ? 'at an unknown time'
      : `${formatAgo(now - entry.createdAt)}, at ${formatWhen(entry.createdAt, now)}`;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Start ${name} now?`}
      description={
        <>
          <p>
            {entry.reason?.message ?? 'This start needs your confirmation'}. You pressed Start{' '}
            {since}.
          </p>
        </>
      }
      actions={
        <>
          <Button onClick={refuse}>Don't start</Button>
          {agents.some((agent) => agent.risk_profile === 'Aggressive') ? (
            <HoldToConfirm
              label="Hold to start"
              sentence={`Starts ${name}.`}
              tone="primary"
              onConfirm={confirm}
            />
          ) : (
            <Button tone="primary" disabled={agents.length === 0} onClick={confirm}>
              Start now
            </Button>
          )}
        </>
      }
    >
      <StartReview entry={entry} agents={agents} now={now} />
    </Dialog>
  );
}

/**
 * Stops all agents: which are running, what happens to positions, one button, the result. It works
 * offline.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { Button, LinkButton } from '../../components/Button.tsx';
import { queue, type CommandResult } from '../../commands.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { Section } from '../../components/Section.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAge } from '../../format/ages.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import {
  commandText,
  unprotectedText,
  untilThen,
  type AgentView,
} from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { AgentStatus } from '../agents/AgentStatus.tsx';
import { StopAllButton } from '../agents/start-stop/StopAllButton.tsx';
import { LiveTag } from '../../components/LiveTag.tsx';
import { connectionOf } from '../../stores/shown-account.ts';
import { undoCommand } from '../undo-command.ts';
import { useAgentViews, useEntries } from '../use-store.ts';

const count = (many: number, one: string, more: string): string =>
  `${many} ${many === 1 ? one : more}`;

/** More would make the sentence taller than its room, and move the button under the finger. */
const NAMES_MAX_CHARACTERS = 28;
const named = (running: readonly string[]): string => {
  const names = running.join(', ');
  return names.length <= NAMES_MAX_CHARACTERS ? names : count(running.length, 'agent', 'agents');
};

/** How many positions have no stop loss; null where that is not known of one of the agents. */
export const unprotectedOfAll = (views: readonly { unprotected: number | null }[]): number | null =>
  views.reduce<number | null>(
    (sum, { unprotected }) => (sum === null || unprotected === null ? null : sum + unprotected),
    0,
  );

/**
 * What Stop all does and what happens to positions. `running` null: no agents loaded. `unprotected`:
 * how many of them have no stop loss, null where that is not known.
 */
export function stopAllSentence(
  running: readonly string[] | null,
  positions: number,
  current: boolean,
  unprotected: number | null,
): string {
  if (running === null)
    return 'Your agents are not loaded on this device. Stop all reaches every agent. Nothing is sold.';
  const without = unprotectedText(positions, unprotected);
  const kept =
    unprotected === 0
      ? count(
          positions,
          'open position keeps its stop loss',
          'open positions keep their stop losses',
        )
      : `${count(positions, 'open position', 'open positions')}${without}`;
  const positionsText = positions === 0 ? 'No open positions.' : `${kept}. Nothing is sold.`;
  if (!current) {
    const open =
      positions === 0
        ? 'no position was open'
        : count(positions, 'position was open', 'positions were open');
    const stops = unprotected === 0 ? ' Open positions keep their stop losses.' : '';
    const lastSeenText = `When last seen, ${open}${without}.${stops} Nothing is sold.`;
    return running.length === 0
      ? `No agents running when last seen. Stop all reaches every agent. ${lastSeenText}`
      : `Stops ${named(running)} and any agents started on other devices. ${lastSeenText}`;
  }
  return running.length === 0
    ? `No agents running, as far as this device knows. Stop all also reaches agents started on other devices. ${positionsText}`
    : `Stops ${named(running)} and any agents started on other devices. ${positionsText}`;
}

function Names({ title, views }: { title: string; views: readonly AgentView[] }) {
  if (views.length === 0) return null;
  return (
    <Section title={title} aside={<DataAge kind="agents" />}>
      <ul>
        {views.map((view) => (
          <li
            key={view.agent.id}
            className="rule row flex flex-wrap items-center justify-between gap-x-4 py-1.5"
          >
            <span className="min-w-0 truncate">
              {view.agent.name}
              {connectionOf(view.agent) !== null && <LiveTag className="ml-1.5" />}
            </span>
            <AgentStatus view={view} className="max-w-[60%] shrink-0 text-xs" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Entry = ReturnType<typeof useEntries>[number];

const isWaiting = ({ state }: Entry): boolean => state === 'saved' || state === 'sending';
/** Not sent yet: Undo cancels it. */
const isUnsent = ({ state, attempts }: Entry): boolean => state === 'saved' && attempts === 0;

function buttonLabel(entry: Entry | undefined): string {
  if (entry?.state === 'accepted') return 'Stop all received';
  if (entry === undefined || !isWaiting(entry)) return 'Stop all';
  return isUnsent(entry) ? 'Stop all saved' : 'Stop all sent';
}

/** What this device knows without a network, and what it does with a press. */
function OfflineNote({ savedAt }: { /** Of what no list below dates. */ savedAt: number | null }) {
  const now = useNow(1_000);
  const { storage } = useSnapshot(queue);
  return (
    <p className="text-amber">
      {savedAt !== null && (
        <span className="text-ink-2">{`Data ${formatAge(savedAt, now)}. `}</span>
      )}
      {storage === 'memory' || storage === 'newer'
        ? "You're offline, and a stop cannot be saved on this device. Agents keep trading until you press Stop all online."
        : "You're offline. When you press Stop all, it is saved on this device and sent first when you're back online."}
    </p>
  );
}

/** The stop that was pressed here, and whether the server has accepted that one. */
function usePressedStop(entry: Entry | undefined): {
  accepted: boolean;
  onPress: (stopping: Promise<CommandResult>) => void;
} {
  // The guard may draw the screen anew while the stop waits, as when the plan is read late.
  const [pressed, setPressed] = useState(
    entry !== undefined && isWaiting(entry) ? entry.commandId : null,
  );
  const [accepted, setAccepted] = useState(false);
  // Noted here, because it is shown for seconds only. What was undone is never accepted.
  if (!accepted && entry?.state === 'accepted' && entry.commandId === pressed) setAccepted(true);
  const onPress = (stopping: Promise<CommandResult>): void => {
    setPressed(null);
    setAccepted(false);
    stopping.then(
      (result) => {
        if (result.said === 'saved') setPressed(result.entry.commandId);
        if (result.said === 'sent') setAccepted(true);
      },
      () => undefined,
    );
  };
  return { accepted, onPress };
}

/** What came of an accepted stop. Only a current list says who is stopped. */
const stoppedText = (many: number, current: boolean): string =>
  current
    ? `The server confirms: ${count(many, 'agent', 'agents')} stopped.`
    : `Stop all accepted by the server. ${count(many, 'agent was', 'agents were')} stopped when last seen.`;

/** The state of the last command, and its Undo. */
function OrderState({
  entry,
  running,
  done,
}: {
  entry: Entry | undefined;
  running: readonly AgentView[];
  /** What came of it; null while that is not known. */
  done: string | null;
}) {
  return (
    <div role="status" className="flex flex-wrap items-center justify-between gap-3 empty:hidden">
      {entry !== undefined && done === null && (
        <CommandState phase={entry.state}>{`${commandText(entry)}${untilThen(
          entry,
          running.map(({ agent }) => agent),
        )}`}</CommandState>
      )}
      {entry !== undefined && isUnsent(entry) && (
        <Button
          size="sm"
          data-act={`take back ${entry.commandId}`}
          onClick={() => {
            void undoCommand(entry.commandId);
          }}
        >
          Undo
        </Button>
      )}
      {done !== null && <CommandState phase="accepted">{done}</CommandState>}
    </div>
  );
}

export default function StopAllScreen() {
  const { views, current, slot } = useAgentViews();
  const entry = useEntries()
    .filter((one) => one.intent === 'stop-all' && one.state !== 'cancelled')
    .at(-1);
  const { online } = useSnapshot(connection);
  const { accepted, onPress } = usePressedStop(entry);
  const running = views?.filter((view) => view.agent.status !== 'stopped') ?? [];
  const stopped = views?.filter((view) => view.agent.status === 'stopped') ?? [];
  const positions = views?.reduce((sum, view) => sum + view.agent.openPositions, 0) ?? 0;
  const sentence = stopAllSentence(
    views === null ? null : running.map((view) => view.agent.name),
    positions,
    current,
    unprotectedOfAll(views ?? []),
  );
  const waits = entry !== undefined && isWaiting(entry);
  /** Just answered: a second tap in a hurry is ignored. */
  const received = entry?.state === 'accepted';
  const idle = views !== null && running.length === 0;
  // A later stop that waits, as from another tab, is shown in its place.
  const answered = accepted && (entry === undefined || received);
  const done = answered && idle ? stoppedText(stopped.length, current) : null;
  return (
    <div className="mx-auto flex max-w-md flex-col gap-5 py-6">
      <h1 className="text-xl">Stop all agents</h1>
      {/* Reserves five lines on a phone: the button must not move under the finger once agents are loaded. */}
      <p className="min-h-30 text-base text-ink-2 sm:min-h-18">{sentence}</p>
      {/* Keeps its place while the stop waits: Undo appears below it, never in its place. */}
      <StopAllButton
        label={buttonLabel(entry)}
        tone={idle ? 'danger-quiet' : 'danger'}
        wide
        resting={waits || received}
        onPress={onPress}
      />
      {/* Room for what is said offline, three lines on a phone: a network found gone moves nothing. */}
      <div className="flex min-h-15 flex-col gap-2 sm:min-h-10">
        {online === 'offline' && !waits && done === null && (
          <OfflineNote savedAt={views?.length === 0 ? slot.savedAt : null} />
        )}
        <OrderState entry={entry} running={running} done={done} />
      </div>
      <Names title={current ? 'Not stopped' : 'Not stopped when last seen'} views={running} />
      <Names title={current ? 'Stopped' : 'Stopped when last seen'} views={stopped} />
      <LinkButton to="/agents">All agents</LinkButton>
    </div>
  );
}

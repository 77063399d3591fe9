/**
 * The line under the header with the price source or the offline state, and failed stops below it.
 * Its height is constant.
 */
import { OctagonAlert, WifiOff } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { cancelCommand, confirmCommand, queue } from '../commands.ts';
import { Button } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { useNow } from '../components/use-now.ts';
import { session } from '../identity/session.ts';
import { NOT_DISMISSED } from '../screens/undo-command.ts';
import { failedStops } from '../stores/agent-view.ts';
import { agentsStore } from '../stores/agents-store.ts';
import { isBehind, pushLag } from '../stores/push-lag.ts';
import { connection } from '../stores/connection.ts';
import { marketStore } from '../stores/market-store.ts';
import { pageToast } from '../stores/toast-store.ts';
import { kindOf, useCurrent, useScreenTime } from './data-age.ts';
import { focusAfter } from './next-focus.ts';
import { directText, offlineText } from './offline-text.ts';

/** Whether the agents of a failed stop are stopped, by the server's word. */
function connectionState(
  agentId: string | null,
  agents: readonly { readonly id: string; readonly status: string }[] | undefined,
  current: boolean,
): string {
  const isAll = agentId === null;
  const isStopped = isAll
    ? agents?.every(({ status }) => status === 'stopped') === true
    : agents?.find(({ id }) => id === agentId)?.status === 'stopped';
  if (!isStopped) return isAll ? 'They may still be running.' : 'It may still be running.';
  if (!current)
    return isAll ? 'All were stopped when last seen.' : 'It was stopped when last seen.';
  return isAll ? 'All are stopped now.' : 'It is stopped now.';
}

async function again(commandId: string): Promise<void> {
  const result = await confirmCommand(commandId);
  if (result.said === 'refused' || result.said === 'not-saved') pageToast('error', result.message);
}

async function dismiss(commandId: string, button: HTMLElement): Promise<void> {
  const moveFocus = focusAfter(button);
  if ((await cancelCommand(commandId)) === 'not-done') pageToast('error', NOT_DISMISSED);
  else moveFocus();
}

/** Shown on every screen until each is retried or dismissed. */
function FailedStops() {
  const failed = failedStops(useSnapshot(queue).entries);
  const agents = useSnapshot(agentsStore).data?.agents;
  const current = useCurrent('agents');
  if (failed.length === 0) return null;
  return (
    <div
      role="alert"
      className="sticky top-13 z-20 border-b border-danger bg-danger-wash px-4 text-danger md:px-6"
    >
      <ul>
        {failed.map((entry) => {
          const name = entry.agentId === null ? 'all agents' : entry.agentName || 'one agent';
          return (
            <li
              key={entry.commandId}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2"
            >
              <span className="flex min-w-0 flex-1 basis-60 items-start gap-2">
                <OctagonAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
                <span>
                  <strong className="font-semibold">Stop of {name} failed.</strong>{' '}
                  {entry.reason?.message ?? 'No reason given'}.{' '}
                  {connectionState(entry.agentId, agents, current)}
                </span>
              </span>
              <span className="flex gap-2">
                <Button
                  size="sm"
                  tone="danger"
                  onClick={() => {
                    void again(entry.commandId);
                  }}
                >
                  Stop again
                </Button>
                <Button
                  size="sm"
                  tone="danger-quiet"
                  onClick={(event) => {
                    void dismiss(entry.commandId, event.currentTarget);
                  }}
                >
                  Dismiss
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

export function StatusStrip({ path }: { path: string }) {
  const { online, stream } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  const market = useSnapshot(marketStore);
  const savedAt = useScreenTime(path);
  const isOld = isBehind(
    useSnapshot(pushLag).pushedSequence,
    useSnapshot(agentsStore).data?.sequence,
  );
  const now = useNow(60_000);
  const offline = online === 'offline';
  const label = market.data?.source.label;
  const direct = market.origin === 'exchange' && label !== undefined ? label : null;
  // On other screens the exchange's prices are not what is shown, nor is their age.
  const exchange = kindOf(path) === 'market' ? direct : null;
  return (
    <>
      <div
        role="status"
        className={classes(
          'border-b border-line px-4 md:px-6',
          offline ? 'bg-amber-wash text-amber' : 'text-ink-3',
        )}
      >
        <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 text-xs leading-4 md:min-h-7">
          {offline ? (
            <span className="flex items-center gap-2 tracking-[-0.01em]">
              <WifiOff className="size-3.5 shrink-0" aria-hidden />
              {offlineText(savedAt, status === 'expired', now, exchange)}
            </span>
          ) : (
            <>
              <span className={exchange === null ? 'truncate' : 'text-amber'}>
                {exchange !== null && 'No prices from the server. '}
                {direct === null ? (label ?? 'No prices yet') : directText(direct)}
              </span>
              {stream === 'stale' && (
                <span className="shrink-0 text-amber">Live updates paused, reconnecting</span>
              )}
            </>
          )}
          {isOld && (
            <span className="py-0.5 text-amber">Updates pending. Data may be out of date.</span>
          )}
        </div>
      </div>
      <FailedStops />
    </>
  );
}

/** The queued commands of this device, as one line above the bottom bar that opens on demand. */
import { Suspense, useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { confirmCommand, dismissQuarantined, lossRead, queue } from '../commands.ts';
import { Button } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { CommandState } from '../components/CommandState.tsx';
import { screenPart } from '../components/screen-part.tsx';
import type { OutboxEntryView } from '../screens/outbox-view.ts';
import { NOT_DISMISSED, undoCommand } from '../screens/undo-command.ts';
import {
  commandTarget,
  commandText,
  failedStops,
  setAsideName,
  untilThen,
} from '../stores/agent-view.ts';
import { agentsStore } from '../stores/agents-store.ts';
import { pageToast } from '../stores/toast-store.ts';
import { CARD, LINE } from './dock-styles.ts';
import { focusAfter } from './next-focus.ts';

const ConfirmStart = screenPart(() => import('../screens/agents/start-stop/ConfirmStart.tsx'));
type EntryResult = NonNullable<OutboxEntryView['results']>[number];

/** The noun for commands that are all of one kind. */
function kindOf(entries: readonly OutboxEntryView[]): string {
  if (entries.every(({ intent }) => intent === 'stop' || intent === 'stop-all')) return 'stop';
  if (entries.every(({ alert }) => alert !== undefined)) return 'alert';
  return entries.every(({ intent }) => intent === 'start' || intent === 'start-all')
    ? 'start'
    : 'command';
}

async function withdraw(commandId: string, button: HTMLElement, notDone?: string): Promise<void> {
  const moveFocus = focusAfter(button);
  if ((await undoCommand(commandId, notDone)) !== 'not-done') moveFocus();
}

async function insist(commandId: string): Promise<void> {
  const result = await confirmCommand(commandId);
  if (result.said === 'refused' || result.said === 'not-saved') pageToast('error', result.message);
}

/** Which agents a command for many reached, which not, and why. */
function PartialSummary({ results }: { results: readonly EntryResult[] }) {
  const went = results.filter((result) => result.went).map((result) => result.name);
  return (
    <div className="text-xs text-ink-2">
      <p>{went.length === 0 ? 'None succeeded.' : `Done: ${went.join(', ')}.`}</p>
      <ul>
        {results
          .filter((result) => !result.went)
          .map((result) => (
            <li key={result.agentId}>
              <span className="font-medium text-ink">{result.name}</span> failed:{' '}
              {result.message === '' ? 'no reason given.' : result.message}
            </li>
          ))}
      </ul>
    </div>
  );
}

/** The label of the retry button of a finished command. */
function againText({ results }: OutboxEntryView, isStart: boolean): string {
  const refused = results?.filter((result) => !result.went).length ?? 0;
  if (refused > 0) return `Try the ${refused} again`;
  return isStart ? 'Review' : 'Send again';
}

function CommandActions({ entry, onReview }: { entry: OutboxEntryView; onReview: () => void }) {
  const over = entry.state === 'failed' || entry.state === 'lapsed';
  const isAlert = entry.alert !== undefined;
  const isStart = entry.intent === 'start' || entry.intent === 'start-all';
  return (
    <div className="flex gap-2">
      {entry.state === 'needs-you' && (
        <Button
          size="sm"
          tone="primary"
          onClick={() => {
            if (isAlert) void insist(entry.commandId);
            else onReview();
          }}
        >
          {isAlert ? 'Save mine' : 'Review'}
        </Button>
      )}
      {/* A finished start is reviewed again too: prices have moved since. */}
      {over && (
        <Button
          size="sm"
          tone="primary"
          onClick={() => {
            if (isStart) onReview();
            else void insist(entry.commandId);
          }}
        >
          {againText(entry, isStart)}
        </Button>
      )}
      {entry.state === 'saved' && entry.attempts === 0 && (
        <Button
          size="sm"
          data-act={`take back ${entry.commandId}`}
          onClick={(event) => {
            void withdraw(entry.commandId, event.currentTarget);
          }}
        >
          Undo
        </Button>
      )}
      {(over || (isAlert && entry.state === 'needs-you')) && (
        <Button
          size="sm"
          data-act={`dismiss ${entry.commandId}`}
          onClick={(event) => {
            void withdraw(entry.commandId, event.currentTarget, NOT_DISMISSED);
          }}
        >
          Dismiss
        </Button>
      )}
    </div>
  );
}

function Command({ entry }: { entry: OutboxEntryView }) {
  const [reviewing, setReviewing] = useState(false);
  const agents = useSnapshot(agentsStore).data?.agents;
  return (
    <li className="rule flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
      <div className="min-w-0 flex-1 basis-52">
        <p className="truncate">{commandTarget(entry)}</p>
        <CommandState
          phase={entry.state}
          className="text-xs"
        >{`${commandText(entry)}${untilThen(entry, agents ?? [])}`}</CommandState>
        {entry.results !== undefined && <PartialSummary results={entry.results} />}
      </div>
      <CommandActions
        entry={entry}
        onReview={() => {
          setReviewing(true);
        }}
      />
      {reviewing && (
        <Suspense>
          <ConfirmStart entry={entry} open onOpenChange={setReviewing} />
        </Suspense>
      )}
    </li>
  );
}

/** A failed stop is shown under the header; a partly failed one is listed here as well. */
function inTray(entries: readonly OutboxEntryView[]): OutboxEntryView[] {
  return entries.filter(
    (entry) =>
      entry.state !== 'cancelled' &&
      (entry.results !== undefined || failedStops([entry]).length === 0),
  );
}

/** `: Stop Harbour`, for commands that can be named. */
function setAsideNames(all: readonly Parameters<typeof setAsideName>[0][]): string {
  const names = all.map(setAsideName).filter((name) => name !== null);
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
}

/** "1 stop waits", "2 starts wait", "3 commands wait": of those not yet received. */
function waitingText(waiting: readonly OutboxEntryView[]): string {
  const one = kindOf(waiting);
  const more = `${one}s`;
  return `${waiting.length} ${waiting.length === 1 ? `${one} waits` : `${more} wait`} to be received`;
}

/** What a paused queue waits for. */
const AFTER = { 'sign-in': ' after you log in', update: ' after an update' } as const;

/** The whole queue in one line: what needs the user before what only waits. */
function trayTitle(shown: readonly OutboxEntryView[], paused: 'sign-in' | 'update' | null): string {
  const waiting = shown.filter((entry) => entry.state === 'saved' || entry.state === 'sending');
  const needing = shown.filter((entry) => entry.state === 'needs-you');
  if (needing.length > 0)
    return `${needing.length} ${kindOf(needing)}${needing.length === 1 ? ' needs' : 's need'} you`;
  const over = shown.filter((entry) => entry.state === 'failed' || entry.state === 'lapsed').length;
  if (waiting.length === 0)
    return over === 0
      ? 'Received by the server'
      : `${over} ${over === 1 ? 'command' : 'commands'} failed`;
  return `${waitingText(waiting)}${paused === null ? '' : AFTER[paused]}`;
}

/** Opens upwards, so that the line stays under the finger. */
function Queue({
  shown,
  paused,
}: {
  shown: readonly OutboxEntryView[];
  paused: 'sign-in' | 'update' | null;
}) {
  const [open, setOpen] = useState(false);
  const needs = shown.some(
    (entry) => entry.state !== 'saved' && entry.state !== 'sending' && entry.state !== 'accepted',
  );
  return (
    <section
      aria-label="Commands on this device"
      className={classes(LINE, 'flex flex-col-reverse pr-4')}
    >
      <button
        type="button"
        data-act="tray"
        aria-expanded={open}
        aria-controls="tray-list"
        onClick={() => {
          setOpen(!open);
        }}
        className="flex min-h-11 w-full items-center justify-between gap-4 text-left pointer-fine:min-h-9"
      >
        <span
          className={classes('min-w-0 truncate', needs ? 'font-medium text-amber' : 'font-medium')}
        >
          {trayTitle(shown, paused)}
        </span>
        <span className="shrink-0 text-accent">{open ? 'Hide' : 'Show'}</span>
      </button>
      <div id="tray-list" hidden={!open} className="pt-2">
        {paused === 'sign-in' && (
          <p className="text-amber">Nothing is sent until you log in again.</p>
        )}
        {paused === 'update' && (
          <p className="text-amber">
            The server wants a newer version of the app. Update it to send these now.
          </p>
        )}
        <ul className="max-h-[34dvh] overflow-y-auto [&>li:first-child]:border-t-0">
          {shown.map((entry) => (
            <Command key={entry.commandId} entry={entry} />
          ))}
        </ul>
      </div>
    </section>
  );
}

/** Trouble with storage that ends with a reload. */
function ReloadNotice({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <p className="text-amber">{children}</p>
      <Button
        size="sm"
        tone="primary"
        onClick={() => {
          location.reload();
        }}
      >
        Reload
      </Button>
    </div>
  );
}

/** Problems with storage, always visible. */
function KeptCommand() {
  const { storage, wasOnDisk, quarantined, lost } = useSnapshot(queue);
  if (quarantined.length === 0 && !lost && storage !== 'memory' && storage !== 'newer') return null;
  return (
    <section aria-label="Storage on this device" className={CARD}>
      {/* WebKit takes the storage from a page for good; the reloaded one has it again. */}
      {storage === 'memory' && wasOnDisk && (
        <ReloadNotice>
          This page can no longer reach its storage. Saved commands stay on this device and are sent
          after a reload, if not before. Until you reload, commands are sent at once or not at all.
        </ReloadNotice>
      )}
      {storage === 'memory' && !wasOnDisk && (
        <p className="text-amber">
          This browser does not save data for the app. Commands are sent at once or not at all. You
          may be logged out when you close this page.
        </p>
      )}
      {storage === 'newer' && (
        <ReloadNotice>
          A newer version of the app is open in another tab. Until you reload this tab, commands are
          sent at once or not at all.
        </ReloadNotice>
      )}
      {lost && (
        <div className="flex items-center justify-between gap-4">
          <p className="text-amber">
            This browser deleted the saved data of the app, including unsent commands. Check which
            agents should be running.
          </p>
          <Button size="sm" onClick={lossRead}>
            Dismiss
          </Button>
        </div>
      )}
      {quarantined.length > 0 && (
        <div className="flex items-center justify-between gap-4">
          <p className="text-amber">
            {quarantined.length} saved {quarantined.length === 1 ? 'command' : 'commands'} could not
            be read and will not be sent{setAsideNames(quarantined)}.
          </p>
          <Button
            size="sm"
            onClick={() => {
              void dismissQuarantined();
            }}
          >
            Dismiss
          </Button>
        </div>
      )}
    </section>
  );
}

export function CommandTray() {
  const { entries, paused } = useSnapshot(queue);
  const shown = inTray(entries as OutboxEntryView[]);
  return (
    <>
      <KeptCommand />
      {shown.length > 0 && <Queue shown={shown} paused={paused} />}
    </>
  );
}

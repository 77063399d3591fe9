/** What waits for the person above the bottom bar: unsent commands, an ending session, an update; refuses to cover the page for long. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { cancelCommand, confirmCommand, dismissQuarantined, lossRead, queue } from '../commands.ts';
import { Button } from '../components/Button.tsx';
import { CommandState } from '../components/CommandState.tsx';
import { useNow } from '../components/use-now.ts';
import { formatSpan } from '../format/times.ts';
import { session } from '../identity/session.ts';
import type { OutboxEntryView } from '../screens/outbox-view.ts';
import { commandName, commandText, failedStops, setAsideName } from '../stores/agent-view.ts';
import { connection } from '../stores/connection.ts';
import { pageToast } from '../stores/toasts.ts';
import { applyUpdate, isTyping, lookForUpdate, updates } from '../updates.ts';
import { InstallOffer } from './InstallOffer.tsx';
import { SignInAgain } from './SignInAgain.tsx';

const ConfirmStart = lazy(() => import('../screens/agents/ConfirmStart.tsx'));
type EntryResult = NonNullable<OutboxEntryView['results']>[number];

const CARD = 'tray-in rounded-lg border border-line bg-surface px-4 py-3 shadow-float';

/** Beyond these the notice of an ending session counts. */
const NAMED = 3;

async function withdraw(commandId: string): Promise<void> {
  const result = await cancelCommand(commandId);
  if (result === 'undone') pageToast('success', 'Taken back. Nothing was sent.');
  if (result === 'already-sent') pageToast('blank', 'Already on its way. Use the opposite command instead.');
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
      <p>{went.length === 0 ? 'None went.' : `Went: ${went.join(', ')}.`}</p>
      <ul>{results.filter((result) => !result.went).map((result) => <li key={result.agentId}><span className="font-medium text-ink">{result.name}</span> did not: {result.message === '' ? 'no reason was given.' : result.message}</li>)}</ul>
    </div>
  );
}

function Command({ entry }: { entry: OutboxEntryView }) {
  const [reviewing, setReviewing] = useState(false);
  const refused = entry.results?.filter((result) => !result.went).length ?? 0;
  const over = entry.state === 'failed' || entry.state === 'lapsed';
  const isStart = entry.intent === 'start' || entry.intent === 'start-all';
  return (
    <li className="rule flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
      <div className="min-w-0 flex-1 basis-52">
        <p className="truncate">{entry.agentId === null ? 'All agents' : entry.agentName}</p>
        <CommandState phase={entry.state} className="text-xs">{commandText(entry)}</CommandState>
        {entry.results !== undefined && <PartialSummary results={entry.results} />}
      </div>
      <div className="flex gap-2">
        {entry.state === 'needs-you' && <Button size="sm" tone="primary" onClick={() => { setReviewing(true); }}>Review</Button>}
        {/* A start that is over is laid out again too: prices have moved since. */}
        {over && <Button size="sm" tone="primary" onClick={() => { if (isStart) setReviewing(true); else void insist(entry.commandId); }}>{refused > 0 ? `Try the ${refused} again` : isStart ? 'Review' : 'Send again'}</Button>}
        {entry.state === 'saved' && entry.attempts === 0 && <Button size="sm" onClick={() => { void withdraw(entry.commandId); }}>Undo</Button>}
        {over && <Button size="sm" onClick={() => { void withdraw(entry.commandId); }}>Dismiss</Button>}
      </div>
      {reviewing && <Suspense><ConfirmStart entry={entry} open onOpenChange={setReviewing} /></Suspense>}
    </li>
  );
}

/** A stop that failed stands under the header, where nothing folds it away; one that went in part is told apart here. */
function inTray(entries: readonly OutboxEntryView[]): OutboxEntryView[] {
  return entries.filter((entry) => entry.state !== 'cancelled' && (entry.results !== undefined || failedStops([entry]).length === 0));
}

/** `: Stop Harbour`, of those that can be named. */
function setAsideNames(all: readonly Parameters<typeof setAsideName>[0][]): string {
  const names = all.map(setAsideName).filter((name) => name !== null);
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
}

function CommandTray() {
  const { entries, paused, storage, quarantined, lost } = useSnapshot(queue);
  const [folded, setFolded] = useState(false);
  const shown = inTray(entries as OutboxEntryView[]);
  const waiting = shown.filter((entry) => entry.state === 'saved' || entry.state === 'sending').length;
  const needing = shown.filter((entry) => entry.state === 'needs-you').length;
  if (shown.length === 0 && quarantined.length === 0 && !lost && storage !== 'memory' && storage !== 'newer') return null;
  const title = needing > 0 ? `${needing} ${needing === 1 ? 'start needs' : 'starts need'} you` : waiting > 0 ? `${waiting} ${waiting === 1 ? 'command waits' : 'commands wait'} to be received` : 'Commands';
  return (
    <section aria-label="Commands on this device" className={CARD}>
      {shown.length > 0 && (
        <button type="button" aria-expanded={!folded} onClick={() => { setFolded(!folded); }} className="flex min-h-8 w-full items-center justify-between gap-4 text-left font-medium">
          <span>{title}</span>
          <span className="text-xs font-normal text-ink-3">{folded ? 'Show' : 'Hide'}</span>
        </button>
      )}
      {paused === 'sign-in' && <p className="text-amber">Nothing is sent until you sign in again.</p>}
      {paused === 'update' && <p className="text-amber">Nothing is sent until this app is updated.</p>}
      {!folded && <ul className="max-h-[34dvh] overflow-y-auto">{shown.map((entry) => <Command key={entry.commandId} entry={entry} />)}</ul>}
      {storage === 'memory' && <p className="text-amber">This browser keeps nothing for the app: commands are sent at once or not at all. A sign-in may end when the page closes.</p>}
      {storage === 'newer' && (
        <div className="flex items-center justify-between gap-4">
          <p className="text-amber">A newer version of the app is open in another tab. Until this one is reloaded, commands are sent at once or not at all.</p>
          <Button size="sm" tone="primary" onClick={() => { location.reload(); }}>Reload</Button>
        </div>
      )}
      {lost && (
        <div className="flex items-center justify-between gap-4">
          <p className="text-amber">This browser has cleared what was kept here: the last figures, and any command that was not yet sent. Check what should be running.</p>
          <Button size="sm" onClick={lossRead}>Dismiss</Button>
        </div>
      )}
      {quarantined.length > 0 && (
        <div className="flex items-center justify-between gap-4">
          <p className="text-amber">{quarantined.length} saved {quarantined.length === 1 ? 'command' : 'commands'} could not be read and will not be sent{setAsideNames(quarantined)}.</p>
          <Button size="sm" onClick={() => { void dismissQuarantined(); }}>Dismiss</Button>
        </div>
      )}
    </section>
  );
}

function SessionNotice() {
  const { endingSoon, expiresAt } = useSnapshot(session);
  const { entries } = useSnapshot(queue);
  const now = useNow(10_000);
  const [open, setOpen] = useState(false);
  if (!endingSoon || expiresAt === null) return null;
  const unsent = entries.filter((entry) => entry.state === 'saved' || entry.state === 'sending' || entry.state === 'needs-you');
  const more = unsent.length - NAMED;
  const names = `${unsent.slice(0, NAMED).map(commandName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return (
    <section aria-label="Session" className={CARD}>
      <p>Your session ends in {formatSpan(Math.max(0, expiresAt - now))}.{unsent.length > 0 ? ` Not yet sent: ${names}.` : ''}</p>
      <Button size="sm" className="mt-2" onClick={() => { setOpen(true); }}>Sign in again</Button>
      <SignInAgain open={open} onOpenChange={setOpen} />
    </section>
  );
}

function UpdateNotice() {
  const { waiting } = useSnapshot(updates);
  const { outdated } = useSnapshot(connection);
  const [warned, setWarned] = useState(false);
  useEffect(() => { if (outdated) lookForUpdate(); }, [outdated]);
  if (!waiting && !outdated) return null;
  const press = (): void => { if (isTyping() && !warned) setWarned(true); else applyUpdate(); };
  return (
    <section aria-label="Update" className={`${CARD} flex items-center justify-between gap-4`}>
      <p role="status">{warned ? 'What you have typed on this page is not kept by an update.' : outdated ? 'This version is too old for the server. What waits to be sent is kept.' : 'A new version is ready.'}</p>
      <Button size="sm" tone="primary" onClick={press}>{warned ? 'Update all the same' : 'Update'}</Button>
    </section>
  );
}

/** Whether something is docked that cannot wait as an offer can; without the server nothing is offered. */
function useMatter(): boolean {
  const { entries, storage, quarantined, lost } = useSnapshot(queue);
  const { endingSoon } = useSnapshot(session);
  const { waiting } = useSnapshot(updates);
  const { outdated, online } = useSnapshot(connection);
  return online === 'offline' || endingSoon || waiting || outdated || storage === 'memory' || storage === 'newer' || lost || quarantined.length > 0 || inTray(entries as OutboxEntryView[]).length > 0;
}

export function Dock() {
  // Together they would cover half of a phone's screen. The frame has the height of the page, so that no card moves it.
  const matter = useMatter();
  return (
    <div className="pointer-events-none fixed inset-x-0 top-0 bottom-[calc(var(--bar)+env(safe-area-inset-bottom))] z-20 flex flex-col justify-end px-3 pb-3 sm:left-auto sm:w-104 lg:bottom-0 lg:pr-6 lg:pb-6">
      <div className="pointer-events-auto flex flex-col gap-2">{!matter && <InstallOffer className={CARD} />}<UpdateNotice /><SessionNotice /><CommandTray /></div>
    </div>
  );
}

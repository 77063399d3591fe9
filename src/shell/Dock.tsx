/** Notices docked above the bottom bar: an Undo, unsent commands, an ending session, an update. */
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { queue, type Queue } from '../commands.ts';
import { Button } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { latePart, LatePart } from '../components/LatePart.tsx';
import { useNow } from '../components/use-now.ts';
import { formatSpan } from '../format/ages.ts';
import { session } from '../identity/session.ts';
import { UndoStop, useStopOffer } from '../screens/agents/start-stop/UndoStop.tsx';
import { commandName } from '../stores/agent-view.ts';
import { connection } from '../stores/connection.ts';
import { applyUpdate, isTyping, checkForUpdate, updates } from '../platform/app-updates.ts';
import { CARD, LINE } from './dock-styles.ts';

const trayPart = latePart(
  'the list of queued commands',
  async () => (await import('./CommandTray.tsx')).CommandTray,
);
const signInPart = latePart(
  'the login',
  async () => (await import('./SignInAgain.tsx')).SignInAgain,
);

/** Whether the queue has something to say: a command, or trouble with the storage. */
const traySpeaks = ({ entries, quarantined, lost, storage }: Queue): boolean =>
  entries.length > 0 ||
  quarantined.length > 0 ||
  lost ||
  storage === 'memory' ||
  storage === 'newer';

/** The code of the tray where it is in the first picture; called once the queue has been read. */
export async function loadTray(): Promise<void> {
  if (traySpeaks(queue)) await trayPart.load();
}

function TrayWhenNeeded() {
  const needed = traySpeaks(useSnapshot(queue) as Queue);
  return <LatePart part={trayPart} needed={needed} props={{}} />;
}

/** Commands beyond this number are counted, not named. */
const NAMED = 3;

/** Said once, without the minutes that go by. `aria-live` keeps it heard over an open dialog. */
function SessionSaid() {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {useSnapshot(session).endingSoon && 'Your session ends soon.'}
    </p>
  );
}

function SessionNotice() {
  const { endingSoon, expiresAt } = useSnapshot(session);
  const { entries } = useSnapshot(queue);
  const now = useNow(10_000);
  const [open, setOpen] = useState(false);
  if (!endingSoon || expiresAt === null) return null;
  const unsent = entries.filter(
    (entry) => entry.state === 'saved' || entry.state === 'sending' || entry.state === 'needs-you',
  );
  const more = unsent.length - NAMED;
  const names = `${unsent.slice(0, NAMED).map(commandName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return (
    <section aria-label="Session" className={CARD}>
      <p>
        Your session ends in {formatSpan(Math.max(0, expiresAt - now))}.
        {unsent.length > 0 ? ` Not sent yet: ${names}.` : ''}
      </p>
      <Button
        size="sm"
        className="mt-2"
        onClick={() => {
          setOpen(true);
        }}
      >
        {' '}
        Log in again{' '}
      </Button>
      <LatePart
        part={signInPart}
        needed={open}
        onMissing={() => {
          setOpen(false);
        }}
        props={{ open, onOpenChange: setOpen }}
      />
    </section>
  );
}

function updateText(warned: boolean, outdated: boolean): string {
  if (warned) return 'Updating discards your entries on this page.';
  return outdated
    ? 'This version is too old for the server. Unsent commands are kept.'
    : 'A new version is ready.';
}

function UpdateNotice() {
  const { waiting } = useSnapshot(updates);
  const { outdated } = useSnapshot(connection);
  const [warned, setWarned] = useState(false);
  useEffect(() => {
    if (outdated) checkForUpdate();
  }, [outdated]);
  if (!waiting && !outdated) return null;
  const press = (): void => {
    if (isTyping() && !warned) setWarned(true);
    else applyUpdate();
  };
  return (
    <section aria-label="Update" className={`${CARD} flex items-center justify-between gap-4`}>
      <p role="status">{updateText(warned, outdated)}</p>
      <Button size="sm" tone="primary" onClick={press}>
        {warned ? 'Update anyway' : 'Update'}
      </Button>
    </section>
  );
}

/**
 * The height of what is docked, reserved at the end of the page so that its last rows can be
 * scrolled free.
 */
function useDockHeight() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null || typeof ResizeObserver === 'undefined') return;
    const root = document.documentElement.style;
    const watch = new ResizeObserver(() => {
      root.setProperty('--dock', `${current.offsetHeight === 0 ? 0 : current.offsetHeight + 16}px`);
    });
    watch.observe(current);
    return () => {
      watch.disconnect();
      root.removeProperty('--dock');
    };
  }, []);
  return box;
}

/**
 * Undo of the last stop, in place of the tray's line, or at the top if Stop itself was pressed down
 * here. Announced.
 */
function Undo({ atTop }: { atTop: boolean }) {
  const offered = useStopOffer();
  const isHere = offered !== null && offered.offer.atTop === atTop;
  return (
    <div role="status" className={isHere ? '' : 'sr-only'}>
      {isHere && <UndoStop className={LINE} />}
    </div>
  );
}

export function Dock() {
  // As high as the page, so that no card moves it.
  const offered = useStopOffer();
  const isBelow = offered !== null && !offered.offer.atTop;
  const box = useDockHeight();
  return (
    <>
      <div className="width-before-scroll-bar pointer-events-none fixed inset-x-0 top-[calc(var(--header)+2.5rem)] z-20 px-2 sm:left-auto sm:w-104 lg:pr-6">
        <div className="pointer-events-auto">
          <Undo atTop />
        </div>
      </div>
      <div className="width-before-scroll-bar pointer-events-none fixed inset-x-0 top-0 bottom-[calc(var(--bar)+env(safe-area-inset-bottom))] z-20 flex flex-col justify-end px-2 pb-2 sm:left-auto sm:w-104 sm:px-3 sm:pb-3 lg:bottom-0 lg:pr-6 lg:pb-6">
        <div ref={box} className="pointer-events-auto flex flex-col gap-2">
          <UpdateNotice />
          <SessionSaid />
          <SessionNotice />
          <Undo atTop={false} />
          <div className={classes('empty:hidden', isBelow && 'max-sm:hidden')}>
            <TrayWhenNeeded />
          </div>
        </div>
      </div>
    </>
  );
}

/** How long the session lasts, and the log-out on this device. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { queue, sendQueued, unsentCommands } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClock } from '../../format/times.ts';
import { samePerson, session, signOut } from '../../identity/session.ts';
import { SignInAgain } from '../../shell/SignInAgain.tsx';
import { commandTarget, commandText } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { showFailure } from '../show-result.ts';
import { useIsHere } from '../use-is-here.ts';
import { useUnsent } from '../use-store.ts';

type UnsentCommand = ReturnType<typeof unsentCommands>[number];

/**
 * How long a log-out waits for commands that are being sent, ms: on a bad net one attempt alone may
 * take ten seconds.
 */
const SEND_FIRST_MS = 5_000;

const late = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, SEND_FIRST_MS);
  });

/** What discarding does. Of a command that was sent, nobody here knows whether it arrived. */
function discardText(
  left: readonly UnsentCommand[],
  isUnknown: boolean,
): { title: string; description: string } {
  if (isUnknown)
    return {
      title: 'Commands may be unsent',
      description:
        "This browser's storage is not responding. Logging out discards any unsent commands.",
    };
  const isOne = left.length === 1;
  const many = isOne ? 'command' : 'commands';
  const [these, them] = isOne ? ['it', 'it'] : ['these', 'them'];
  if (left.length === 0)
    return { title: `No unsent ${many}`, description: 'Logging out discards no command.' };
  return left.some(({ attempts, state }) => attempts > 0 || state === 'sending')
    ? {
        title: `${left.length} unconfirmed ${many}`,
        description: `The server has not confirmed ${these}. Logging out discards ${them} on this device. What was already sent may still take effect.`,
      }
    : {
        title: `${left.length} unsent ${many}`,
        description: `The server has not received ${these}. Logging out discards ${them}.`,
      };
}

/** Asks before commands are discarded. What is delivered meanwhile leaves the list. */
function DiscardDialog({
  open,
  left,
  isUnknown,
  onStay,
  onLeave,
}: {
  open: boolean;
  left: readonly UnsentCommand[];
  /** Nobody knows whether something is unsent. */
  isUnknown: boolean;
  onStay: () => void;
  onLeave: () => void;
}) {
  const isEmpty = left.length === 0 && !isUnknown;
  return (
    <Dialog
      open={open}
      onOpenChange={onStay}
      {...discardText(left, isUnknown)}
      actions={
        <>
          <Button onClick={onStay}>Stay logged in</Button>
          <Button tone={isEmpty ? 'primary' : 'danger'} onClick={onLeave}>
            {isEmpty ? 'Log out' : 'Discard and log out'}
          </Button>
        </>
      }
    >
      <ul>
        {left.map((entry) => (
          <li key={entry.commandId} className="rule py-2">
            <p className="font-medium">{commandTarget(entry)}</p>
            <p className="text-ink-2">{commandText(entry)}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** For whoever has gone to another screen, where nothing can be asked. */
function notLoggedOut(many: number): string {
  if (many === 0)
    return 'Not logged out: commands may be unsent. Go to Security to discard them and log out.';
  return many === 1
    ? 'Not logged out: the server has not confirmed 1 command. Go to Security to discard it and log out.'
    : `Not logged out: the server has not confirmed ${many} commands. Go to Security to discard them and log out.`;
}

/** Also where the storage has yet to say what is unsent. */
const mayDiscard = (): boolean => queue.unread || unsentCommands().length > 0;

function SignOut() {
  const { online } = useSnapshot(connection);
  const [asking, setAsking] = useState(false);
  const [doing, setDoing] = useState<'sending' | 'leaving' | null>(null);
  // Drawn anew whenever the queue changes.
  const isUnknown = useUnsent() === null;
  const left = unsentCommands();
  // What waits for the user's word is discarded unsent.
  const beingSent = left.filter(({ state }) => state !== 'needs-you').length;
  const leave = async (): Promise<void> => {
    setDoing('leaving');
    setAsking(false);
    const leaving = signOut();
    // The user is signed out by now: waiting here for the deletion would show "session expired".
    navigate('/');
    await showFailure(leaving);
    setDoing(null);
  };
  const isHere = useIsHere();
  const ask = async (): Promise<void> => {
    const isSamePerson = samePerson();
    if (mayDiscard() && online !== 'offline') {
      setDoing('sending');
      await Promise.race([sendQueued(), late()]);
      setDoing(null);
    }
    // Another person may have come meanwhile, whose queue this would be.
    if (!isSamePerson()) return;
    if (!mayDiscard()) await leave();
    else if (isHere.current) setAsking(true);
    else pageToast('error', notLoggedOut(unsentCommands().length));
  };
  return (
    <>
      <Button
        busy={doing !== null}
        onClick={() => {
          void ask();
        }}
      >
        {' '}
        Log out{' '}
      </Button>
      <p role="status" className="basis-full text-xs text-ink-2 empty:hidden">
        {doing === 'sending' &&
          beingSent > 0 &&
          `Sending ${beingSent} ${beingSent === 1 ? 'command' : 'commands'} first.`}
      </p>
      <DiscardDialog
        open={asking}
        left={left}
        isUnknown={isUnknown}
        onStay={() => {
          setAsking(false);
        }}
        onLeave={() => {
          void leave();
        }}
      />
    </>
  );
}

/** Hours and minutes: with less than ten minutes left, minutes matter. */
function leftText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function signInText(expiresAt: number | null, isOver: boolean, now: number): string {
  if (expiresAt === null) return '—';
  return isOver ? 'ended' : `${leftText(expiresAt - now)} of 4 h, until ${formatClock(expiresAt)}`;
}

export function SessionSection() {
  const { expiresAt, status } = useSnapshot(session);
  const now = useNow(10_000);
  const [open, setOpen] = useState(false);
  return (
    <Section title="Session">
      <dl>
        <Line term="Session time left">{signInText(expiresAt, status === 'expired', now)}</Line>
      </dl>
      <p className="rule py-3 text-ink-2">
        After that, log in again. Agents keep running and stop losses stay active.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => {
            setOpen(true);
          }}
        >
          {' '}
          Log in again{' '}
        </Button>
        <SignOut />
      </div>
      <SignInAgain open={open} onOpenChange={setOpen} />
    </Section>
  );
}

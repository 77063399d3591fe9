/** How long the session lasts, and the log-out on this device. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { sendQueued, unsentCommands } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClock } from '../../format/times.ts';
import { session, signOut } from '../../identity/session.ts';
import { SignInAgain } from '../../shell/SignInAgain.tsx';
import { commandTarget, commandText } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { showFailure } from '../show-result.ts';

type Unsent = ReturnType<typeof unsentCommands>;

function SignOut() {
  const { online } = useSnapshot(connection);
  const [unsent, setUnsent] = useState<Unsent>([]);
  const [busy, setBusy] = useState(false);
  const leave = async (): Promise<void> => {
    setBusy(true);
    setUnsent([]);
    const leaving = signOut();
    // The user is signed out by now: waiting here for the deletion would show "session expired".
    navigate('/');
    await showFailure(leaving);
    setBusy(false);
  };
  const ask = async (): Promise<void> => {
    if (unsentCommands().length > 0 && online !== 'offline') await sendQueued();
    const left = unsentCommands();
    if (left.length === 0) await leave();
    else setUnsent(left);
  };
  return (
    <>
      <Button
        busy={busy}
        onClick={() => {
          void ask();
        }}
      >
        {' '}
        Log out{' '}
      </Button>
      <Dialog
        open={unsent.length > 0}
        onOpenChange={() => {
          setUnsent([]);
        }}
        title={`${unsent.length} unsent ${unsent.length === 1 ? 'command' : 'commands'}`}
        description="The server has not received these. Logging out discards them."
        actions={
          <>
            <Button
              onClick={() => {
                setUnsent([]);
              }}
            >
              Stay logged in
            </Button>
            <Button
              tone="danger"
              onClick={() => {
                void leave();
              }}
            >
              Discard and log out
            </Button>
          </>
        }
      >
        <ul>
          {unsent.map((entry) => (
            <li key={entry.commandId} className="rule py-2">
              <p className="font-medium">{commandTarget(entry)}</p>
              <p className="text-ink-2">{commandText(entry)}</p>
            </li>
          ))}
        </ul>
      </Dialog>
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

/** How long the session lasts, and the log-out on this device. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../components/Button.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClock } from '../../format/times.ts';
import { session, signOut } from '../../identity/session.ts';
import { SignInAgain } from '../../shell/SignInAgain.tsx';
import { showFailure } from '../show-result.ts';
import { useDiscardQuestion, type DiscardingAct } from './use-discard-question.tsx';

const LOG_OUT: DiscardingAct = {
  press: 'Log out',
  doing: 'Logging out',
  notDone: 'Not logged out',
};

function SignOut() {
  const { ask, busy, question } = useDiscardQuestion(LOG_OUT, async () => {
    const leaving = signOut();
    // The user is signed out by now: waiting here for the deletion would show "session expired".
    navigate('/');
    await showFailure(leaving);
  });
  return (
    <>
      <Button busy={busy} onClick={ask}>
        {' '}
        Log out{' '}
      </Button>
      {question}
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

/** Logs the same user in again in place, so that nothing on the screen is lost. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../components/Button.tsx';
import { Field } from '../components/Field.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { errorSentence } from '../format/error-text.ts';
import { session, signIn, signInWithGoogle } from '../identity/session.ts';

export function SignInAgain({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const email = useSnapshot(session).user?.email ?? '';
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = (work: Promise<void>): void => {
    setBusy(true);
    setError(undefined);
    work
      .then(
        () => {
          setPassword('');
          onOpenChange(false);
        },
        (failure: unknown) => {
          setError(errorSentence(failure));
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Log in again"
      description={`As ${email}. This screen and your unsent commands are kept.`}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          run(signIn(email, password));
        }}
      >
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          error={error}
          required
          onChange={(event) => {
            setPassword(event.target.value);
          }}
        />
        <Button type="submit" tone="primary" busy={busy}>
          {' '}
          Log in{' '}
        </Button>
        <Button
          disabled={busy}
          onClick={() => {
            run(signInWithGoogle());
          }}
        >
          Continue with Google
        </Button>
      </form>
    </Dialog>
  );
}

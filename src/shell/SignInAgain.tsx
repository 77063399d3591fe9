/** Logs the same user in again in place, so that nothing on the screen is lost. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../components/Button.tsx';
import { Field } from '../components/Field.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { errorSentence } from '../format/error-text.ts';
import { proveByGoogle } from '../identity/own-sign-in.ts';
import { session, signIn } from '../identity/session.ts';
import { useSignInMethods } from '../screens/security/ProveField.tsx';

/** The password until the ways of this user are known; Google only where it is one of them. */
function AgainForm({ email, onDone }: { email: string; onDone: () => void }) {
  const { methods } = useSignInMethods();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = (work: Promise<void>): void => {
    setBusy(true);
    setError(undefined);
    work
      .then(onDone, (failure: unknown) => {
        setError(errorSentence(failure));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  const hasPassword = methods?.includes('password') !== false;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (hasPassword) run(signIn(email, password));
      }}
    >
      {hasPassword && (
        <>
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
        </>
      )}
      {!hasPassword && error !== undefined && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      {methods?.includes('google') === true && (
        <Button
          disabled={busy}
          onClick={() => {
            // Not a login of its own: that would let in whoever was chosen, and another user's
            // login deletes this one's unsent commands.
            run(proveByGoogle());
          }}
        >
          Continue with Google
        </Button>
      )}
    </form>
  );
}

export function SignInAgain({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const email = useSnapshot(session).user?.email ?? '';
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Log in again"
      description={`As ${email}. This screen and your unsent commands are kept.`}
    >
      <AgainForm
        email={email}
        onDone={() => {
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}

/**
 * Login by email and password or Google, and password reset. An error never says whether the email
 * or the password was wrong.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { Link, Redirect, useSearch } from 'wouter';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Field } from '../../components/Field.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { sendPasswordReset, session, signIn, signInWithGoogle } from '../../identity/session.ts';
import { typedEarly } from '../../shell/built-page.ts';
import {
  checkCredentials,
  nextPath,
  refusedCredentials,
  type CredentialErrors,
} from './credentials.ts';

export function GoogleButton({
  onError,
  disabled,
}: {
  onError: (error: unknown) => void;
  disabled: boolean;
}) {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      wide
      busy={busy}
      disabled={disabled}
      onClick={() => {
        setBusy(true);
        signInWithGoogle()
          .catch(onError)
          .finally(() => {
            setBusy(false);
          });
      }}
    >
      <svg viewBox="0 0 24 24" className="size-4" aria-hidden>
        <path
          fill="currentColor"
          d="M21.6 12.2c0-.7-.1-1.4-.2-2H12v3.9h5.4a4.6 4.6 0 0 1-2 3v2.5h3.2c1.9-1.7 3-4.3 3-7.4Z"
        />
        <path
          fill="currentColor"
          opacity=".75"
          d="M12 22c2.700 0 5-.9 6.6-2.400l-3.2-2.500c-.9.6-2 1-3.400 1-2.600 0-4.8-1.8-5.6-4.100H3.100v2.600A10 10 0 0 0 12 22Z"
        />
        <path
          fill="currentColor"
          opacity=".5"
          d="M6.4 14a6 6 0 0 1 0-3.900V7.500H3.100a10 10 0 0 0 0 9L6.4 14Z"
        />
        <path
          fill="currentColor"
          opacity=".9"
          d="M12 5.900c1.500 0 2.800.5 3.800 1.500l2.9-2.800A10 10 0 0 0 3.100 7.500l3.300 2.600C7.200 7.700 9.400 5.900 12 5.900Z"
        />
      </svg>
      Continue with Google
    </Button>
  );
}

/** Requests the email with the reset link. */
function useReset(email: string) {
  const [error, setError] = useState<string>();
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const issue = checkCredentials(email, 'unused', false).email;
    setError(issue);
    if (issue !== undefined) return;
    setBusy(true);
    sendPasswordReset(email.trim())
      .then(
        () => {
          setSent(true);
        },
        (failure: unknown) => {
          // Does not reveal whether an address has an account.
          if (
            failure instanceof Error &&
            'code' in failure &&
            failure.code === 'auth/user-not-found'
          )
            setSent(true);
          else setError(errorSentence(failure));
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  return { error, sent, setSent, busy, send };
}

function ResetDialog({
  open,
  onOpenChange,
  email: given,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  email: string;
}) {
  const [email, setEmail] = useState(given);
  const { error, sent, setSent, busy, send } = useReset(email);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setSent(false);
        onOpenChange(next);
      }}
      title="Reset password"
      description={
        sent
          ? `If ${email.trim()} has an account, an email with a link is on its way.`
          : 'We’ll email you a link to choose a new password.'
      }
    >
      {sent ? (
        <Button
          wide
          onClick={() => {
            onOpenChange(false);
          }}
        >
          Done
        </Button>
      ) : (
        <form noValidate className="flex flex-col gap-4" onSubmit={send}>
          <Field
            label="Email"
            type="email"
            autoComplete="email"
            value={email}
            error={error}
            onChange={(event) => {
              setEmail(event.target.value);
            }}
          />
          <Button type="submit" tone="primary" busy={busy}>
            Send link
          </Button>
        </form>
      )}
    </Dialog>
  );
}

function LoginForm({ email, onEmail }: { email: string; onEmail: (email: string) => void }) {
  const [password, setPassword] = useState(() => typedEarly('password'));
  const [errors, setErrors] = useState<CredentialErrors>({});
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = checkCredentials(email, password, false);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    signIn(email.trim(), password)
      .catch((error: unknown) => {
        setErrors(refusedCredentials(error));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form method="post" noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <Field
        label="Email"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        error={errors.email}
        onChange={(event) => {
          onEmail(event.target.value);
        }}
      />
      <Field
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        error={errors.password}
        onChange={(event) => {
          setPassword(event.target.value);
        }}
      />
      {errors.form !== undefined && (
        <p role="alert" className="text-danger">
          {errors.form}
        </p>
      )}
      <Button type="submit" tone="primary" wide busy={busy}>
        Log in
      </Button>
      <GoogleButton
        disabled={busy}
        onError={(error) => {
          setErrors(refusedCredentials(error));
        }}
      />
    </form>
  );
}

export default function LoginScreen() {
  const { status, user } = useSnapshot(session);
  const search = useSearch();
  const [email, setEmail] = useState(() => typedEarly('email') || (user?.email ?? ''));
  const [resetting, setResetting] = useState(false);
  if (status === 'signed-in') return <Redirect to={nextPath(search, '/dashboard')} replace />;
  return (
    <div className="mx-auto max-w-sm py-8">
      <h1 className="mb-6 text-xl">Log in</h1>
      <LoginForm email={email} onEmail={setEmail} />
      <div className="mt-4 flex flex-wrap justify-between gap-2 text-ink-2">
        <button
          type="button"
          className="min-h-11 underline underline-offset-2 hover:text-ink"
          onClick={() => {
            setResetting(true);
          }}
        >
          Forgot password?
        </button>
        <Link
          href="/register"
          className="flex min-h-11 items-center underline underline-offset-2 hover:text-ink"
        >
          Create an account
        </Link>
      </div>
      <ResetDialog
        key={String(resetting)}
        open={resetting}
        onOpenChange={setResetting}
        email={email}
      />
    </div>
  );
}

/**
 * Registration by email and password or Google. What was typed survives an error, and all but the
 * password a visit to the terms.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import { Link, Redirect } from 'wouter';
import { DisplayName } from '../../../contract/user.ts';
import { Button } from '../../components/Button.tsx';
import { Field } from '../../components/Field.tsx';
import { check } from '../../format/validation.ts';
import { session, signUp } from '../../identity/session.ts';
import { keptReferral } from '../../referrals/kept-referral.ts';
import { typedEarly } from '../../shell/built-page.ts';
import {
  checkCredentials,
  PASSWORD_LEAST,
  refusedCredentials,
  type CredentialErrors,
} from './credentials.ts';
import { GoogleButton } from './LoginScreen.tsx';
import { nameAccount } from './typed-name.ts';

const NOTHING = { name: '', email: '' };
/**
 * Name and email while another page is open: in memory only, and for one person only. Whoever comes
 * or goes clears them, so that the next person at this device does not find them.
 */
let typed = NOTHING;
subscribeKey(
  session,
  'user',
  () => {
    typed = NOTHING;
  },
  true,
);

type Fields = typeof NOTHING & { password: string };

/** What was typed into the page from the build comes first. */
function keptFields(): Fields {
  typed = {
    name: typedEarly('name') || typed.name,
    email: typedEarly('email') || typed.email,
  };
  return { ...typed, password: typedEarly('password') };
}

function errorsIn({ name, email, password }: Fields): CredentialErrors {
  const found = checkCredentials(email, password, true);
  const named = name.trim() === '' ? null : check(DisplayName, name);
  if (named?.ok === false) found.name = named.issues[0]?.message ?? 'Invalid input';
  return found;
}

/** Registers with what was typed. */
function useSignUp({ name, email, password }: Fields) {
  const [errors, setErrors] = useState<CredentialErrors>({});
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = errorsIn({ name, email, password });
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    const displayName = name.trim();
    signUp(email.trim(), password, displayName === '' ? null : displayName)
      .then(() => {
        const uid = session.user?.uid;
        if (displayName !== '' && uid !== undefined) void nameAccount(uid, displayName);
      })
      .catch((error: unknown) => {
        setErrors(refusedCredentials(error));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  const refuse = (error: unknown): void => {
    setErrors(refusedCredentials(error));
  };
  return { errors, busy, submit, refuse };
}

function AccountFields({
  fields: { name, email, password },
  errors,
  onType: type,
}: {
  fields: Fields;
  errors: CredentialErrors;
  onType: (part: Partial<Fields>) => void;
}) {
  return (
    <>
      <Field
        label="Name (optional)"
        name="name"
        autoComplete="name"
        value={name}
        error={errors.name}
        onChange={(event) => {
          type({ name: event.target.value });
        }}
      />
      <Field
        label="Email"
        type="email"
        name="email"
        autoComplete="email"
        value={email}
        error={errors.email}
        onChange={(event) => {
          type({ email: event.target.value });
        }}
      />
      <Field
        label="Password"
        type="password"
        name="password"
        autoComplete="new-password"
        hint={`At least ${PASSWORD_LEAST} characters.`}
        value={password}
        error={errors.password}
        onChange={(event) => {
          type({ password: event.target.value });
        }}
      />
    </>
  );
}

function AcceptedTerms() {
  return (
    <p className="mt-4 text-xs text-ink-3">
      By creating an account you accept the{' '}
      <Link href="/terms" className="underline underline-offset-2">
        Terms of Service
      </Link>{' '}
      and confirm that you have read the{' '}
      <Link href="/risk-disclosure" className="underline underline-offset-2">
        Risk Disclosure
      </Link>
      .
    </p>
  );
}

export default function RegisterScreen() {
  const { status } = useSnapshot(session);
  const [fields, setFields] = useState(keptFields);
  const type = (part: Partial<Fields>): void => {
    typed = { name: part.name ?? typed.name, email: part.email ?? typed.email };
    setFields((before) => ({ ...before, ...part }));
  };
  const { errors, busy, submit, refuse } = useSignUp(fields);
  const referral = keptReferral();
  if (status === 'signed-in' && !busy) return <Redirect to="/getting-started" replace />;
  return (
    <div className="mx-auto max-w-sm py-8">
      <h1 className="mb-1 text-xl">Create an account</h1>
      <p className="mb-6 text-ink-2">
        Start with paper money. No card needed.
        {referral === null ? '' : ` Invited with code ${referral}.`}
      </p>
      <form method="post" noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <AccountFields fields={fields} errors={errors} onType={type} />
        {errors.form !== undefined && (
          <p role="alert" className="text-danger">
            {errors.form}
          </p>
        )}
        <Button type="submit" tone="primary" wide busy={busy}>
          Create account
        </Button>
        <GoogleButton disabled={busy} onError={refuse} />
      </form>
      <AcceptedTerms />
      <Link
        href="/login"
        className="mt-2 flex min-h-11 items-center text-ink-2 underline underline-offset-2 hover:text-ink"
      >
        I already have an account
      </Link>
    </div>
  );
}

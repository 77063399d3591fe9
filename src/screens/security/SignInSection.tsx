/** Changes password and email, and logs out everywhere. Each change asks for proof of identity. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Field } from '../../components/Field.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Section } from '../../components/Section.tsx';
import { environment } from '../../environment.ts';
import { changeEmail, changePassword, signOutEverywhere } from '../../identity/own-sign-in.ts';
import { session } from '../../identity/session.ts';
import { log } from '../../platform/page-log.ts';
import { leaveOthers } from '../../push/device.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { showFailure } from '../show-result.ts';
import { checkCredentials, refusedCredentials } from '../login/credentials.ts';
import { ProveField, useSignInMethods } from './ProveField.tsx';
import { useDiscardQuestion, type DiscardingAct } from './use-discard-question.tsx';

interface Errors {
  present?: string;
  next?: string;
  form?: string;
}

/** A wrong password is shown at its field, other errors at theirs or below. */
function placed(error: unknown): Errors {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'auth/invalid-credential' || code === 'auth/wrong-password')
    return { present: 'This is not your current password.' };
  const { email, password, form } = refusedCredentials(error);
  return {
    ...((email ?? password) === undefined ? {} : { next: email ?? password }),
    ...(form === undefined ? {} : { form }),
  };
}

interface FormProps {
  email: string;
  onDone: () => void;
}

/** The form for both changes: current password, new value and one button. */
function ChangeForm({
  email,
  label,
  type,
  complete,
  hint,
  checked,
  send,
  press,
  onDone,
}: FormProps & {
  label: string;
  type: 'password' | 'email';
  complete: string;
  hint: string;
  checked: (next: string) => string | undefined;
  send: (present: string, next: string) => Promise<void>;
  press: string;
}) {
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wrong = checked(next);
    const found: Errors = {
      ...(present === '' ? { present: 'Required' } : {}),
      ...(wrong === undefined ? {} : { next: wrong }),
    };
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    send(present, next)
      .then(onDone, (error: unknown) => {
        setErrors(placed(error));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <ProveField email={email} value={present} error={errors.present} onChange={setPresent} />
      <Field
        label={label}
        type={type}
        name="next"
        autoComplete={complete}
        hint={hint}
        value={next}
        error={errors.next}
        onChange={(event) => {
          setNext(event.target.value);
        }}
      />
      {errors.form !== undefined && (
        <p role="alert" className="text-danger">
          {errors.form}
        </p>
      )}
      <Button type="submit" tone="primary" busy={busy}>
        {press}
      </Button>
    </form>
  );
}

const PasswordForm = ({ email, onDone }: FormProps) => (
  <ChangeForm
    email={email}
    onDone={onDone}
    label="New password"
    type="password"
    complete="new-password"
    hint="At least 6 characters. Your other devices are logged out within a minute."
    press="Change password"
    checked={(next) => checkCredentials(email, next, true).password}
    send={changePassword}
  />
);

const EmailForm = ({ email, onDone, onSent }: FormProps & { onSent: (to: string) => void }) => (
  <ChangeForm
    email={email}
    onDone={onDone}
    label="New email"
    type="email"
    complete="email"
    hint="We'll email a link to this address. Open it to confirm the change."
    press="Send link"
    checked={(next) =>
      checkCredentials(next, 'unused', true).email ??
      (next.trim().toLowerCase() === email.toLowerCase()
        ? 'This is your current email.'
        : undefined)
    }
    send={async (present, next) => {
      await changeEmail(present, next.trim());
      onSent(next.trim());
    }}
  />
);

const isLocal = environment.firebase.projectId.startsWith('demo-');

function LinkSent({ to }: { to: string }) {
  return (
    <p role="status" className="border-l-2 border-accent py-1 pl-3 text-ink-2">
      We sent a link to <strong className="break-all">{to}</strong>. Open it to confirm your new
      email. Then log in with it on all devices.
      {isLocal &&
        ' This server uses the built-in identity emulator, which sends no email. Find the link in the server’s log.'}
    </p>
  );
}

function Row({ term, value, act }: { term: string; value: ReactNode; act: ReactNode }) {
  return (
    <div className="rule flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <div className="min-w-0">
        <p className="font-medium">{term}</p>
        <p className="text-xs break-all text-ink-3">{value}</p>
      </div>
      {act}
    </div>
  );
}

const LOG_OUT_EVERYWHERE: DiscardingAct = {
  press: 'Log out everywhere',
  doing: 'Logging out everywhere',
  notDone: 'Not logged out',
};

function Everywhere() {
  const { online } = useSnapshot(connection);
  // Asked before the server is: with the tokens that it ends, nothing more could be sent.
  const { ask, busy, question } = useDiscardQuestion(LOG_OUT_EVERYWHERE, async () => {
    if (await showFailure(signOutEverywhere())) navigate('/login');
  });
  return (
    <div className="rule flex flex-wrap items-center justify-between gap-3 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">Log out everywhere</p>
        <p className="text-xs text-ink-3">Logs you out on all devices. Agents keep running.</p>
      </div>
      <HoldToConfirm
        label="Log out everywhere"
        sentence="Logs you out on all devices, including this one, and deletes saved data on this device. You are asked before an unsent command is discarded here."
        disabled={busy || online === 'offline'}
        onConfirm={ask}
      />
      {question}
    </div>
  );
}

/** Shown until it is known whether there is a password. */
const unknownText = (offline: boolean, reason: string | null): string =>
  offline ? 'Available when you’re online' : (reason ?? '…');

const passwordText = (hasPassword: boolean): string =>
  hasPassword ? 'Set' : 'None. You log in with Google. Change your email and password there.';

export function SignInSection() {
  const email = useSnapshot(session).user?.email ?? '';
  const { online } = useSnapshot(connection);
  const { methods, reason } = useSignInMethods();
  const [open, setOpen] = useState<'password' | 'email' | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const close = (): void => {
    setOpen(null);
  };
  const hasPassword = methods?.includes('password') ?? false;
  const change = (what: 'password' | 'email') => (
    <Button
      size="sm"
      disabled={!hasPassword || online === 'offline'}
      onClick={() => {
        setOpen(what);
      }}
      aria-label={`Change ${what}`}
    >
      Change
    </Button>
  );
  return (
    <Section title="Login">
      <Row term="Email" value={email === '' ? '—' : email} act={change('email')} />
      <Row
        term="Password"
        value={
          methods === null ? unknownText(online === 'offline', reason) : passwordText(hasPassword)
        }
        act={change('password')}
      />
      {sentTo !== null && <LinkSent to={sentTo} />}
      {online === 'offline' && (
        <p role="status" className="pb-2 text-xs text-ink-3">
          You need a connection to change your login.
        </p>
      )}
      <Everywhere />
      <Dialog open={open === 'password'} onOpenChange={close} title="Change password">
        <PasswordForm
          email={email}
          onDone={() => {
            close();
            pageToast('success', 'Password changed.');
            void leaveOthers().catch((error: unknown) => {
              log.warn('Other devices are still subscribed to notifications', error);
              pageToast(
                'error',
                'Other devices may still get notifications. “Log out everywhere” ends them.',
              );
            });
          }}
        />
      </Dialog>
      <Dialog
        open={open === 'email'}
        onOpenChange={close}
        title="Change email"
        description={`Current email: ${email}.`}
      >
        <EmailForm email={email} onDone={close} onSent={setSentTo} />
      </Dialog>
    </Section>
  );
}

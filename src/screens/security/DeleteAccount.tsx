/**
 * Deletes the account: lists what will be deleted, asks for a typed word and a proof of identity.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import {
  DELETION_WORD,
  USED_OFFERS_KEEP_DAYS,
  type DeletionPreview,
} from '../../../contract/account.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Field } from '../../components/Field.tsx';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { counted } from '../../format/counts.ts';
import { errorSentence } from '../../format/error-text.ts';
import { formatDate } from '../../format/times.ts';
import { deleteAccount } from '../../identity/own-sign-in.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useCallable } from '../use-callable.ts';
import { useUnsent } from '../use-store.ts';
import { fullNameOf, nameOf } from '../live/live-text.ts';
import { ProveField, useSignInMethods } from './ProveField.tsx';

const refundText = (paidUntil: number | null): string =>
  paidUntil === null ? '' : `There is no refund for the time until ${formatDate(paidUntil)}. `;

function unsentText(unsent: number | null): string[] {
  if (unsent === 0) return [];
  return [
    unsent === null
      ? 'Any unsent commands on this device are discarded.'
      : `${counted(unsent, 'unsent command', 'unsent commands')} on this device ${unsent === 1 ? 'is' : 'are'} discarded.`,
  ];
}

type ExchangeAccount = NonNullable<DeletionPreview['connected']>[number];

/** An account is often named as its exchange is. */
function leftText(account: NonNullable<DeletionPreview['coinsLeft']>[number]): string {
  const name = nameOf(account);
  const label = account.label === name ? '' : ` “${account.label}”`;
  return `Coins that agents bought stay in your account${label} at ${name}: ${account.coins.join(', ')}. You can sell them at ${name} itself.`;
}

/** Said in the place of the form: the server would refuse the word and the password. */
function NotYet({ connected }: { connected: readonly ExchangeAccount[] }) {
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="font-medium">You can't delete your account yet.</p>
      <p className="text-ink-2">
        {connected.length === 1
          ? 'An exchange account is still connected. Open it, end live trading and remove it. Then come back.'
          : 'Exchange accounts are still connected. Open each one, end live trading and remove it. Then come back.'}
      </p>
      <ul>
        {connected.map((account) => (
          <li key={account.id} className="rule">
            <Link
              href={`/live/${account.id}`}
              className="row flex items-center break-words text-accent underline underline-offset-2"
            >
              {fullNameOf(account)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Each counts once for a person, with whatever account. */
function rememberedText({ remembered }: DeletionPreview): string[] {
  const used = [
    ...(remembered?.trial === true ? ['the free trial'] : []),
    ...(remembered?.invited === true ? ['an invitation'] : []),
  ];
  return used.length === 0
    ? []
    : [
        `A fingerprint of your email address is kept for ${USED_OFFERS_KEEP_DAYS / 365} years, because you have used ${used.join(' and ')}.`,
      ];
}

/** What will be deleted, in that order. */
function endings(preview: DeletionPreview, unsent: number | null): string[] {
  const { agents, running, positions, plan, coinsLeft = [] } = preview;
  return [
    agents === 0
      ? 'You have no agents.'
      : `${counted(agents, 'agent is', 'agents are')} stopped${running === 0 ? '' : ` (${running} ${running === 1 ? 'runs' : 'run'} now)`} and deleted.`,
    positions === 0
      ? 'No open paper positions.'
      : `${counted(positions, 'open paper position is', 'open paper positions are')} deleted with the account, without a sale.`,
    ...coinsLeft.map(leftText),
    plan === null
      ? 'You have no plan to cancel.'
      : `Your ${plan.tier} plan is cancelled at once. ${refundText(plan.paidUntil)}` +
        (plan.provider === 'stripe'
          ? 'Stripe keeps invoices as long as the law requires.'
          : 'It was a test plan. No money was charged.'),
    'Trades, ledger, decisions, settings, referrals, support requests, linked addresses and notified devices are deleted.',
    'Your login is deleted. You can use the email for a new account.',
    ...rememberedText(preview),
    ...unsentText(unsent),
  ];
}

function Endings({ preview }: { preview: DeletionPreview }) {
  const unsent = useUnsent();
  return (
    <ul className="flex list-disc flex-col gap-1.5 pl-5 text-ink-2">
      {endings(preview, unsent).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

interface DeleteErrors {
  word?: string;
  password?: string;
  form?: string;
}

function refusalOf(error: unknown): DeleteErrors {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'auth/invalid-credential' || code === 'auth/wrong-password'
    ? { password: 'This is not your current password.' }
    : { form: errorSentence(error) };
}

function DeleteForm({ preview }: { preview: DeletionPreview }) {
  const email = useSnapshot(session).user?.email ?? '';
  const { methods } = useSignInMethods();
  const [word, setWord] = useState('');
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<DeleteErrors>({});
  const [busy, setBusy] = useState(false);
  const byPassword = methods === null || methods.includes('password');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = {
      ...(word === DELETION_WORD ? {} : { word: `Type ${DELETION_WORD}` }),
      ...(byPassword && password === '' ? { password: 'Required' } : {}),
    };
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    deleteAccount(byPassword ? password : null).then(
      (state) => {
        navigate('/');
        pageToast(
          'success',
          state === 'done'
            ? 'Your account is deleted.'
            : 'Your account is closed. The server is deleting the remaining data.',
        );
      },
      (error: unknown) => {
        setErrors(refusalOf(error));
        setBusy(false);
      },
    );
  };
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <Endings preview={preview} />
      <p>You can't undo this. Download your data first if you want to keep it.</p>
      <Field
        label={`Type ${DELETION_WORD} to confirm`}
        value={word}
        error={errors.word}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => {
          setWord(event.target.value);
        }}
      />
      {byPassword ? (
        <ProveField email={email} value={password} error={errors.password} onChange={setPassword} />
      ) : (
        <p className="text-ink-2">Google will ask you to confirm your identity.</p>
      )}
      {errors.form !== undefined && (
        <p role="alert" className="text-danger">
          {errors.form}
        </p>
      )}
      <Button type="submit" tone="danger" busy={busy}>
        Delete my account
      </Button>
    </form>
  );
}

/** Nothing is asked before the server has said what goes. */
function Deletion() {
  const { data, error, again } = useCallable('deletionPreview');
  if (data === null)
    return error === null ? (
      <SkeletonRows rows={5} label="What will be deleted" />
    ) : (
      <ReadError message={error} onRetry={again} />
    );
  const { connected = [] } = data;
  return connected.length > 0 ? <NotYet connected={connected} /> : <DeleteForm preview={data} />;
}

export function DeleteAccount() {
  const { online } = useSnapshot(connection);
  const [open, setOpen] = useState(false);
  return (
    <Section title="Delete account">
      <div className="rule flex flex-wrap items-center justify-between gap-3 py-3">
        <p className="min-w-0 flex-1 basis-56 text-ink-2">
          Stops your agents, cancels your plan and deletes your data from this server.
          {online === 'offline' ? ' You need a connection.' : ''}
        </p>
        <Button
          tone="danger-quiet"
          disabled={online === 'offline'}
          onClick={() => {
            setOpen(true);
          }}
        >
          Delete account…
        </Button>
      </div>
      <Dialog open={open} onOpenChange={setOpen} title="Delete your account">
        {open && <Deletion />}
      </Dialog>
    </Section>
  );
}

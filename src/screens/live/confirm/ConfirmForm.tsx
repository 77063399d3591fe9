/** Confirms one act with real money: by a passkey, or by the account's password. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { StepUpWire } from '../../../../contract/live.ts';
import type { ConfirmingKey } from '../../../../contract/live-state.ts';
import { ApiError, type ApiErrorCode } from '../../../api/api-error.ts';
import { Button } from '../../../components/Button.tsx';
import { CommandState } from '../../../components/CommandState.tsx';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { samePerson, session } from '../../../identity/session.ts';
import {
  confirmByPasskey,
  confirmByPassword,
  OtherStatement,
  type Act,
} from '../../../live/confirm-act.ts';
import { PasskeyDeclined } from '../../../live/passkey.ts';
import { connection as server } from '../../../stores/connection.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { ProveField } from '../../security/ProveField.tsx';
import { useLeftSignal } from '../use-left-signal.ts';

/** Only a password is typed here: there is no email that could be wrong. */
const isWrongPassword = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'auth/invalid-credential' || error.code === 'auth/wrong-password');

/**
 * What these say is true of an attempt that was judged alone. Where another was sent without an
 * answer, a confirmation that is used up may be one that took effect; and a signer that does not
 * answer may have done it.
 */
const UNSETTLED: readonly ApiErrorCode[] = [
  'step_up_required',
  'signer_refused',
  'signer_unavailable',
];

async function sentenceOf(error: unknown, isOpen: boolean): Promise<string> {
  if (error instanceof PasskeyDeclined || error instanceof OtherStatement) return error.message;
  if (isWrongPassword(error)) return 'Wrong password.';
  if (isOpen && error instanceof ApiError && UNSETTLED.includes(error.code))
    return 'The outcome is not known yet: an attempt got no answer.';
  return failureSentence(error);
}

/** `confirming` can still be given up by closing the form; what is `sending` cannot. */
type Phase = 'idle' | 'confirming' | 'sending';

/**
 * One confirmation at a time; what it allows is done by `onConfirmed`. A form that is closed while it
 * is being confirmed sends nothing: the person has changed their mind. What is being sent goes on
 * without the form, which the act itself may take away, and is told in a message.
 */
function useConfirming({
  onConfirmed,
  unanswered,
  onUnanswered,
}: Pick<ConfirmFormProps, 'onConfirmed' | 'unanswered' | 'onUnanswered'>) {
  const [phase, setPhase] = useState<Phase>('idle');
  const [failure, setFailure] = useState<string | null>(null);
  /** Whether something was sent without an answer: no later refusal says what became of it. */
  const [isOpen, setIsOpen] = useState(false);
  const leftSignal = useLeftSignal();
  const run = async (confirm: () => Promise<StepUpWire>): Promise<void> => {
    const left = leftSignal();
    const isHere = samePerson();
    let isSent = false;
    setPhase('confirming');
    setFailure(null);
    try {
      const stepUp = await confirm();
      if (left.aborted) return;
      setPhase('sending');
      isSent = true;
      await onConfirmed(stepUp);
    } catch (error) {
      const isUnanswered = isSent && error instanceof ApiError && error.mayHaveArrived;
      const open = isOpen || isUnanswered;
      const sentence = await sentenceOf(error, open);
      if (!left.aborted) {
        setFailure(sentence);
        setIsOpen(open);
      } else if (isSent && isHere())
        pageToast('error', open ? `${sentence} ${unanswered}` : sentence);
      if (isUnanswered && isHere()) onUnanswered();
    } finally {
      setPhase('idle');
    }
  };
  return { phase, failure, isOpen, run };
}

function PasswordPart({
  label,
  busy,
  onPassword,
}: {
  label: string;
  busy: boolean;
  onPassword: (password: string) => void;
}) {
  const email = useSnapshot(session).user?.email ?? '';
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (password === '') return;
    setPassword('');
    onPassword(password);
  };
  return (
    <form noValidate className="flex flex-col gap-3" onSubmit={submit}>
      <ProveField email={email} value={password} onChange={setPassword} />
      <Button type="submit" tone="primary" busy={busy} disabled={password === '' && !busy} wide>
        {label}
      </Button>
    </form>
  );
}

export interface ConfirmFormProps {
  act: Act;
  keys: readonly Pick<ConfirmingKey, 'kind'>[];
  /** What the confirmation does: "Start with real money". */
  label: string;
  /** Sends what was confirmed. */
  onConfirmed: (stepUp: StepUpWire) => Promise<void>;
  /** What is not known where no answer came: "Ebb may have been started." */
  unanswered: string;
  /** Reads again what may have changed then. */
  onUnanswered: () => void;
}

/** Without a network: "nothing" is said only where nothing was sent. */
function offlineText(phase: Phase, isOpen: boolean): string {
  if (phase === 'sending') return "You're offline. This was already sent and may take effect.";
  return isOpen
    ? 'You need a connection to confirm this again.'
    : 'You need a connection to confirm this. Nothing was changed.';
}

/** How far it is, and what came of it: also without a network. */
function Outcome({
  phase,
  failure,
  unanswered,
  byPassword,
}: {
  phase: Phase;
  failure: string | null;
  /** Null where nothing is open. */
  unanswered: string | null;
  byPassword: boolean;
}) {
  const told = [failure, unanswered].filter((text) => text !== null);
  return (
    <>
      <div role="status" className="empty:hidden">
        {phase === 'sending' && (
          <CommandState phase="sending">Being sent. Closing this does not stop it.</CommandState>
        )}
      </div>
      {told.length > 0 && (
        <div role="alert" className="text-danger">
          <p>{told.join(' ')}</p>
          {failure !== null && byPassword && (
            <p className="text-ink-2">
              If you have changed your password since you connected this account, connect it again.
            </p>
          )}
        </div>
      )}
    </>
  );
}

export function ConfirmForm({ act, keys, label, ...sending }: ConfirmFormProps) {
  const { online } = useSnapshot(server);
  const { phase, failure, isOpen, run } = useConfirming(sending);
  const busy = phase !== 'idle';
  const has = (kind: ConfirmingKey['kind']): boolean => keys.some((key) => key.kind === kind);
  const outcome = (
    <Outcome
      phase={phase}
      failure={failure}
      unanswered={isOpen ? sending.unanswered : null}
      byPassword={has('ed25519')}
    />
  );
  if (online === 'offline')
    return (
      <div className="flex flex-col gap-3">
        <p role="status" className="border-l-2 border-amber py-1 pl-3 text-amber">
          {offlineText(phase, isOpen)}
        </p>
        {outcome}
      </div>
    );
  return (
    <div className="flex flex-col gap-3">
      {has('passkey') && (
        <Button
          tone="primary"
          wide
          busy={busy}
          onClick={() => {
            void run(() => confirmByPasskey(act));
          }}
        >
          {label} with passkey
        </Button>
      )}
      {has('ed25519') && (
        <PasswordPart
          label={`${label} with password`}
          busy={busy}
          onPassword={(password) => {
            void run(() => confirmByPassword(act, password));
          }}
        />
      )}
      {outcome}
      <p className="text-xs text-ink-3">
        A confirmation counts once, for this alone, and for five minutes.
      </p>
    </div>
  );
}

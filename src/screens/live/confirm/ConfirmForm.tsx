/** Confirms one act with real money: by a passkey, or by the account's password. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { StepUpWire } from '../../../../contract/live.ts';
import type { ConfirmingKey } from '../../../../contract/live-state.ts';
import { ApiError } from '../../../api/api-error.ts';
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

async function sentenceOf(error: unknown): Promise<string> {
  if (error instanceof PasskeyDeclined || error instanceof OtherStatement) return error.message;
  return failureSentence(error);
}

/** `confirming` can still be given up by closing the form; what is `sending` cannot. */
type Phase = 'idle' | 'confirming' | 'sending';

/**
 * One confirmation at a time; what it allows is done by `onConfirmed`. A form that is closed while it
 * is being confirmed sends nothing: the person has changed their mind. What is being sent goes on
 * without the form, which a lost network or the act itself may take away, and is told in a message.
 */
function useConfirming({
  onConfirmed,
  unanswered,
  onUnanswered,
}: Pick<ConfirmFormProps, 'onConfirmed' | 'unanswered' | 'onUnanswered'>) {
  const [phase, setPhase] = useState<Phase>('idle');
  const [failure, setFailure] = useState<string | null>(null);
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
      const sentence = await sentenceOf(error);
      if (!left.aborted) setFailure(sentence);
      else if (isSent && isHere()) {
        const isOpen = error instanceof ApiError && error.mayHaveArrived;
        pageToast('error', isOpen ? `${sentence} ${unanswered}` : sentence);
        if (isOpen) onUnanswered();
      }
    } finally {
      setPhase('idle');
    }
  };
  return { phase, failure, run };
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

export function ConfirmForm({ act, keys, label, ...sending }: ConfirmFormProps) {
  const { online } = useSnapshot(server);
  const { phase, failure, run } = useConfirming(sending);
  const busy = phase !== 'idle';
  const has = (kind: ConfirmingKey['kind']): boolean => keys.some((key) => key.kind === kind);
  if (online === 'offline')
    return (
      <p role="status" className="border-l-2 border-amber py-1 pl-3 text-amber">
        You need a connection to confirm this. Nothing was changed.
      </p>
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
      <div role="status" className="empty:hidden">
        {phase === 'sending' && (
          <CommandState phase="sending">Being sent. Closing this does not stop it.</CommandState>
        )}
      </div>
      {failure !== null && (
        <div role="alert" className="text-danger">
          <p>{failure}</p>
          {has('ed25519') && (
            <p className="text-ink-2">
              If you have changed your password since you connected this account, connect it again.
            </p>
          )}
        </div>
      )}
      <p className="text-xs text-ink-3">
        A confirmation counts once, for this alone, and for five minutes.
      </p>
    </div>
  );
}

/** Confirms one act with real money: by a passkey, or by the account's password. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { StepUpWire } from '../../../../contract/live.ts';
import type { ConfirmingKey } from '../../../../contract/live-state.ts';
import { Button } from '../../../components/Button.tsx';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { session } from '../../../identity/session.ts';
import {
  confirmByPasskey,
  confirmByPassword,
  OtherStatement,
  type Act,
} from '../../../live/confirm-act.ts';
import { PasskeyDeclined } from '../../../live/passkey.ts';
import { connection as server } from '../../../stores/connection.ts';
import { ProveField } from '../../security/ProveField.tsx';

async function sentenceOf(error: unknown): Promise<string> {
  if (error instanceof PasskeyDeclined || error instanceof OtherStatement) return error.message;
  return failureSentence(error);
}

/** One confirmation at a time; what it allows is done by `onConfirmed`. */
function useConfirming(onConfirmed: (stepUp: StepUpWire) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (confirm: () => Promise<StepUpWire>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await onConfirmed(await confirm());
    } catch (error) {
      setFailure(await sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, run };
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
  onConfirmed: (stepUp: StepUpWire) => Promise<void>;
}

export function ConfirmForm({ act, keys, label, onConfirmed }: ConfirmFormProps) {
  const { online } = useSnapshot(server);
  const { busy, failure, run } = useConfirming(onConfirmed);
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

/** Chooses how starts and higher limits are confirmed, and connects. */
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { CallReply } from '../../../../contract/calls.ts';
import type { LiveConnection } from '../../../../contract/live-state.ts';
import type { StepUpKey } from '../../../../contract/signer.ts';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { Section } from '../../../components/Section.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { provePassword } from '../../../identity/own-sign-in.ts';
import { session } from '../../../identity/session.ts';
import { canUsePasskeys, makePasskey } from '../../../live/passkey.ts';
import { canUsePassword, makePasswordKey } from '../../../live/password-key.ts';
import { log } from '../../../platform/page-log.ts';
import { connection as server } from '../../../stores/connection.ts';
import { ProveField, useSignInMethods } from '../../security/ProveField.tsx';
import { StepHead } from './StepHead.tsx';
import { useConnect, type LastSent, type MakeKeys, type Wanted } from './use-connect.ts';

type Passkey = CallReply<'passkeys'>['passkeys'][number];

interface StepProps extends LastSent {
  title: string;
  wanted: Wanted;
  /** The key is not taken after all. */
  onRefused: () => void;
  onConnected: (connection: LiveConnection) => void;
}

/** Passkeys that were made before, which can confirm this account too. */
function usePasskeys(): Passkey[] {
  const [known, setKnown] = useState<Passkey[]>([]);
  useEffect(() => {
    let here = true;
    api.call('passkeys', {}).then(
      ({ passkeys }) => {
        if (here) setKnown(passkeys);
      },
      (error: unknown) => {
        log.warn('Could not read which passkeys there are', error);
      },
    );
    return () => {
      here = false;
    };
  }, []);
  return known;
}

type Connect = (makeKeys: MakeKeys) => Promise<void>;

function ByPasskey({ busy, connect }: { busy: boolean; connect: Connect }) {
  const known = usePasskeys();
  const made = useRef<StepUpKey | null>(null);
  const label = `${navigator.platform === '' ? 'This device' : navigator.platform}`.slice(0, 60);
  /** Made once: a second press after a failed connecting uses the same one. */
  const make = async (): Promise<StepUpKey[]> => {
    made.current ??= (await makePasskey(label)).key;
    return [made.current];
  };
  return (
    <Section title="Passkey">
      <p className="mb-3 text-ink-2">
        Your fingerprint, face or device code confirms each start. Nothing to remember, and nothing
        that can be guessed.
      </p>
      {known.length > 0 && (
        <Button
          tone="primary"
          wide
          busy={busy}
          className="mb-2"
          onClick={() => {
            void connect(() => Promise.resolve(known.slice(0, 8).map(({ key }) => key)));
          }}
        >
          Connect with your {known.length === 1 ? 'passkey' : `${known.length} passkeys`}
        </Button>
      )}
      <Button
        tone={known.length > 0 ? 'quiet' : 'primary'}
        wide
        busy={busy}
        disabled={!canUsePasskeys() && !busy}
        onClick={() => {
          void connect(make);
        }}
      >
        Make a passkey and connect
      </Button>
      {!canUsePasskeys() && (
        <p className="mt-1 text-xs text-ink-3">This browser has no passkeys.</p>
      )}
    </Section>
  );
}

function ByPassword({ busy, connect }: { busy: boolean; connect: Connect }) {
  const { user } = useSnapshot(session);
  const { methods } = useSignInMethods();
  const [password, setPassword] = useState('');
  const [possible, setPossible] = useState(true);
  const made = useRef<StepUpKey | null>(null);
  useEffect(() => {
    void canUsePassword().then(setPossible);
  }, []);
  if (user === null || methods?.includes('password') === false) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const typed = password;
    if (typed === '') return;
    setPassword('');
    void connect(async () => {
      await provePassword(typed);
      made.current ??= await makePasswordKey(typed, user.uid);
      return [made.current];
    });
  };
  return (
    <Section title="Password">
      <p className="mb-3 text-ink-2">
        You type your Tradewind password at each start. After a change of password you connect this
        account again.
      </p>
      {possible ? (
        <form noValidate className="flex flex-col gap-3" onSubmit={submit}>
          <ProveField email={user.email ?? ''} value={password} onChange={setPassword} />
          <Button type="submit" wide busy={busy} disabled={password === '' && !busy}>
            Connect with password
          </Button>
        </form>
      ) : (
        <p className="text-xs text-ink-3">This browser is too old for that. Use a passkey.</p>
      )}
    </Section>
  );
}

/** It may be connected already: first the same request again, which makes no second connection. */
function Unanswered({ exchange, onAgain }: { exchange: string; onAgain: (() => void) | null }) {
  return (
    <div role="alert" className="border-l-2 border-amber pl-3">
      <p className="text-amber">
        {exchange} may have been connected: the server’s answer did not come. If it is listed under
        Connected above, it is. To find out, try again; that makes no second connection.
      </p>
      <Button className="mt-2" busy={onAgain === null} onClick={onAgain ?? undefined}>
        Try again
      </Button>
    </div>
  );
}

export function ConfirmationStep({ title, onRefused, ...request }: StepProps) {
  const { online } = useSnapshot(server);
  const { busy, failure, isUnanswered, connect, again } = useConnect(request);
  const exchange = exchangeName(request.wanted.exchange);
  return (
    <div className="flex flex-col gap-6">
      <div>
        <StepHead at={title} title="Confirmation" />
        <p className="text-ink-2">
          Each start of an agent at {exchange}, and each higher limit, needs you. Choose how.
        </p>
      </div>
      {isUnanswered && (
        <Unanswered
          exchange={exchange}
          onAgain={
            busy
              ? null
              : () => {
                  void again();
                }
          }
        />
      )}
      {failure !== null && (
        <div role="alert" className="border-l-2 border-danger pl-3 text-danger">
          <p>{failure}</p>
          <button
            type="button"
            className="reach min-h-8 font-medium underline underline-offset-2"
            onClick={onRefused}
          >
            Paste the key again
          </button>
        </div>
      )}
      {online === 'offline' && (
        <p role="status" className="text-amber">
          You need a connection to connect an exchange.
        </p>
      )}
      {online !== 'offline' && !isUnanswered && (
        <>
          <ByPasskey busy={busy} connect={connect} />
          <ByPassword busy={busy} connect={connect} />
        </>
      )}
    </div>
  );
}

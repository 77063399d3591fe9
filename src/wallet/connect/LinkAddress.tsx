/** Links the connected address to the account by signing the server's message. */
import { Link2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useSignMessage } from 'wagmi';
import {
  AddressLabel,
  LINKED_ADDRESSES_MAX,
  type LinkedAddress,
  type WalletStatus,
} from '../../../contract/wallet.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatDate } from '../../format/times.ts';
import { session } from '../../identity/session.ts';
import { UnlinkWallet } from '../../screens/trading/UnlinkWallet.tsx';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { loadWallet, walletStore } from '../../stores/wallet-store.ts';
import { FailureNote } from '../FailureNote.tsx';
import type { WalletChainId } from '../rpc-policy.ts';

/**
 * `asking`: the server makes the message. `signing`: the wallet asks the person. `proving`: the
 * server looks at the signature.
 */
type Stage = 'idle' | 'asking' | 'signing' | 'proving';
const STAGE_WORDS: Record<Stage, string> = {
  idle: '',
  asking: 'Requesting a message to sign',
  signing: 'Sign the message in your wallet. Its window may be behind this one.',
  proving: 'The server is checking the signature',
};

const STOPPED =
  'You stopped waiting for your wallet. Nothing was linked, and a signature that comes later is not used.';

/**
 * What was signed and is not linked yet: with the same command id it is linked once, however often
 * it is sent.
 */
interface Signed {
  commandId: string;
  message: string;
  signature: `0x${string}`;
  label: string;
}
type Trouble =
  | { of: 'wallet'; error: unknown }
  | { of: 'server'; sentence: string }
  | { of: 'person'; sentence: string };

/** Whether the same signature can be sent again: no reply, or the chain could not be reached. */
const stillGood = (error: unknown): boolean =>
  error instanceof ApiError && (error.retryable || error.status === 0);

interface Linking {
  stage: Stage;
  trouble: Trouble | null;
  link: (label: string) => void;
  /** A wallet's window that is closed without a word would be waited for for ever. */
  stopWaiting: () => void;
  canRepeat: boolean;
  /** Gives up the signature, so that the next attempt asks the wallet for another. */
  signAnew: () => void;
}

/**
 * What comes after the person has turned to another address, or has stopped waiting, says nothing
 * here.
 */
function useTurns(): { begin: () => () => boolean; end: () => void } {
  const turn = useRef(0);
  const end = (): void => {
    turn.current += 1;
  };
  useEffect(() => end, []);
  const begin = (): (() => boolean) => {
    const own = turn.current;
    return () => own === turn.current;
  };
  return { begin, end };
}

function useLinking(address: `0x${string}`, chainId: WalletChainId): Linking {
  const { signMessageAsync } = useSignMessage();
  const [stage, setStage] = useState<Stage>('idle');
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [signed, setSigned] = useState<Signed | null>(null);
  const { begin, end } = useTurns();

  const sign = async (label: string, isCurrent: () => boolean): Promise<Signed | null> => {
    setStage('asking');
    const { message } = await api.call('linkMessage', { body: { address, chainId } });
    if (!isCurrent()) return null;
    setStage('signing');
    try {
      const signature = await signMessageAsync({ account: address, message });
      return { commandId: crypto.randomUUID(), message, signature, label };
    } catch (error) {
      if (isCurrent()) setTrouble({ of: 'wallet', error });
      return null;
    }
  };
  const prove = async (proof: Signed): Promise<void> => {
    setSigned(proof);
    setStage('proving');
    const { commandId, label, message, signature } = proof;
    await api.call('linkAddress', {
      body: { message, signature, ...(label === '' ? {} : { label }) },
      commandId,
      attempts: 1,
    });
    setSigned(null);
    await loadWallet(true);
    pageToast('success', 'The address is linked to your account.');
  };
  const link = async (label: string): Promise<void> => {
    const isCurrent = begin();
    setTrouble(null);
    try {
      const proof = signed ?? (await sign(label, isCurrent));
      if (proof !== null && isCurrent()) await prove(proof);
    } catch (error) {
      setTrouble({ of: 'server', sentence: errorSentence(error) });
      // Without a reply the address may still be linked: the server's list decides.
      if (stillGood(error)) await loadWallet(true);
      else setSigned(null);
    } finally {
      if (isCurrent()) setStage('idle');
    }
  };
  const stopWaiting = (): void => {
    end();
    setStage('idle');
    setTrouble({ of: 'person', sentence: STOPPED });
  };
  return {
    stage,
    trouble,
    canRepeat: signed !== null,
    link: (label) => {
      void link(label);
    },
    stopWaiting,
    signAnew: () => {
      setSigned(null);
      setTrouble(null);
    },
  };
}

function Meaning() {
  return (
    <ul className="mt-2 flex max-w-[64ch] list-disc flex-col gap-1 pl-5 text-ink-2">
      <li>
        Tradewind then knows that this address is yours. You see it on every device where you log
        in.
      </li>
      <li>You sign a message. It is not a transaction, costs nothing and moves no coins.</li>
      <li>No agent can spend from this address.</li>
      <li>You can unlink it at any time.</li>
    </ul>
  );
}

interface OfferProps {
  address: `0x${string}`;
  chainId: WalletChainId;
  status: WalletStatus;
}

/** Why linking is not possible now; null when it is. */
function whyNotNow({
  offline,
  expired,
  full,
}: {
  offline: boolean;
  expired: boolean;
  full: boolean;
}): string | null {
  if (offline) return 'You are offline. You can link an address when you are back online.';
  if (expired) return 'Your session has ended. Log in again to link an address.';
  return full
    ? `Your account has ${LINKED_ADDRESSES_MAX} linked addresses, the maximum. Unlink one first.`
    : null;
}

/** A command that is repeated carries the same name: another one takes another signature. */
function NameField({
  name,
  error,
  isSigned,
  isBusy,
  onName,
}: {
  name: string;
  error: string | undefined;
  isSigned: boolean;
  isBusy: boolean;
  onName: (name: string) => void;
}) {
  return (
    <Field
      label="Name (optional)"
      hint={isSigned ? 'This name goes with your signature.' : 'Up to 40 letters and digits.'}
      autoComplete="off"
      maxLength={60}
      className="read-only:bg-sunken read-only:text-ink-2"
      readOnly={isSigned || isBusy}
      value={name}
      error={error}
      onChange={(event) => {
        onName(event.target.value);
      }}
    />
  );
}

function Offer({ address, chainId, status }: OfferProps) {
  const { online } = useSnapshot(connection);
  const { status: signIn } = useSnapshot(session);
  const { canRepeat, link, signAnew, stage, stopWaiting, trouble } = useLinking(address, chainId);
  const [label, setLabel] = useState('');
  const name = label.trim();
  const wrong = name === '' ? undefined : AddressLabel.safeParse(name).error?.issues[0]?.message;
  const full = status.links.length >= LINKED_ADDRESSES_MAX;
  const why = whyNotNow({ offline: online === 'offline', expired: signIn === 'expired', full });
  return (
    <>
      <Meaning />
      <form
        noValidate
        className="mt-3 flex max-w-md flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (wrong === undefined && why === null && stage === 'idle') link(name);
        }}
      >
        <NameField
          name={label}
          error={wrong}
          isSigned={canRepeat}
          isBusy={stage !== 'idle'}
          onName={setLabel}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            busy={stage !== 'idle'}
            disabled={why !== null || wrong !== undefined}
          >
            <Link2 className="size-4" aria-hidden />
            {canRepeat ? 'Try again with this signature' : 'Link address'}
          </Button>
          {canRepeat && stage === 'idle' && (
            <Button tone="plain" onClick={signAnew}>
              Sign again with another name
            </Button>
          )}
        </div>
      </form>
      <p role="status" className="mt-2 min-h-5 text-sm text-ink-3">
        {why ?? (trouble?.of === 'person' ? trouble.sentence : STAGE_WORDS[stage])}
      </p>
      {stage === 'signing' && (
        <Button size="sm" onClick={stopWaiting}>
          Stop waiting
        </Button>
      )}
      {trouble?.of === 'wallet' && <FailureNote error={trouble.error} act="sign" />}
      {trouble?.of === 'server' && (
        <p role="alert" className="max-w-[64ch] border-l-2 border-danger py-1 pl-3">
          <span className="text-danger">{trouble.sentence}</span>
        </p>
      )}
    </>
  );
}

function Linked({ link }: { link: LinkedAddress }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-1">
      <p className="min-w-0">
        <span className="font-medium">{link.label}</span>, linked since {formatDate(link.linkedAt)}.{' '}
        <span className="text-ink-2">No agent can spend from it.</span>
      </p>
      <UnlinkWallet link={link} />
    </div>
  );
}

/** For the address that is connected, on the chain that it is connected on. */
export function LinkAddress({
  address,
  chainId,
}: {
  address: `0x${string}`;
  chainId: WalletChainId;
}) {
  const { data, error } = useSnapshot(walletStore);
  useEffect(() => {
    void loadWallet();
  }, []);
  const link = data?.links.find(
    (one) => one.address.toLowerCase() === address.toLowerCase() && one.chainId === chainId,
  );
  return (
    <section className="rule py-3" aria-label="Link to your account">
      <h4 className="font-medium">
        {link === undefined
          ? 'Link this address to your Tradewind account'
          : 'Linked to your Tradewind account'}
      </h4>
      {data === null && error === null && <Skeleton className="mt-2 h-4 w-48" />}
      {data === null && error !== null && <p className="mt-1 text-ink-3">— {error}</p>}
      {data !== null && link === undefined && (
        <Offer
          key={`${address} ${chainId}`}
          address={address}
          chainId={chainId}
          status={data as WalletStatus}
        />
      )}
      {link !== undefined && <Linked link={link} />}
    </section>
  );
}

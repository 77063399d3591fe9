/**
 * Takes an address off the account, after a question; refuses to say that it is off before the
 * server has.
 */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { LinkedAddress } from '../../../contract/wallet.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { chainName, shortAddress } from '../../format/addresses.ts';
import { errorSentence } from '../../format/errors.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toasts.ts';
import { loadWallet } from '../../stores/wallet.ts';

export function Unlink({ link, size = 'sm' }: { link: LinkedAddress; size?: 'sm' | 'md' }) {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const short = shortAddress(link.address);
  const away = online === 'offline' || status === 'expired';

  const unlink = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      // Gone already is what was wanted.
      await api.call('unlinkAddress', { params: { id: link.id } }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      });
      await loadWallet(true);
      setAsking(false);
      pageToast('success', `${short} is not linked any more.`);
    } catch (error) {
      setFailure(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        size={size}
        disabled={away}
        title={away ? 'Needs the server, and a sign-in' : undefined}
        aria-label={`Unlink ${link.label}, ${short}`}
        onClick={() => {
          setFailure(null);
          setAsking(true);
        }}
      >
        Unlink
      </Button>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={`Unlink ${link.label}?`}
        description={
          <>
            <p className="font-mono text-sm break-all">{link.address}</p>
            <p className="mt-2">
              This address on {chainName(link.chainId)} is taken off your account. Its coins stay
              where they are. It can be linked again by another signature.
            </p>
          </>
        }
        actions={
          <>
            <Button
              onClick={() => {
                setAsking(false);
              }}
            >
              Keep it
            </Button>
            <Button
              tone="danger"
              busy={busy}
              onClick={() => {
                void unlink();
              }}
            >
              Unlink
            </Button>
          </>
        }
      >
        {failure !== null && (
          <p role="alert" className="text-danger">
            {failure}
          </p>
        )}
      </Dialog>
    </>
  );
}

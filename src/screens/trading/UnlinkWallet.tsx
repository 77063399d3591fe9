/** Unlinks an address from the account after a confirmation. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { LinkedAddress } from '../../../contract/wallet.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { chainName, shortAddress } from '../../format/addresses.ts';
import { errorSentence } from '../../format/error-text.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { loadWallet } from '../../stores/wallet-store.ts';

/** Unlinks the address; `onDone` once the server has confirmed it. */
function useUnlink(link: LinkedAddress, onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const unlink = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      // Already gone counts as success.
      await api.call('unlinkAddress', { params: { id: link.id } }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      });
      await loadWallet(true);
      onDone();
      pageToast('success', `${shortAddress(link.address)} unlinked.`);
    } catch (error) {
      setFailure(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  const forget = (): void => {
    setFailure(null);
  };
  return { busy, failure, forget, unlink };
}

export function UnlinkWallet({ link, size = 'sm' }: { link: LinkedAddress; size?: 'sm' | 'md' }) {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  const [asking, setAsking] = useState(false);
  const short = shortAddress(link.address);
  const away = online === 'offline' || status === 'expired';
  const { busy, failure, forget, unlink } = useUnlink(link, () => {
    setAsking(false);
  });
  return (
    <>
      <Button
        size={size}
        disabled={away}
        title={away ? 'You need to be online and logged in' : undefined}
        aria-label={`Unlink ${link.label}, ${short}`}
        onClick={() => {
          forget();
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
              This address on {chainName(link.chainId)} will be removed from your account. Its coins
              stay where they are. You can link it again with a new signature.
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
              Cancel
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

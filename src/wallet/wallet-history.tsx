/** What this person sent from this device, newest first; refuses to pass for the wallet's own list. */
import { useSearchParams } from 'wouter';
import { keepsSnapshots } from '../commands.ts';
import { Button } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';
import { SendProgress } from './send-progress.tsx';
import { useSends } from './use-wallet.ts';

export default function WalletHistory() {
  const { sends } = useSends();
  const [, setSearch] = useSearchParams();
  if (sends.length === 0) {
    return (
      <EmptyState title="Nothing was sent from this device yet" action={<Button onClick={() => { setSearch((old) => { const next = new URLSearchParams(old); next.set('wallet', 'send'); return next; }, { replace: true }); }}>Send ETH</Button>}>
        Each send will be here with how far it has come, its fee and the way to the block explorer.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="mt-3 max-w-[64ch] text-sm text-ink-3">
        Sent from this device. What the wallet did elsewhere is in its own list. {keepsSnapshots() ? 'Signing out deletes this list, not what was sent.' : 'This device keeps nothing, by your choice in Security: the list ends with this page.'}
      </p>
      <ul aria-label="Sends" className="mt-2 max-w-2xl">{sends.map((send) => <li key={send.id} className="rule"><SendProgress send={send} /></li>)}</ul>
    </>
  );
}

/**
 * What this person sent from this device, newest first; refuses to pass for the wallet's own list.
 */
import { keepsSnapshots } from '../../commands.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { PanelLink } from '../PanelHead.tsx';
import { SendProgress } from './SendProgress.tsx';
import { useSends } from '../use-wallet.ts';

export default function HistoryPanel() {
  const { sends } = useSends();
  if (sends.length === 0) {
    return (
      <EmptyState
        title="Nothing was sent from this device yet"
        action={<PanelLink id="send">Send ETH</PanelLink>}
      >
        Each send will be here with how far it has come, its fee and the way to the block explorer.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="max-w-[64ch] text-sm text-ink-3">
        Sent from this device. What the wallet did elsewhere is in its own list.{' '}
        {keepsSnapshots()
          ? 'Signing out deletes this list, not what was sent.'
          : 'This device keeps nothing, by your choice in Security: the list ends with this page.'}
      </p>
      <ul aria-label="Sends" className="mt-2 max-w-2xl">
        {sends.map((send) => (
          <li key={send.id} className="rule">
            <SendProgress send={send} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** What this user sent from this device, newest first. The wallet's own history may have more. */
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
        title="Nothing sent from this device yet"
        action={<PanelLink id="send">Send ETH</PanelLink>}
      >
        Each transfer will appear here with its status, its fee and a link to the block explorer.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="max-w-[64ch] text-sm text-ink-3">
        Transfers sent from this device. Your wallet’s own history has the rest.{' '}
        {keepsSnapshots()
          ? 'Logging out deletes this list. Transfers are not affected.'
          : 'You have turned off saving on this device in Security: the list is gone when you close this page.'}
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

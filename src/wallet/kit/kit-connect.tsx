/** Replaces the kit's own list of wallets wherever it would offer one. */
import { PanelLink } from '../PanelHead.tsx';

export function ConnectWallet() {
  return (
    <PanelLink id="account" tone="primary">
      Connect a wallet
    </PanelLink>
  );
}

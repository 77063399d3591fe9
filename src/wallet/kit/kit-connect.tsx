/**
 * Stands in the kit wherever it would offer its own list of wallets, which is not this product's;
 * refuses to connect anything itself.
 */
import { PanelLink } from '../PanelHead.tsx';

export function ConnectWallet() {
  return (
    <PanelLink id="account" tone="primary">
      Connect a wallet
    </PanelLink>
  );
}

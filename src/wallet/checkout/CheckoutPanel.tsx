/**
 * Paying in USDC for what the operator sells, by the kit's checkout; refuses to be taken for the
 * way to pay for a plan.
 */
import { useCallback } from 'react';
import { Checkout, CheckoutButton, CheckoutStatus } from '@coinbase/onchainkit/checkout';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { LinkButton } from '../../components/Button.tsx';
import { connection } from '../../stores/connection.ts';
import { KitFrame } from '../kit/KitFrame.tsx';
import { KitService } from '../kit/KitProvider.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';

/** The kit would connect a wallet of its own making where another kind is connected. */
const SMART_WALLET = 'coinbaseWalletSDK';

function CheckoutCard() {
  const { kit, parts } = useWalletSettings();
  const { online } = useSnapshot(connection);
  const { address, connector } = useAccount();
  const { chargeId, productId } = parts.checkout;
  const charge = useCallback(() => Promise.resolve(chargeId ?? ''), [chargeId]);
  if (kit.apiKey === null || (chargeId === null && productId === null)) {
    return (
      <Needs
        title="Nothing is sold for coins here"
        settings={[
          'VITE_ONCHAINKIT_API_KEY',
          'VITE_WALLET_CHECKOUT_PRODUCT',
          'VITE_WALLET_CHECKOUT_CHARGE',
        ]}
      >
        With a product or a charge of Coinbase Commerce, it can be paid here in USDC.
      </Needs>
    );
  }
  if (online === 'offline')
    return (
      <p role="status" className="text-amber">
        Offline. A payment can be made when you are back.
      </p>
    );
  if (address === undefined)
    return <ConnectFirst>A payment is made from a wallet of yours.</ConnectFirst>;
  if (connector?.id !== SMART_WALLET)
    return (
      <p className="text-ink-2">
        This checkout takes a smart wallet only; another kind is connected.
      </p>
    );
  return (
    <KitService settings={kit} chainId={base.id}>
      <KitFrame>
        <Checkout
          isSponsored={kit.config.paymaster !== null}
          {...(productId === null ? { chargeHandler: charge } : { productId })}
        >
          <CheckoutButton text="Pay in USDC" />
          <CheckoutStatus />
        </Checkout>
        <p className="mt-2 text-xs text-ink-3">
          The wallet shows the price and asks you before anything is paid.
        </p>
      </KitFrame>
    </KitService>
  );
}

export default function CheckoutPanel() {
  return (
    <>
      <PanelHead title="Checkout" real>
        Pay in USDC on Base. Plans of Tradewind are paid by card, not here.
      </PanelHead>
      <CheckoutCard />
      <LinkButton to="/subscription" tone="plain" className="mt-4 -ml-4">
        Plans and cards
      </LinkButton>
    </>
  );
}

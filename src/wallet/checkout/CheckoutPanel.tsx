/** Paying in USDC for what the operator sells, by the kit's checkout. Plans are not paid here. */
import { useCallback, useState } from 'react';
import { Checkout, CheckoutButton, CheckoutStatus } from '@coinbase/onchainkit/checkout';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { Button, LinkButton } from '../../components/Button.tsx';
import { connection } from '../../stores/connection.ts';
import { BegunNotes } from '../BegunNotes.tsx';
import type { CardOutcome } from '../card-outcome.ts';
import { useChainGate } from '../ChainGate.tsx';
import { KeptCard } from '../KeptCard.tsx';
import { KitFrame } from '../kit/KitFrame.tsx';
import { KitService } from '../kit/KitProvider.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { usePayment, type Payment } from './use-payment.ts';

/** The kit would connect a wallet of its own making where another kind is connected. */
const SMART_WALLET = 'coinbaseWalletSDK';

/**
 * Said in the place of the kit's own line, which keeps an earlier error throughout the next payment,
 * and calls more a refusal or a success than is one. Of what was never sent it speaks the truth.
 */
const SAID: Record<Exclude<CardOutcome, 'none'> | 'running', string> = {
  running: 'Payment in progress...',
  done: 'Payment successful!',
  unknown: 'We do not know whether it was paid. Check your wallet’s history before you try again.',
  failed: 'The payment failed. The USDC stayed in your wallet.',
};

function PaymentLine({ outcome }: { outcome: Payment['outcome'] }) {
  if (outcome === null || outcome === 'none') return <CheckoutStatus />;
  const bad = outcome === 'unknown' || outcome === 'failed';
  return (
    <p role={bad ? 'alert' : 'status'} className={bad ? 'text-amber' : 'text-ink-2'}>
      {SAID[outcome]}
    </p>
  );
}

interface CardProps {
  onBegun: (id: string | null) => void;
}

function PaymentCard({ hindered, onBegun }: CardProps & { hindered: boolean }) {
  const { kit, parts } = useWalletSettings();
  const { chargeId, productId } = parts.checkout;
  const charge = useCallback(() => Promise.resolve(chargeId ?? ''), [chargeId]);
  const { attempt, follow, isInVain, outcome, renew, unprepared } = usePayment(onBegun);
  return (
    <KitService settings={kit} chainId={base.id}>
      <KitFrame>
        <Checkout
          key={attempt}
          isSponsored={kit.config.paymaster !== null}
          onStatus={follow}
          {...(productId === null ? { chargeHandler: charge } : { productId })}
        >
          <CheckoutButton text="Pay in USDC" disabled={hindered} />
          <PaymentLine outcome={outcome} />
        </Checkout>
        {(unprepared || isInVain) && (
          // The kit asks for a charge once, and waits for its bundle for ever: only a card of its own
          // begins anew.
          <Button className="mt-2" size="sm" disabled={hindered} onClick={renew}>
            Try again
          </Button>
        )}
        <p className="mt-2 text-xs text-ink-3">
          Your wallet shows the price and asks you to confirm.
        </p>
      </KitFrame>
    </KitService>
  );
}

function CheckoutCard({ onBegun }: CardProps) {
  const { kit, parts } = useWalletSettings();
  const offline = useSnapshot(connection).online === 'offline';
  const { address, connector } = useAccount();
  const elsewhere = useChainGate(base.id);
  const { chargeId, productId } = parts.checkout;
  if (kit.apiKey === null || (chargeId === null && productId === null)) {
    return (
      <Needs
        title="Checkout is not set up"
        settings={[
          'VITE_ONCHAINKIT_API_KEY',
          'VITE_WALLET_CHECKOUT_PRODUCT',
          'VITE_WALLET_CHECKOUT_CHARGE',
        ]}
      >
        Once the operator adds a Coinbase Commerce product or charge, you can pay for it here in
        USDC.
      </Needs>
    );
  }
  // The card is there without the server too: it is the one that knows of a running payment.
  if (address === undefined && !offline)
    return <ConnectFirst>Connect a wallet to pay from.</ConnectFirst>;
  if (address !== undefined && connector?.id !== SMART_WALLET)
    return (
      <p className="text-ink-2">
        This checkout works only with a smart wallet. You have connected another kind.
      </p>
    );
  return (
    <KeptCard
      hindrance={
        offline ? (
          <p role="status" className="text-amber">
            You are offline. You can pay when you are back online.
          </p>
        ) : (
          elsewhere
        )
      }
    >
      {(hindered) => <PaymentCard hindered={hindered} onBegun={onBegun} />}
    </KeptCard>
  );
}

export default function CheckoutPanel() {
  const [begun, setBegun] = useState<string | null>(null);
  return (
    <>
      <PanelHead title="Checkout" real>
        Pay in USDC on Base. Tradewind plans are paid by card, not here.
      </PanelHead>
      <BegunNotes kind="payment" except={begun} />
      <CheckoutCard onBegun={setBegun} />
      <LinkButton to="/subscription" tone="plain" className="mt-4 -ml-4">
        Plans and cards
      </LinkButton>
    </>
  );
}

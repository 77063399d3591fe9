/** Swapping ETH and USDC on Base with the kit's own card. */
import { useState } from 'react';
import { Swap } from '@coinbase/onchainkit/swap';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { connection } from '../../stores/connection.ts';
import { BegunNotes } from '../BegunNotes.tsx';
import { CardEnd } from '../CardEnd.tsx';
import type { CardOutcome } from '../card-outcome.ts';
import { useChainGate } from '../ChainGate.tsx';
import { KeptCard } from '../KeptCard.tsx';
import { KitFrame } from '../kit/KitFrame.tsx';
import { KitService } from '../kit/KitProvider.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { SwapForm } from './SwapForm.tsx';
import { useSwapOutcome } from './use-swap-outcome.ts';

const SAID: Partial<Record<CardOutcome, string>> = {
  unknown:
    'We do not know whether it was swapped. Check your wallet’s history before you try again.',
  failed: 'The swap failed. Your coins stayed in your wallet.',
};

interface CardProps {
  onBegun: (id: string | null) => void;
}

function ExchangeCard({ hindered, onBegun }: CardProps & { hindered: boolean }) {
  const { kit } = useWalletSettings();
  const { chain } = useAccount();
  const elsewhere = useChainGate(
    base.id,
    <p>The balances below are those on {chain?.name ?? 'another network'}.</p>,
  );
  const { attempt, follow, isInVain, outcome, renew } = useSwapOutcome(onBegun);
  return (
    <>
      {/* Prices are those on Base, whatever chain the wallet is on: only the swap is refused. */}
      {elsewhere !== null && <div className="mb-4">{elsewhere}</div>}
      <KitService settings={kit} chainId={base.id}>
        <KitFrame>
          <Swap
            key={attempt}
            title="Exchange"
            className="rounded-lg"
            onStatus={follow}
            isSponsored={kit.config.paymaster !== null}
          >
            <SwapForm hindered={hindered || elsewhere !== null} isRunning={outcome === 'running'} />
          </Swap>
        </KitFrame>
      </KitService>
      <CardEnd outcome={outcome} words={SAID} onAgain={isInVain ? renew : null} className="mt-2" />
    </>
  );
}

function SwapCard({ onBegun }: CardProps) {
  const { kit } = useWalletSettings();
  const offline = useSnapshot(connection).online === 'offline';
  const { address } = useAccount();
  if (kit.apiKey === null) {
    return (
      <Needs title="Swaps are not set up" settings={['VITE_ONCHAINKIT_API_KEY']}>
        Once the operator adds a provider key, you can swap ETH and USDC from your wallet here.
      </Needs>
    );
  }
  if (address === undefined && !offline)
    return <ConnectFirst>Connect a wallet to swap from.</ConnectFirst>;
  return (
    <KeptCard
      hindrance={
        offline ? (
          <p role="status" className="text-amber">
            You are offline. A swap needs current prices; you can swap when you are back online.
          </p>
        ) : null
      }
    >
      {(hindered) => <ExchangeCard hindered={hindered} onBegun={onBegun} />}
    </KeptCard>
  );
}

export default function SwapPanel() {
  const [begun, setBegun] = useState<string | null>(null);
  return (
    <>
      <PanelHead title="Swap" real>
        Swap ETH and USDC on Base at the price of a liquidity pool. Test coins on Base Sepolia
        cannot be swapped.
      </PanelHead>
      <BegunNotes kind="swap" except={begun} />
      <SwapCard onBegun={setBegun} />
    </>
  );
}

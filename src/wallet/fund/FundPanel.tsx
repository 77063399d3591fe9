/** Buying coins for the connected wallet. */
import { useEffect, useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { Select } from '../../components/Field.tsx';
import { buttonClass } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { connection } from '../../stores/connection.ts';
import { loadWallet, walletStore } from '../../stores/wallet-store.ts';
import { KeptCard } from '../KeptCard.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { FundCard } from './FundCard.tsx';
import { directOnramp, type Onramp } from './onramp-quotes.ts';
import type { TypedAmount } from './purchase-amount.ts';
import { serverOnramp } from './server-onramp.ts';

const ASSETS = ['ETH', 'USDC'];
/** The smart wallet's own page, which needs no key of ours. */
const WALLET_FUND_PAGE = 'https://keys.coinbase.com/fund';

function Unset() {
  return (
    <>
      <Needs
        title="Buying is not set up"
        settings={['VITE_ONCHAINKIT_API_KEY', 'VITE_ONCHAINKIT_PROJECT_ID']}
      >
        Once the operator adds a provider key, you can buy ETH and USDC here by card or from a
        Coinbase account.
      </Needs>
      <p className="mb-2 max-w-[56ch] text-ink-2">
        Until then, add funds to a smart wallet on its provider&rsquo;s page, or send coins to your
        address from another wallet.
      </p>
      <a
        href={WALLET_FUND_PAGE}
        target="_blank"
        rel="noopener noreferrer"
        className={buttonClass()}
      >
        Add funds at Coinbase
      </a>
    </>
  );
}

/**
 * Through our server where it has keys, at the provider's own address where the build has some.
 * `null`: nobody has.
 */
function useOnramp(offline: boolean): Onramp | null | 'asking' {
  const { apiKey, projectId } = useWalletSettings().kit;
  const { data, error } = useSnapshot(walletStore);
  useEffect(() => {
    if (!offline) void loadWallet();
  }, [offline]);
  const direct = useMemo(
    () => (apiKey === null || projectId === null ? null : directOnramp({ apiKey, projectId })),
    [apiKey, projectId],
  );
  if (data?.onramp === 'server') return serverOnramp;
  // A server that does not say is one without keys.
  return data === null && error === null ? 'asking' : direct;
}

function Purchase({ onramp }: { onramp: Onramp }) {
  const { parts } = useWalletSettings();
  const { address } = useAccount();
  const queries = useQueryClient();
  const [asset, setAsset] = useState(ASSETS[0] ?? 'ETH');
  const [typed, setTyped] = useState<TypedAmount>({ kind: 'fiat', text: '' });
  const [isBusy, setIsBusy] = useState(false);
  if (address === undefined)
    return <ConnectFirst>Connect a wallet to receive the coins.</ConnectFirst>;
  return (
    <div className="grid max-w-md gap-4">
      <Select
        label="Coin"
        value={asset}
        options={ASSETS.map((value) => ({ value, label: value }))}
        // The card of a coin is the one that hears of its purchase.
        disabled={isBusy}
        onChange={(event) => {
          setAsset(event.target.value);
          // Money is money; so much of one coin is not as much of another.
          setTyped((old) => (old.kind === 'fiat' ? old : { ...old, text: '' }));
        }}
      />
      <FundCard
        key={asset}
        asset={asset}
        address={address}
        market={parts.fund}
        onramp={onramp}
        typed={typed}
        setTyped={setTyped}
        onBusy={setIsBusy}
        onSuccess={() => {
          void queries.invalidateQueries();
        }}
      />
    </div>
  );
}

function FundBody({ onramp }: { onramp: ReturnType<typeof useOnramp> }) {
  if (onramp === 'asking') return <SkeletonRows rows={3} label="Loading" />;
  return onramp === null ? <Unset /> : <Purchase onramp={onramp} />;
}

export default function FundPanel() {
  const offline = useSnapshot(connection).online === 'offline';
  const onramp = useOnramp(offline);
  return (
    <>
      <PanelHead title="Fund" real>
        Buy coins with real money. They go to your address on Base, not to your paper account.
      </PanelHead>
      <KeptCard
        hindrance={
          offline ? (
            <p role="status" className="text-amber">
              You are offline. Prices and payment methods load when you are back online.
            </p>
          ) : null
        }
      >
        {/* The card itself refuses to buy without the server. */}
        {() => <FundBody onramp={onramp} />}
      </KeptCard>
    </>
  );
}

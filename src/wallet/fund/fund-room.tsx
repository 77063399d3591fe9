/** Buying coins for the connected wallet; refuses to mix them with the paper account, and to fail where a key is missing. */
import { useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { Select } from '../../components/Field.tsx';
import { buttonClass } from '../../components/Button.tsx';
import { connection } from '../../stores/connection.ts';
import { ConnectFirst, Needs, RoomHead } from '../room-words.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { FundCard } from './fund-card.tsx';
import { directOnramp, type Onramp } from './onramp.ts';

const ASSETS = ['ETH', 'USDC'];
/** The smart wallet's own page, which needs no key of ours. */
const WALLET_FUND_PAGE = 'https://keys.coinbase.com/fund';

function Unset() {
  return (
    <>
      <Needs title="Buying is not set up here" settings={['VITE_ONCHAINKIT_API_KEY', 'VITE_ONCHAINKIT_PROJECT_ID']}>
        With a key of the provider&rsquo;s, ETH and USDC can be bought here by card or from an account at Coinbase.
      </Needs>
      <p className="mb-2 max-w-[56ch] text-ink-2">A smart wallet can be filled at its maker&rsquo;s own page meanwhile, or from any other wallet by your address.</p>
      <a href={WALLET_FUND_PAGE} target="_blank" rel="noopener noreferrer" className={buttonClass()}>Add funds at Coinbase</a>
    </>
  );
}

export default function FundRoom({ onramp: given }: { onramp?: Onramp }) {
  const { kit, parts } = useWalletSettings();
  const { online } = useSnapshot(connection);
  const { address } = useAccount();
  const queries = useQueryClient();
  const [asset, setAsset] = useState(ASSETS[0] ?? 'ETH');
  const { apiKey, projectId } = kit;
  const onramp = useMemo(() => given ?? (apiKey === null || projectId === null ? null : directOnramp({ apiKey, projectId })), [given, apiKey, projectId]);
  return (
    <>
      <RoomHead title="Fund" real>Buy coins with real money, delivered to your address on Base. The paper account gets none of it.</RoomHead>
      {onramp === null ? <Unset />
        : online === 'offline' ? <p role="status" className="text-amber">Offline. Prices and ways to pay are the provider&rsquo;s: they can be read when you are back.</p>
          : address === undefined ? <ConnectFirst>Coins need an address to go to.</ConnectFirst> : (
            <div className="grid max-w-md gap-4">
              <Select label="Coin" value={asset} options={ASSETS.map((value) => ({ value, label: value }))} onChange={(event) => { setAsset(event.target.value); }} />
              <FundCard key={asset} asset={asset} address={address} market={parts.fund} onramp={onramp} onSuccess={() => { void queries.invalidateQueries(); }} />
            </div>
          )}
    </>
  );
}

/**
 * Exchanging ETH and USDC on Base with the kit's own card; refuses to be shown where no swap could
 * be made.
 */
import { Swap } from '@coinbase/onchainkit/swap';
import type { Token } from '@coinbase/onchainkit/token';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { connection } from '../../stores/connection.ts';
import { KitFrame } from '../kit/KitFrame.tsx';
import { KitService } from '../kit/KitProvider.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';

/** No pictures: they would be fetched from somebody else. */
const TOKENS: Token[] = [
  { name: 'Ether', symbol: 'ETH', address: '', chainId: base.id, decimals: 18, image: null },
  {
    name: 'USD Coin',
    symbol: 'USDC',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    chainId: base.id,
    decimals: 6,
    image: null,
  },
];

function SwapCard() {
  const { kit } = useWalletSettings();
  const { online } = useSnapshot(connection);
  const { address } = useAccount();
  if (kit.apiKey === null) {
    return (
      <Needs title="Swaps are not set up here" settings={['VITE_ONCHAINKIT_API_KEY']}>
        With a key of the provider&rsquo;s, ETH and USDC of your wallet can be exchanged for each
        other here.
      </Needs>
    );
  }
  if (online === 'offline')
    return (
      <p role="status" className="text-amber">
        Offline. A swap needs a price of this moment: it can be made when you are back.
      </p>
    );
  if (address === undefined)
    return <ConnectFirst>A swap is made from a wallet of yours.</ConnectFirst>;
  return (
    <KitService settings={kit} chainId={base.id}>
      <KitFrame>
        <Swap
          title="Exchange"
          className="rounded-lg"
          from={TOKENS}
          to={[...TOKENS].reverse()}
          isSponsored={kit.config.paymaster !== null}
        />
      </KitFrame>
    </KitService>
  );
}

export default function SwapPanel() {
  return (
    <>
      <PanelHead title="Swap" real>
        Exchange ETH and USDC on Base at the price of a liquidity pool. Test coins of Base Sepolia
        cannot be swapped: its provider serves Base alone.
      </PanelHead>
      <SwapCard />
    </>
  );
}

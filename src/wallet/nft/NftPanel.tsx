/** One collection's token and its mint, by the kit's cards. */
import { useState } from 'react';
import { NFTCard, NFTMintCard } from '@coinbase/onchainkit/nft';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { Button } from '../../components/Button.tsx';
import { connection } from '../../stores/connection.ts';
import { useChainGate } from '../ChainGate.tsx';
import { KeptCard } from '../KeptCard.tsx';
import { KitFrame } from '../kit/KitFrame.tsx';
import { KitService } from '../kit/KitProvider.tsx';
import { ConnectFirst, Needs, PanelHead } from '../PanelHead.tsx';
import { useWalletSettings } from '../wallet-settings.ts';
import { useMintCall } from './mint-call.ts';

interface TokenProps {
  contract: `0x${string}`;
  tokenId: string;
}

/** The kit's codes for a token or a mint that it could not read: its cards are empty then. */
const UNREAD = new Set(['NmND01', 'NmMD01']);
/** A mint that could not be prepared: its card says so itself. */
const UNPREPARED = 'NmNBc01';

function Unread({ onAgain }: { onAgain: () => void }) {
  return (
    <div role="status" className="flex flex-col items-start gap-2 text-ink-2">
      <p>The token could not be loaded from the provider.</p>
      <Button size="sm" onClick={onAgain}>
        Try again
      </Button>
    </div>
  );
}

function TokenView({ contract, tokenId }: TokenProps) {
  const [unread, setUnread] = useState(false);
  if (unread)
    return (
      <Unread
        onAgain={() => {
          setUnread(false);
        }}
      />
    );
  return (
    <KitFrame>
      <NFTCard
        contractAddress={contract}
        tokenId={tokenId}
        onError={(error) => {
          setUnread(UNREAD.has(error.code));
        }}
      />
    </KitFrame>
  );
}

function Mint({ contract, tokenId, sponsored }: TokenProps & { sponsored: boolean }) {
  const [failure, setFailure] = useState<string | null>(null);
  const mintCall = useMintCall();
  if (failure !== null && UNREAD.has(failure))
    return (
      <Unread
        onAgain={() => {
          setFailure(null);
        }}
      />
    );
  return (
    <>
      {failure !== null && failure !== UNPREPARED && (
        <p role="alert" className="mb-2 text-amber">
          Minting failed, unless your wallet says otherwise.
        </p>
      )}
      <KitFrame>
        <NFTMintCard
          contractAddress={contract}
          tokenId={tokenId}
          isSponsored={sponsored}
          buildMintTransaction={mintCall}
          onError={({ code }) => {
            setFailure(code);
          }}
          onSuccess={() => {
            setFailure(null);
          }}
        />
      </KitFrame>
    </>
  );
}

function Collection({
  chainId,
  hindered,
  sponsored,
  ...token
}: TokenProps & { chainId: number; hindered: boolean; sponsored: boolean }) {
  const { address } = useAccount();
  const elsewhere = useChainGate(chainId);
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <section aria-label="The token">
        <h4 className="mb-2 font-medium">The token</h4>
        <TokenView {...token} />
      </section>
      <section aria-label="Mint">
        <h4 className="mb-2 font-medium">Mint one</h4>
        {address === undefined ? (
          <ConnectFirst>Connect a wallet to mint to.</ConnectFirst>
        ) : (
          <KeptCard hindrance={elsewhere}>
            {(isElsewhere) => (
              // The kit's card takes no `disabled`: a field set forbids its buttons all the same.
              <fieldset disabled={hindered || isElsewhere} className="contents">
                <Mint {...token} sponsored={sponsored} />
              </fieldset>
            )}
          </KeptCard>
        )}
      </section>
    </div>
  );
}

function NftBody({ offline }: { offline: boolean }) {
  const { kit, parts } = useWalletSettings();
  const { contract, tokenId } = parts.nft;
  if (kit.apiKey === null || contract === null)
    return (
      <Needs
        title="No collection is set up"
        settings={['VITE_ONCHAINKIT_API_KEY', 'VITE_WALLET_NFT_CONTRACT', 'VITE_WALLET_NFT_TOKEN']}
      >
        Once the operator adds a provider key and a collection address, you can see its token here
        and mint it.
      </Needs>
    );
  return (
    <KeptCard
      hindrance={
        offline ? (
          <p role="status" className="text-amber">
            You are offline. The token and its price load when you are back online.
          </p>
        ) : null
      }
    >
      {(hindered) => (
        <KitService settings={kit} chainId={kit.chainId}>
          <Collection
            contract={contract}
            tokenId={tokenId}
            chainId={kit.chainId}
            hindered={hindered}
            sponsored={kit.config.paymaster !== null}
          />
        </KitService>
      )}
    </KeptCard>
  );
}

export default function NftPanel() {
  const { kit } = useWalletSettings();
  const { online } = useSnapshot(connection);
  return (
    <>
      <PanelHead title="NFT" real={kit.chainId === base.id}>
        View a collection&rsquo;s token and mint one to your wallet.
      </PanelHead>
      <NftBody offline={online === 'offline'} />
    </>
  );
}

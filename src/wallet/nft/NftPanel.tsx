/** One collection's token and its mint, by the kit's cards. */
import { useState } from 'react';
import { NFTCard, NFTMintCard } from '@coinbase/onchainkit/nft';
import { useSnapshot } from 'valtio';
import { useAccount } from 'wagmi';
import { base } from 'wagmi/chains';
import { Button } from '../../components/Button.tsx';
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
import { useMintCall } from './mint-call.ts';
import { UNREAD, useMint } from './use-mint.ts';

interface TokenProps {
  contract: `0x${string}`;
  tokenId: string;
}

interface MintProps {
  sponsored: boolean;
  onBegun: (id: string | null) => void;
}

const SAID: Partial<Record<CardOutcome, string>> = {
  unknown:
    'We do not know whether it was minted. Check your wallet’s history before you try again.',
  failed: 'The mint failed. Your coins stayed in your wallet.',
};

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

function Mint({ contract, tokenId, sponsored, onBegun }: TokenProps & MintProps) {
  const { attempt, follow, isInVain, outcome, readAgain, renew, unread } = useMint(onBegun);
  const mintCall = useMintCall();
  return (
    <>
      <CardEnd
        outcome={outcome}
        words={SAID}
        onAgain={isInVain && !unread ? renew : null}
        className="mb-2"
      />
      {unread && outcome === 'done' && (
        // The kit's own word of it has gone with its card.
        <p role="status" className="mb-2 text-gain">
          Minted.
        </p>
      )}
      {unread ? (
        <Unread onAgain={readAgain} />
      ) : (
        <KitFrame>
          <NFTMintCard
            key={attempt}
            contractAddress={contract}
            tokenId={tokenId}
            isSponsored={sponsored}
            buildMintTransaction={mintCall}
            onStatus={follow}
          />
        </KitFrame>
      )}
    </>
  );
}

function Collection({
  chainId,
  hindered,
  sponsored,
  onBegun,
  ...token
}: TokenProps & MintProps & { chainId: number; hindered: boolean }) {
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
                <Mint {...token} sponsored={sponsored} onBegun={onBegun} />
              </fieldset>
            )}
          </KeptCard>
        )}
      </section>
    </div>
  );
}

function NftBody({ offline, onBegun }: { offline: boolean } & Pick<MintProps, 'onBegun'>) {
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
            onBegun={onBegun}
          />
        </KitService>
      )}
    </KeptCard>
  );
}

export default function NftPanel() {
  const { kit } = useWalletSettings();
  const { online } = useSnapshot(connection);
  const [begun, setBegun] = useState<string | null>(null);
  return (
    <>
      <PanelHead title="NFT" real={kit.chainId === base.id}>
        View a collection&rsquo;s token and mint one to your wallet.
      </PanelHead>
      <BegunNotes kind="mint" except={begun} />
      <NftBody offline={online === 'offline'} onBegun={setBegun} />
    </>
  );
}

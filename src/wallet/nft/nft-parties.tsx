/**
 * A token's creator and owner by address. The kit's own version would look them up with third
 * parties unasked.
 */
import { useNFTContext } from '@coinbase/onchainkit/nft';

function Party({ term, address }: { term: string; address: string | undefined }) {
  if (address === undefined || address === '') return null;
  return (
    <span className="flex justify-between gap-4">
      <span>{term}</span>
      <span title={address}>
        {address.slice(0, 6)}…{address.slice(-4)}
      </span>
    </span>
  );
}

export function NFTCreator() {
  return <Party term="By" address={useNFTContext().creatorAddress} />;
}

export function NFTOwner() {
  return <Party term="Owner" address={useNFTContext().ownerAddress} />;
}

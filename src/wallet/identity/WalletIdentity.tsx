/** Offers to look up an address. Nothing is sent to third parties before the user asks. */
import { Suspense, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { connection } from '../../stores/connection.ts';

const IdentityCard = screenPart(() => import('./IdentityCard.tsx'));

export function WalletIdentity({ address }: { address: `0x${string}` }) {
  const { online } = useSnapshot(connection);
  const [asked, setAsked] = useState<string | null>(null);
  if (asked === address)
    return (
      <Suspense fallback={<SkeletonRows rows={2} label="Looking up the address" />}>
        <IdentityCard address={address} />
      </Suspense>
    );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        size="sm"
        disabled={online === 'offline'}
        onClick={() => {
          setAsked(address);
        }}
      >
        Look up name and attestations
      </Button>
      <span className="min-w-0 text-xs text-ink-3">
        {online === 'offline'
          ? 'Available when you are online.'
          : 'Sends this address to Base, Ethereum and the attestation service.'}
      </span>
    </div>
  );
}

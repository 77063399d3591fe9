/** Offers to look an address up with others; refuses to name it to them unasked. */
import { lazy, Suspense, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { connection } from '../../stores/connection.ts';

const IdentityCard = lazy(() => import('./IdentityCard.tsx'));

export function WalletIdentity({ address }: { address: `0x${string}` }) {
  const { online } = useSnapshot(connection);
  const [asked, setAsked] = useState<string | null>(null);
  if (asked === address)
    return (
      <Suspense fallback={<SkeletonRows rows={2} label="Looking the address up" />}>
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
          ? 'Needs the network.'
          : 'Asks Base, Ethereum and the attestation service about this address.'}
      </span>
    </div>
  );
}

/** An address's public identity: name and picture by the kit, and its attestations. */
import { Address, Avatar, Badge, Identity, Name } from '@coinbase/onchainkit/identity';
import { useOnchainKit } from '@coinbase/onchainkit';
import { useQuery } from '@tanstack/react-query';
import { base } from 'wagmi/chains';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { formatDate } from '../../format/times.ts';
import { KitFrame } from '../kit/KitFrame.tsx';
import { attestationsInForce, type Attestation } from './attestations.ts';

const MS_PER_S = 1_000;
const short = (text: string): string => `${text.slice(0, 6)}…${text.slice(-4)}`;

function Attestations({ found }: { found: readonly Attestation[] }) {
  return (
    <ul aria-label="Attestations" className="mt-3">
      {found.map((one) => (
        <li key={one.id} className="rule py-2">
          <span className="block">
            Attested by <span title={one.attester}>{short(one.attester)}</span>
            {one.time > 0 && ` on ${formatDate(one.time * MS_PER_S)}`}
          </span>
          <span className="block text-xs text-ink-3">
            Attestation {short(one.id)}, schema {short(one.schemaId)}
            {one.expirationTime > 0 && `, until ${formatDate(one.expirationTime * MS_PER_S)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Names are kept on Base itself, whatever chain the wallet is on. */
export default function IdentityCard({ address }: { address: `0x${string}` }) {
  const { chain, schemaId } = useOnchainKit();
  const { data, error, refetch } = useQuery({
    queryKey: ['attestations', address, chain.id, schemaId],
    queryFn: () => attestationsInForce(address, chain, schemaId ?? ''),
    enabled: schemaId !== null,
  });
  const vouched = data !== undefined && data.length > 0;
  return (
    <>
      <KitFrame>
        <Identity
          address={address}
          chain={base}
          hasCopyAddressOnClick={false}
          className="rounded-lg bg-transparent px-0 py-1"
        >
          <Avatar address={address} chain={base} />
          <Name address={address} chain={base} />
          <Address address={address} hasCopyAddressOnClick={false} />
        </Identity>
        {vouched && (
          <span className="inline-flex items-center gap-1.5 text-sm">
            <Badge /> Attested on {chain.name}
          </span>
        )}
      </KitFrame>
      {vouched && <Attestations found={data} />}
      {data?.length === 0 && (
        <p className="mt-2 text-ink-2">
          No attestations for this address on {chain.name} by this schema ({short(schemaId ?? '')}).
        </p>
      )}
      {data === undefined && error === null && (
        <SkeletonRows rows={1} label="Loading attestations" />
      )}
      {data === undefined && error !== null && (
        <div role="status" className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
          <span>Attestations are unknown: the attestation service did not answer.</span>
          <Button
            size="sm"
            onClick={() => {
              void refetch();
            }}
          >
            Try again
          </Button>
        </div>
      )}
    </>
  );
}

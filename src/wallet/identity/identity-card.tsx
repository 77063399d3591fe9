/** Who an address is to others: name, picture and attestations, by the kit; refuses to ask for them before it is shown. */
import { Address, Avatar, Badge, Identity, Name, useAttestations } from '@coinbase/onchainkit/identity';
import { useOnchainKit } from '@coinbase/onchainkit';
import { base } from 'wagmi/chains';
import { formatDate } from '../../format/times.ts';
import { KitFrame } from '../kit-frame.tsx';
import { useWalletSettings } from '../wallet-settings.ts';

const MS_PER_S = 1_000;
const short = (text: string): string => `${text.slice(0, 6)}…${text.slice(-4)}`;

function Attestations({ address }: { address: `0x${string}` }) {
  const { kit } = useWalletSettings();
  const { chain } = useOnchainKit();
  const found = useAttestations({ address, chain, schemaId: kit.schemaId });
  if (found.length === 0) return <p className="mt-3 text-ink-2">Nobody vouches for this address under the attestation asked for ({short(kit.schemaId)}) on {chain.name}.</p>;
  return (
    <ul aria-label="Attestations" className="mt-3">
      {found.map((one) => (
        <li key={one.id} className="rule py-2">
          <span className="block">Attested by {short(one.attester)}{one.time > 0 && ` on ${formatDate(one.time * MS_PER_S)}`}</span>
          <span className="block text-xs break-all text-ink-3">Attestation {short(one.id)}, schema {short(one.schemaId)}{one.expirationTime > 0 ? `, until ${formatDate(one.expirationTime * MS_PER_S)}` : ''}</span>
        </li>
      ))}
    </ul>
  );
}

/** Names are kept on Base itself, whatever chain the wallet is on. */
export default function IdentityCard({ address }: { address: `0x${string}` }) {
  const { kit } = useWalletSettings();
  return (
    <>
      <KitFrame>
        <Identity address={address} chain={base} schemaId={kit.schemaId} className="rounded-lg px-0">
          <Avatar address={address} chain={base} />
          <Name address={address} chain={base}><Badge tooltip="Verified account" /></Name>
          <Address address={address} />
        </Identity>
      </KitFrame>
      <Attestations address={address} />
    </>
  );
}

/**
 * Who attests to an address, from the chain's attestation service. A failed request is never taken
 * for "nobody".
 */
import { getAddress } from 'viem';
import * as z from 'zod/mini';

/** Where the attestations of each chain are kept. */
const SERVICES: Readonly<Record<number, string>> = {
  8453: 'https://base.easscan.org/graphql',
  84532: 'https://base-sepolia.easscan.org/graphql',
};
const MOST = 10;
const MS_PER_S = 1_000;

const QUERY = `query AttestationsForUsers($where: AttestationWhereInput, $distinct: [AttestationScalarFieldEnum!], $take: Int) {
  attestations(where: $where, distinct: $distinct, take: $take) {
    id txid schemaId attester recipient revoked revocationTime expirationTime time timeCreated decodedDataJson
  }
}`;

const Attestation = z.object({
  id: z.string(),
  schemaId: z.string(),
  attester: z.string(),
  recipient: z.string(),
  revoked: z.boolean(),
  /** Unix seconds; nought for none. */
  expirationTime: z.number(),
  time: z.number(),
  decodedDataJson: z.string(),
});
export type Attestation = z.infer<typeof Attestation>;
const Reply = z.object({ data: z.object({ attestations: z.array(Attestation) }) });

export interface AttestationFilters {
  schemas?: readonly string[];
  revoked: boolean;
  expirationTime?: number;
  limit: number;
}

/** @throws Error when the service cannot be asked or answers something else. */
export async function getAttestationsByFilter(
  address: `0x${string}`,
  chain: { id: number },
  filters: AttestationFilters,
): Promise<Attestation[]> {
  const service = SERVICES[chain.id];
  if (service === undefined) throw new Error('This chain has no attestation service');
  const conditions = {
    recipient: { equals: getAddress(address) },
    revoked: { equals: filters.revoked },
    ...(filters.expirationTime === undefined
      ? {}
      : {
          OR: [
            { expirationTime: { equals: 0 } },
            { expirationTime: { gt: filters.expirationTime } },
          ],
        }),
    ...(filters.schemas === undefined ? {} : { schemaId: { in: filters.schemas } }),
  };
  const reply = await fetch(service, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: QUERY,
      variables: { where: { AND: [conditions] }, distinct: ['schemaId'], take: filters.limit },
      operationName: 'AttestationsForUsers',
    }),
  });
  if (!reply.ok) throw new Error(`The attestation service answered ${reply.status}`);
  return Reply.parse(await reply.json()).data.attestations;
}

/** What is in force now under one schema. What the service gives beside that is not believed. */
export async function attestationsInForce(
  address: `0x${string}`,
  chain: { id: number },
  schemaId: string,
  now = Date.now(),
): Promise<Attestation[]> {
  const seconds = Math.round(now / MS_PER_S);
  const found = await getAttestationsByFilter(address, chain, {
    revoked: false,
    expirationTime: seconds,
    limit: MOST,
    schemas: [schemaId],
  });
  return found.filter(
    (one) =>
      !one.revoked &&
      one.schemaId.toLowerCase() === schemaId.toLowerCase() &&
      one.recipient.toLowerCase() === address.toLowerCase() &&
      (one.expirationTime === 0 || one.expirationTime > seconds),
  );
}

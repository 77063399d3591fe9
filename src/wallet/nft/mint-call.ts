/**
 * The mint transaction as the kit's service builds it. A malformed reply would crash the kit's
 * card, so it is checked here.
 */
import { buildMintTransaction } from '@coinbase/onchainkit/api';
import type { BuildMintTransaction } from '@coinbase/onchainkit/nft';
import * as z from 'zod/mini';

const hex = z.string().check(z.regex(/^0x[0-9a-fA-F]*$/));
const Built = z.object({
  call_data: z.object({ to: hex, data: hex, value: z.string().check(z.regex(/^\d+$/)) }),
});

export const mintCall: BuildMintTransaction = async ({
  contractAddress,
  takerAddress,
  tokenId,
  quantity,
  network,
}) => {
  const reply: unknown = await buildMintTransaction({
    mintAddress: contractAddress,
    takerAddress,
    quantity,
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(network === undefined ? {} : { network }),
  });
  const { data, success } = Built.safeParse(reply);
  // The card prints what it is rejected with: a sentence, and no error object.
  if (!success) return Promise.reject('The provider could not prepare this mint.'); // oxlint-disable-line typescript/prefer-promise-reject-errors
  const { data: input, to, value } = data.call_data;
  return [{ to: to as `0x${string}`, data: input as `0x${string}`, value: BigInt(value) }];
};

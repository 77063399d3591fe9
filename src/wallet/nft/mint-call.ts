/**
 * The mint transaction as the kit's service builds it. A malformed reply would crash the kit's
 * card, so it is checked here.
 */
import { useCallback, useRef } from 'react';
import { buildMintTransaction } from '@coinbase/onchainkit/api';
import type { BuildMintTransaction } from '@coinbase/onchainkit/nft';
import { useConfig } from 'wagmi';
import { getAccount } from 'wagmi/actions';
import * as z from 'zod/mini';

const hex = z.string().check(z.regex(/^0x[0-9a-fA-F]*$/));
const Built = z.object({
  call_data: z.object({ to: hex, data: hex, value: z.string().check(z.regex(/^\d+$/)) }),
});

const mintCall: BuildMintTransaction = async ({
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

/**
 * One card's. The kit takes whichever answer comes, also one for another quantity or for the account
 * before: such a one never comes here, and the card stays shut until the present one is there.
 */
export function useMintCall(): BuildMintTransaction {
  const config = useConfig();
  const newest = useRef(0);
  return useCallback(
    (wish) => {
      const turn = ++newest.current;
      return new Promise((resolve, reject) => {
        const whilePresent =
          <T>(settle: (answer: T) => void) =>
          (answer: T): void => {
            // The kit asks nothing for a new account before it has read what that one may mint.
            if (turn === newest.current && getAccount(config).address === wish.takerAddress)
              settle(answer);
          };
        mintCall(wish).then(whilePresent(resolve), whilePresent(reject));
      });
    },
    [config],
  );
}

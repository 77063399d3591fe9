/**
 * What became of what a card of the kit began. The kit calls a closed window a refusal, any lost
 * answer a failure, and a bundle a success whatever the wallet's operation in it did.
 */
import type { TransactionReceipt } from 'viem';
import type { Config } from 'wagmi';
import { getTransactionReceipt } from 'wagmi/actions';
import { operationOutcome } from './send/user-operations.ts';
import { walletFailure } from './wallet-errors.ts';

/** `none`: certainly nothing was sent. `unknown`: nobody here knows. */
export type CardOutcome = 'none' | 'unknown' | 'failed' | 'done';

/** The library's own names of what may pay. */
const PAYING = new Set<unknown>(['sendCalls', 'sendTransaction', 'writeContracts']);

export const mayPay = ({ options }: { options: { mutationKey?: readonly unknown[] } }): boolean =>
  PAYING.has(options.mutationKey?.[0]);

/** `from`: the account that was asked, null where none was connected. */
export function outcomeOfReceipt(
  receipt: TransactionReceipt | undefined,
  from: string | null,
): CardOutcome {
  if (receipt === undefined || from === null) return 'unknown';
  // Whoever signs a transaction is its sender: a smart wallet has no key to sign one with.
  const success =
    receipt.from.toLowerCase() === from.toLowerCase()
      ? receipt.status === 'success'
      : operationOutcome(receipt.logs, from)?.success;
  if (success === undefined) return 'unknown';
  return success ? 'done' : 'failed';
}

/** Of the wallet's own error: the kit hands on only its text, without its cause. */
export const outcomeOfError = (error: unknown): CardOutcome =>
  walletFailure(error, 'send').safe === 'Nothing was sent.' ? 'none' : 'unknown';

/**
 * Of what was sent, where the kit or the wallet gave up on it: a failure only where the chain
 * reverted all of it.
 */
export async function outcomeOnChain(
  config: Config,
  hashes: readonly `0x${string}`[],
  chainId: number | undefined,
): Promise<CardOutcome> {
  if (hashes.length === 0) return 'unknown';
  const where = chainId === undefined ? {} : { chainId };
  try {
    const receipts = await Promise.all(
      hashes.map((hash) => getTransactionReceipt(config, { hash, ...where })),
    );
    return receipts.every(({ status }) => status === 'reverted') ? 'failed' : 'unknown';
  } catch {
    return 'unknown';
  }
}

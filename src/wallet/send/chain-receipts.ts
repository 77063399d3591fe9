/** Watches the chain for the outcome of a transfer. No answer never counts as an outcome. */
import type { Config } from 'wagmi';
import type { Client, ReplacementReason } from 'viem';
import { call, waitForTransactionReceipt } from 'viem/actions';
import { RECEIPT_POLICY } from '../rpc-policy.ts';
import { changeSend, isOpen, type Send } from './sends-store.ts';
import { operationOutcome } from './user-operations.ts';
import { revertReason } from '../wallet-errors.ts';

/** Transfers that this page is already watching. */
const watched = new Set<string>();
const MOMENT_MS = 1_000;

type Hash = `0x${string}`;

/** A node that is away ends one attempt, not the three minutes. */
async function receiptOf(
  config: Config,
  { chainId, hash }: { chainId: Send['chainId']; hash: Hash },
) {
  const client = config.getClient({ chainId });
  const until = Date.now() + RECEIPT_POLICY.timeout;
  for (let left: number = RECEIPT_POLICY.timeout; left > 0; left = until - Date.now()) {
    let became: ReplacementReason | null = null;
    try {
      const receipt = await waitForTransactionReceipt(client, {
        ...RECEIPT_POLICY,
        hash,
        timeout: left,
        onReplaced: ({ reason }) => {
          became = reason;
        },
      });
      return { receipt, became: became as ReplacementReason | null };
    } catch (error) {
      if ((error as Error).name === 'WaitForTransactionReceiptTimeoutError') return null;
      await new Promise((resolve) => {
        setTimeout(resolve, MOMENT_MS);
      });
    }
  }
  return null;
}

/**
 * Done again on the state before its block, or on the one after where another of that block stood
 * in its way, a reverted call says why.
 */
async function reasonOf(config: Config, send: Send, block: bigint): Promise<string | null> {
  const client = config.getClient({ chainId: send.chainId }) as Client;
  for (const blockNumber of [block - 1n, block]) {
    try {
      await call(client, {
        account: send.from as Hash,
        to: send.to as Hash,
        value: BigInt(send.wei),
        blockNumber,
      });
    } catch (error) {
      const reason = revertReason(error);
      if (reason !== null) return reason;
    }
  }
  return null;
}

type Found = NonNullable<Awaited<ReturnType<typeof receiptOf>>>;
type Outcome = Pick<Send, 'feeWei' | 'hash' | 'stage'>;

/** A transaction of the sender's own key. */
function ofTransaction({ became, receipt }: Found): Outcome {
  const l1Fee = (receipt as { l1Fee?: bigint | null }).l1Fee ?? 0n;
  const ended = receipt.status === 'success' ? 'confirmed' : 'reverted';
  return {
    hash: receipt.transactionHash,
    feeWei: String(receipt.gasUsed * receipt.effectiveGasPrice + l1Fee),
    stage: became === 'cancelled' || became === 'replaced' ? became : ended,
  };
}

/**
 * A smart wallet's operation among others in a bundle. The bundle can succeed where the operation
 * failed, and its sender may replace it by another that has the operation too.
 */
function ofBundle({ receipt }: Found, from: string): Outcome {
  const operation = operationOutcome(receipt.logs, from);
  const hash = receipt.transactionHash;
  if (operation === null) return { hash, feeWei: null, stage: 'unknown' };
  const { feeWei, success } = operation;
  return {
    hash,
    feeWei: feeWei === null ? null : String(feeWei),
    stage: success ? 'confirmed' : 'reverted',
  };
}

async function settle(config: Config, uid: string, send: Send & { hash: string }): Promise<void> {
  const found = await receiptOf(config, { chainId: send.chainId, hash: send.hash as Hash });
  if (found === null) {
    changeSend(uid, send.id, { stage: 'unseen' });
    return;
  }
  const { receipt } = found;
  // Whoever signs a transaction is its sender: a smart wallet has no key to sign one with.
  const isOwn = receipt.from.toLowerCase() === send.from.toLowerCase();
  const outcome = isOwn ? ofTransaction(found) : ofBundle(found, send.from);
  changeSend(uid, send.id, {
    ...outcome,
    ...(outcome.stage === 'reverted'
      ? { reason: await reasonOf(config, send, receipt.blockNumber) }
      : {}),
  });
}

/**
 * Begins to look for every one that has no last word yet; one that is looked for already is not
 * looked for twice.
 */
export function watchSends(config: Config, uid: string, sends: readonly Send[]): void {
  for (const send of sends) {
    if (!isOpen(send) || send.hash === null || watched.has(send.id)) continue;
    watched.add(send.id);
    void settle(config, uid, { ...send, hash: send.hash }).finally(() => {
      watched.delete(send.id);
    });
  }
}

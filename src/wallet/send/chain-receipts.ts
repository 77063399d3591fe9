/** Watches the chain for the outcome of a transfer. No answer never counts as an outcome. */
import type { Config } from 'wagmi';
import type { Client, ReplacementReason } from 'viem';
import { call, waitForTransactionReceipt } from 'viem/actions';
import { RECEIPT_POLICY } from '../rpc-policy.ts';
import { changeSend, isOpen, type Send } from './sends-store.ts';
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

async function settle(config: Config, uid: string, send: Send & { hash: string }): Promise<void> {
  const found = await receiptOf(config, { chainId: send.chainId, hash: send.hash as Hash });
  if (found === null) {
    changeSend(uid, send.id, { stage: 'unseen' });
    return;
  }
  const { became, receipt } = found;
  const l1Fee = (receipt as { l1Fee?: bigint | null }).l1Fee ?? 0n;
  const part = {
    hash: receipt.transactionHash,
    feeWei: String(receipt.gasUsed * receipt.effectiveGasPrice + l1Fee),
  };
  if (became === 'cancelled' || became === 'replaced')
    changeSend(uid, send.id, { ...part, stage: became });
  else if (receipt.status === 'success') changeSend(uid, send.id, { ...part, stage: 'confirmed' });
  else
    changeSend(uid, send.id, {
      ...part,
      stage: 'reverted',
      reason: await reasonOf(config, send, receipt.blockNumber),
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

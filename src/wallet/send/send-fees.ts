/** The most that a transfer will cost, including the share that Base pays to Ethereum. */
import type { Account, Chain, Client, Transport } from 'viem';
import { estimateFeesPerGas, estimateGas } from 'viem/actions';
import { estimateL1Fee } from 'viem/op-stack';

/**
 * A smart wallet's operation, its own creation among it, takes this much gas and not a plain
 * payment's.
 */
const SMART_WALLET_GAS = 400_000n;
/** Ethereum's share moves with its gas price between the estimate and the block. */
const L1_MARGIN_PERCENT = 125n;

export interface SendFees {
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** The most that it may cost, wei. */
  feeWei: bigint;
}

export interface SendTerms {
  from: `0x${string}`;
  to: `0x${string}`;
  wei: bigint;
  /** It pays by an operation of its own. */
  isSmart: boolean;
}

type ChainClient = Client<Transport, Chain, Account | undefined>;

/** Zero where there is no such contract: a chain that stands on no other. */
async function l1FeeOf(client: ChainClient, { from, to, wei }: SendTerms): Promise<bigint> {
  try {
    return await estimateL1Fee(client, { account: from, to, value: wei, chain: client.chain });
  } catch (error) {
    const none =
      (error as { cause?: { name?: string } }).cause?.name === 'ContractFunctionZeroDataError' ||
      (error as Error).name === 'ContractFunctionZeroDataError';
    if (none) return 0n;
    throw error;
  }
}

/** @throws what the chain says of it: a refusal by the recipient's contract too. */
export async function estimateSend(client: ChainClient, terms: SendTerms): Promise<SendFees> {
  const { from, isSmart, to, wei } = terms;
  const [gas, { maxFeePerGas, maxPriorityFeePerGas }, l1Fee] = await Promise.all([
    estimateGas(client, { account: from, to, value: wei }),
    estimateFeesPerGas(client),
    l1FeeOf(client, terms),
  ]);
  const units = isSmart && gas < SMART_WALLET_GAS ? SMART_WALLET_GAS : gas;
  return {
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    feeWei: units * maxFeePerGas + (l1Fee * L1_MARGIN_PERCENT) / 100n,
  };
}

/** All that can be sent and still be paid for; null where the fee alone is more than there is. */
export function mostSendable(balanceWei: bigint, feeWei: bigint): bigint | null {
  return balanceWei > feeWei ? balanceWei - feeWei : null;
}

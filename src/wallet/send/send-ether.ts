/** Asks the wallet to send once, and records the outcome, also while it is unknown. */
import type { Config } from 'wagmi';
import { formatTransactionRequest, numberToHex } from 'viem';
import { getConnectorClient } from 'wagmi/actions';
import { watchSends } from './chain-receipts.ts';
import type { WalletChainId } from '../rpc-policy.ts';
import type { SendFees, SendTerms } from './send-fees.ts';
import { addSend, changeSend, dropSend, sendsStore } from './sends-store.ts';
import { NotAskedError, NoTransactionError, walletFailure } from '../wallet-errors.ts';

export interface SendOrder extends SendTerms {
  uid: string;
  chainId: WalletChainId;
  fees: SendFees;
}

/** How to stop waiting for the wallet, by the id of each transfer that it is being asked for. */
const waits = new Map<string, () => void>();

/**
 * A window that is closed without a word leaves the question open for ever. What the wallet answers
 * after all still counts.
 */
export function stopWaiting(id: string): void {
  waits.get(id)?.();
}

const listeners = new Set<(sent: SendOrder) => void>();

/**
 * Tells of each transfer that the wallet has given to the chain: the form that began it may be gone
 * by then, and another on screen. Returns what ends it.
 */
export function onSent(listener: (sent: SendOrder) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/**
 * One question and no other. The library's own way of sending asks a second time by another method
 * where the first failed, and reports that failure in place of the first.
 */
async function askWallet(
  config: Config,
  { chainId, fees, from, isSmart, to, wei }: SendOrder,
): Promise<unknown> {
  // Throws where the wallet is on another network, or has another account.
  const client = await getConnectorClient(config, { account: from, chainId }).catch(
    (cause: unknown) => {
      throw new NotAskedError(cause instanceof Error ? cause.message : String(cause), { cause });
    },
  );
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = fees;
  const transaction = formatTransactionRequest({
    from,
    to,
    value: wei,
    // What was shown is what the wallet is asked for. A smart wallet reckons its operation itself.
    ...(isSmart ? {} : { gas, maxFeePerGas, maxPriorityFeePerGas }),
  });
  // A wallet that changes its network meanwhile can refuse by the chain.
  const params = { ...transaction, chainId: numberToHex(chainId) };
  return client.request({ method: 'eth_sendTransaction', params: [params] }, { retryCount: 0 });
}

/** Some wallets answer nothing. */
const isHash = (answer: unknown): answer is `0x${string}` =>
  typeof answer === 'string' && /^0x[0-9a-fA-F]{64}$/.test(answer);

/**
 * Answers the id under which it is kept once the wallet has given it to the chain.
 * @throws the wallet's or the chain's error. What was certainly not sent leaves nothing behind; the
 *   rest stays, as unknown.
 * @param onStopped called where the person stops waiting before the wallet has answered
 */
export async function sendEther(
  config: Config,
  order: SendOrder,
  onStopped: () => void = () => undefined,
): Promise<string> {
  const { chainId, from, to, uid, wei } = order;
  const id = addSend(uid, { chainId, from, to, wei: String(wei) });
  waits.set(id, () => {
    waits.delete(id);
    changeSend(uid, id, { stage: 'unknown' });
    onStopped();
  });
  try {
    const hash = await askWallet(config, order);
    if (!isHash(hash)) throw new NoTransactionError();
    changeSend(uid, id, { hash, stage: 'sent' });
    watchSends(
      config,
      uid,
      sendsStore.list.filter((send) => send.id === id),
    );
  } catch (error) {
    if (walletFailure(error, 'send').safe === 'Nothing was sent.') dropSend(uid, id);
    else changeSend(uid, id, { stage: 'unknown' });
    throw error;
  } finally {
    waits.delete(id);
  }
  for (const listener of listeners) listener(order);
  return id;
}

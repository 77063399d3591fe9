/**
 * Whether an address signed a message: by its key offline, or by its contract on the chain. No
 * answer is not a "no".
 */
import {
  createClient,
  defineChain,
  http,
  isAddressEqual,
  recoverMessageAddress,
  type Address,
  type Hex,
} from 'viem';
import { call, getChainId, verifyMessage, type CallParameters } from 'viem/actions';
import { Refusal } from '../../contract/errors.ts';
import type { WalletChainId } from '../../contract/wallet.ts';
import type { Log } from '../log.ts';

/** The person waits for this, and the app for ten seconds. */
const RPC_TIMEOUT_MS = 3_500;
const RPC_RETRIES = 1;
const ANSWER_LIMIT_MS = 8_000;
const RETRY_AFTER_MS = 5_000;
/**
 * What a chain answers when it ran the question and the contract would not have it: a revert, and
 * other ends of a run.
 */
const RAN = new Set([3, -32_015]);
/** Geth's code of every error that has none of its own: its text alone says whose it is. */
const ANY_ERROR = -32_000;
/** Ends of a run, as geth words them. */
const END_OF_A_RUN =
  /revert|invalid opcode|invalid jump|out of gas|gas uint64 overflow|stack (?:under|over)flow|stack limit/i;

/** The chain did not answer, or not as a chain does. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Whether a failed call is the contract's own doing; anything else says nothing of the signature.
 */
function didRun(error: unknown): boolean {
  for (
    let cause = error, depth = 0;
    depth < 8 && cause instanceof Error;
    cause = cause.cause, depth += 1
  ) {
    const code = 'code' in cause ? cause.code : null;
    if (
      cause.name === 'ExecutionRevertedError' ||
      (typeof code === 'number' && RAN.has(code)) ||
      (code === ANY_ERROR && END_OF_A_RUN.test(saidBy(cause)))
    )
      return true;
  }
  return false;
}

/** The node's own words, where the library keeps them apart from its own. */
const saidBy = (error: Error): string =>
  'details' in error && typeof error.details === 'string' ? error.details : error.message;

function clientOf(chainId: WalletChainId, url: string) {
  const chain = defineChain({
    id: chainId,
    name: String(chainId),
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createClient({
    chain,
    transport: http(url, {
      timeout: RPC_TIMEOUT_MS,
      retryCount: RPC_RETRIES,
      fetchOptions: { redirect: 'error' },
    }),
  });
  // The library takes every failed call for "not signed". Here a call that failed to be made is
  // told apart.
  return client.extend((plain) => ({
    async call(parameters: CallParameters) {
      const answer = await call(plain, parameters).catch((error: unknown) => {
        if (didRun(error)) throw error;
        throw new Unreachable('The chain did not answer a call', { cause: error });
      });
      if (answer.data === undefined)
        throw new Unreachable('The chain answered a call with nothing');
      return answer;
    },
  }));
}
type ChainClient = ReturnType<typeof clientOf>;

export interface Claim {
  address: Address;
  chainId: WalletChainId;
  message: string;
  signature: Hex;
}

export class Proofs {
  private readonly clients = new Map<WalletChainId, Promise<ChainClient>>();

  constructor(
    private readonly urls: Readonly<Record<WalletChainId, string>>,
    private readonly log: Log,
  ) {}

  /**
   * Who vouched for it. A key's signature needs no chain. A smart wallet's is asked of its contract
   * (EIP-1271), and where that is not there yet, of one made for the question alone (EIP-6492).
   * @throws Refusal `invalid_signature`, or `chain_unavailable` where only the chain could know.
   */
  async proofOf({ address, chainId, message, signature }: Claim): Promise<'key' | 'contract'> {
    const signer = await recoverMessageAddress({ message, signature }).catch(() => null);
    if (signer !== null && isAddressEqual(signer, address)) return 'key';
    if (await this.ask({ address, chainId, message, signature })) return 'contract';
    throw new Refusal(
      'invalid_signature',
      'This signature does not belong to this address. Nothing was linked.',
    );
  }

  private async ask({ address, chainId, message, signature }: Claim): Promise<boolean> {
    let late: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      late = setTimeout(reject, ANSWER_LIMIT_MS, new Unreachable('The chain took too long'));
    });
    try {
      const asked = this.clientFor(chainId).then((client) =>
        verifyMessage(client, { address, message, signature }),
      );
      asked.catch(() => undefined);
      return await Promise.race([asked, limit]);
    } catch (error) {
      this.log.warn({ chainId, reason: reasonOf(error) }, 'a chain could not verify a signature');
      throw new Refusal(
        'chain_unavailable',
        'The network cannot be reached right now to check your smart wallet. Nothing was linked; your signature is still valid.',
        { retryAfterMs: RETRY_AFTER_MS },
      );
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * The client of a chain, once it has been seen that the address leads to that chain and no other.
   */
  private clientFor(chainId: WalletChainId): Promise<ChainClient> {
    const known = this.clients.get(chainId);
    if (known !== undefined) return known;
    const opened = (async () => {
      const client = clientOf(chainId, this.urls[chainId]);
      const found = await getChainId(client);
      if (found !== chainId)
        throw new Unreachable(`The address of chain ${chainId} leads to chain ${found}`);
      return client;
    })();
    this.clients.set(chainId, opened);
    opened.catch(() => {
      this.clients.delete(chainId);
    });
    return opened;
  }
}

/**
 * The kind of failure and no more: the address of a chain may hold a key, and the library quotes
 * it.
 */
function reasonOf(error: unknown): string {
  if (error instanceof Unreachable)
    return error.cause === undefined ? error.message : `${error.message}: ${nameOf(error.cause)}`;
  return nameOf(error);
}

function nameOf(error: unknown): string {
  let name = 'unknown';
  for (
    let cause = error, depth = 0;
    depth < 8 && cause instanceof Error;
    cause = cause.cause, depth += 1
  )
    name = cause.name;
  return name;
}

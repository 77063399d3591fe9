/**
 * A connected smart wallet for the kit's cards, with a node and a provider on this machine that
 * answer as the test says.
 */
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { entryPoint06Address } from 'viem/account-abstraction';
import { createConfig, createConnector, createStorage, http, mock, type Config } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { startProvider, type ProviderServer } from './provider-server.ts';
import { startReplyServer, type ReplyServer } from './reply-server.ts';

export const CARD_ADDRESS = '0x00000000000000000000000000000000000000AB';
const PAID_HASH = `0x${'7'.repeat(64)}` as const;
const BLOCK_HASH = `0x${'8'.repeat(64)}`;
const OPERATION = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);
const BUNDLER = '0x00000000000000000000000000000000000000b1';

type Asking = (params: unknown) => unknown;

/** What the wallet is asked and how it answers; what has no answer here is the mock's. */
export interface CardWallet {
  asked: string[];
  answers: Record<string, Asking>;
}

/** A bundle as the wallet tells of it. */
const bundle = (status: number, receipts: unknown[]) => ({
  atomic: true,
  chainId: '0x2105',
  id: '0x1',
  status,
  version: '2.0.0',
  receipts,
});

/** The wallet gave the bundle up, and nothing of it is in a block. */
export const givenUp = (): unknown => bundle(400, []);

export function cardWallet(): CardWallet {
  return {
    asked: [],
    answers: {
      wallet_getCapabilities: () => ({ '0x2105': { atomicBatch: { supported: true } } }),
      wallet_sendCalls: () => new Promise(() => undefined),
      wallet_getCallsStatus: () =>
        bundle(200, [
          {
            blockHash: BLOCK_HASH,
            blockNumber: '0x1',
            gasUsed: '0x1',
            logs: [],
            status: '0x1',
            transactionHash: PAID_HASH,
          },
        ]),
    },
  };
}

/** A wallet under the name of the smart one, or its own; it begins on the first chain. */
export function cardConfig(
  { answers, asked }: CardWallet,
  {
    id = 'coinbaseWalletSDK',
    node = 'http://127.0.0.1:9',
    chain = base.id,
  }: { id?: string; node?: string; chain?: number } = {},
): Config {
  return createConfig({
    chains: chain === base.id ? [base, baseSepolia] : [baseSepolia, base],
    connectors: [
      createConnector((given) => {
        const inner = mock({ accounts: [CARD_ADDRESS] })(given);
        return {
          ...inner,
          id,
          getProvider: async () => {
            const provider = await inner.getProvider();
            const request = (args: { method: string; params?: unknown }): unknown => {
              asked.push(args.method);
              const answer = answers[args.method];
              return answer === undefined
                ? provider.request(args as never)
                : Promise.resolve(answer(args.params));
            };
            return { ...provider, request } as never;
          },
        };
      }),
    ],
    storage: createStorage({
      key: 'card',
      storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    }),
    transports: {
      [base.id]: http(node, { retryCount: 0 }),
      [baseSepolia.id]: http(node, { retryCount: 0 }),
    },
    pollingInterval: 50,
    batch: { multicall: false },
  });
}

export interface CardNode extends ReplyServer {
  /** The logs of the transaction that the wallet says it sent. */
  logs: unknown[];
  /** What else its receipt says, in place of a bundle's. */
  receipt: Record<string, unknown>;
  /** What a test holds back of a receipt; by default nothing. */
  held: () => Promise<unknown>;
}

/** A node on which everybody has a thousand USDC, and a bundle is in a block. */
export async function startCardNode(): Promise<CardNode> {
  const server = await startReplyServer();
  const node: CardNode = { ...server, logs: [], receipt: {}, held: () => Promise.resolve() };
  const results: Record<string, () => unknown> = {
    eth_call: () => `0x${(1_000_000_000).toString(16).padStart(64, '0')}`,
    eth_blockNumber: () => '0x2',
    eth_getBalance: () => '0xde0b6b3a7640000',
    eth_getTransactionReceipt: () => ({
      blockHash: BLOCK_HASH,
      blockNumber: '0x1',
      contractAddress: null,
      cumulativeGasUsed: '0x1',
      effectiveGasPrice: '0x1',
      from: BUNDLER,
      gasUsed: '0x1',
      logs: node.logs,
      logsBloom: '0x0',
      status: '0x1',
      to: BUNDLER,
      transactionHash: PAID_HASH,
      transactionIndex: '0x0',
      type: '0x2',
      ...node.receipt,
    }),
  };
  server.answer(async ({ body }) => {
    const { id, method } = body as { id: number; method: string };
    if (method === 'eth_getTransactionReceipt') await node.held();
    return { status: 200, body: { jsonrpc: '2.0', id, result: results[method]?.() ?? null } };
  });
  return node;
}

/** What the cards of a test file talk to. */
export interface CardServers {
  provider: ProviderServer;
  node: CardNode;
  /** Before each test: nothing asked, nothing logged. */
  forget: () => void;
  close: () => Promise<unknown>;
}

export async function startCardServers(): Promise<CardServers> {
  const [provider, node] = await Promise.all([startProvider(), startCardNode()]);
  return {
    provider,
    node,
    forget() {
      node.logs.length = 0;
      node.receipt = {};
      node.held = () => Promise.resolve();
      node.asked.length = 0;
      provider.asked.length = 0;
    },
    close: () => Promise.all([provider.close(), node.close()]),
  };
}

/** The entry point's word on the wallet's operation in the bundle, as a node writes it. */
export const operation = (success: boolean): unknown => ({
  address: entryPoint06Address,
  topics: encodeEventTopics({
    abi: OPERATION,
    eventName: 'UserOperationEvent',
    args: { userOpHash: PAID_HASH, sender: CARD_ADDRESS, paymaster: zeroAddress },
  }),
  data: encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [
    0n,
    success,
    9n,
    3n,
  ]),
  blockHash: BLOCK_HASH,
  blockNumber: '0x1',
  logIndex: '0x0',
  removed: false,
  transactionHash: PAID_HASH,
  transactionIndex: '0x0',
});

/** A charge of one USDC, in the provider's own words. */
export const CHARGE = {
  id: 'charge-1',
  callData: {
    deadline: '2099-01-01T00:00:00Z',
    feeAmount: '10000',
    id: `0x${'1'.repeat(32)}`,
    operator: BUNDLER,
    prefix: '0x00',
    recipient: BUNDLER,
    recipientAmount: '990000',
    recipientCurrency: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    refundDestination: BUNDLER,
    signature: '0x00',
  },
  metaData: { chainId: base.id, contractAddress: BUNDLER, sender: CARD_ADDRESS },
};

/** What a wallet's failures are for a person, from the errors that the libraries really throw. */
import {
  BaseError,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
  UserRejectedRequestError,
  SwitchChainError,
  ChainMismatchError,
  MethodNotFoundRpcError,
  InvalidInputRpcError,
  NonceTooLowError,
  ResourceUnavailableRpcError,
  ExecutionRevertedError,
  InsufficientFundsError,
  TransactionExecutionError,
  EstimateGasExecutionError,
} from 'viem';
import { baseSepolia } from 'viem/chains';
import {
  ChainNotConfiguredError,
  ConnectorAlreadyConnectedError,
  ProviderNotFoundError,
  SwitchChainNotSupportedError,
} from 'wagmi';
import { switchAccount } from 'wagmi/actions';
import { describe, expect, it } from 'vitest';
import { walletKitSettings } from '../../../src/wallet/kit/kit-settings.ts';
import { walletConfig } from '../../../src/wallet/connect/wallet-config.ts';
import {
  revertReason,
  walletFailure,
  walletSentence,
  type WalletAct,
} from '../../../src/wallet/wallet-errors.ts';

const rpc = (code: number, message: string) =>
  new RpcRequestError({ body: {}, url: 'http://x', error: { code, message } });
const http = (status: number, headers: Record<string, string> = {}) =>
  new HttpRequestError({ url: 'http://x', status, headers: new Headers(headers) });
/** The library keeps this one's class to itself. */
function notConnected(): Promise<unknown> {
  const config = walletConfig({
    jar: { cookie: '' },
    secureCookies: false,
    settings: walletKitSettings(),
  });
  return switchAccount(config, { connector: config.connectors[0] as never }).catch(
    (error: unknown) => error,
  );
}
const kind = (error: unknown, act: WalletAct = 'send') => walletFailure(error, act).kind;

describe('a connection that fails', () => {
  it("is told in the library's own words, then what is safe and what to do (R8-34, R5-29, R5-30)", async () => {
    expect(walletSentence(new ChainNotConfiguredError(), 'switch')).toBe(
      'Chain not configured. Nothing was changed. Choose Base or Base Sepolia.',
    );
    expect(walletSentence(new SwitchChainError(new ChainNotConfiguredError()), 'switch')).toMatch(
      /^Chain not configured\. /,
    );
    expect(walletSentence(new ProviderNotFoundError(), 'connect')).toMatch(
      /^Provider not found\. .*Nothing was changed\. Install or enable it/,
    );
    expect(walletSentence(new ConnectorAlreadyConnectedError())).toMatch(
      /^Connector already connected\. /,
    );
    expect(walletSentence(await notConnected())).toMatch(
      /^Connector not connected\. .*Connect the wallet again\./,
    );
    const unable = new SwitchChainNotSupportedError({ connector: { name: 'Rabby' } as never });
    expect(walletSentence(unable, 'switch')).toBe(
      '"Rabby" does not support programmatic chain switching. Nothing was changed. Change the network in your wallet. This page follows.',
    );
  });

  it('says that the network was added and not gone to (R8-34, R8-36)', () => {
    const error = new UserRejectedRequestError(
      new UserRejectedRequestError(new Error('User rejected switch after adding network.')),
    );
    expect(walletSentence(error, 'switch')).toBe(
      'User rejected switch after adding network. Your wallet stays on its current network. The network was added. You can switch to it at any time.',
    );
  });
});

describe("a person's no", () => {
  it('is known however deep it lies, and changes nothing (R8-35)', () => {
    const no = 'You declined in your wallet. Nothing was changed.';
    expect(walletSentence({ code: 4001, message: 'User rejected' })).toBe(no);
    expect(
      walletSentence(
        new Error('outer', {
          cause: Object.assign(new Error('x'), { name: 'UserRejectedRequestError' }),
        }),
      ),
    ).toBe(no);
    expect(
      walletSentence(
        new TransactionExecutionError(new UserRejectedRequestError(rpc(4001, 'no')), {
          account: null,
        }),
        'send',
      ),
    ).toBe('You declined in your wallet. Nothing was sent.');
    expect(walletSentence({ code: 5000 }, 'sign')).toBe(
      'You declined in your wallet. Nothing was signed.',
    );
  });

  it("is not what a wallet's own failure is called while a chain is added (R8-36)", () => {
    const failed = new UserRejectedRequestError(
      new MethodNotFoundRpcError(rpc(-32_601, 'no such method'), {
        method: 'wallet_addEthereumChain',
      }),
    );
    expect(kind(failed, 'switch')).toBe('unsupported');
    expect(kind(new SwitchChainError(rpc(4902, 'Unrecognized chain ID')), 'switch')).toBe(
      'unknown-chain',
    );
  });
});

describe('a send that fails', () => {
  it('is called not sent only where that is certain', () => {
    for (const error of [
      new ChainMismatchError({ chain: baseSepolia, currentChainId: 1 }),
      new InsufficientFundsError(),
      new ExecutionRevertedError({ message: 'no' }),
      rpc(-32_002, 'Request of type eth_sendTransaction already pending. Please wait.'),
      rpc(4100, 'x'),
      rpc(4200, 'x'),
    ]) {
      expect(walletFailure(error, 'send').safe, error.name).toBe('Nothing was sent.');
    }
    for (const error of [
      new TimeoutError({ body: {}, url: 'http://x' }),
      http(503),
      rpc(-32_603, 'internal'),
      new Error('odd'),
      null,
      rpc(4900, 'x'),
      rpc(-32_002, 'request timed out'),
      rpc(-32_002, 'The pending request timed out'),
      rpc(-32_002, 'resource not available'),
    ]) {
      expect(walletFailure(error, 'send')).toMatchObject({
        safe: 'We do not know whether it was sent.',
        next: "Check your wallet's history before you try again.",
      });
    }
  });

  it("is unknown where the wallet's window closed: its library calls that a rejection, whatever was confirmed inside", () => {
    const closed = rpc(4001, 'Request rejected');
    const error = new TransactionExecutionError(new UserRejectedRequestError(closed), {
      account: null,
    });
    for (const one of [closed, error, { code: 4001, message: 'Request rejected' }])
      expect(walletSentence(one, 'send')).toBe(
        "Your wallet's window was closed before it answered. We do not know whether it was sent. Check your wallet's history before you try again.",
      );
    expect(walletSentence(closed, 'connect')).toBe(
      'You declined in your wallet. Nothing was changed.',
    );
    expect(walletFailure(rpc(4001, 'User denied request'), 'send').safe).toBe('Nothing was sent.');
  });

  it('is certain under the code of a busy wallet only where a request is said to be pending', () => {
    for (const text of [
      "Request of type 'eth_sendTransaction' already pending for origin https://x. Please wait.",
      'Already processing eth_sendTransaction. Please wait.',
      'There is already a pending request',
    ])
      expect(walletSentence(new ResourceUnavailableRpcError(rpc(-32_002, text)), 'send')).toBe(
        'Your wallet is waiting for another answer. Nothing was sent. Open your wallet and answer there.',
      );
    // A node's own time limit, which the wallet hands on.
    const late = new ResourceUnavailableRpcError(rpc(-32_002, 'request timed out'));
    expect(walletSentence(late, 'send')).toBe(
      "The network node did not answer in time. We do not know whether it was sent. Check your wallet's history before you try again.",
    );
    expect(kind(late, 'read')).toBe('silent');
    expect(kind(rpc(-32_002, 'resource not available'), 'connect')).toBe('busy');
  });

  it('that the network already has is called that, and its outcome looked for', () => {
    const known = new InvalidInputRpcError(rpc(-32_000, 'already known'));
    const wrapped = new TransactionExecutionError(new NonceTooLowError({ cause: known }), {
      account: null,
    });
    for (const error of [known, wrapped, rpc(-32_000, 'transaction already imported')])
      expect(walletSentence(error, 'send')).toBe(
        "The network already has this transfer. Its outcome is not known yet. Check your wallet's history before you try again.",
      );
    expect(kind(rpc(-32_000, 'nonce too low'))).toBe('overtaken');
    expect(kind(rpc(-32_000, 'replacement transaction underpriced'))).toBe('overtaken');
  });

  it("is read from the node's own words, which no library has put into others", () => {
    expect(kind(rpc(-32_000, 'tx cost exceeds transaction sender account balance'))).toBe(
      'not-enough',
    );
    expect(kind(rpc(-32_000, 'gas required exceeds allowance (21000)'))).toBe('reverted');
  });

  it('before the wallet was asked is not sent, whatever failed', () => {
    expect(walletFailure(new TimeoutError({ body: {}, url: 'http://x' }), 'look')).toMatchObject({
      safe: 'Nothing was sent.',
      next: 'Try again.',
    });
  });

  it("names too little ETH, the wrong network, and a contract's reason", () => {
    expect(kind(rpc(-32_000, 'insufficient funds for gas * price + value'))).toBe('not-enough');
    expect(kind(new EstimateGasExecutionError(new InsufficientFundsError(), {}))).toBe(
      'not-enough',
    );
    expect(kind(new ChainMismatchError({ chain: baseSepolia, currentChainId: 1 }))).toBe(
      'wrong-chain',
    );
    const refused = new EstimateGasExecutionError(
      new ExecutionRevertedError({ message: 'execution reverted: closed for today' }),
      {},
    );
    expect(walletFailure(refused, 'send')).toMatchObject({
      kind: 'reverted',
      happened: "The recipient's contract would reject this: closed for today.",
      safe: 'Nothing was sent.',
    });
    expect(walletFailure(rpc(3, 'execution reverted'), 'send').happened).toBe(
      "The recipient's contract would reject this and gave no reason.",
    );
  });

  it('gives a reason as the contract worded it, and none where there was none', () => {
    expect(revertReason(rpc(3, 'execution reverted: closed for today'))).toBe('closed for today');
    expect(revertReason(new BaseError('Execution reverted with reason: closed for today.'))).toBe(
      'closed for today',
    );
    expect(revertReason(rpc(3, 'execution reverted'))).toBeNull();
    expect(revertReason(new Error('something else'))).toBeNull();
  });
});

describe('a node that fails', () => {
  it('at its limit says for how long, where it said so (R8-37)', () => {
    expect(walletSentence(http(429, { 'Retry-After': '17' }), 'read')).toBe(
      'The network node is busy. Nothing was changed. Try again in 17 s.',
    );
    expect(walletSentence(rpc(-32_005, 'limit'), 'read')).toMatch(
      /network node is busy.*Try again in a minute\.$/,
    );
  });

  it('is told apart: silent, failed, not to be reached (R8-37)', () => {
    expect(kind(new TimeoutError({ body: {}, url: 'http://x' }), 'read')).toBe('silent');
    expect(walletFailure(http(403), 'read').happened).toBe(
      'The network node rejected the request (403).',
    );
    expect(
      kind(new HttpRequestError({ url: 'http://x', cause: new Error('fetch failed') }), 'read'),
    ).toBe('unreachable');
  });
});

it('an error that nobody knows is one short line of its own', () => {
  expect(
    walletFailure(new Error(`Long ${'x'.repeat(500)}\nstack`), 'read').happened.length,
  ).toBeLessThanOrEqual(201);
  expect(walletSentence(null)).toBe('The wallet did not answer. Nothing was changed. Try again.');
  expect(walletSentence(new Error('Popup window was blocked'))).toBe(
    "Your browser blocked the wallet's window. Nothing was changed. Allow pop-ups for this page, then try again.",
  );
});

/** How a chain's node is asked, against a node that fails as it is told. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { walletKitSettings } from '../../../src/wallet/kit/kit-settings.ts';
import { endpointOf, RECEIPT_POLICY } from '../../../src/wallet/rpc-policy.ts';
import { walletConfig } from '../../../src/wallet/connect/wallet-config.ts';
import { startRpcServer, type RpcAnswer, type RpcServer } from '../../support/rpc-server.ts';

const ADDRESS = '0x0000000000000000000000000000000000000001';
const RETRIED = [403, 408, 413, 429, 500, 502, 503, 504] as const;
const GIVEN_UP = [400, 401, 404, 405, 409, 422, 501, 505] as const;
const RETRIED_CODES = [-1, -32_005, -32_603, 429, -32_007] as const;
const GIVEN_UP_CODES = [
  3, -32_000, -32_001, -32_003, -32_004, -32_600, -32_601, -32_602, -32_700, 4_001,
] as const;

let node: RpcServer;
beforeAll(async () => {
  node = await startRpcServer();
});
afterAll(async () => {
  await node.close();
});

/**
 * The product's own way to its chain, with a node of ours behind it; each path is a node of its
 * own.
 */
const client = (path: string) =>
  walletConfig({
    jar: { cookie: '' },
    secureCookies: false,
    settings: walletKitSettings({ rpcUrl: node.url + path }),
  }).getClient({ chainId: 84_532 });
const balance = (path: string): Promise<unknown> =>
  client(path).request({ method: 'eth_getBalance', params: [ADDRESS, 'latest'] });
const firstly =
  (answer: RpcAnswer, count = 1) =>
  (times: number): RpcAnswer =>
    times < count ? answer : { kind: 'result', result: '0x10' };

describe('a node that answers with a status', () => {
  it.concurrent.each(RETRIED)('is asked again after %d (R8-37)', async (status) => {
    const path = `/status/${status}`;
    node.answers(path, firstly({ kind: 'status', status }));
    expect(await balance(path)).toBe('0x10');
    expect(node.of(path)).toHaveLength(2);
  });

  it.concurrent.each(GIVEN_UP)('is asked once and no more after %d (R8-37)', async (status) => {
    const path = `/status/${status}`;
    node.answers(path, () => ({ kind: 'status', status }));
    await expect(balance(path)).rejects.toMatchObject({ name: 'HttpRequestError', status });
    expect(node.of(path)).toHaveLength(1);
  });

  it.concurrent('is asked three times more, after at least 150, 300 and 600 ms, and then no more (R9-14)', async () => {
    node.answers('/exhausted', () => ({ kind: 'status', status: 503 }));
    await expect(balance('/exhausted')).rejects.toMatchObject({ status: 503 });
    const times = node.of('/exhausted').map(({ at }) => at);
    expect(times).toHaveLength(4);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    // A timer may fire a millisecond early by the other's clock; never by a tenth.
    for (const [index, least] of [150, 300, 600].entries())
      expect(waits[index]).toBeGreaterThan(least * 0.9);
  });
});

describe('a node that answers with an error of its own', () => {
  it.concurrent.each(RETRIED_CODES)('is asked again after %d (R8-37)', async (code) => {
    const path = `/code/${code}`;
    node.answers(path, firstly({ kind: 'error', code }));
    expect(await balance(path)).toBe('0x10');
    expect(node.of(path)).toHaveLength(2);
  });

  it.concurrent.each(GIVEN_UP_CODES)('is asked once and no more after %d (R8-37)', async (code) => {
    const path = `/code/${code}`;
    node.answers(path, () => ({ kind: 'error', code }));
    await expect(balance(path)).rejects.toMatchObject({ code });
    expect(node.of(path)).toHaveLength(1);
  });

  it.concurrent.each([
    [-32_700, 'ParseRpcError'],
    [-32_601, 'MethodNotFoundRpcError'],
    [-32_602, 'InvalidParamsRpcError'],
    [-32_000, 'InvalidInputRpcError'],
    [-32_003, 'TransactionRejectedRpcError'],
    [4_001, 'UserRejectedRequestError'],
    [4_902, 'SwitchChainError'],
  ])('of code %d is told as a %s (R8-37)', async (code, name) => {
    const path = `/named/${code}`;
    node.answers(path, () => ({ kind: 'error', code }));
    await expect(balance(path)).rejects.toMatchObject({ name });
  });
});

describe('a node that says when to come back', () => {
  const waited = (path: string): number => {
    const [first, second] = node.of(path);
    return (second?.at ?? 0) - (first?.at ?? 0);
  };

  it.concurrent('is not asked before then, whatever the backoff would have been (R8-37)', async () => {
    node.answers(
      '/later',
      firstly({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
    );
    expect(await balance('/later')).toBe('0x10');
    expect(node.of('/later')).toHaveLength(2);
    expect(waited('/later')).toBeGreaterThan(950);
  });

  it.concurrent('is heard also where it names a date', async () => {
    node.answers(
      '/date',
      firstly({
        kind: 'status',
        status: 503,
        headers: { 'retry-after': new Date(Date.now() + 2_000).toUTCString() },
      }),
    );
    expect(await balance('/date')).toBe('0x10');
    expect(waited('/date')).toBeGreaterThan(850);
  });

  it.concurrent('is heard also where its answer holds an RPC error', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_005, message: 'over the limit' },
    });
    node.answers(
      '/both',
      firstly({
        kind: 'status',
        status: 429,
        headers: { 'content-type': 'application/json', 'retry-after': '1' },
        body,
      }),
    );
    expect(await balance('/both')).toBe('0x10');
    expect(waited('/both')).toBeGreaterThan(950);
  });
});

describe('calls made at once', () => {
  it('go out as one batch (R7-31)', async () => {
    const asking = client('/batch');
    await Promise.all([
      asking.request({ method: 'eth_chainId' }),
      asking.request({ method: 'eth_getBalance', params: [ADDRESS, 'latest'] }),
    ]);
    const [only, ...others] = node.of('/batch');
    expect(others).toEqual([]);
    expect(only?.batch).toBe(true);
    expect(only?.calls.map(({ method }) => method).sort()).toEqual([
      'eth_chainId',
      'eth_getBalance',
    ]);
    expect(only?.calls[0]).toMatchObject({ jsonrpc: '2.0', id: expect.any(Number) as number });
  });

  it('go out as several batches where there are more than a thousand of them, and each has its answer (R7-31, R9-14)', async () => {
    const asking = client('/many');
    const answers = await Promise.all(
      Array.from({ length: 2_050 }, () =>
        asking.request({ method: 'eth_getBalance', params: [ADDRESS, 'latest'] }),
      ),
    );
    expect(answers).toHaveLength(2_050);
    expect(new Set(answers)).toEqual(new Set(['0x10']));
    const sizes = node.of('/many').map(({ calls }) => calls.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2_050);
    expect(Math.max(...sizes)).toBe(1_000);
  });
});

describe('a node that does not answer', () => {
  it('is given up after ten seconds and asked again (R9-14)', async () => {
    node.answers('/silent', firstly({ kind: 'silence' }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = balance('/silent');
      await vi.advanceTimersByTimeAsync(1);
      const arrived = async (count: number): Promise<void> => {
        while (node.of('/silent').length < count)
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
      };
      await arrived(1);
      await vi.advanceTimersByTimeAsync(9_990);
      expect(node.abandoned('/silent')).toBe(0);
      await vi.advanceTimersByTimeAsync(20);
      await vi.advanceTimersByTimeAsync(150);
      await vi.advanceTimersByTimeAsync(1);
      await arrived(2);
      expect(await answer).toBe('0x10');
      expect(node.abandoned('/silent')).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('which node it is', () => {
  const settings = (wishes: Parameters<typeof walletKitSettings>[0]) => walletKitSettings(wishes);
  const urls = (wishes: Parameters<typeof walletKitSettings>[0]): unknown[] => {
    const config = walletConfig({
      jar: { cookie: '' },
      secureCookies: false,
      settings: settings(wishes),
    });
    return ([8_453, 84_532] as const).map(
      (chainId) => config.getClient({ chainId }).transport.url as unknown,
    );
  };

  it("is each chain's public one where nothing is set, and the keyed one of each where there is a key (R7-31)", () => {
    expect(urls({})).toEqual(['https://mainnet.base.org', 'https://sepolia.base.org']);
    expect(urls({ apiKey: 'k/1' })).toEqual([
      'https://api.developer.coinbase.com/rpc/v1/base/k%2F1',
      'https://api.developer.coinbase.com/rpc/v1/base-sepolia/k%2F1',
    ]);
  });

  it("is one's own for the chain that it is set for alone", () => {
    expect(urls({ chainId: 8_453, rpcUrl: 'https://node.example' })).toEqual([
      'https://node.example',
      'https://sepolia.base.org',
    ]);
    expect(endpointOf(84_532, settings({ apiKey: 'k', rpcUrl: 'https://node.example' }))).toBe(
      'https://node.example',
    );
    expect(endpointOf(8_453, settings({ apiKey: 'k', rpcUrl: 'https://node.example' }))).toBe(
      'https://api.developer.coinbase.com/rpc/v1/base/k',
    );
  });
});

it('a receipt is waited for three minutes and one confirmation, its retries from 200 ms doubling (R9-14)', () => {
  expect(RECEIPT_POLICY).toMatchObject({
    timeout: 180_000,
    confirmations: 1,
    retryCount: 6,
    pollingInterval: 4_000,
  });
  expect([0, 1, 2, 3, 4, 5].map((count) => RECEIPT_POLICY.retryDelay({ count }))).toEqual([
    200, 400, 800, 1_600, 3_200, 6_400,
  ]);
});

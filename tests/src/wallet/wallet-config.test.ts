// @vitest-environment jsdom
/** How wallets are connected: chains, connector, RPC policy, against a local JSON-RPC server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPublicClient, http } from 'viem';
import { baseSepolia } from 'viem/chains';
import { POLLING_INTERVAL_MS, RPC_POLICY, WALLET_CHAINS, walletConfig } from '../../../src/wallet/wallet-config.ts';

interface RpcRequest { id: number; method: string }

let server: Server;
let url: string;
let bodies: (RpcRequest | RpcRequest[])[];
let failures: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as RpcRequest | RpcRequest[];
      bodies.push(body);
      if (failures > 0) { failures -= 1; response.writeHead(503).end(); return; }
      const answer = ({ id, method }: RpcRequest) => ({ jsonrpc: '2.0', id, result: method === 'eth_getBalance' ? '0x10' : '0x14a34' });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => { server.closeAllConnections(); server.close(); });

describe('the wallet configuration', () => {
  const config = walletConfig({ jar: { cookie: '' }, secureCookies: false, analytics: false });

  it('offers Base and Base Sepolia and one kind of wallet (R1-06, R9-15)', () => {
    expect(config.chains.map(({ id, name, testnet, nativeCurrency }) => [id, name, testnet ?? false, nativeCurrency.symbol, nativeCurrency.decimals]))
      .toEqual([[8453, 'Base', false, 'ETH', 18], [84532, 'Base Sepolia', true, 'ETH', 18]]);
    expect(WALLET_CHAINS).toHaveLength(2);
    expect(config.connectors.map(({ type }) => type)).toEqual(['coinbaseWallet']);
  });

  it('polls every 4 s and begins disconnected (R9-14, R4-16)', () => {
    expect(config.getClient({ chainId: 8453 }).pollingInterval).toBe(4_000);
    expect(POLLING_INTERVAL_MS).toBe(4_000);
    expect(config.state.status).toBe('disconnected');
    expect(config.state.connections.size).toBe(0);
  });

  it('gives every chain the same RPC policy (R9-14)', () => {
    for (const chainId of [8453, 84532] as const) {
      const { transport } = config.getClient({ chainId });
      expect([transport.timeout, transport.retryCount, transport.retryDelay]).toEqual([10_000, 3, 150]);
    }
    expect(RPC_POLICY.batch.batchSize).toBe(1_000);
  });
});

describe('its RPC policy on the wire', () => {
  const client = () => createPublicClient({ chain: baseSepolia, transport: http(url, RPC_POLICY) });
  const address = '0x0000000000000000000000000000000000000001';

  it('sends what is asked at once as one batch (R7-31)', async () => {
    bodies = [];
    failures = 0;
    const asking = client();
    const [chainId, balance] = await Promise.all([asking.getChainId(), asking.getBalance({ address })]);
    expect([chainId, balance]).toEqual([84532, 16n]);
    expect(bodies).toHaveLength(1);
    expect((bodies[0] as RpcRequest[]).map(({ method }) => method).sort()).toEqual(['eth_chainId', 'eth_getBalance']);
  });

  it('tries three times more after a 503, then gives up (R8-37, R9-14)', async () => {
    bodies = [];
    failures = 3;
    expect(await client().getBalance({ address })).toBe(16n);
    expect(bodies).toHaveLength(4);
    bodies = [];
    failures = 4;
    await expect(client().getBalance({ address })).rejects.toThrow();
    expect(bodies).toHaveLength(4);
  });
});

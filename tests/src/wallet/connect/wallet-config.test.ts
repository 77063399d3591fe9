// @vitest-environment jsdom
/**
 * How wallets are connected, with wallets as an extension puts them into a page and a real chain
 * behind them.
 */
import {
  connect,
  disconnect,
  getConnections,
  reconnect,
  switchAccount,
  switchChain,
} from 'wagmi/actions';
import type { Config } from 'wagmi';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  walletKitSettings,
  type WalletKitConfig,
} from '../../../../src/wallet/kit/kit-settings.ts';
import { walletConfig } from '../../../../src/wallet/connect/wallet-config.ts';
import { startChain, type TestChain } from '../../../support/anvil.ts';
import {
  injectWallet,
  type InjectedWallet,
  type InjectedWalletOptions,
} from '../../../support/injected-wallet.ts';
import { waitFor } from '../../../support/wait-for.ts';

let chain: TestChain;
let ann: string;
let bob: string;
beforeAll(async () => {
  chain = await startChain();
  [ann = '', bob = ''] = chain.accounts.map(({ address }) => address);
});
afterAll(async () => {
  await chain.stop();
});
afterEach(() => {
  for (const cookie of document.cookie.split('; '))
    document.cookie = `${cookie.split('=')[0] ?? ''}=; max-age=0; path=/`;
  localStorage.clear();
  Reflect.deleteProperty(globalThis, 'ethereum');
  Reflect.deleteProperty(globalThis, 'trustwallet');
});

const ALL = { rabby: true, trust: true, frame: true };
/** A start of the page: what was kept is in its cookies. */
const start = (
  supportedWallets: Partial<WalletKitConfig['wallet']['supportedWallets']> = ALL,
): Config =>
  walletConfig({
    jar: document,
    secureCookies: false,
    settings: walletKitSettings({
      rpcUrl: chain.url,
      config: { analytics: false, wallet: { preference: 'smartWalletOnly', supportedWallets } },
    }),
  });
const inject = (options: Partial<InjectedWalletOptions> = {}): InjectedWallet =>
  injectWallet({
    url: chain.url,
    accounts: [ann, bob],
    chainId: 84_532,
    known: [84_532],
    mark: 'isRabby',
    ...options,
  });
const named = (config: Config, id: string) => {
  const found = config.connectors.find((connector) => connector.id === id);
  if (found === undefined) throw new Error(`No connector ${id}`);
  return found;
};
const connections = (config: Config) =>
  getConnections(config).map(({ accounts, chainId, connector }) => ({
    accounts,
    chainId,
    id: connector.id,
  }));

describe('the wallet configuration', () => {
  it('offers Base and Base Sepolia, the set one first, and smart wallets alone (R1-06, R9-15)', () => {
    const config = start({});
    expect(
      config.chains.map(({ id, name, testnet, nativeCurrency }) => [
        id,
        name,
        testnet ?? false,
        nativeCurrency.symbol,
        nativeCurrency.decimals,
      ]),
    ).toEqual([
      [84532, 'Base Sepolia', true, 'ETH', 18],
      [8453, 'Base', false, 'ETH', 18],
    ]);
    expect(config.connectors.map(({ type }) => type)).toEqual(['coinbaseWallet']);
    const base = walletConfig({
      jar: { cookie: '' },
      secureCookies: false,
      settings: walletKitSettings({ chainId: 8453 }),
    });
    expect(base.chains.map(({ id }) => id)).toEqual([8453, 84532]);
  });

  it('offers Rabby, Trust and Frame only where each is turned on (R3-17)', () => {
    expect(start({}).connectors.map(({ id }) => id)).toEqual(['coinbaseWalletSDK']);
    expect(start({ trust: true }).connectors.map(({ id }) => id)).toEqual([
      'coinbaseWalletSDK',
      'trust',
    ]);
    expect(start().connectors.map(({ name }) => name)).toEqual([
      'Coinbase Wallet',
      'Rabby',
      'Trust Wallet',
      'Frame',
    ]);
  });

  it('polls every 4 s, begins disconnected, and asks every chain by the same policy (R9-14, R4-16)', () => {
    const config = start();
    expect(config.state.status).toBe('disconnected');
    expect(config.state.connections.size).toBe(0);
    for (const chainId of [8453, 84532] as const) {
      const { pollingInterval, transport } = config.getClient({ chainId });
      expect([
        pollingInterval,
        transport.timeout,
        transport.retryCount,
        transport.retryDelay,
      ]).toEqual([4_000, 10_000, 3, 150]);
    }
  });
});

describe('a wallet in the browser', () => {
  it.each([
    ['rabby', 'isRabby'],
    ['trust', 'isTrust'],
    ['trust', 'isTrustWallet'],
    ['frame', 'isFrame'],
  ] as const)('called %s is known by %s, and no other takes its place', async (id, mark) => {
    inject({ mark });
    const config = start();
    for (const other of ['rabby', 'trust', 'frame'].filter((name) => name !== id)) {
      await expect(connect(config, { connector: named(config, other) })).rejects.toThrow(
        'Provider not found.',
      );
    }
    const { accounts, chainId } = await connect(config, { connector: named(config, id) });
    expect([accounts, chainId]).toEqual([[ann, bob], 84_532]);
  });

  it('is found among several that share one place, and Trust in a place of its own', async () => {
    inject({ mark: 'isFrame' });
    const page = globalThis as unknown as { ethereum: unknown; trustwallet: unknown };
    const frame = page.ethereum;
    inject({ mark: 'isTrust', accounts: [bob] });
    page.trustwallet = page.ethereum;
    inject({ mark: 'isRabby' });
    page.ethereum = Object.assign(page.ethereum as object, { providers: [frame, page.ethereum] });
    const config = start();
    await connect(config, { connector: named(config, 'frame') });
    await connect(config, { connector: named(config, 'trust') });
    await connect(config, { connector: named(config, 'rabby') });
    expect(connections(config)).toMatchObject([
      { id: 'frame' },
      { id: 'trust', accounts: [bob] },
      { id: 'rabby' },
    ]);
  });

  it('that is absent fails to connect with the words for it, and leaves nobody connected (R5-30, R8-34)', async () => {
    const config = start();
    await expect(connect(config, { connector: named(config, 'rabby') })).rejects.toMatchObject({
      name: 'ProviderNotFoundError',
      message: expect.stringContaining('Provider not found.') as string,
    });
    expect(config.state).toMatchObject({ status: 'disconnected', current: null });
  });

  it('is asked for permission, accounts and chain, and to take the permission back (R7-33)', async () => {
    const wallet = inject({ revokes: true });
    const config = start();
    await connect(config, { connector: named(config, 'rabby') });
    await disconnect(config);
    expect(wallet.calls.map(({ method }) => method)).toEqual([
      'wallet_requestPermissions',
      'eth_accounts',
      'eth_chainId',
      'wallet_revokePermissions',
    ]);
    expect(wallet.calls[0]?.params).toEqual([{ eth_accounts: {} }]);
  });

  it('that knows no permissions is asked for its accounts (R7-33)', async () => {
    const wallet = inject();
    wallet.fail('wallet_requestPermissions', -32_601, 'no such method');
    const config = start();
    await connect(config, { connector: named(config, 'rabby') });
    expect(wallet.calls.map(({ method }) => method)).toContain('eth_requestAccounts');
    expect(config.state.status).toBe('connected');
  });

  it('that does not answer about its permission is left after 100 ms (R9-14)', async () => {
    const wallet = inject();
    const config = start();
    await connect(config, { connector: named(config, 'rabby') });
    wallet.hold('wallet_revokePermissions');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const leaving = disconnect(config);
      await vi.advanceTimersByTimeAsync(99);
      expect(config.state.status).toBe('connected');
      await vi.advanceTimersByTimeAsync(2);
      await leaving;
    } finally {
      vi.useRealTimers();
    }
    expect(config.state.status).toBe('disconnected');
  });
});

describe('a connection', () => {
  const words = (config: Config): string[] => {
    const seen: string[] = [config.state.status];
    config.subscribe(
      ({ status }) => status,
      (status) => {
        seen.push(status);
      },
    );
    return seen;
  };

  it('goes from disconnected by connecting to connected, and after a reload by reconnecting to connected (R4-16, R4-17, R3-19)', async () => {
    inject();
    const first = start();
    const seen = words(first);
    await connect(first, { connector: named(first, 'rabby') });
    expect(seen).toEqual(['disconnected', 'connecting', 'connected']);
    const { connections: map, current } = first.state;
    expect(
      [...map.values()].map(({ accounts, chainId, connector }) => [
        accounts,
        chainId,
        connector.uid,
      ]),
    ).toEqual([[[ann, bob], 84_532, current]]);

    const second = start();
    const again = words(second);
    await waitFor(() => {
      expect(second.state.current).not.toBeNull();
    });
    await reconnect(second);
    expect(again).toEqual(['disconnected', 'reconnecting', 'connected']);
    expect(connections(second)).toEqual([{ id: 'rabby', accounts: [ann, bob], chainId: 84_532 }]);
  });

  it('comes back with the wallet that was used last in front, and without any where none agrees (R4-17)', async () => {
    inject({ mark: 'isFrame' });
    const page = globalThis as unknown as { ethereum: { providers?: unknown[] } };
    const frame = page.ethereum;
    const rabby = inject();
    page.ethereum.providers = [frame, page.ethereum];
    const first = start();
    await connect(first, { connector: named(first, 'frame') });
    await connect(first, { connector: named(first, 'rabby') });
    await switchAccount(first, { connector: named(first, 'frame') });

    const second = start();
    await reconnect(second);
    expect(connections(second).map(({ id }) => id)).toEqual(['frame', 'rabby']);
    expect(second.state.connections.get(second.state.current ?? '')?.connector.id).toBe('frame');

    rabby.forget();
    const third = start();
    await reconnect(third);
    expect(third.state).toMatchObject({ status: 'disconnected', current: null });
  });

  it('waits up to a second for the wallet that was used last to come into the page (R9-14, R4-17)', async () => {
    inject();
    const first = start();
    await connect(first, { connector: named(first, 'rabby') });
    const page = globalThis as unknown as { ethereum?: unknown };
    const late = page.ethereum;
    Reflect.deleteProperty(page, 'ethereum');
    const second = start();
    const coming = reconnect(second);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    page.ethereum = late;
    dispatchEvent(new Event('ethereum#initialized'));
    await coming;
    expect(connections(second).map(({ id }) => id)).toEqual(['rabby']);

    Reflect.deleteProperty(page, 'ethereum');
    const third = start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let ended = false;
      const vain = reconnect(third).then(() => {
        ended = true;
      });
      await vi.advanceTimersByTimeAsync(990);
      expect(ended).toBe(false);
      await vi.advanceTimersByTimeAsync(20);
      await vain;
    } finally {
      vi.useRealTimers();
    }
    expect(third.state.status).toBe('disconnected');
  });

  it('drops when the wallet says so, and when its accounts are gone (R4-18)', async () => {
    const wallet = inject();
    const config = start();
    await connect(config, { connector: named(config, 'rabby') });
    wallet.emit('disconnect', { code: 4900 });
    await waitFor(() => {
      expect(config.state.status).toBe('disconnected');
    });
    await connect(config, { connector: named(config, 'rabby') });
    wallet.setAccounts([bob]);
    expect(connections(config)).toMatchObject([{ accounts: [bob] }]);
    wallet.setAccounts([]);
    await waitFor(() => {
      expect(config.state).toMatchObject({ status: 'disconnected', current: null });
    });
  });

  it('that the person ended stays ended after a reload, though the wallet would still let us in (R4-19)', async () => {
    const wallet = inject();
    const first = start();
    await connect(first, { connector: named(first, 'rabby') });
    await disconnect(first);
    expect(document.cookie).toContain('tradewind-wallet.rabby.disconnected');
    const second = start();
    wallet.calls.length = 0;
    await reconnect(second);
    expect(second.state.status).toBe('disconnected');
    expect(wallet.calls).toEqual([]);
    await connect(second, { connector: named(second, 'rabby') });
    expect(document.cookie).not.toContain('.disconnected');
  });

  it('is not made twice, and what is not connected cannot be chosen (R8-34)', async () => {
    inject();
    const config = start();
    const connector = named(config, 'rabby');
    await expect(switchAccount(config, { connector })).rejects.toThrow('Connector not connected.');
    await connect(config, { connector });
    await expect(connect(config, { connector })).rejects.toThrow('Connector already connected.');
  });
});

describe('a change of chain', () => {
  const connected = async (
    options: Partial<InjectedWalletOptions> = {},
  ): Promise<{ wallet: InjectedWallet; config: Config }> => {
    const wallet = inject(options);
    const config = start();
    await connect(config, { connector: named(config, 'rabby') });
    wallet.calls.length = 0;
    return { wallet, config };
  };

  it('asks the wallet, and to one that is not configured asks nobody (R5-29, R7-33)', async () => {
    const { wallet, config } = await connected({ known: [84_532, 8_453] });
    await switchChain(config, { chainId: 8_453 });
    expect(config.state.chainId).toBe(8_453);
    expect(wallet.calls[0]).toEqual({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: '0x2105' }],
    });
    wallet.calls.length = 0;
    await expect(switchChain(config, { chainId: 10 })).rejects.toMatchObject({
      cause: { shortMessage: 'Chain not configured.' },
    });
    await expect(switchChain(start(), { chainId: 10 })).rejects.toThrow('Chain not configured.');
    expect(wallet.calls).toEqual([]);
  });

  it('adds a chain that the wallet does not know (R8-36, R7-33)', async () => {
    const { wallet, config } = await connected();
    await switchChain(config, { chainId: 8_453 });
    expect(wallet.calls.map(({ method }) => method)).toEqual([
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'eth_chainId',
    ]);
    expect(wallet.calls[1]?.params).toEqual([
      {
        chainId: '0x2105',
        chainName: 'Base',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: ['https://mainnet.base.org'],
        blockExplorerUrls: ['https://basescan.org'],
      },
    ]);
    expect(config.state.chainId).toBe(8_453);
  });

  it('says so where the chain was added and not gone to (R8-34, R8-36)', async () => {
    const { wallet, config } = await connected();
    wallet.addsWithoutSwitching(true);
    await expect(switchChain(config, { chainId: 8_453 })).rejects.toMatchObject({
      name: 'UserRejectedRequestError',
      details: 'User rejected switch after adding network.',
    });
    expect(config.state.chainId).toBe(84_532);
  });

  it('is refused by a wallet that cannot do it from a page (R8-34)', async () => {
    const { config } = await connected();
    const connection = [...config.state.connections.values()][0];
    if (connection === undefined) throw new Error('not connected');
    const connector = { ...connection.connector, switchChain: undefined };
    config.setState((state) => ({
      ...state,
      connections: new Map([[connector.uid, { ...connection, connector: connector as never }]]),
    }));
    await expect(switchChain(config, { chainId: 8_453 })).rejects.toThrow(
      '"Rabby" does not support programmatic chain switching.',
    );
  });

  it('that the wallet makes itself is followed', async () => {
    const { wallet, config } = await connected();
    wallet.emit('chainChanged', '0x1');
    expect(connections(config)).toMatchObject([{ chainId: 1 }]);
    expect(config.state.chainId).toBe(84_532);
  });
});

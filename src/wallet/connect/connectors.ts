/**
 * The kinds of wallet that can be connected: the smart wallet, and the browser wallets that the
 * settings turn on.
 */
import { createConnector, type CreateConnectorFn } from 'wagmi';
import { coinbaseWallet, injected } from 'wagmi/connectors';
import type { EIP1193Provider } from 'viem';
import type { WalletKitConfig, WalletKitSettings } from '../kit/kit-settings.ts';

/** Longest wait for a wallet that was used here before to put itself into the page, ms. */
const INJECTED_WAIT_MS = 1_000;

type InjectedKind = keyof WalletKitConfig['wallet']['supportedWallets'];
type Injected = EIP1193Provider & { providers?: Injected[] } & Partial<
    Record<'isRabby' | 'isTrust' | 'isTrustWallet' | 'isFrame', boolean>
  >;
interface WalletWindow {
  ethereum?: Injected;
  trustwallet?: Injected;
}

/** Browser wallets share one object in the page; each has a flag of its own. */
function marked(page: WalletWindow, isIt: (provider: Injected) => boolean): Injected | undefined {
  const { ethereum } = page;
  return [...(ethereum?.providers ?? []), ...(ethereum === undefined ? [] : [ethereum])].find(isIt);
}

const INJECTED: Record<
  InjectedKind,
  { name: string; find: (page: WalletWindow) => Injected | undefined }
> = {
  rabby: { name: 'Rabby', find: (page) => marked(page, ({ isRabby }) => isRabby === true) },
  trust: {
    name: 'Trust Wallet',
    find: (page) =>
      page.trustwallet ??
      marked(page, ({ isTrust, isTrustWallet }) => isTrust === true || isTrustWallet === true),
  },
  frame: { name: 'Frame', find: (page) => marked(page, ({ isFrame }) => isFrame === true) },
};

/**
 * Whether the page has this wallet at present; always true for one that needs nothing in the page.
 */
export function isInPage(connectorId: string, page: unknown = globalThis): boolean {
  const kind = INJECTED[connectorId as InjectedKind] as (typeof INJECTED)[InjectedKind] | undefined;
  return kind === undefined || kind.find(page as WalletWindow) !== undefined;
}

function laterOrNever(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('ethereum#initialized', done);
      resolve();
    };
    const timer = setTimeout(done, INJECTED_WAIT_MS);
    addEventListener('ethereum#initialized', done, { once: true });
  });
}

/**
 * The wallet's own connector remembers a person's disconnect (`shimDisconnect`). It skips, on a
 * reconnect, a wallet that is not in the page yet: one that was used last here is given its moment
 * first, once.
 */
function inBrowser(kind: InjectedKind): CreateConnectorFn {
  const { find, name } = INJECTED[kind];
  return createConnector((config) => {
    const connector = injected({
      shimDisconnect: true,
      unstable_shimAsyncInject: INJECTED_WAIT_MS,
      target: () => ({
        id: kind,
        name,
        provider: (page) => find(page as unknown as WalletWindow) as never,
      }),
    })(config);
    let waited: Promise<void> | undefined;
    return {
      ...connector,
      async getProvider() {
        const found = await connector.getProvider();
        if (found !== undefined || (await config.storage?.getItem('recentConnectorId')) !== kind)
          return found;
        waited ??= laterOrNever();
        await waited;
        return connector.getProvider();
      },
    };
  });
}

export function walletConnectors({
  config,
}: Pick<WalletKitSettings, 'config'>): CreateConnectorFn[] {
  const { logo, name } = config.appearance;
  const on = Object.keys(INJECTED).filter(
    (kind) => config.wallet.supportedWallets[kind as InjectedKind],
  ) as InjectedKind[];
  return [
    coinbaseWallet({
      appName: name,
      ...(logo === null ? {} : { appLogoUrl: logo }),
      // The connector's own reports are a script that it writes into the page, which no policy of
      // ours lets run.
      preference: { options: config.wallet.preference, telemetry: false },
    }),
    ...on.map(inBrowser),
  ];
}

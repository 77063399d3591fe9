/**
 * The wallet kit's provider on this machine: what a page asks of its addresses is answered by a
 * local server of recorded shapes.
 */
import { startReplyServer, type Answering, type Asked, type ReplyServer } from './reply-server.ts';

/** The addresses that the kit has built in. */
const HOSTS = new Set([
  'api.developer.coinbase.com',
  'base.easscan.org',
  'base-sepolia.easscan.org',
]);

export interface ProviderServer extends ReplyServer {
  /** Sends what is meant for the provider here, until it is closed. */
  routes: Set<string>;
}

/** An answer to the quote of 100 and to the options, in the provider's own words. */
export const QUOTE = {
  payment_total: { value: '100.00', currency: 'USD' },
  payment_subtotal: { value: '97.50', currency: 'USD' },
  purchase_amount: { value: '0.039', currency: 'ETH' },
  coinbase_fee: { value: '2.00', currency: 'USD' },
  network_fee: { value: '0.50', currency: 'USD' },
  quote_id: '0e9ee2bb-6ac2-4d85-a2a9-2e4f0fc3a1d0',
};
export const OPTIONS = {
  payment_currencies: [
    {
      id: 'USD',
      icon_url: '',
      limits: [
        { id: 'ACH_BANK_ACCOUNT', min: '10.00', max: '25000.00' },
        { id: 'CARD', min: '5.00', max: '300.00' },
      ],
    },
    { id: 'EUR', icon_url: '', limits: [{ id: 'CARD', min: '3.00', max: '700.00' }] },
  ],
  purchase_currencies: [
    {
      id: 'ETH',
      name: 'Ethereum',
      symbol: 'ETH',
      icon_url: '',
      networks: [{ name: 'base', display_name: 'Base', chain_id: '8453', contract_address: '' }],
    },
  ],
};

export const onramp =
  (how: { quote?: Answering; options?: Answering } = {}) =>
  (asked: Asked): Answering =>
    asked.path.includes('/onramp/v1/buy/quote')
      ? (how.quote ?? { status: 200, body: QUOTE })
      : asked.path.includes('/onramp/v1/buy/options')
        ? (how.options ?? { status: 200, body: OPTIONS })
        : { status: 404 };

export async function startProvider(): Promise<ProviderServer> {
  const server = await startReplyServer();
  const real = globalThis.fetch;
  const routes = new Set(HOSTS);
  globalThis.fetch = (input, init) => {
    const address = new URL(input instanceof Request ? input.url : String(input));
    if (address.hostname === '127.0.0.1') return real(input, init);
    if (!routes.has(address.hostname))
      return Promise.reject(new TypeError(`A request to ${address.hostname}`));
    return real(`${server.url}/${address.hostname}${address.pathname}${address.search}`, init);
  };
  return {
    ...server,
    routes,
    close: async () => {
      globalThis.fetch = real;
      await server.close();
    },
  };
}

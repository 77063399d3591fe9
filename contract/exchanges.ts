/** The exchanges that prices may come from and that orders may go to, as page and server know them. */

/** Prices are public: neither side needs a key to read them. */
export const EXCHANGES = {
  coinbaseexchange: {
    label: 'Coinbase Exchange',
    quote: 'USD',
    priceOrigin: 'https://api.exchange.coinbase.com',
  },
  kraken: { label: 'Kraken', quote: 'USD', priceOrigin: 'https://api.kraken.com' },
  binance: { label: 'Binance', quote: 'USDT', priceOrigin: 'https://api.binance.com' },
} as const satisfies Readonly<
  Record<
    string,
    {
      label: string;
      /** The currency that its pairs are read in. */
      quote: string;
      /** Where its public prices are. The content security policy allows these origins. */
      priceOrigin: string;
    }
  >
>;

/** Where agents may trade with real money. */
export const LIVE_EXCHANGES = ['kraken', 'coinbase', 'binance'] as const;

export type ExchangeId = keyof typeof EXCHANGES;

export function isExchange(id: string | null | undefined): id is ExchangeId {
  return id !== null && id !== undefined && Object.hasOwn(EXCHANGES, id);
}

/** What each exchange is called on screen. */
import type { LiveExchange } from '../../contract/signer.ts';

const NAMES: Readonly<Record<LiveExchange, string>> = {
  kraken: 'Kraken',
  coinbase: 'Coinbase',
  binance: 'Binance',
};

/** "the exchange" until it is known which one. */
export const exchangeName = (exchange: LiveExchange | null): string =>
  exchange === null ? 'the exchange' : NAMES[exchange];

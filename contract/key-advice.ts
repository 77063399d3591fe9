/**
 * The rights a key is to have and not to have, by the exchange's own names: for the screens that say
 * how to create one, and the signer's report of one that is not taken.
 */
import type { KeyAdvice, LiveExchange } from './signer.ts';

export const KEY_ADVICE: Readonly<Record<LiveExchange, KeyAdvice>> = {
  kraken: {
    page: 'Settings → API',
    allow: [
      'Query Funds',
      'Query Open Orders & Trades',
      'Query Closed Orders & Trades',
      'Create & Modify Orders',
      'Cancel/Close Orders',
    ],
    forbid: ['Withdraw Funds'],
  },
  coinbase: {
    page: 'Coinbase Developer Platform → API keys → Secret API key',
    allow: ['View', 'Trade'],
    forbid: ['Transfer'],
  },
  binance: {
    page: 'API Management',
    allow: [
      'Enable Reading',
      'Enable Spot & Margin Trading',
      'Restrict access to trusted IPs only',
    ],
    forbid: ['Enable Withdrawals', 'Enable Internal Transfer', 'Permits Universal Transfer'],
  },
};

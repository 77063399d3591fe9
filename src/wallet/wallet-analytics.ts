/** The wallet's usage reports in the kit's own form. Sends none unless the build turns them on. */
import { getOnchainKitConfig, version } from '@coinbase/onchainkit';

const DEFAULT_URL = 'https://api.developer.coinbase.com/analytics';

/**
 * What is reported where our own surface stands in for the kit's: the kit reports the rest itself.
 */
export type WalletEvent =
  | 'walletConnectInitiated'
  | 'walletConnectSuccess'
  | 'walletConnectError'
  | 'walletConnectCanceled'
  | 'walletDisconnect'
  | 'transactionInitiated'
  | 'transactionSuccess'
  | 'transactionFailure'
  | 'transactionCanceled'
  | 'fundAmountChanged'
  | 'fundOptionSelected'
  | 'fundInitiated'
  | 'fundSuccess'
  | 'fundFailure'
  | 'fundCanceled'
  | 'componentError';

export function reportWallet(eventType: WalletEvent, data: Record<string, unknown>): void {
  const config = getOnchainKitConfig('config');
  if (config?.analytics !== true) return;
  fetch(config.analyticsUrl ?? DEFAULT_URL, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'OnchainKit-Version': version,
      'OnchainKit-App-Name': document.title,
    },
    body: JSON.stringify({
      apiKey: getOnchainKitConfig('apiKey') ?? 'undefined',
      sessionId: getOnchainKitConfig('sessionId') ?? 'undefined',
      timestamp: Date.now(),
      eventType,
      data,
      origin: window.location.origin,
    }),
    // A report that fails is not retried.
  }).catch(() => undefined);
}

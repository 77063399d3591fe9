/** Whether a wallet was connected here before; small enough for any screen, and refuses to load the wallet to find out. */

/** The name under which the connection is remembered, in front of a dot and what is remembered. */
export const WALLET_STORAGE_KEY = 'tradewind-wallet';

/** Reads a page's cookies: true where a connector was used last and not yet forgotten. */
export function walletRemembered(cookies: string): boolean {
  return cookies.split('; ').some((cookie) => cookie.startsWith(`${WALLET_STORAGE_KEY}.recentConnectorId=`));
}

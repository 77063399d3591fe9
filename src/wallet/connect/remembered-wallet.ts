/**
 * Whether a wallet was connected here before, and how to forget it. Small enough for any screen:
 * loads no wallet.
 */

/** The name under which the connection is remembered, in front of a dot and what is remembered. */
export const WALLET_STORAGE_KEY = 'tradewind-wallet';

/** Reads a page's cookies: true where a connector was used last and not yet forgotten. */
export function walletRemembered(cookies: string): boolean {
  return cookies
    .split('; ')
    .some((cookie) => cookie.startsWith(`${WALLET_STORAGE_KEY}.recentConnectorId=`));
}

/**
 * Where the kit keeps its keys. What it keeps beside them goes with everything else of the
 * person's.
 */
const KIT_DATABASES = ['base-acc-sdk', 'cbwsdk'];

/**
 * A wallet is its person's: with them go its cookies and its keys. A database that is still held
 * goes when it is let go of.
 */
export function forgetWallet(
  jar: { cookie: string } = document,
  factory = (globalThis as { indexedDB?: IDBFactory }).indexedDB,
): void {
  for (const entry of jar.cookie.split('; ')) {
    const name = entry.split('=')[0] ?? '';
    if (name.startsWith(`${WALLET_STORAGE_KEY}.`)) jar.cookie = `${name}=; max-age=0; path=/`;
  }
  for (const name of KIT_DATABASES) factory?.deleteDatabase(name);
}

/** The two coins of a pair, and which coins are stablecoins. */

export const STABLECOINS: ReadonlySet<string> = new Set([
  'USDC',
  'USDT',
  'DAI',
  'BUSD',
  'TUSD',
  'USDP',
  'FDUSD',
  'PYUSD',
  'GUSD',
  'USDS',
  'RLUSD',
]);

/** `BTC` of `BTC/USDT`. */
export function baseOf(pair: string): string {
  return pair.slice(0, pair.indexOf('/'));
}

/** `USDT` of `BTC/USDT`. */
export function quoteOf(pair: string): string {
  return pair.slice(pair.indexOf('/') + 1);
}

export function isStablecoinPair(pair: string): boolean {
  return STABLECOINS.has(baseOf(pair));
}

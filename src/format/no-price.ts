/** Why a result is not known. */

/** "no price of BTC/USD", for the pairs that are held without one. */
export const noPriceText = (pairs: readonly string[] = []): string =>
  `no price of ${[...new Set(pairs)].join(', ')}`;

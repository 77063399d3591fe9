/** Formats wallet addresses and chain names. It does not validate them. */

/** `0x1234…cdef`, where the whole address does not fit. */
export const shortAddress = (address: string): string =>
  `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The chains of the wallet by their ids. */
export function chainName(chainId: number): string {
  if (chainId === 8_453) return 'Base';
  return chainId === 84_532 ? 'Base Sepolia' : `Chain ${chainId}`;
}

/** Validates the recipient's address by its checksum. */
import { getAddress, isAddress } from 'viem';

const ZERO = '0x0000000000000000000000000000000000000000';

/** In its checksummed form; else why not. */
export function parseRecipient(
  typed: string,
  own: string,
): { to: `0x${string}`; isOwn: boolean } | { error: string } {
  const text = typed.trim();
  if (text === '') return { error: "Enter the recipient's address." };
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    return {
      error: 'Enter an address: 0x and 40 digits or letters from a to f. Names are not supported.',
    };
  if (!isAddress(text))
    return {
      error: 'This address has a typing error: its checksum does not match. Copy it again.',
    };
  const to = getAddress(text);
  if (to === ZERO) return { error: 'This address belongs to nobody. Coins sent there are lost.' };
  return { to, isOwn: to.toLowerCase() === own.toLowerCase() };
}

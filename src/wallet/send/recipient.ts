/**
 * To whom is sent: an address whose own checksum holds; refuses one that is mistyped or that nobody
 * has.
 */
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
      error:
        'An address is 0x and 40 digits and letters from a to f. Names are not looked up here.',
    };
  if (!isAddress(text))
    return {
      error:
        'One of its letters is wrong: the address does not match its own checksum. Copy it again.',
    };
  const to = getAddress(text);
  if (to === ZERO) return { error: 'Nobody holds this address: what is sent there is lost.' };
  return { to, isOwn: to.toLowerCase() === own.toLowerCase() };
}

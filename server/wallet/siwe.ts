/** The messages that are signed to link an address (EIP-4361), worded only by the server. */
import { createHash, randomBytes } from 'node:crypto';
import { getAddress, isAddress, type Address } from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { Refusal } from '../../contract/errors.ts';
import { LINK_MESSAGE_LIFE_MS, type WalletChainId } from '../../contract/wallet.ts';

const STATEMENT =
  'Link this address to my Tradewind account. This moves no coins, costs nothing, and lets no agent spend from this address.';

/** The same letters for the same account each time, and no way back from them to the person. */
export const accountMark = (uid: string): string =>
  createHash('sha256').update(`tradewind link ${uid}`).digest('hex').slice(0, 16);

/** @throws Refusal for an address whose capitals are not those of its checksum: a mistyped one. */
export function checkedAddress(text: string): Address {
  const hex = text.slice(2);
  const isPlain = hex === hex.toLowerCase() || hex === hex.toUpperCase();
  if (!isPlain && !isAddress(text, { strict: true })) {
    throw new Refusal(
      'invalid_request',
      'This address has a typing error: its capital and small letters do not match.',
      { field: 'address' },
    );
  }
  return getAddress(`0x${hex.toLowerCase()}`);
}

export interface MadeMessage {
  nonce: string;
  message: string;
  expiresAt: number;
}

/**
 * Whether a wallet can be asked to sign for this host: a name with a dot, an IPv4 address or
 * localhost.
 */
const isSignable = (host: string): boolean =>
  /^(localhost|(?:[a-z0-9-]+\.)+[a-z0-9-]+)(:\d+)?$/i.test(host);

/**
 * `origin` is the app's own: the wallet shows its host, and warns where that is not the page's.
 * @throws Refusal where the app is served under a host that no such message can name.
 */
export function makeMessage(
  origin: string,
  uid: string,
  address: Address,
  chainId: WalletChainId,
  now: number,
): MadeMessage {
  const { host } = new URL(origin);
  if (!isSignable(host))
    throw new Refusal(
      'invalid_request',
      `Addresses cannot be linked while Tradewind is served as ${host}: a wallet signs for a domain, an IPv4 address or localhost.`,
    );
  const nonce = randomBytes(16).toString('hex');
  const expiresAt = now + LINK_MESSAGE_LIFE_MS;
  const message = createSiweMessage({
    address,
    chainId,
    nonce,
    domain: host,
    uri: `${origin}/trading`,
    version: '1',
    statement: STATEMENT,
    issuedAt: new Date(now),
    expirationTime: new Date(expiresAt),
    requestId: accountMark(uid),
  });
  return { nonce, message, expiresAt };
}

/** The nonce that a message names, or null where it is no such message. */
export function nonceOf(message: string): string | null {
  return parseSiweMessage(message).nonce ?? null;
}

/**
 * Why a message that was not made here for this person cannot be taken: the first thing about it
 * that is wrong.
 */
export function whyForeign(message: string, origin: string, chainIds: readonly number[]): string {
  const { address, chainId, domain, nonce, uri } = parseSiweMessage(message);
  const host = new URL(origin).host;
  if (address === undefined || nonce === undefined || domain === undefined)
    return 'This is not a message for linking an address. Request a new one and sign it.';
  if (domain !== host)
    return `This message was signed for ${domain}, not for ${host}. Nothing was linked.`;
  if (uri?.startsWith(`${origin}/`) !== true)
    return 'This message was signed for another page. Nothing was linked.';
  if (chainId === undefined || !chainIds.includes(chainId))
    return 'This message names a network that Tradewind does not support. Use Base or Base Sepolia.';
  return 'This message was not created for you or was changed afterwards. Request a new one and sign it.';
}

/**
 * The wallet on the wire: its status, linked addresses and buying coins. No keys and no
 * transactions.
 */
import * as z from 'zod/mini';
import { CHAIN_ADDRESS } from './text-forms.ts';

/** Base and Base Sepolia. */
export const WALLET_CHAIN_IDS = [8_453, 84_532] as const;
export type WalletChainId = (typeof WALLET_CHAIN_IDS)[number];
export const WalletChainId = z.literal(WALLET_CHAIN_IDS, {
  error: 'Base (8453) or Base Sepolia (84532)',
});

/** How many addresses an account may hold at once. */
export const LINKED_ADDRESSES_MAX = 10;
/** A message that was made to be signed is good for so long. */
export const LINK_MESSAGE_LIFE_MS = 10 * 60_000;
/** A message of ours has about 500 characters. */
const LINK_MESSAGE_MAX = 2_000;
/**
 * A passkey's signature, wrapped with the making of its wallet, has about 4,000 hexadecimal digits.
 */
const SIGNATURE_MAX = 16_384;

export const WalletAddress = z
  .string({ error: 'An address' })
  .check(z.regex(CHAIN_ADDRESS, 'An address: 0x and 40 hexadecimal digits'));

/** What a person calls an address; in the words that a display name allows. */
export const AddressLabel = z.string().check(
  z.minLength(1, 'Required'),
  z.maxLength(40, 'At most 40 characters'),
  z.regex(/^[\p{L}\p{N}\s_-]*$/u, 'Only letters, digits, spaces, hyphens and underscores'),
  z.refine((text) => text.trim() !== '', 'Required'),
);

export const LinkedAddress = z.object({
  id: z.string(),
  /** As EIP-55 spells it. */
  address: z.string(),
  /**
   * The chain that the proof was given for: a contract of the same address on another chain may be
   * somebody else's.
   */
  chainId: z.number(),
  label: z.string(),
  /**
   * `key`: the address's own key signed. `contract`: its contract, there already or yet to be made,
   * said that it did.
   */
  proof: z.enum(['key', 'contract']),
  /** Server's clock, ms UTC. */
  linkedAt: z.number(),
});
export type LinkedAddress = z.infer<typeof LinkedAddress>;

export const WalletStatus = z.object({
  mode: z.enum(['paper', 'live']),
  venue: z.string(),
  quote: z.string(),
  balances: z.array(
    z.object({
      asset: z.string(),
      /** What could be spent now. */
      available: z.string(),
      /** What positions of agents hold. */
      reserved: z.optional(z.string()),
    }),
  ),
  /** The addresses alone, for apps that know no more of them. */
  linkedAddresses: z.array(z.string()),
  links: z._default(z.array(LinkedAddress), []),
  /**
   * `server`: quotes, options and sessions of the onramp are asked of this server, which holds the
   * keys. `direct`: the app asks by itself.
   */
  onramp: z._default(z.enum(['server', 'direct']), 'direct'),
  /** Server's clock, ms UTC. */
  servedAt: z.optional(z.number()),
});
export type WalletStatus = z.infer<typeof WalletStatus>;

/**
 * POST: a message to be signed, made by the server for this person, address and chain; it can be
 * used once.
 */
export const LinkMessageBody = z.strictObject({ address: WalletAddress, chainId: WalletChainId });
export type LinkMessageBody = z.infer<typeof LinkMessageBody>;
export const LinkMessageReply = z.object({
  commandId: z.string(),
  message: z.string(),
  expiresAt: z.number(),
});
export type LinkMessageReply = z.infer<typeof LinkMessageReply>;

/** POST: the message, to the last character, and what the wallet signed it with. */
export const LinkAddressBody = z.strictObject({
  message: z
    .string({ error: 'Required' })
    .check(z.minLength(1, 'Required'), z.maxLength(LINK_MESSAGE_MAX, 'The message is too long')),
  signature: z
    .string({ error: 'Required' })
    .check(
      z.maxLength(SIGNATURE_MAX, 'The signature is too long'),
      z.regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'A signature: 0x and hexadecimal digits'),
    ),
  label: z.optional(AddressLabel),
});
export type LinkAddressBody = z.infer<typeof LinkAddressBody>;
export const LinkAddressReply = z.object({ commandId: z.string(), link: LinkedAddress });
export type LinkAddressReply = z.infer<typeof LinkAddressReply>;

export const UnlinkReply = z.object({ commandId: z.string(), id: z.string() });
export type UnlinkReply = z.infer<typeof UnlinkReply>;

/** Forms of text that a schema and a reader of the same thing both hold to. */

/** BASE/QUOTE, each 2 to 10 capital letters. */
export const PAIR = /^[A-Z]{2,10}\/[A-Z]{2,10}$/;
/** SHA-256 in hexadecimal. */
export const SHA_256 = /^[0-9a-f]{64}$/;
/** An account on an Ethereum chain. */
export const CHAIN_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

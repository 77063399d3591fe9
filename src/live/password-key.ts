/**
 * A key that only the account's password gives: made anew for each confirmation, and kept nowhere.
 * The signer knows its public half.
 */
import { base64urlBytes } from '../../contract/base64url.ts';
import { PASSWORD_KEY_ROUNDS, passwordKeySalt, type PasswordKey } from '../../contract/signer.ts';
import { base64urlText } from './base64url-text.ts';

/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8_HEAD = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
const SEED_BITS = 256;

/** `rounds` is smaller in tests alone. */
async function keyOf(
  password: string,
  uid: string,
  keyId: string,
  extractable: boolean,
  rounds: number,
): Promise<CryptoKey> {
  const typed = new TextEncoder().encode(password.normalize('NFC'));
  const base = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveBits']);
  const salt = passwordKeySalt(uid, keyId);
  const seed = new Uint8Array(
    await crypto.subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds },
      base,
      SEED_BITS,
    ),
  );
  const pkcs8 = Uint8Array.from([...PKCS8_HEAD, ...seed]);
  return crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', extractable, ['sign']);
}

/** The public half of a new key, for the exchange account that it will confirm. */
export async function makePasswordKey(
  password: string,
  uid: string,
  rounds = PASSWORD_KEY_ROUNDS,
): Promise<PasswordKey> {
  const id = crypto.randomUUID();
  const jwk = await crypto.subtle.exportKey('jwk', await keyOf(password, uid, id, true, rounds));
  if (jwk.x === undefined) throw new Error('The key has no public half');
  return { id, kind: 'ed25519', publicKey: jwk.x };
}

/** @returns base64url of the 64 bytes. */
export async function signWithPassword(
  bytes: Uint8Array<ArrayBuffer>,
  { password, uid, keyId }: { password: string; uid: string; keyId: string },
  rounds = PASSWORD_KEY_ROUNDS,
): Promise<string> {
  const key = await keyOf(password, uid, keyId, false, rounds);
  return base64urlText(new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes)));
}

/** Whether this browser can make such keys. Some know Ed25519 only since a year or two. */
export async function canUsePassword(): Promise<boolean> {
  try {
    const seed = base64urlBytes('A'.repeat(43));
    const pkcs8 = Uint8Array.from([...PKCS8_HEAD, ...seed]);
    await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
    return true;
  } catch {
    return false;
  }
}

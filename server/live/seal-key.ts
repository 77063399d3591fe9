/**
 * Seals what a person pastes, so that only the signer can read it. The server cannot open it again,
 * and wipes its own copy.
 */
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';
import {
  sealContextBytes,
  type ApiKey,
  type BoxKey,
  type SealContext,
  type SealedKey,
} from '../../contract/signer.ts';
import { jsonBytes } from '../secret-bytes.ts';

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

/** The key as JSON, never as a text. */
function plainOf({ apiKey, secret }: ApiKey): Buffer {
  const parts = [jsonBytes(apiKey), jsonBytes(secret)] as const;
  const plain = Buffer.concat([
    Buffer.from('{"apiKey":"'),
    parts[0],
    Buffer.from('","secret":"'),
    parts[1],
    Buffer.from('"}'),
  ]);
  for (const part of parts) part.fill(0);
  return plain;
}

/** A key of a request stands for bytes that are held (`secret-bytes.ts`); others are texts. */
export async function sealKey(
  key: ApiKey,
  context: SealContext,
  boxKey: BoxKey,
): Promise<SealedKey> {
  const publicKey = await suite.DeserializePublicKey(
    new Uint8Array(Buffer.from(boxKey.publicKey, 'base64url')),
  );
  const plain = plainOf(key);
  try {
    const { encapsulatedSecret, ciphertext } = await suite.Seal(publicKey, plain, {
      info: sealContextBytes(context),
    });
    return {
      boxKeyId: boxKey.id,
      encapsulated: Buffer.from(encapsulatedSecret).toString('base64url'),
      ciphertext: Buffer.from(ciphertext).toString('base64url'),
    };
  } finally {
    plain.fill(0);
  }
}

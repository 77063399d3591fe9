/** Seals what a person pastes, so that only the signer can read it. The server cannot open it again. */
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';
import {
  sealContextBytes,
  type ApiKey,
  type BoxKey,
  type SealContext,
  type SealedKey,
} from '../../contract/signer.ts';

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

export async function sealKey(
  key: ApiKey,
  context: SealContext,
  boxKey: BoxKey,
): Promise<SealedKey> {
  const publicKey = await suite.DeserializePublicKey(
    new Uint8Array(Buffer.from(boxKey.publicKey, 'base64url')),
  );
  const { encapsulatedSecret, ciphertext } = await suite.Seal(
    publicKey,
    new TextEncoder().encode(JSON.stringify({ apiKey: key.apiKey, secret: key.secret })),
    { info: sealContextBytes(context) },
  );
  return {
    boxKeyId: boxKey.id,
    encapsulated: Buffer.from(encapsulatedSecret).toString('base64url'),
    ciphertext: Buffer.from(ciphertext).toString('base64url'),
  };
}

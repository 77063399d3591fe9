/**
 * An authenticator in software: makes passkeys (ES256) and signs with them in the bytes that real
 * ones send, so that what checks them is the real library.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { stepUpBytes, type PasskeyKey, type StepUpStatement } from '../../../contract/signer.ts';
import type { StepUpToken } from '../../../contract/signer.ts';

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** CBOR's head: a major type and a length or number, which here is always small. */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

/** An EC2 key on P-256 for ES256. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

export interface SoftAuthenticatorOptions {
  rpId?: string;
  origin?: string;
  /** Whether it counts its uses, as a security key does; a synced passkey says 0 for ever. */
  counts?: boolean;
}

export interface SigningManner {
  /** What the browser says of the page that asked. */
  origin?: string;
  rpId?: string;
  /** No finger, no face, no PIN. */
  unverified?: boolean;
  type?: string;
  challenge?: string;
}

export function softAuthenticator({
  rpId = 'localhost',
  origin = 'http://localhost:8787',
  counts = false,
}: SoftAuthenticatorOptions = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let uses = 0;
  const clientData = (type: string, challenge: string, from: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const authenticatorData = (forRpId: string, flags: number, attested: Buffer): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counts ? uses : 0);
    return Buffer.concat([sha256(forRpId), Buffer.from([flags]), count, attested]);
  };

  /** `RegistrationResponseJSON` to creation options. */
  const create = ({ challenge }: { challenge: string }, manner: SigningManner = {}) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credentialId.length);
    const aaguid = Buffer.alloc(16);
    const attested = Buffer.concat([aaguid, length, credentialId, coseKey(publicKey)]);
    const flags = USER_PRESENT | (manner.unverified === true ? 0 : USER_VERIFIED) | ATTESTED;
    const attestation = cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authenticatorData(manner.rpId ?? rpId, flags, attested)],
      ]),
    );
    return {
      id: base64url(credentialId),
      rawId: base64url(credentialId),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(
          clientData('webauthn.create', manner.challenge ?? challenge, manner.origin ?? origin),
        ),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      },
    };
  };

  /** `AuthenticationResponseJSON` to a challenge. */
  const get = (challenge: string, manner: SigningManner = {}) => {
    uses += 1;
    const flags = USER_PRESENT | (manner.unverified === true ? 0 : USER_VERIFIED);
    const data = authenticatorData(manner.rpId ?? rpId, flags, Buffer.alloc(0));
    const client = clientData(
      manner.type ?? 'webauthn.get',
      manner.challenge ?? challenge,
      manner.origin ?? origin,
    );
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
    return {
      id: base64url(credentialId),
      rawId: base64url(credentialId),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      },
    };
  };

  return {
    create,
    get,
    /** The key as a connection is bound to it, where no server has made it. */
    key: (id = 'passkey-1'): PasskeyKey => ({
      id,
      kind: 'passkey',
      credentialId: base64url(credentialId),
      publicKey: base64url(coseKey(publicKey)),
      counter: 0,
      transports: ['internal'],
    }),
    /** A confirmation, as the page makes one. */
    agree: (
      statement: StepUpStatement,
      manner: SigningManner = {},
      keyId = 'passkey-1',
    ): StepUpToken => {
      const assertion = get(base64url(sha256(stepUpBytes(statement))), manner);
      return { statement, keyId, signature: base64url(Buffer.from(JSON.stringify(assertion))) };
    },
  };
}
export type SoftAuthenticator = ReturnType<typeof softAuthenticator>;

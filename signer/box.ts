/**
 * The signer's key pairs. What is sealed to the public half can be opened here and nowhere else
 * (HPKE: P-256, HKDF-SHA256, AES-256-GCM).
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';
import * as z from 'zod/mini';
import {
  ApiKey,
  sealContextBytes,
  type BoxKey,
  type SealContext,
  type SealedKey,
} from '../contract/signer.ts';
import { filesOf, openFolder, removeFile, writeWhole } from './folder.ts';

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

const KeptPair = z.object({
  id: z.string(),
  createdAtMs: z.number(),
  publicKey: z.string(),
  privateKey: z.string(),
});
type KeptPair = z.infer<typeof KeptPair>;

/** A key that was being sealed while the pair changed can still be opened. */
const PAIRS_KEPT = 2;

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const bytes = (base64url: string): Uint8Array =>
  new Uint8Array(Buffer.from(base64url, 'base64url'));

async function newPair(now: number): Promise<KeptPair> {
  const pair = await suite.GenerateKeyPair(true);
  return {
    id: `box-${now.toString(36)}-${randomBytes(4).toString('hex')}`,
    createdAtMs: now,
    publicKey: text(await suite.SerializePublicKey(pair.publicKey)),
    privateKey: text(await suite.SerializePrivateKey(pair.privateKey)),
  };
}

export class Box {
  private constructor(
    private readonly folder: string,
    /** Newest first. */
    private pairs: KeptPair[],
  ) {}

  static async open(folder: string, now: number): Promise<Box> {
    openFolder(folder);
    const pairs = filesOf(folder, '.json')
      .map((name) => KeptPair.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))))
      .sort((a, b) => b.createdAtMs - a.createdAtMs);
    const box = new Box(folder, pairs);
    if (pairs.length === 0) await box.add(now);
    return box;
  }

  /** What the server seals to. */
  get current(): BoxKey {
    const [newest] = this.pairs;
    if (newest === undefined) throw new Error('the box has no key pair');
    return { id: newest.id, publicKey: newest.publicKey };
  }

  /** @throws Error when it was sealed for another connection, or to a pair that is gone. */
  async unseal(sealed: SealedKey, context: SealContext): Promise<ApiKey> {
    const pair = this.pairs.find(({ id }) => id === sealed.boxKeyId);
    if (pair === undefined) throw new Error('sealed to a key pair that is gone');
    const keys = {
      privateKey: await suite.DeserializePrivateKey(bytes(pair.privateKey)),
      publicKey: await suite.DeserializePublicKey(bytes(pair.publicKey)),
    };
    const plain = await suite.Open(keys, bytes(sealed.encapsulated), bytes(sealed.ciphertext), {
      info: sealContextBytes(context),
    });
    return ApiKey.parse(JSON.parse(Buffer.from(plain).toString('utf8')));
  }

  /** Seals again to the newest pair. */
  async reseal(sealed: SealedKey, context: SealContext): Promise<SealedKey> {
    const key = await this.unseal(sealed, context);
    const to = this.current;
    const publicKey = await suite.DeserializePublicKey(bytes(to.publicKey));
    const { encapsulatedSecret, ciphertext } = await suite.Seal(
      publicKey,
      new TextEncoder().encode(JSON.stringify(key)),
      { info: sealContextBytes(context) },
    );
    return {
      boxKeyId: to.id,
      encapsulated: text(encapsulatedSecret),
      ciphertext: text(ciphertext),
    };
  }

  async add(now: number): Promise<void> {
    const pair = await newPair(now);
    writeWhole(join(this.folder, `${pair.id}.json`), JSON.stringify(pair));
    this.pairs = [pair, ...this.pairs];
  }

  /** Deletes all but the newest pairs, once nothing is sealed to them any more. */
  dropOld(stillUsed: ReadonlySet<string>): void {
    const old = this.pairs.slice(PAIRS_KEPT).filter(({ id }) => !stillUsed.has(id));
    for (const { id } of old) removeFile(join(this.folder, `${id}.json`));
    this.pairs = this.pairs.filter((pair) => !old.includes(pair));
  }
}

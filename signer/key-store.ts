/**
 * The sealed keys, one file each, so that removing a connection removes its key from the disk. They
 * stay sealed here; they are opened in memory when they are used.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LiveExchange, SealedKey, type ApiKey, type SealContext } from '../contract/signer.ts';
import type { Box } from './box.ts';
import {
  dropStaged,
  filesOf,
  openFolder,
  putStaged,
  readStaged,
  removeFile,
  stage,
  writeWhole,
} from './folder.ts';
import type { Secrets } from './secrets.ts';

const KeptKey = z.object({
  connectionId: z.string(),
  ownerId: z.string(),
  exchange: LiveExchange,
  sealed: SealedKey,
  /** How many keys the connection has had with this one; absent in older files. */
  number: z.optional(z.number()),
});
type KeptKey = z.infer<typeof KeptKey>;

export class KeyStore {
  private readonly kept = new Map<string, KeptKey>();

  constructor(
    private readonly folder: string,
    private readonly box: Box,
    private readonly secrets: Secrets,
  ) {
    openFolder(folder);
    for (const name of filesOf(folder, '.json')) {
      const key = KeptKey.parse(JSON.parse(readFileSync(this.path(name), 'utf8')));
      this.kept.set(key.connectionId, key);
    }
  }

  has(connectionId: string): boolean {
    return this.kept.has(connectionId);
  }

  /**
   * Opens a key that is not kept, and keeps its text out of everything written from now on.
   * `holder`: where the connection has another key, whose text is kept out too.
   */
  async open(
    sealed: SealedKey,
    context: SealContext,
    holder = context.connectionId,
  ): Promise<ApiKey> {
    const key = await this.box.unseal(sealed, context);
    this.secrets.hold(holder, [key.apiKey, key.secret]);
    return key;
  }

  async opened(connectionId: string): Promise<ApiKey> {
    const kept = this.kept.get(connectionId);
    if (kept === undefined) throw new Error('no key is kept for this connection');
    return this.open(kept.sealed, kept);
  }

  /**
   * The key and the record of it, or neither: also where the disk takes only one of them, and where
   * the process ends between the two. `number`: how many keys the connection has had with this one.
   */
  keepWith(
    sealed: SealedKey,
    { connectionId, ownerId, exchange }: SealContext,
    number: number,
    record: () => void,
  ): void {
    const kept: KeptKey = { connectionId, ownerId, exchange, sealed, number };
    const path = this.path(connectionId);
    stage(path, JSON.stringify(kept));
    try {
      record();
    } catch (error) {
      dropStaged(path);
      throw error;
    }
    putStaged(path);
    this.kept.set(connectionId, kept);
  }

  /**
   * Keys that were about to be kept when a process before this one ended. `numberOf`: how many keys a
   * connection has had by its records; null where it has none now.
   */
  finish(numberOf: (connectionId: string) => number | null): void {
    for (const connectionId of filesOf(this.folder, '.json.next')) {
      const path = this.path(connectionId);
      const key = readKey(readStaged(path));
      if (key?.number !== undefined && key.number === numberOf(connectionId)) {
        putStaged(path);
        this.kept.set(connectionId, key);
      } else dropStaged(path);
    }
  }

  keep(sealed: SealedKey, { connectionId, ownerId, exchange }: SealContext): void {
    const kept: KeptKey = { connectionId, ownerId, exchange, sealed };
    writeWhole(this.path(connectionId), JSON.stringify(kept));
    this.kept.set(connectionId, kept);
  }

  remove(connectionId: string): void {
    removeFile(this.path(connectionId));
    // Only then: a key whose file stays is not gone.
    this.kept.delete(connectionId);
  }

  /** A new key pair, every key sealed to it, and old pairs gone that nothing needs. */
  async rotate(now: number): Promise<number> {
    await this.box.add(now);
    for (const kept of this.kept.values())
      this.keep(await this.box.reseal(kept.sealed, kept), kept);
    this.box.dropOld(new Set([...this.kept.values()].map(({ sealed }) => sealed.boxKeyId)));
    return this.kept.size;
  }

  private path(connectionId: string): string {
    return join(this.folder, `${connectionId}.json`);
  }
}

/** Null where the text broke off. */
function readKey(text: string | null): KeptKey | null {
  try {
    return KeptKey.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}

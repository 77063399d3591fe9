/** Whether the browser has promised to keep the app's data, and how much that is. */
import { proxy } from 'valtio';

export interface PersistenceState {
  /** The browser's answer; `unknown` where it gives none. */
  promise: 'unknown' | 'kept' | 'may-be-cleared';
  usedBytes: number | null;
}

export const persistence = proxy<PersistenceState>({ promise: 'unknown', usedBytes: null });

/**
 * Declared here because a worker's StorageManager has no `persist`, and this file is compiled for
 * both.
 */
interface Storehouse {
  persist?(): Promise<boolean>;
  persisted?(): Promise<boolean>;
  estimate?(): Promise<{ usage?: number }>;
}
const storehouse = (): Storehouse | undefined => (navigator as { storage?: Storehouse }).storage;

/** The present state. Never throws: without an answer it stays unknown. */
export async function checkPersistence(
  storage: Storehouse | undefined = storehouse(),
): Promise<void> {
  const [persisted, estimate] = await Promise.all([
    storage?.persisted?.().catch(() => null) ?? null,
    storage?.estimate?.().catch(() => null) ?? null,
  ]);
  persistence.promise = persisted === null ? 'unknown' : persisted ? 'kept' : 'may-be-cleared';
  persistence.usedBytes = estimate?.usage ?? null;
}

/**
 * Asks for persistence after a first start or an installation, when a browser is most likely to
 * grant it.
 */
export async function requestPersistence(
  storage: Storehouse | undefined = storehouse(),
): Promise<void> {
  try {
    if (storage?.persist !== undefined && (await storage.persisted?.()) !== true)
      await storage.persist();
  } catch {
    // Not available in this context.
  }
  await checkPersistence(storage);
}

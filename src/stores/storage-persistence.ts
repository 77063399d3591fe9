/** Whether the browser has promised to keep the app's data, and how much that is. */
import { proxy } from 'valtio';

export interface PersistenceState {
  /** The browser's answer; `unknown`: it does not say. */
  promise: 'unknown' | 'kept' | 'may-be-cleared';
  usedBytes: number | null;
}

export const persistence = proxy<PersistenceState>({ promise: 'unknown', usedBytes: null });

/** Written out: a worker's StorageManager has no `persist`, and this file is checked for both. */
interface Storehouse {
  persist?(): Promise<boolean>;
  persisted?(): Promise<boolean>;
  estimate?(): Promise<{ usage?: number }>;
}
const storehouse = (): Storehouse | undefined => (navigator as { storage?: Storehouse }).storage;

/**
 * What the browser says now. Never throws: a browser that does not say leaves what is unknown
 * unknown.
 */
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
 * Asks for the promise, where it was not given: after a first start or an installation, when a
 * browser is likeliest to say yes.
 */
export async function requestPersistence(
  storage: Storehouse | undefined = storehouse(),
): Promise<void> {
  try {
    if (storage?.persist !== undefined && (await storage.persisted?.()) !== true)
      await storage.persist();
  } catch {
    // Not in this context: nothing was promised, and that is what is shown.
  }
  await checkPersistence(storage);
}

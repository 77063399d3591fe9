/** Waits until the commands now being sent from this device are done. */

/** Every drain holds a lock of this name and a user's id. */
const LOCK = 'outbox:';
/** How long its holder is waited for, ms: longer than a send may take. It may sleep with its page. */
export const PATIENCE_MS = 20_000;

export async function sendsAreOver(): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  const limit = { signal: AbortSignal.timeout(PATIENCE_MS) };
  for (const { name } of held)
    if (name?.startsWith(LOCK) === true)
      await locks?.request(name, limit, () => undefined).catch(() => undefined);
}

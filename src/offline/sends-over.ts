/**
 * Waits until no command is being sent from this device; refuses to wait for one that begins later.
 */

/** Every drain holds a lock of this name and a user's id. */
const LOCK = 'outbox:';

export async function sendsAreOver(): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  for (const { name } of held)
    if (name?.startsWith(LOCK) === true) await locks?.request(name, () => undefined);
}

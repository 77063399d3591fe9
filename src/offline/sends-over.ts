/** Waits until the commands now being sent from this device are done. */

/** Every drain holds a lock of this name and a user's id. */
const LOCK = 'outbox:';

export async function sendsAreOver(): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  for (const { name } of held)
    if (name?.startsWith(LOCK) === true) await locks?.request(name, () => undefined);
}

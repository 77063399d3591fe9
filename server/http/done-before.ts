/**
 * Tells whether a command was done before, ahead of the questions that it would put to others: the
 * same one again is answered without them.
 */

class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** The reply that is kept; null where there is none. `once` is the call's own. */
export async function doneBefore<R>(
  once: (effect: () => Promise<R>) => Promise<R>,
): Promise<R | null> {
  const notDone = new NotDone('This command was not done before');
  try {
    // Thrown out of the transaction, it leaves no receipt.
    return await once(() => Promise.reject(notDone));
  } catch (error) {
    if (error === notDone) return null;
    throw error;
  }
}

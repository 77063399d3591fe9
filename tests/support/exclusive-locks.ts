/** Web Locks as far as exclusive ones go: each name has one holder, and a line in order of asking. */

type Work = (lock: Lock | null) => unknown;

export function exclusiveLocks(): LockManager {
  const ends = new Map<string, Promise<unknown>>();
  const held = new Set<string>();
  const request = (name: string, ...rest: [Work] | [LockOptions, Work]): Promise<unknown> => {
    const work = rest.at(-1) as Work;
    const signal = rest.length > 1 ? (rest[0] as LockOptions).signal : undefined;
    return new Promise((resolve, reject) => {
      let begun = false;
      // As in a browser: what is granted cannot be called off.
      signal?.addEventListener('abort', () => {
        if (!begun) reject(signal.reason as Error);
      });
      const turn = (ends.get(name) ?? Promise.resolve()).then(async () => {
        if (signal?.aborted === true) return;
        begun = true;
        held.add(name);
        const done = Promise.resolve<Lock>({ name, mode: 'exclusive' }).then(work);
        resolve(done);
        await done.catch(() => undefined);
        held.delete(name);
      });
      ends.set(name, turn);
    });
  };
  return {
    request,
    query: () => Promise.resolve({ held: [...held].map((name) => ({ name })), pending: [] }),
  } as LockManager;
}

/** An update waits for what is being sent, and for nobody who has stopped sending. */
import { afterEach, expect, it, vi } from 'vitest';
import { sendsAreOver } from '../../../src/offline/sends-over.ts';
import { exclusiveLocks } from '../../support/exclusive-locks.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('an update waits until the sends of this device are over', async () => {
  const locks = exclusiveLocks();
  vi.stubGlobal('navigator', { locks });
  let end: () => void = () => undefined;
  void locks.request(
    'outbox:ada',
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await Promise.resolve();
  let isOver = false;
  const over = sendsAreOver().then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isOver).toBe(false);
  end();
  await over;
});

it('an update comes though a page that sleeps keeps the lock of the queue', async () => {
  const patience = new AbortController();
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
  const locks = exclusiveLocks();
  vi.stubGlobal('navigator', { locks });
  void locks.request('outbox:ada', () => new Promise(() => undefined));
  await Promise.resolve();
  const over = sendsAreOver();
  await expect.poll(() => limit.mock.calls).toEqual([[20_000]]);
  patience.abort(new DOMException('Timed out', 'TimeoutError'));
  await over;
});

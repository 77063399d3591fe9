/** Reads wait while a worker gives way, for a while and no longer. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdReads, readsHeld } from '../../../src/platform/giving-way.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('holds reads for five seconds where no newer worker takes over, and none before', async () => {
  expect(readsHeld()).toBeNull();
  holdReads();
  let gone = 0;
  const read = readsHeld()?.then(() => (gone += 1));
  await vi.advanceTimersByTimeAsync(4_900);
  expect(gone).toBe(0);
  await vi.advanceTimersByTimeAsync(200);
  await read;
  expect([gone, readsHeld()]).toEqual([1, null]);
});

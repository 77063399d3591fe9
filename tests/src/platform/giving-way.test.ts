/** Reads wait while a worker gives way, for a while and no longer. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdReads, readsMayGo } from '../../../src/platform/giving-way.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('holds reads for five seconds where no newer worker takes over, and none before', async () => {
  let gone = 0;
  const read = () => readsMayGo().then(() => (gone += 1));
  await read();
  expect(gone).toBe(1);
  holdReads();
  const held = read();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(gone).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  await held;
  expect(gone).toBe(2);
  await read();
  expect(gone).toBe(3);
});

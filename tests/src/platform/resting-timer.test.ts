// @vitest-environment happy-dom
/** Timers that rest while nobody looks. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whileSeen } from '../../../src/platform/resting-timer.ts';

let visible: DocumentVisibilityState = 'visible';
const show = (state: DocumentVisibilityState): void => {
  visible = state;
  document.dispatchEvent(new Event('visibilitychange'));
};
beforeEach(() => {
  vi.useFakeTimers();
  visible = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('ticks while seen, holds no timer while hidden, and is overdue on return only when a turn was missed', async () => {
  let turns = 0;
  const end = whileSeen(15_000, () => {
    turns += 1;
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(turns).toBe(2);
  show('hidden');
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(10_000);
  show('visible');
  expect(turns).toBe(2);
  show('hidden');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(turns).toBe(2);
  show('visible');
  expect(turns).toBe(3);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(turns).toBe(4);
  end();
  expect(vi.getTimerCount()).toBe(0);
  show('visible');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(turns).toBe(4);
});

it('that began hidden begins to tick when it is seen', async () => {
  visible = 'hidden';
  let turns = 0;
  const end = whileSeen(1_000, () => {
    turns += 1;
  });
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  show('visible');
  expect(turns).toBe(1);
  end();
});

it('looks at once when a frozen page is thawed', () => {
  let turns = 0;
  const end = whileSeen(15_000, () => {
    turns += 1;
  });
  vi.setSystemTime(Date.now() + 5 * 3_600_000);
  document.dispatchEvent(new Event('resume'));
  expect(turns).toBe(1);
  end();
});

// @vitest-environment happy-dom
/** The memory check. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkMemory, watchPerformance } from '../../../src/platform/page-performance.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('memory', () => {
  it('is looked at every 30 s and warned of above 80 percent of the heap (R9-11)', () => {
    vi.useFakeTimers();
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let used = 80;
    const read = vi.fn(() => ({ usedJSHeapSize: used, jsHeapSizeLimit: 100 }));
    const stop = watchPerformance(read);
    vi.advanceTimersByTime(29_999);
    expect(read).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(read).toHaveBeenCalledTimes(1);
    expect(warned).not.toHaveBeenCalled();
    used = 81;
    vi.advanceTimersByTime(30_000);
    expect(warned).toHaveBeenCalledWith('Memory: 81 percent of the heap is used');
    stop();
    vi.advanceTimersByTime(300_000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('that the browser does not tell is not guessed', () => {
    expect(checkMemory(undefined)).toBeNull();
    expect(checkMemory({ usedJSHeapSize: 1, jsHeapSizeLimit: 0 })).toBeNull();
  });
});

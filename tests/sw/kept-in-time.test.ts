/** The state of a push message on its way into a storage that may fail. */
import { describe, expect, it } from 'vitest';
import { keptInTime } from '../../sw/kept-in-time.ts';

describe('the state of a push message', () => {
  it('is told as it was kept', async () => {
    expect(await keptInTime(Promise.resolve('behind'))).toBe('behind');
  });

  it('is not kept where the storage fails in a way nobody foresaw', async () => {
    expect(await keptInTime(Promise.reject(new Error('aborted')))).toBe('not-kept');
  });

  it('is not kept where the storage does not answer, and the notification goes on', async () => {
    expect(await keptInTime(new Promise(() => undefined), 5)).toBe('not-kept');
  });
});

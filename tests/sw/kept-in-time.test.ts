/** The state of a push message on its way into a storage that may fail. */
import { describe, expect, it } from 'vitest';
import { inTurn, keptInTime } from '../../sw/kept-in-time.ts';

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

  it('is kept after that of the message before, also where that one failed', async () => {
    const steps: string[] = [];
    const keep =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        steps.push(`${name} reads`);
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
        if (fails) throw new Error('aborted');
        steps.push(`${name} writes`);
        return name;
      };
    const all = await Promise.allSettled([
      inTurn(keep('first')),
      inTurn(keep('second', true)),
      inTurn(keep('third')),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(steps).toEqual([
      'first reads',
      'first writes',
      'second reads',
      'third reads',
      'third writes',
    ]);
  });
});

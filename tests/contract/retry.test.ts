/** Backoff, Retry-After and the retry loop that page, worker and server share. */
import { describe, expect, it, vi } from 'vitest';
import {
  backoffCeilingMs,
  retryAfterHeader,
  retryAfterHeaderMs,
  retryAfterMs,
  retrying,
} from '../../contract/retry.ts';

describe('backoff', () => {
  it('doubles from its base up to its limit, however many failures there were', () => {
    const backoff = { baseMs: 1_000, maxMs: 60_000 };
    expect([0, 1, 2, 5, 6, 5_000].map((failures) => backoffCeilingMs(backoff, failures))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
    expect(backoffCeilingMs({ ...backoff, factor: 3 }, 2)).toBe(9_000);
  });
});

describe('Retry-After', () => {
  it('is read as seconds or as a date, and never as less than no wait', () => {
    expect(retryAfterHeaderMs('120', 0)).toBe(120_000);
    expect(retryAfterHeaderMs('1.5', 0)).toBe(1_500);
    expect(retryAfterHeaderMs('-3', 0)).toBe(0);
    expect(retryAfterHeaderMs('Thu, 01 Jan 1970 00:00:30 GMT', 10_000)).toBe(20_000);
    expect(retryAfterHeaderMs('Thu, 01 Jan 1970 00:00:30 GMT', 40_000)).toBe(0);
    for (const nothing of ['soon', '', ' ', 'Infinity', null, undefined])
      expect(retryAfterHeaderMs(nothing, 0), String(nothing)).toBeUndefined();
  });
  it('stands behind what the body says', () => {
    const body = { error: { code: 'rate_limited' as const, message: 'x', retryAfterMs: 250 } };
    expect(retryAfterMs('9', body, 0)).toBe(250);
    expect(retryAfterMs('9', { error: { code: 'rate_limited', message: 'x' } }, 0)).toBe(9_000);
    expect(retryAfterMs(null, null, 0)).toBeUndefined();
  });
  it('is sent in whole seconds, at least one', () => {
    expect([0, 500, 1_000, 1_001].map(retryAfterHeader)).toEqual(['1', '1', '1', '2']);
  });
});

describe('retrying', () => {
  it('waits as it is told, and throws the error that it is not to wait for', async () => {
    const attempt = vi.fn(() => Promise.reject(new Error(`no ${attempt.mock.calls.length}`)));
    const wait = vi.fn(() => Promise.resolve());
    const waitMs = (_error: unknown, failures: number) => (failures < 3 ? failures * 10 : null);
    await expect(retrying(attempt, waitMs, wait)).rejects.toThrow('no 3');
    expect(wait.mock.calls).toEqual([[10], [20]]);
  });
  it('gives back the first success', async () => {
    const wait = vi.fn(() => Promise.resolve());
    expect(
      await retrying(
        () => Promise.resolve(7),
        () => 1,
        wait,
      ),
    ).toBe(7);
    expect(wait).not.toHaveBeenCalled();
  });
});

/** When the browser is asked to wake the worker once more for what waits. */
import { describe, expect, it } from 'vitest';
import type { Drained } from '../../src/offline/drain.ts';
import { mustSyncAgain, waitOf, withoutToken } from '../../sw/sync-again.ts';

const after = (end: Drained['end']): boolean => mustSyncAgain({ end, dueAt: null });

it('wakes again while something may still be sent without the person', () => {
  for (const end of ['offline', 'waiting', 'no-storage'] as const)
    expect(after(end), end).toBe(true);
});

it('wakes again without a token, which the provider may only be too slow to give', () => {
  expect(mustSyncAgain(null)).toBe(true);
  expect(after('signed-out')).toBe(true);
});

it('rests once nothing waits, and where only a login or an update helps', () => {
  for (const end of ['empty', 'sign-in', 'update'] as const) expect(after(end), end).toBe(false);
});

describe('what a stop is said to wait for that is still saved', () => {
  it('is the person, where only a login or an update helps, however often the browser tries again', () => {
    expect(waitOf('sign-in', true)).toBe('needs-login');
    expect(waitOf('update', true)).toBe('needs-update');
    expect(waitOf('signed-out', true)).toBe('needs-token');
  });

  it('is the app, once the browser wakes this worker no more', () => {
    for (const end of ['offline', 'waiting', 'no-storage', 'empty', null] as const) {
      expect(waitOf(end, true), String(end)).toBe('waiting');
      expect(waitOf(end, false), String(end)).toBe('needs-app');
    }
  });
});

describe('a delivery without a token', () => {
  it('is offline where no server answers, as the provider may be out of reach too, and otherwise signed out', async () => {
    const health = { app: 'tradewind', status: 'ok', contract: 1, time: 5 };
    const line = { baseUrl: '', fetch: () => Promise.resolve(Response.json(health)) };
    expect(await withoutToken(line)).toEqual({ end: 'signed-out', dueAt: null });
    const none = { baseUrl: '', fetch: () => Promise.reject(new TypeError('No network')) };
    expect(await withoutToken(none)).toEqual({ end: 'offline', dueAt: null });
  });
});

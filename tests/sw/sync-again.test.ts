/** When the browser is asked to wake the worker once more for what waits. */
import { expect, it } from 'vitest';
import type { Drained } from '../../src/offline/drain.ts';
import { mustSyncAgain } from '../../sw/sync-again.ts';

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

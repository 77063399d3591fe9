/** The number on the icon counts what needs the person, and nothing that goes on by itself. */
import { describe, expect, it, vi } from 'vitest';
import { needsPerson, showBadge } from '../../../src/offline/badge.ts';
import type { EntryState } from '../../../src/offline/outbox-entry.ts';

describe('the badge', () => {
  it('counts what must be confirmed, has failed or has lapsed, and agents that stand still though told to run', () => {
    const states: EntryState[] = [
      'saved',
      'sending',
      'accepted',
      'cancelled',
      'needs-you',
      'failed',
      'lapsed',
    ];
    expect(
      needsPerson(
        states.map((state) => ({ state })),
        [],
      ),
    ).toBe(3);
    expect(
      needsPerson(
        [],
        [{ status: 'running' }, { status: 'stopped' }, { status: 'halted' }, { status: 'faulted' }],
      ),
    ).toBe(2);
    expect(needsPerson([], [])).toBe(0);
  });
  it('is set, cleared at nothing, and does no harm where there is none or it is refused', async () => {
    const port = {
      setAppBadge: vi.fn(() => Promise.resolve()),
      clearAppBadge: vi.fn(() => Promise.resolve()),
    };
    await showBadge(2, port);
    await showBadge(0, port);
    expect([port.setAppBadge.mock.calls, port.clearAppBadge.mock.calls]).toEqual([[[2]], [[]]]);
    await showBadge(1, {});
    await showBadge(1, { setAppBadge: () => Promise.reject(new Error('not installed')) });
  });
});

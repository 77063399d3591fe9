// @vitest-environment happy-dom
/** What counts as the user's hand at work, and for how long. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isInteracting } from '../../../src/platform/interaction.ts';

describe('a page under the hand of its user', () => {
  beforeAll(() => {
    vi.useFakeTimers();
    vi.advanceTimersByTime(1_000);
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  it.each(['scroll', 'pointerdown', 'pointerup', 'click', 'keydown'])(
    'is at work from a %s on, and rests a moment later',
    (kind) => {
      expect(isInteracting()).toBe(false);
      // A part that is scrolled does not tell its parents, but those who capture.
      const part = document.body.appendChild(document.createElement('div'));
      part.dispatchEvent(new Event(kind));
      expect(isInteracting()).toBe(true);
      vi.advanceTimersByTime(149);
      expect(isInteracting()).toBe(true);
      vi.advanceTimersByTime(1);
      expect(isInteracting()).toBe(false);
      vi.advanceTimersByTime(1_000);
    },
  );
});

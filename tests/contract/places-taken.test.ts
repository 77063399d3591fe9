/** How many agents count against a plan's limit. */
import { describe, expect, it } from 'vitest';
import { placesTaken } from '../../contract/agent-account.ts';

describe('the places of a plan', () => {
  it('are taken by agents on paper and live ones, and never by a twin on paper', () => {
    expect(placesTaken([])).toBe(0);
    expect(placesTaken([{}, { shadowOf: 'live-1' }, {}])).toBe(2);
  });
});

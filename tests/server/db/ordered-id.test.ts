/** Ids in the order of their making, and no two alike. */
import { describe, expect, it } from 'vitest';
import { orderedId } from '../../../server/db/ordered-id.ts';

describe('ordered ids', () => {
  it('are version 7, differ, and sort by the millisecond they were made in', () => {
    const ids = Array.from({ length: 5_000 }, (_none, n) => orderedId(1_700_000_000_000 + n));
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(Array.from({ length: 5_000 }, () => orderedId(5))).size).toBe(5_000);
  });
});

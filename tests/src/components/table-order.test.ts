/** The order of rows: exact, stable, unknown last. */
import { describe, expect, it } from 'vitest';
import { exactly, heldOrder, pressed, sortRows } from '../../../src/components/table-order.ts';
import fc from '../../support/property.ts';

const row = fc.record({
  id: fc.uuid(),
  value: fc.option(fc.bigInt({ min: -5n, max: 5n }), { nil: null }),
});

describe('rows in order', () => {
  it('are sorted by exact decimals: two amounts that a float cannot tell apart are told apart', () => {
    const [low, high] = ['9007199254740993.000000000001', '9007199254740993.000000000002'];
    expect(Number(low)).toBe(Number(high));
    const rows = [
      { id: 'low', text: low },
      { id: 'high', text: high },
      { id: 'none', text: null },
    ];
    const ids = (down: boolean) =>
      sortRows(rows, ({ text }) => exactly(text), down).map(({ id }) => id);
    expect(ids(true)).toEqual(['high', 'low', 'none']);
    expect(ids(false)).toEqual(['low', 'high', 'none']);
  });

  it('keep the order in which equal ones came, either way, and put the unknown last', () => {
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id }), fc.boolean(), (rows, down) => {
        const sorted = sortRows(rows, ({ value }) => value, down);
        expect(sorted.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
        sorted.forEach((one, index) => {
          const next = sorted[index + 1];
          if (next === undefined) return;
          if (one.value === null) expect(next.value).toBeNull();
          else if (next.value !== null)
            expect(down ? one.value >= next.value : one.value <= next.value).toBe(true);
          if (one.value === next.value) expect(rows.indexOf(one)).toBeLessThan(rows.indexOf(next));
        });
      }),
    );
  });

  it('turn round on a second press; a new column begins with the largest, or with A', () => {
    const first = pressed({ key: 'pair', down: false }, 'value', false);
    expect(first).toEqual({ key: 'value', down: true });
    expect(pressed(first, 'value', false)).toEqual({ key: 'value', down: false });
    expect(pressed(first, 'pair', true)).toEqual({ key: 'pair', down: false });
  });

  it('are held as they are: what is gone leaves, what is new stands last, and nothing else moves', () => {
    expect(heldOrder(['a', 'b', 'c'], ['c', 'd', 'a'])).toEqual(['a', 'c', 'd']);
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'));
    fc.assert(
      fc.property(ids, ids, (held, order) => {
        const shown = heldOrder(held, order);
        expect([...shown].sort()).toEqual([...order].sort());
        const kept = held.filter((id) => order.includes(id));
        expect(shown.slice(0, kept.length)).toEqual(kept);
      }),
    );
  });
});

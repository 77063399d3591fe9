/** Values kept up to so many bytes. */
import { describe, expect, it } from 'vitest';
import { KeptByUse } from '../../../server/reads/kept-by-use.ts';
import fc from '../../support/property.ts';

describe('values kept by use', () => {
  it('forgets those used longest ago first', () => {
    const kept = new KeptByUse<string>(30);
    kept.set('a', 'A', 10);
    kept.set('b', 'B', 10);
    kept.set('c', 'C', 10);
    expect(kept.get('a')).toBe('A');
    kept.set('d', 'D', 10);
    expect(['a', 'b', 'c', 'd'].map((name) => kept.get(name))).toEqual(['A', undefined, 'C', 'D']);
  });

  it('keeps nothing that is larger than all of it, and forgets what stood under the name', () => {
    const kept = new KeptByUse<string>(30);
    kept.set('a', 'small', 10);
    kept.set('a', 'large', 31);
    expect(kept.get('a')).toBeUndefined();
    expect(kept.bytes).toBe(0);
  });

  it('never holds more than its limit, and counts exactly what it holds', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bytes: fc.integer({ min: 0, max: 60 }),
      act: fc.constantFrom('set', 'get', 'delete'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const kept = new KeptByUse<number>(100);
        for (const { name, bytes, act } of steps) {
          if (act === 'set') kept.set(name, bytes, bytes);
          else if (act === 'get') kept.get(name);
          else kept.delete(name);
          const held = ['a', 'b', 'c', 'd', 'e'].flatMap((one) => kept.get(one) ?? []);
          expect(kept.bytes).toBe(held.reduce((all, one) => all + one, 0));
          expect(kept.bytes).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

/** Names on the wire between processes: joined into as few words as fit. */
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../server/db/postgres-wire.ts';

describe('words of the wire', () => {
  it('carry every name once, in words that PostgreSQL takes', () => {
    const names = Array.from({ length: 1_000 }, (_none, i) => `person-${i}-${'ü'.repeat(i % 40)}`);
    const words = wordsOf([...names, ...names]);
    expect(words.flatMap((word) => word.split('\n'))).toEqual(names);
    for (const word of words) expect(Buffer.byteLength(word)).toBeLessThan(8_000);
    expect(words.length).toBeLessThan(12);
    expect(wordsOf([])).toEqual([]);
  });
});

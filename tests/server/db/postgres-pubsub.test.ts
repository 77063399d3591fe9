/** Names that processes publish to each other, joined into as few payloads as fit. */
import { describe, expect, it } from 'vitest';
import { payloadsOf } from '../../../server/db/postgres-pubsub.ts';

describe('payloads', () => {
  it('carry every name once, in payloads that PostgreSQL takes', () => {
    const names = Array.from({ length: 1_000 }, (_none, i) => `person-${i}-${'ü'.repeat(i % 40)}`);
    const payloads = payloadsOf([...names, ...names]);
    expect(payloads.flatMap((payload) => payload.split('\n'))).toEqual(names);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(payloads.length).toBeLessThan(12);
    expect(payloadsOf([])).toEqual([]);
  });
});

/** How long what was read is kept, and that many people are not all out of date at once. */
import { describe, expect, it } from 'vitest';
import { KnownFacts, type Turn } from '../../../server/reads/known-facts.ts';

const atOnce: Turn = (_uid, work) => work();
const PEOPLE = 200;

describe('facts without a version', () => {
  it('are read again within a minute, by everybody at another moment', async () => {
    let now = 0;
    const reads = new Map<number, number>();
    const known = new KnownFacts({
      versions: { of: () => Promise.resolve('1') },
      clock: { now: () => now },
      period: () => 0,
    });
    const load = (): Promise<number> => {
      reads.set(now, (reads.get(now) ?? 0) + 1);
      return Promise.resolve(now);
    };
    for (; now <= 60_000; now += 1_000)
      for (let person = 0; person < PEOPLE; person += 1) {
        const { facts } = await known.read(`person ${person}`, 'portfolio', atOnce, load);
        expect(now - facts).toBeLessThan(60_000);
      }
    expect(reads.get(0)).toBe(PEOPLE);
    const later = [...reads].filter(([at]) => at > 0);
    expect(Math.min(...later.map(([at]) => at))).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...later.map(([, count]) => count))).toBeLessThan(PEOPLE / 5);
  });
});

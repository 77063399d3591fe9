/**
 * Random lives of orders under duplication, reordering, loss and lies, judged by what the exchange
 * really did.
 */
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './order-driver.ts';
import { isWrong, live } from './random-life.ts';

/** `npm run test:orders` takes ten thousand. One that fails is replayed by ORDER_SEED=… ORDER_LIVES=1. */
const LIVES = Number(process.env.ORDER_LIVES ?? '200');
const FIRST_SEED = Number(process.env.ORDER_SEED ?? '1');
/** A planted fault shows in one of these seeds; most show in the first few. */
const SEARCHED_SEEDS = 300;
/** Lists that lag for up to a quarter of an hour: far more than the policy allows for. */
const LONG_LAG_MS = 900_000;

describe('orders at an exchange that lies', () => {
  it(`none is doubled or lost, every coin adds up and stops cover what is held in ${LIVES} lives`, () => {
    const counts = new Map<string, number>();
    let faults = 0;
    let fills = 0;
    let covered = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed += 1) {
      const verdict = live(seed);
      if (isWrong(verdict))
        expect(verdict).toMatchObject({
          ...{ doubled: [], lost: [], oversold: [], differences: [], reservations: [] },
          ...{ unprotected: [], problems: [] },
        });
      faults += verdict.faults;
      fills += verdict.fills;
      covered += verdict.covered;
      for (const [kind, count] of verdict.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
    }
    // Proved absence was never contradicted, and no fill came after an order had ended.
    for (const kind of ['found_after_end', 'late fill', 'two_orders', 'overfilled'])
      expect(counts.get(kind), kind).toBeUndefined();
    if (LIVES < 100) return;
    expect(faults).toBeGreaterThan(LIVES * 50);
    expect(fills).toBeGreaterThan(LIVES * 20);
    expect(covered).toBeGreaterThan(LIVES);
    for (const kind of [
      ...['unknown', 'absent', 'resent', 'rejected', 'refused', 'unsent', 'withdrawn'],
      ...['hand_trade', 'deposit', 'withdrawal', 'cancelled_at_exchange', 'unknown_for_minutes'],
    ])
      expect(counts.get(kind), kind).toBeGreaterThan(10);
  });

  it('where lists lag longer than we allow for, books are exact and what was wrong is said', () => {
    const counts = new Map<string, number>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed += 1) {
      const verdict = live(seed, 'none', LONG_LAG_MS);
      expect(verdict).toMatchObject({ lost: [], differences: [], reservations: [], problems: [] });
      for (const [kind, count] of verdict.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
      // An order that took effect after we had given it up is the only way to double one.
      if (verdict.doubled.length > 0) expect(verdict.counts.get('found_after_end')).toBeDefined();
    }
    if (LIVES < 100) return;
    for (const kind of ['found_after_end', 'late fill', 'hand_trade_undone', 'fills_missing'])
      expect(counts.get(kind), kind).toBeGreaterThan(0);
  });

  it.each(MUTANTS.filter((mutant) => mutant !== 'none'))(
    'the same lives find the fault: %s',
    (mutant) => {
      const expected = {
        'unknown is rejected': ['doubled', 'oversold'],
        'absence believed at once': ['doubled', 'oversold'],
        'fills not told apart': ['lost', 'differences'],
        'resent anywhere': ['doubled'],
        'no answer to a cancellation awaited': ['oversold'],
        'unknown stops not counted': ['oversold'],
        'lost cancellations not repeated': ['unprotected'],
      }[mutant];
      const wrong = new Set<string>();
      const isFound = (): boolean => expected.every((kind) => wrong.has(kind));
      for (let seed = 1; seed <= SEARCHED_SEEDS && !isFound(); seed += 1) {
        const verdict = live(seed, mutant);
        for (const kind of ['doubled', 'lost', 'oversold', 'differences', 'unprotected'] as const)
          if (verdict[kind].length > 0) wrong.add(kind);
      }
      expect([...wrong]).toEqual(expect.arrayContaining(expected));
    },
  );
});

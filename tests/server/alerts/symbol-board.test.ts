/**
 * What a board of alerts says of a tape, held against a reference that looks at every alert and
 * every price.
 */
import { describe, expect, it } from 'vitest';
import type { AlertCondition } from '../../../contract/alerts.ts';
import { ALERT_REPEATS, ALERT_WINDOWS } from '../../../contract/alert-limits.ts';
import { fixedFromNumber, parseFixed, type Fixed } from '../../../contract/money.ts';
import { SymbolBoard, type Watched } from '../../../server/alerts/symbol-board.ts';
import fc from '../../support/property.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5);

interface Tick {
  at: number;
  price: Fixed;
}

const alertOf = (id: string, condition: AlertCondition, more: Partial<Watched> = {}): Watched => ({
  id,
  uid: 'u',
  symbol: 'BTC/USDT',
  condition,
  repeatMinutes: null,
  phase: 'watching',
  arming: 1,
  since: START,
  restsUntil: null,
  version: 1,
  ...more,
});

const said = (alert: Watched, what: 'fired' | 'rearmed', { at }: Tick): string =>
  `${at} ${alert.id} ${what} ${alert.arming}`;

/** One alert over a tape in the plainest way: the whole history of prices at every tick. */
function plainly(start: Watched, tape: readonly Tick[]): string[] {
  const found: string[] = [];
  let alert: Watched | null = start;
  tape.forEach((tick, index) => {
    if (alert === null) return;
    const { condition } = alert;
    const holds =
      condition.kind === 'move'
        ? moved(condition, tape.slice(0, index + 1))
        : beyond(condition, tick.price);
    if (alert.phase === 'watching' && holds) {
      found.push(said(alert, 'fired', tick));
      alert =
        alert.repeatMinutes === null
          ? null
          : {
              ...alert,
              phase: 'waiting',
              arming: alert.arming + 1,
              restsUntil: tick.at + alert.repeatMinutes * MINUTE,
            };
    } else if (alert.phase === 'waiting' && !holds && tick.at >= (alert.restsUntil ?? 0)) {
      found.push(said(alert, 'rearmed', tick));
      alert = { ...alert, phase: 'watching', restsUntil: null };
    }
  });
  return found;
}

function beyond(condition: Exclude<AlertCondition, { kind: 'move' }>, price: Fixed): boolean {
  const target = parseFixed(condition.price);
  return condition.kind === 'above' ? price >= target : price <= target;
}

/**
 * A move is a share of the window's own extreme, in exact numbers: (price − low) · 10,000 ≥ bps ·
 * low.
 */
function moved(
  { direction, bps, windowMinutes }: Extract<AlertCondition, { kind: 'move' }>,
  tape: readonly Tick[],
): boolean {
  const now = tape.at(-1);
  if (now === undefined) return false;
  const minute = Math.floor(now.at / MINUTE);
  const prices = tape
    .filter(({ at }) => Math.floor(at / MINUTE) > minute - windowMinutes)
    .map(({ price }) => price);
  const up = prices.some((low) => (now.price - low) * 10_000n >= BigInt(bps) * low);
  const down = prices.some((high) => (high - now.price) * 10_000n >= BigInt(bps) * high);
  return direction === 'either' ? up || down : direction === 'up' ? up : down;
}

const price = fc.integer({ min: 9_800, max: 10_200 });
const condition: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('above' as const, 'below' as const),
    price: price.map(String),
  }),
  fc.record({
    kind: fc.constant('move' as const),
    direction: fc.constantFrom('up' as const, 'down' as const, 'either' as const),
    bps: fc.integer({ min: 10, max: 900 }),
    windowMinutes: fc.constantFrom(...ALERT_WINDOWS),
  }),
);
const alerts = fc.array(
  fc.record({
    condition,
    repeatMinutes: fc.option(fc.constantFrom(...ALERT_REPEATS), { nil: null }),
    phase: fc.constantFrom('watching' as const, 'waiting' as const),
  }),
  { minLength: 1, maxLength: 12 },
);
/**
 * A price that wanders and now and then jumps, with quiet stretches and gaps of hours between two
 * prices.
 */
const step = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -40, max: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: -400, max: 400 }) },
);
const tape = fc
  .array(
    fc.record({
      step,
      wait: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 90_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 90_000, max: 8 * 60 * MINUTE }) },
      ),
    }),
    { minLength: 1, maxLength: 80 },
  )
  .map(wander);

function wander(steps: readonly { step: number; wait: number }[]): Tick[] {
  let [at, last] = [START, 10_000];
  return steps.map((one): Tick => {
    last = Math.max(5_000, last + one.step);
    return { at: (at += one.wait), price: fixedFromNumber(last) };
  });
}

describe('a board of alerts', () => {
  it('fires and re-arms exactly what looking at every alert at every price does', () => {
    let fired = 0;
    fc.assert(
      fc.property(alerts, tape, (wanted, ticks) => {
        const list = wanted.map((one, index) => alertOf(`a${index}`, one.condition, one));
        const board = new SymbolBoard();
        for (const alert of list) board.put(alert);
        const found = ticks.flatMap((tick) =>
          board
            .see(tick.price, tick.at)
            .map(({ what, id, arming, at }) => `${at} ${id} ${what} ${arming}`),
        );
        const expected = list.flatMap((alert) => plainly(alert, ticks));
        fired += expected.filter((line) => line.includes('fired')).length;
        expect(found.sort()).toEqual(expected.sort());
      }),
      { numRuns: 400 },
    );
    expect(fired).toBeGreaterThan(500);
  });

  it('measures a window to the minute, over prices that come many times in one', () => {
    const moves = fc.array(
      fc.record({
        kind: fc.constant('move' as const),
        direction: fc.constantFrom('up' as const, 'down' as const, 'either' as const),
        bps: fc.integer({ min: 10, max: 150 }),
        windowMinutes: fc.constantFrom(5 as const, 15 as const),
      }),
      { minLength: 4, maxLength: 12 },
    );
    const steady = fc
      .array(
        fc.record({
          step: fc.integer({ min: -25, max: 25 }),
          wait: fc.integer({ min: 5_000, max: 40_000 }),
        }),
        { minLength: 60, maxLength: 120 },
      )
      .map(wander);
    fc.assert(
      fc.property(moves, steady, (wanted, ticks) => {
        const list = wanted.map((one, index) => alertOf(`a${index}`, one, { repeatMinutes: 5 }));
        const board = new SymbolBoard();
        for (const alert of list) board.put(alert);
        const found = ticks.flatMap((tick) =>
          board
            .see(tick.price, tick.at)
            .map(({ what, id, arming, at }) => `${at} ${id} ${what} ${arming}`),
        );
        expect(found.sort()).toEqual(list.flatMap((alert) => plainly(alert, ticks)).sort());
      }),
      { numRuns: 60 },
    );
  });

  it('goes on alike where alerts come, go and are replaced between prices', () => {
    fc.assert(
      fc.property(alerts, tape, fc.integer({ min: 0, max: 40 }), (wanted, ticks, when) => {
        const list = wanted.map((one, index) => alertOf(`a${index}`, one.condition, one));
        const board = new SymbolBoard();
        const stay = list.filter((_, index) => index % 2 === 0);
        for (const alert of list) board.put(alert);
        const found = ticks
          .flatMap((tick, index) => {
            // Those that go are gone, and those that stay are put in again as they stand.
            if (index === Math.min(when, ticks.length - 1))
              for (const alert of list) {
                const present = board.get(alert.id);
                board.remove(alert.id);
                if (present !== undefined && stay.includes(alert)) board.put(present);
              }
            return board.see(tick.price, tick.at);
          })
          .filter(({ id }) => stay.some((alert) => alert.id === id))
          .map(({ what, id, arming, at }) => `${at} ${id} ${what} ${arming}`);
        expect(found.sort()).toEqual(stay.flatMap((alert) => plainly(alert, ticks)).sort());
      }),
      { numRuns: 200 },
    );
  });

  it('fires at the price itself, and tells how far a move has come', () => {
    const board = new SymbolBoard();
    board.put(alertOf('above', { kind: 'above', price: '100' }));
    board.put(alertOf('below', { kind: 'below', price: '90' }));
    board.put(alertOf('move', { kind: 'move', direction: 'either', bps: 500, windowMinutes: 60 }));
    const at = (price: string, minute: number) =>
      board
        .see(parseFixed(price), START + minute * MINUTE)
        .map(({ id, movedBps }) => [id, movedBps]);
    expect(at('96', 0)).toEqual([]);
    expect(at('99.999999999999', 1)).toEqual([]);
    expect(at('100', 2)).toEqual([['above', null]]);
    expect(at('95', 3)).toEqual([['move', -500]]);
    expect(at('90.000000000001', 4)).toEqual([]);
    expect(at('90', 5)).toEqual([['below', null]]);
    expect(board.size).toBe(0);
  });

  it('finds a thousand of a hundred thousand alerts without looking at the others', () => {
    const board = new SymbolBoard();
    for (let index = 0; index < 100_000; index += 1)
      board.put(alertOf(`a${index}`, { kind: 'above', price: String(100_000 + index) }));
    expect(board.see(parseFixed('99999'), START)).toEqual([]);
    const fired = board.see(parseFixed('100999'), START + 1);
    expect(fired).toHaveLength(1_000);
    expect(new Set(fired.map(({ id }) => id)).size).toBe(1_000);
    expect(board.size).toBe(99_000);
  });
});

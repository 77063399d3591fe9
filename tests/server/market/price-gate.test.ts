/** What the gate lets through and what it counts as refused. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../engine/market-types.ts';
import type { RawTick } from '../../../server/market/feed.ts';
import { JUMP_CONFIRMATIONS, PriceGate } from '../../../server/market/price-gate.ts';

const NOW = 1_700_000_000_000;
const RULES: PairRules = {
  pair: 'BTC/USDT',
  base: 'BTC',
  quote: 'USDT',
  lot: parseFixed('0.00001'),
  minNotional: parseFixed('5'),
  halfSpreadBps: 2,
  feeBps: 10,
};
const tick = (last: string, sequence: number, more: Partial<RawTick> = {}): RawTick => ({
  pair: 'BTC/USDT',
  at: NOW + sequence,
  last,
  bid: null,
  ask: null,
  sequence,
  ...more,
});
const gate = (): PriceGate => new PriceGate(60_000);

describe('price gate', () => {
  it.each([
    ['zero', '0', {}],
    ['zero', '0.000', {}],
    ['negative', '-100', {}],
    ['not_a_number', 'NaN', {}],
    ['not_a_number', 'Infinity', {}],
    ['not_a_number', '1e5', {}],
    ['not_a_number', '', {}],
    ['zero', '100', { bid: '0', ask: '101' }],
    ['negative', '100', { bid: '-1', ask: '101' }],
    ['not_a_number', '100', { ask: 'null' }],
    ['crossed', '100', { bid: '101', ask: '100' }],
    ['stale', '100', { at: NOW - 61_000 }],
    ['unknown_pair', '100', { pair: 'XXX/USDT' }],
    ['not_a_number', '100', { sequence: NaN }],
  ] as const)('refuses and counts a tick that is %s: %s %o (F58)', (reason, last, more) => {
    const checked = gate();
    expect(checked.admit(tick(last, 1, more), 'pair' in more ? null : RULES, NOW)).toBeNull();
    expect(checked.refused()).toEqual({ [reason]: 1 });
  });

  it('refuses doubled and reordered ticks by their sequence, and takes the rest in order whatever the shuffle (F59)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
        (sequences) => {
          const checked = gate();
          const admitted = sequences.filter(
            (sequence) => checked.admit(tick('100', sequence), RULES, NOW) !== null,
          );
          let newest = 0;
          const expected = sequences.filter((sequence) => {
            const taken = sequence > newest;
            if (taken) newest = sequence;
            return taken;
          });
          expect(admitted).toEqual(expected);
          expect(checked.refused().out_of_order ?? 0).toBe(sequences.length - expected.length);
        },
      ),
    );
  });

  it('holds a ten-fold jump either way and lets the old price go on after it (F58)', () => {
    for (const wild of ['1000', '1200', '10', '3']) {
      const checked = gate();
      expect(checked.admit(tick('100', 1), RULES, NOW)).not.toBeNull();
      expect(checked.admit(tick(wild, 2), RULES, NOW)).toBeNull();
      expect(checked.refused()).toEqual({ jump: 1 });
      expect(formatFixed(checked.admit(tick('101', 3), RULES, NOW)?.last ?? parseFixed('0'))).toBe(
        '101',
      );
    }
  });

  it('lets a jump through once it has been repeated, and not when it flickers', () => {
    const steady = gate();
    steady.admit(tick('100', 1), RULES, NOW);
    const held = Array.from({ length: JUMP_CONFIRMATIONS }, (_, index) =>
      steady.admit(tick(`10${index}0`, index + 2), RULES, NOW),
    );
    expect(held.slice(0, -1).every((quote) => quote === null)).toBe(true);
    expect(held.at(-1)).not.toBeNull();
    expect(steady.refused()).toEqual({ jump: JUMP_CONFIRMATIONS - 1 });
    const flickering = gate();
    flickering.admit(tick('100', 1), RULES, NOW);
    for (let index = 2; index < 40; index += 1)
      expect(
        flickering.admit(tick(index % 2 === 0 ? '2000' : '9000', index), RULES, NOW),
      ).toBeNull();
  });

  it.each([
    ['a bid far under the last price', { bid: '40', ask: '101' }],
    ['both', { bid: '89', ask: '111' }],
    ['a bid far over it', { bid: '150', ask: null }],
    ['an ask far under it', { bid: null, ask: '50' }],
  ])('holds %s, and lets the next sane quote go on (F58)', (_what, broken) => {
    const checked = gate();
    expect(checked.admit(tick('100', 1, { bid: '99.9', ask: '100.1' }), RULES, NOW)).not.toBeNull();
    expect(checked.admit(tick('100', 2, broken), RULES, NOW)).toBeNull();
    expect(checked.refused()).toEqual({ far_from_last: 1 });
    const next = checked.admit(tick('100', 3, { bid: '99.8', ask: '100' }), RULES, NOW);
    expect(next === null ? null : formatFixed(next.bid)).toBe('99.8');
    // What was held before does not count.
    for (let sequence = 4; sequence < 8; sequence += 1)
      expect(checked.admit(tick('100', sequence, broken), RULES, NOW)).toBeNull();
  });

  it('gives the bid to stops however far the ask wanders (F58)', () => {
    const fleeing = gate();
    fleeing.admit(tick('100', 1, { bid: '99.9', ask: '100.1' }), RULES, NOW);
    const quotes = [
      ['100', '99', '130'],
      ['96', '95', '160'],
      ['93', '92', '125'],
      ['90', '89', '400'],
    ].map(([last = '', bid = '', ask = ''], index) =>
      fleeing.admit(tick(last, index + 2, { bid, ask }), RULES, NOW),
    );
    expect(quotes.map((quote) => quote && formatFixed(quote.bid))).toEqual([
      '99',
      '95',
      '92',
      '89',
    ]);
  });

  it('prices a thin pair whose spread is wide once it has been repeated, and as it moves on (F58)', () => {
    const thin = gate();
    const wide = (index: number) =>
      thin.admit(tick('100', index, { bid: `${82 + index / 10}`, ask: '118' }), RULES, NOW);
    const quotes = Array.from({ length: 100 }, (_, index) => wide(index + 1));
    expect(quotes.slice(0, JUMP_CONFIRMATIONS - 1).every((quote) => quote === null)).toBe(true);
    expect(quotes.slice(JUMP_CONFIRMATIONS - 1).every((quote) => quote !== null)).toBe(true);
    // Broken is broken here, too.
    expect(thin.admit(tick('100', 101, { bid: '40', ask: '118' }), RULES, NOW)).toBeNull();
  });

  it('lets a fall of the book through that trades have not followed, once it is repeated', () => {
    const falling = gate();
    falling.admit(tick('100', 1, { bid: '99.9', ask: '100.1' }), RULES, NOW);
    const quotes = Array.from({ length: JUMP_CONFIRMATIONS }, (_, index) =>
      falling.admit(
        tick('100', index + 2, { bid: `${80 - index}`, ask: `${81 - index}` }),
        RULES,
        NOW,
      ),
    );
    expect(quotes.map((quote) => quote?.bid ?? null)).toEqual([
      ...Array.from({ length: JUMP_CONFIRMATIONS - 1 }, () => null),
      parseFixed('76'),
    ]);
  });

  it('judges the first tick against the last closed candle', () => {
    const checked = gate();
    checked.expect('BTC/USDT', parseFixed('100'));
    expect(checked.admit(tick('5000', 1), RULES, NOW)).toBeNull();
  });

  it('lets an ordinary price through with a bid and an ask that never cross, given or derived', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.integer({ min: 0, max: 12 }),
        fc.option(fc.integer({ min: 0, max: 50 })),
        fc.option(fc.integer({ min: 0, max: 50 })),
        (units, decimals, below, above) => {
          const last = (10n ** BigInt(12 - decimals) * BigInt(units)) as ReturnType<
            typeof parseFixed
          >;
          const moved = (parts: number): string =>
            formatFixed((last + (last * BigInt(parts)) / 10_000n) as typeof last);
          const quote = gate().admit(
            tick(formatFixed(last), 1, {
              bid: below === null ? null : moved(-below),
              ask: above === null ? null : moved(above),
            }),
            RULES,
            NOW,
          );
          expect(quote).not.toBeNull();
          if (quote === null) return;
          expect(quote.bid > 0n && quote.bid <= quote.ask).toBe(true);
          expect(quote.last).toBe(last);
        },
      ),
    );
  });
});

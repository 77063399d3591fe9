/** Order, views and search of the market's list, for any board. */
import fc from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { SymbolQuote } from '../../../../contract/market.ts';
import {
  matches,
  orderOf,
  sortQuotes,
  turnover,
  viewOf,
  type SortKey,
} from '../../../../src/screens/market/market-order.ts';

const decimal = fc.integer({ min: 1, max: 10_000 }).map((value) => (value / 100).toFixed(2));
const quote = fc
  .record({
    symbol: fc.stringMatching(/^[A-Z]{2,4}\/USDT$/),
    price: decimal,
    volume_24h: fc.option(decimal),
    high_24h: fc.option(decimal),
    low_24h: fc.option(decimal),
    price_change_24h: fc.option(fc.integer({ min: -5, max: 5 })),
  })
  .map((part): SymbolQuote => ({ bid: null, ask: null, timestamp: 1, stale: false, ...part }));
const board = fc.uniqueArray(quote, { selector: (one) => one.symbol, maxLength: 40 });
const VALUE: Record<Exclude<SortKey, 'symbol'>, (one: SymbolQuote) => number | null> = {
  price: (one) => Number(one.price),
  change: (one) => one.price_change_24h,
  volume: turnover,
  high: (one) => (one.high_24h === null ? null : Number(one.high_24h)),
  low: (one) => (one.low_24h === null ? null : Number(one.low_24h)),
};
const key = fc.constantFrom<Exclude<SortKey, 'symbol'>>('price', 'change', 'volume', 'high', 'low');

describe('a sorted list', () => {
  it('is in order whichever way, with what is not known last and equal ones by the alphabet', () => {
    fc.assert(
      fc.property(board, key, fc.boolean(), (quotes, by, down) => {
        const sorted = sortQuotes(quotes, { key: by, down });
        expect([...sorted].map((one) => one.symbol).sort()).toEqual(
          quotes.map((one) => one.symbol).sort(),
        );
        sorted.slice(1).forEach((next, index) => {
          const [before, after] = [VALUE[by](sorted[index] as SymbolQuote), VALUE[by](next)];
          if (before === null) expect(after).toBeNull();
          else if (after !== null)
            expect(
              before === after
                ? (sorted[index]?.symbol ?? '') < next.symbol
                : down
                  ? before > after
                  : before < after,
            ).toBe(true);
        });
      }),
    );
  });

  it('has favourites first among all where that is wanted, gainers that rise and losers that fall', () => {
    fc.assert(
      fc.property(board, fc.boolean(), (quotes, first) => {
        const stars = quotes.filter((_one, index) => index % 3 === 0).map((one) => one.symbol);
        const order = orderOf(quotes, 'all', { key: 'price', down: true }, stars, first);
        if (first) expect(new Set(order.slice(0, stars.length))).toEqual(new Set(stars));
        else
          expect(order).toEqual(
            sortQuotes(quotes, { key: 'price', down: true }).map((one) => one.symbol),
          );
        expect(orderOf(quotes, 'favourites', { key: 'symbol', down: false }, stars, first)).toEqual(
          [...stars].sort(),
        );
        const change = new Map(quotes.map((one) => [one.symbol, one.price_change_24h ?? 0]));
        expect(
          orderOf(quotes, 'gainers', { key: 'change', down: true }, stars, first).every(
            (symbol) => (change.get(symbol) ?? 0) > 0,
          ),
        ).toBe(true);
        expect(
          orderOf(quotes, 'losers', { key: 'change', down: false }, stars, first).every(
            (symbol) => (change.get(symbol) ?? 0) < 0,
          ),
        ).toBe(true);
      }),
    );
  });
});

describe('a search', () => {
  it.each(['btc', 'BTC-USDT', 'btcusdt', ' btc/usdt ', 'bitcoin', ''])(
    'for "%s" finds BTC/USDT',
    (query) => {
      expect(matches('BTC/USDT', query)).toBe(true);
    },
  );
  it.each(['eth', 'zz', '???'])('for "%s" does not', (query) => {
    expect(matches('BTC/USDT', query)).toBe(false);
  });
  it('of an address opens the view it names, and all for one it does not know', () => {
    expect([viewOf('losers'), viewOf('nonsense'), viewOf(null)]).toEqual(['losers', 'all', 'all']);
  });
});

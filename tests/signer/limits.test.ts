/** The signer's own limits, one by one. */
import { describe, expect, it } from 'vitest';
import { parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import type { OrderIntent } from '../../contract/signer.ts';
import type { PairRules } from '../../contract/venue.ts';
import {
  FIRST_WEEK,
  FIRST_WEEK_MS,
  isRaised,
  judgeOrder,
  limitsInForce,
  type AccountFacts,
  type MarketFacts,
} from '../../signer/limits.ts';
import { limitsOf } from '../support/signer/desk-world.ts';

const NOW = Date.parse('2026-01-01T10:00:00Z');
const levels = (rows: [string, string][]) =>
  rows.map(([price, quantity]) => ({ price: parseFixed(price), quantity: parseFixed(quantity) }));
const rules: PairRules = {
  symbol: 'BTC/USD',
  quantityStep: parseFixed('0.00000001'),
  priceTick: parseFixed('0.1'),
  minQuantity: parseFixed('0.0001'),
  minNotional: parseFixed('0.5'),
  status: 'trading',
};
const market = (more: Partial<MarketFacts> = {}): MarketFacts => ({
  rules,
  book: {
    bids: levels([
      ['59990', '0.5'],
      ['59900', '2'],
      ['50000', '50'],
    ]),
    asks: levels([
      ['60010', '0.5'],
      ['60100', '2'],
      ['70000', '50'],
    ]),
  },
  dayVolume: parseFixed('100000000'),
  ...more,
});
const account = (more: Partial<AccountFacts> = {}): AccountFacts => ({
  limits: FIRST_WEEK,
  exposure: ZERO,
  lossToday: ZERO,
  sellable: parseFixed('0.001'),
  stopRoomBps: parseFixed('1000'),
  boughtByAll: ZERO,
  ...more,
});
const intent = (more: Partial<OrderIntent> = {}): OrderIntent => ({
  clientOrderId: 'a'.repeat(32),
  connectionId: 'c1',
  agentId: 'agent-1',
  symbol: 'BTC/USD',
  side: 'buy',
  type: 'limit',
  quantity: parseFixed('0.001'),
  limitPrice: parseFixed('60000'),
  stopPrice: null,
  deadlineMs: NOW + 30_000,
  ...more,
});
const MARKET = { type: 'market', limitPrice: null } as const;
const SELL = { side: 'sell' } as const;
const price = (text: string): { limitPrice: Fixed } => ({ limitPrice: parseFixed(text) });

/** What stops an order, in the words it is told by; null when it may be signed. */
function verdict(
  order: Partial<OrderIntent>,
  facts: Partial<MarketFacts> = {},
  own: Partial<AccountFacts> = {},
): string | null {
  const judged = judgeOrder(intent(order), market(facts), account(own), NOW);
  return 'code' in judged ? judged.code : null;
}

describe('an order within every limit', () => {
  it.each([
    ['a purchase at a limit', {}],
    ['a purchase at market', MARKET],
    ['a sale at a limit', { ...SELL, ...price('60000') }],
    ['a sale at market', { ...SELL, ...MARKET }],
    [
      'a stop just below the best bid',
      { ...SELL, type: 'stop', limitPrice: null, stopPrice: parseFixed('59989.9') },
    ],
    [
      'a protective stop',
      { ...SELL, type: 'stop', limitPrice: null, stopPrice: parseFixed('40000') },
    ],
  ] as [string, Partial<OrderIntent>][])('is signed: %s', (_name, order) => {
    expect(verdict(order)).toBeNull();
  });
});

describe('a stop', () => {
  const bounded = (quantity: string): unknown =>
    judgeOrder(
      intent({
        ...SELL,
        type: 'stop',
        limitPrice: null,
        stopPrice: parseFixed('40000'),
        quantity: parseFixed(quantity),
      }),
      market(),
      account(),
      NOW,
    );

  it('sells down to the room of its exchange, on the tick', () => {
    expect(bounded('0.001')).toEqual({ worstPrice: parseFixed('36000'), floor: null });
  });

  it('goes no lower than what the exchange would take, where it is of little worth', () => {
    expect(bounded('0.0000128')).toEqual({ worstPrice: parseFixed('39062.5'), floor: null });
    expect(bounded('0.00001')).toEqual({ worstPrice: parseFixed('40000'), floor: null });
  });
});

describe('the signer refuses by itself', () => {
  it.each([
    ['a quote currency that is no dollar', { symbol: 'BTC/EUR' }, 'pair_not_allowed'],
    ['a deadline that has passed', { deadlineMs: NOW }, 'deadline'],
    ['a deadline of more than a minute', { deadlineMs: NOW + 60_001 }, 'deadline'],
    ['a quantity of nothing', { quantity: ZERO }, 'quantity'],
    ['a market order with a limit price', { type: 'market' }, 'price'],
    ['a limit order without one', { limitPrice: null }, 'price'],
    ['a stop without a stop price', { ...SELL, type: 'stop' }, 'price'],
    [
      'a stop that buys',
      { type: 'stop', limitPrice: null, stopPrice: parseFixed('60000') },
      'stop_buys',
    ],
    ['a purchase 2 % above the market', price('61200.1'), 'price_collar'],
    ['a sale 5 % below the market', { ...SELL, ...price('56999.9') }, 'price_collar'],
    [
      'a stop above the market',
      { ...SELL, type: 'stop', limitPrice: null, stopPrice: parseFixed('64000') },
      'stop_reached',
    ],
    [
      'a stop that the best bid has reached',
      { ...SELL, type: 'stop', limitPrice: null, stopPrice: parseFixed('59990') },
      'stop_reached',
    ],
    [
      'a stop whose limit gives everything away',
      { ...SELL, type: 'stop', stopPrice: parseFixed('50000'), ...price('100') },
      'price_collar',
    ],
    [
      'a market order that clears the book',
      { ...MARKET, quantity: parseFixed('2.6') },
      'price_collar',
    ],
    ['an order above the largest', { quantity: parseFixed('0.0017') }, 'order_limit'],
    ['a sale of what it never bought', { ...SELL, quantity: parseFixed('0.0011') }, 'not_held'],
  ] as [string, Partial<OrderIntent>, string][])('%s', (_name, order, code) => {
    expect(verdict(order)).toBe(code);
  });

  it.each([
    ['a pair that is not listed', { rules: null }, 'pair_not_allowed'],
    ['a pair in cancel-only', { rules: { ...rules, status: 'cancel_only' } }, 'pair_not_trading'],
    ['a pair of little volume', { dayVolume: parseFixed('999999') }, 'pair_not_allowed'],
    ['an empty side', { book: { bids: [], asks: market().book.asks } }, 'no_market_data'],
    [
      'a wide spread',
      { book: { bids: levels([['59000', '9']]), asks: levels([['60010', '9']]) } },
      'thin_book',
    ],
    [
      'a book that holds little more than the order',
      { book: { bids: levels([['59990', '9']]), asks: levels([['60010', '0.0029']]) } },
      'thin_book',
    ],
    [
      'a book that nobody buys from',
      { book: { bids: levels([['59990', '0.0029']]), asks: levels([['60010', '9']]) } },
      'thin_book',
    ],
  ] as [string, Partial<MarketFacts>, string][])('%s', (_name, facts, code) => {
    expect(verdict({}, facts)).toBe(code);
  });

  it('a purchase beyond the exposure or after the loss of a day, to the last unit', () => {
    const cost = parseFixed('60');
    const most = FIRST_WEEK.maxExposure;
    expect(verdict({}, {}, { exposure: (most - cost) as Fixed })).toBeNull();
    expect(verdict({}, {}, { exposure: (most - cost + 1n) as Fixed })).toBe('exposure_limit');
    expect(verdict({}, {}, { lossToday: parseFixed('24.999999999999') })).toBeNull();
    expect(verdict({}, {}, { lossToday: parseFixed('25') })).toBe('loss_limit');
  });
});

describe('all accounts here together', () => {
  it('buy no more of a pair in a day than a fiftieth of what is traded of it, and each sells what it has', () => {
    // The purchase costs 60.
    const facts = { dayVolume: parseFixed('1000000') };
    const own = (bought: string) => ({ boughtByAll: parseFixed(bought) });
    expect(verdict({}, facts, own('19940'))).toBeNull();
    expect(verdict({}, facts, own('19940.000000000001'))).toBe('pair_share');
    expect(verdict({ ...SELL, ...MARKET }, facts, own('999999'))).toBeNull();
  });
});

describe('getting out', () => {
  it('needs no volume, no depth on the other side, no exposure and no day without loss', () => {
    const thin: Partial<MarketFacts> = {
      dayVolume: ZERO,
      rules: { ...rules, status: 'cancel_only' },
      book: { bids: levels([['59990', '0.001']]), asks: levels([['61500', '0.0001']]) },
    };
    const spent = { exposure: parseFixed('9999'), lossToday: parseFixed('9999') };
    expect(verdict({ ...SELL, ...MARKET }, thin, spent)).toBeNull();
  });
});

describe('a market sale larger than what the book shows within the collar', () => {
  const sale = intent({ ...SELL, ...MARKET, quantity: parseFixed('2.6') });
  const own = account({ sellable: parseFixed('5') });

  it('goes down to the collar at once and no further, on the tick', () => {
    // The middle is 60000: 5 % below it the book has no bid for the last 0.1.
    const floor = parseFixed('57000');
    expect(judgeOrder(sale, market(), own, NOW)).toEqual({ worstPrice: floor, floor });
    const coarse = market({ rules: { ...rules, priceTick: parseFixed('7') } });
    expect(judgeOrder(sale, coarse, own, NOW)).toMatchObject({ floor: parseFixed('57001') });
  });

  it('goes to the collar as well where the book holds all of it, and then without a pause after it', () => {
    const held = { ...sale, quantity: parseFixed('2.5') };
    expect(judgeOrder(held, market(), own, NOW)).toEqual({
      worstPrice: parseFixed('57000'),
      floor: null,
    });
  });

  it('of little worth goes no lower than where the exchange would call it too small', () => {
    const small = { ...sale, quantity: parseFixed('0.001') };
    const facts = market({ rules: { ...rules, minNotional: parseFixed('59.5') } });
    expect(judgeOrder(small, facts, own, NOW)).toMatchObject({ worstPrice: parseFixed('59500') });
    // Nobody bids what would be enough: the exchange decides.
    const dear = market({ rules: { ...rules, minNotional: parseFixed('60') } });
    expect(judgeOrder(small, dear, own, NOW)).toMatchObject({ worstPrice: parseFixed('57000') });
  });

  it('is measured from the best bid where asks stay behind in a fall, and ends a hundredth below it', () => {
    // The middle is 57000: 5 % below it, at 54150, nobody bids.
    const book = {
      bids: levels([
        ['54000', '0.5'],
        ['53460', '0.5'],
        ['53459.9', '50'],
      ]),
      asks: levels([['60000', '9']]),
    };
    const floor = parseFixed('53460');
    expect(judgeOrder(sale, market({ book }), own, NOW)).toEqual({ worstPrice: floor, floor });
  });

  it('goes down to a tenth below the middle at most, however wide the spread is', () => {
    // The middle is 54550, a tenth below it 49095.
    const book = {
      bids: levels([
        ['49100', '0.5'],
        ['49095', '0.1'],
        ['49094.9', '50'],
      ]),
      asks: levels([['60000', '9']]),
    };
    const floor = parseFixed('49095');
    expect(judgeOrder(sale, market({ book }), own, NOW)).toEqual({ worstPrice: floor, floor });
    const limited = { ...sale, type: 'limit', limitPrice: floor } as const;
    expect(judgeOrder(limited, market({ book }), own, NOW)).toMatchObject({ code: 'price_collar' });
  });

  it('is refused where nobody bids within the collar', () => {
    const book = { bids: levels([['49000', '50']]), asks: levels([['60000', '9']]) };
    expect(judgeOrder(sale, market({ book }), own, NOW)).toMatchObject({ code: 'price_collar' });
  });
});

describe('a purchase at market', () => {
  const worst = (quantity: string, own: Partial<AccountFacts> = {}, facts = market()) => {
    const purchase = intent({ ...MARKET, quantity: parseFixed(quantity) });
    const judged = judgeOrder(purchase, facts, account(own), NOW);
    return 'code' in judged ? judged.code : judged.worstPrice;
  };

  it('goes as far as the collar, on the tick', () => {
    expect(worst('0.001')).toBe(parseFixed('61200'));
    const coarse = market({ rules: { ...rules, priceTick: parseFixed('7') } });
    expect(worst('0.001', {}, coarse)).toBe(parseFixed('61194'));
  });

  it('costs no more than the largest order, nor than what may still come into the market', () => {
    // 100 dollars for 0.00165 are 60606.06 apiece.
    expect(worst('0.00165')).toBe(parseFixed('60606'));
    expect(worst('0.001', { exposure: parseFixed('439.5') })).toBe(parseFixed('60500'));
    // What it costs by the book is the least it may cost.
    expect(worst('0.001', { exposure: parseFixed('439.99') })).toBe(parseFixed('60010'));
    expect(worst('0.001', { exposure: parseFixed('440') })).toBe('exposure_limit');
  });
});

describe('limits', () => {
  it('are the first week’s until it is over, and lower ones at once', () => {
    const chosen = limitsOf('1000', '5000', '10');
    expect(limitsInForce(chosen, NOW, NOW + FIRST_WEEK_MS - 1)).toEqual(
      limitsOf('100', '500', '10'),
    );
    expect(limitsInForce(chosen, NOW, NOW + FIRST_WEEK_MS)).toEqual(chosen);
  });

  it('are raised when any one of them is', () => {
    expect(isRaised(FIRST_WEEK, limitsOf('100', '500', '25'))).toBe(false);
    expect(isRaised(FIRST_WEEK, limitsOf('1', '1', '25.000000000001'))).toBe(true);
    expect(isRaised(FIRST_WEEK, limitsOf('100.1', '1', '1'))).toBe(true);
    expect(isRaised(FIRST_WEEK, limitsOf('1', '500.1', '1'))).toBe(true);
  });
});

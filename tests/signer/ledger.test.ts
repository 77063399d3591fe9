/** The signer's own books: whatever the order of fills and ends, the sums hold. */
import { describe, expect, it } from 'vitest';
import {
  add,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import type { LiveExchange } from '../../contract/signer.ts';
import type { VenueFill } from '../../contract/venue.ts';
import {
  exposureOf,
  lastToFloor,
  Ledger,
  lossOf,
  otherFeesOf,
  sellable,
  unrealisedOf,
  type Connection,
} from '../../signer/ledger.ts';
import { FIRST_WEEK } from '../../signer/limits.ts';
import fc from '../support/property.ts';

const AT = Date.parse('2026-01-01T10:00:00Z');
const SYMBOL = 'BTC/USD';

function newLedger(): { ledger: Ledger; connection: Connection } {
  const ledger = new Ledger();
  ledger.apply({
    kind: 'connected',
    atMs: AT,
    connectionId: 'c1',
    ownerId: 'p1',
    accountId: 'a1',
    exchange: 'kraken',
    limits: FIRST_WEEK,
    stepUpKeys: [],
    portfolioId: null,
  });
  const connection = ledger.connections.get('c1');
  if (connection === undefined) throw new Error('not connected');
  return { ledger, connection };
}
const id = (number: number): string => number.toString(16).padStart(32, '0');
function send(ledger: Ledger, number: number, side: 'buy' | 'sell', quantity: Fixed): void {
  ledger.apply({
    kind: 'sending',
    atMs: AT,
    worstPrice: parseFixed('70000'),
    intent: {
      clientOrderId: id(number),
      connectionId: 'c1',
      agentId: 'g1',
      symbol: SYMBOL,
      side,
      type: 'market',
      quantity,
      limitPrice: null,
      stopPrice: null,
      deadlineMs: AT + 30_000,
    },
  });
}
function fillOf(number: number, side: 'buy' | 'sell', quantity: Fixed, quote: Fixed, fee: Fixed) {
  const fill: VenueFill = {
    tradeId: `t${number}`,
    exchangeOrderId: `o${number}`,
    clientOrderId: id(number),
    symbol: SYMBOL,
    side,
    quantity,
    price: parseFixed('60000'),
    quoteAmount: quote,
    fees: [{ asset: 'USD', amount: fee }],
    atMs: AT,
  };
  return { kind: 'fill', atMs: AT, connectionId: 'c1', clientOrderId: id(number), fill } as const;
}

const amount = (max: bigint) => fc.bigInt({ min: 1n, max }).map((units) => units as Fixed);

describe('the ledger of the signer', () => {
  it('realises exactly what came in less what went out, for any purchases and sales', () => {
    const trade = fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: amount(10n ** 12n),
      quote: amount(10n ** 16n),
      fee: amount(10n ** 13n),
    });
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 30 }), (trades) => {
        const { ledger, connection } = newLedger();
        let cash = ZERO;
        trades.forEach(({ side, quantity, quote, fee }, number) => {
          send(ledger, number, side, quantity);
          const held = connection.positions.get(SYMBOL)?.quantity ?? ZERO;
          // No more is sold than is held: the limits see to it.
          const sold = side === 'sell' && quantity > held ? held : quantity;
          if (sold === 0n) return;
          ledger.apply(fillOf(number, side, sold, quote, fee));
          cash = side === 'buy' ? subtract(cash, add(quote, fee)) : add(cash, subtract(quote, fee));
        });
        const cost = sum([...connection.positions.values()].map((position) => position.cost));
        expect(subtract(connection.realised.amount, cost)).toBe(cash);
      }),
    );
  });

  it('never counts less in the market than what orders may still take', () => {
    fc.assert(
      fc.property(amount(10n ** 11n), fc.nat({ max: 100 }), (quantity, percent) => {
        const { ledger, connection } = newLedger();
        send(ledger, 1, 'buy', quantity);
        const full = exposureOf(connection);
        const part = ((quantity * BigInt(percent)) / 100n) as Fixed;
        // The end of the order may be seen before its fills, and the other way round.
        ledger.apply({
          kind: 'seen',
          atMs: AT,
          clientOrderId: id(1),
          exchangeOrderId: 'o1',
          status: 'cancelled',
          filled: part,
        });
        expect(exposureOf(connection)).toBe(multiply(part, parseFixed('70000'), 'up'));
        expect(exposureOf(connection)).toBeLessThanOrEqual(full);
        if (part === 0n) return;
        ledger.apply(fillOf(1, 'buy', part, parseFixed('1'), ZERO));
        expect(exposureOf(connection)).toBe(parseFixed('1'));
      }),
    );
  });

  it('counts a fill once, and sells what is left of it once', () => {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.002'));
    const fill = fillOf(1, 'buy', parseFixed('0.002'), parseFixed('120'), parseFixed('0.3'));
    for (let turn = 0; turn < 3; turn += 1) ledger.apply(fill);
    expect(connection.positions.get(SYMBOL)).toEqual({
      quantity: parseFixed('0.002'),
      cost: parseFixed('120.3'),
    });
    send(ledger, 2, 'sell', parseFixed('0.0015'));
    expect(sellable(connection, SYMBOL)).toBe(parseFixed('0.0005'));
    ledger.apply({
      kind: 'outcome',
      atMs: AT,
      clientOrderId: id(2),
      outcome: { kind: 'rejected', code: 'x', message: 'x' },
    });
    expect(sellable(connection, SYMBOL)).toBe(parseFixed('0.002'));
  });

  it('keeps an unknown order in the market until it is absent or over', () => {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.001'));
    ledger.apply({
      kind: 'outcome',
      atMs: AT,
      clientOrderId: id(1),
      outcome: { kind: 'unknown', cause: 'timeout' },
    });
    expect(exposureOf(connection)).toBe(parseFixed('70'));
    ledger.apply({ kind: 'absent', atMs: AT, clientOrderId: id(1) });
    expect(exposureOf(connection)).toBe(ZERO);
  });

  it('counts an order that was held absent in full again, once anything shows it', () => {
    const shows = [
      { kind: 'seen', exchangeOrderId: 'x', status: 'open', filled: ZERO } as const,
      {
        kind: 'outcome',
        outcome: { kind: 'confirmed', exchangeOrderId: 'x', replay: true },
      } as const,
    ];
    for (const shown of shows) {
      const { ledger, connection } = newLedger();
      send(ledger, 1, 'buy', parseFixed('0.001'));
      ledger.apply({ kind: 'absent', atMs: AT, clientOrderId: id(1) });
      ledger.apply({ ...shown, atMs: AT, clientOrderId: id(1) });
      expect(exposureOf(connection)).toBe(parseFixed('70'));
    }
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.001'));
    ledger.apply({ kind: 'absent', atMs: AT, clientOrderId: id(1) });
    ledger.apply(fillOf(1, 'buy', parseFixed('0.0004'), parseFixed('28'), ZERO));
    expect(exposureOf(connection)).toBe(parseFixed('70'));
  });

  it('calls nothing won that was sold beyond what is held', () => {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.001'));
    ledger.apply(fillOf(1, 'buy', parseFixed('0.001'), parseFixed('60'), ZERO));
    send(ledger, 2, 'sell', parseFixed('0.002'));
    ledger.apply(fillOf(2, 'sell', parseFixed('0.002'), parseFixed('130'), ZERO));
    expect(connection.realised.amount).toBe(parseFixed('5'));
    expect(connection.positions.size).toBe(0);
  });

  it('takes a fee in the coin itself off what is held', () => {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.001'));
    const record = fillOf(1, 'buy', parseFixed('0.001'), parseFixed('60'), ZERO);
    ledger.apply({
      ...record,
      fill: { ...record.fill, fees: [{ asset: 'BTC', amount: parseFixed('0.000001') }] },
    });
    expect(sellable(connection, SYMBOL)).toBe(parseFixed('0.000999'));
  });

  it('loses in a day what prices fell since its start and what sales brought too little', () => {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.002'));
    ledger.apply(fillOf(1, 'buy', parseFixed('0.002'), parseFixed('120'), ZERO));
    const marks = (price: string) => new Map([[SYMBOL, parseFixed(price)]]);
    // It had gained 20 before the day began.
    ledger.apply({
      kind: 'day',
      atMs: AT,
      connectionId: 'c1',
      day: '2026-01-01',
      unrealised: unrealisedOf(connection, marks('70000')),
    });
    expect(lossOf(connection, '2026-01-01', marks('70000'))).toBe(ZERO);
    expect(lossOf(connection, '2026-01-01', marks('75000'))).toBe(ZERO);
    expect(lossOf(connection, '2026-01-01', marks('65000'))).toBe(parseFixed('10'));
    send(ledger, 2, 'sell', parseFixed('0.001'));
    ledger.apply(fillOf(2, 'sell', parseFixed('0.001'), parseFixed('65'), parseFixed('1')));
    expect(lossOf(connection, '2026-01-01', marks('65000'))).toBe(parseFixed('11'));
    // Another day begins where this one ended.
    expect(lossOf(connection, '2026-01-02', marks('65000'))).toBe(ZERO);
  });
});

describe('a sale from before midnight that is read after it', () => {
  const TODAY = '2026-01-02';
  const BEFORE_MS = Date.parse('2026-01-01T23:59:58Z');
  const AFTER_MS = Date.parse('2026-01-02T00:00:02Z');
  const marks = (price: string) => new Map([[SYMBOL, parseFixed(price)]]);
  const fees = [{ asset: 'BNB', amount: parseFixed('0.5') }];

  /** Holds 1,000 dollars' worth, bought the day before. */
  function holding() {
    const { ledger, connection } = newLedger();
    send(ledger, 1, 'buy', parseFixed('0.01'));
    ledger.apply(fillOf(1, 'buy', parseFixed('0.01'), parseFixed('1000'), ZERO));
    const begin = (day: string, price: string): void => {
      ledger.apply({
        kind: 'day',
        atMs: AFTER_MS,
        connectionId: 'c1',
        day,
        unrealised: unrealisedOf(connection, marks(price)),
      });
    };
    const sell = (number: number, quantity: string, quote: string, atMs: number): void => {
      send(ledger, number, 'sell', parseFixed(quantity));
      const record = fillOf(number, 'sell', parseFixed(quantity), parseFixed(quote), ZERO);
      ledger.apply({ ...record, fill: { ...record.fill, fees, atMs } });
    };
    return { begin, connection, ledger, sell };
  }

  it('is no credit to the day, which began with what it sold', () => {
    const { begin, connection, sell } = holding();
    begin(TODAY, '80000');
    sell(2, '0.005', '400', BEFORE_MS);
    expect(lossOf(connection, TODAY, marks('80000'))).toBe(ZERO);
    expect(lossOf(connection, TODAY, marks('70000'))).toBe(parseFixed('50'));
    // Its fee was charged since the day before was last looked at.
    expect(otherFeesOf(connection, TODAY)).toEqual(new Map([['BNB', parseFixed('0.5')]]));
  });

  it('of what the day began without a price for hides no other loss', () => {
    const { connection, ledger, sell } = holding();
    ledger.apply({
      kind: 'day',
      atMs: AFTER_MS,
      connectionId: 'c1',
      day: TODAY,
      unrealised: unrealisedOf(connection, new Map()),
      unmarked: [{ symbol: SYMBOL, quantity: parseFixed('0.01') }],
    });
    const lost = parseFixed('50');
    sell(2, '0.004', '320', AFTER_MS);
    sell(3, '0.006', '500', AFTER_MS);
    expect(lossOf(connection, TODAY, new Map(), lost)).toBe(lost);
    expect(connection.dayStart.unmarked.size).toBe(0);
  });

  it('is of the day before where this one began without it', () => {
    const { begin, connection, sell } = holding();
    sell(2, '0.005', '400', BEFORE_MS);
    begin(TODAY, '80000');
    expect(lossOf(connection, TODAY, marks('80000'))).toBe(ZERO);
    expect(lossOf(connection, TODAY, marks('70000'))).toBe(parseFixed('50'));
    expect(otherFeesOf(connection, TODAY).size).toBe(0);
  });

  it('is lost on the day that a clock was set back to', () => {
    const { begin, connection, sell } = holding();
    begin('2026-01-03', '80000');
    sell(2, '0.005', '350', AFTER_MS);
    // Nothing is forgotten of what was booked a day ahead, and what is sold from then on counts.
    begin(TODAY, '80000');
    expect(lossOf(connection, TODAY, marks('80000'))).toBe(parseFixed('150'));
    sell(3, '0.001', '70', AFTER_MS);
    expect(lossOf(connection, TODAY, marks('80000'))).toBe(parseFixed('160'));
    expect(otherFeesOf(connection, TODAY)).toEqual(new Map([['BNB', parseFixed('1')]]));
  });
});

describe('the last sale down to a floor', () => {
  it('is one that was sent by now: a clock that was set back knows of later ones', () => {
    const { ledger, connection } = newLedger();
    const sell = (number: number, atMs: number): void => {
      ledger.apply({
        kind: 'sending',
        atMs,
        worstPrice: parseFixed('57000'),
        floor: parseFixed('57000'),
        intent: {
          clientOrderId: id(number),
          connectionId: 'c1',
          agentId: 'g1',
          symbol: SYMBOL,
          side: 'sell',
          type: 'market',
          quantity: parseFixed('0.1'),
          limitPrice: null,
          stopPrice: null,
          deadlineMs: atMs + 30_000,
        },
      });
    };
    sell(1, AT + 3_600_000);
    expect(lastToFloor(connection, SYMBOL, AT)).toBe(Number.NEGATIVE_INFINITY);
    sell(2, AT);
    expect(lastToFloor(connection, SYMBOL, AT + 1)).toBe(AT);
    expect(lastToFloor(connection, SYMBOL, AT + 3_600_000)).toBe(AT + 3_600_000);
  });
});

describe('what all connections bought of a pair', () => {
  const DAY_MS = 24 * 60 * 60_000;
  function connect(ledger: Ledger, connectionId: string, exchange: LiveExchange): void {
    ledger.apply({
      kind: 'connected',
      atMs: AT,
      connectionId,
      ownerId: connectionId,
      accountId: connectionId,
      exchange,
      limits: FIRST_WEEK,
      stepUpKeys: [],
      portfolioId: null,
    });
  }
  function buy(ledger: Ledger, connectionId: string, number: number, atMs: number): void {
    ledger.apply({
      kind: 'sending',
      atMs,
      worstPrice: parseFixed('70000'),
      intent: {
        clientOrderId: id(number),
        connectionId,
        agentId: 'g1',
        symbol: SYMBOL,
        side: 'buy',
        type: 'market',
        quantity: parseFixed('0.01'),
        limitPrice: null,
        stopPrice: null,
        deadlineMs: atMs + 30_000,
      },
    });
  }

  it('adds up over the accounts of one exchange, until a day has passed', () => {
    const { ledger } = newLedger();
    connect(ledger, 'c2', 'kraken');
    connect(ledger, 'c3', 'coinbase');
    buy(ledger, 'c1', 1, AT);
    buy(ledger, 'c2', 2, AT + 1_000);
    buy(ledger, 'c3', 3, AT + 2_000);
    const bought = (now: number) => ledger.boughtSince('kraken', SYMBOL, now - DAY_MS);
    const end = (number: number): void => {
      ledger.apply({
        kind: 'seen',
        atMs: AT + 9_000,
        clientOrderId: id(number),
        exchangeOrderId: `x${number}`,
        status: 'closed',
        filled: parseFixed('0.01'),
      });
    };
    expect(bought(AT + 5_000)).toBe(parseFixed('1400'));
    expect(ledger.boughtSince('kraken', 'ETH/USD', AT)).toBe(ZERO);
    end(1);
    expect(bought(AT + DAY_MS)).toBe(parseFixed('1400'));
    expect(bought(AT + DAY_MS + 1)).toBe(parseFixed('700'));
    // One that may still buy counts however old it is.
    expect(bought(AT + 3 * DAY_MS)).toBe(parseFixed('700'));
    end(2);
    expect(bought(AT + 3 * DAY_MS)).toBe(ZERO);
  });

  it('counts an order in full until its end is known, then what was filled, and no sale', () => {
    const { ledger } = newLedger();
    for (const number of [1, 2, 3]) buy(ledger, 'c1', number, AT);
    send(ledger, 4, 'sell', parseFixed('1'));
    const bought = () => ledger.boughtSince('kraken', SYMBOL, AT);
    expect(bought()).toBe(parseFixed('2100'));
    ledger.apply({
      kind: 'outcome',
      atMs: AT,
      clientOrderId: id(1),
      outcome: { kind: 'rejected', code: 'x', message: 'x' },
    });
    ledger.apply({ kind: 'absent', atMs: AT, clientOrderId: id(2) });
    expect(bought()).toBe(parseFixed('700'));
    ledger.apply({
      kind: 'seen',
      atMs: AT,
      clientOrderId: id(3),
      exchangeOrderId: 'x3',
      status: 'cancelled',
      filled: parseFixed('0.004'),
    });
    expect(bought()).toBe(parseFixed('280'));
  });
});

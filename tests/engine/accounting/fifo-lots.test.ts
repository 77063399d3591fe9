/**
 * First in, first out: every unit bought is sold once, and the gains are those of average cost in
 * the end.
 */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  add,
  basisPoints,
  formatFixed,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { applyBuy, applySell } from '../../../engine/accounting/ledger.ts';
import {
  FifoBook,
  fifoLots,
  heldLong,
  type Lot,
  type LotFill,
} from '../../../engine/accounting/fifo-lots.ts';
import type { FillDraft, OpenPosition } from '../../../engine/execution/agent-types.ts';

const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];

function fill(
  side: 'buy' | 'sell',
  pair: string,
  quantity: Fixed,
  price: Fixed,
  filledAt: number,
): FillDraft {
  const notional = multiply(quantity, price, side === 'buy' ? 'up' : 'down');
  return {
    pair,
    side,
    wanted: quantity,
    quantity,
    price,
    notional,
    fee: basisPoints(notional, parseFixed('10'), 'up'),
    feeBps: parseFixed('10'),
    slippageBps: ZERO,
    quoteBid: price,
    quoteAsk: price,
    ruleVersion: 1,
    realized: null,
    costBasis: null,
    reason: side === 'buy' ? 'entered' : 'signal_left',
    filledAt,
  };
}

/** Alternating buys and sells that never oversell; `whole` closes the position. */
class Trader {
  readonly fills: FillDraft[] = [];
  readonly held = new Map<string, OpenPosition>();
  realized = ZERO;

  buy(pair: string, quantity: Fixed, price: Fixed): void {
    const one = fill('buy', pair, quantity, price, this.fills.length);
    const after = applyBuy(this.held.get(pair) ?? null, one, null);
    this.held.set(pair, { ...after, id: pair, openedAt: 0 });
    this.fills.push(one);
  }

  sell(pair: string, wanted: Fixed, price: Fixed): void {
    const position = this.held.get(pair);
    if (position === undefined) return;
    const quantity = wanted < position.quantity ? wanted : position.quantity;
    const { after, fill: priced } = applySell(
      position,
      fill('sell', pair, quantity, price, this.fills.length),
    );
    this.realized = add(this.realized, priced.realized ?? ZERO);
    if (after.quantity === ZERO) this.held.delete(pair);
    else this.held.set(pair, { ...after, id: pair, openedAt: 0 });
    this.fills.push(priced);
  }

  closeAll(price: Fixed): void {
    for (const [pair, position] of [...this.held]) this.sell(pair, position.quantity, price);
  }
}

const gains = (trader: Trader): Fixed => sum(fifoLots(trader.fills).map((lot) => lot.gain ?? ZERO));

describe('lots', () => {
  it('take the oldest purchase first and split it where a sale is smaller', () => {
    const trader = new Trader();
    trader.buy('BTC/USDT', parseFixed('1'), parseFixed('100'));
    trader.buy('BTC/USDT', parseFixed('2'), parseFixed('200'));
    trader.sell('BTC/USDT', parseFixed('1.5'), parseFixed('300'));
    const lots = fifoLots(trader.fills).map((lot) => [
      formatFixed(lot.quantity),
      lot.acquiredAt,
      lot.disposedAt,
      formatFixed(lot.basis),
      lot.proceeds && formatFixed(lot.proceeds),
      lot.gain && formatFixed(lot.gain),
      formatFixed(lot.fees),
      lot.exitReason,
    ]);
    expect(lots).toEqual([
      ['1', 0, 2, '100.1', '299.7', '199.6', '0.4', 'signal_left'],
      ['0.5', 1, 2, '100.1', '149.85', '49.75', '0.25', 'signal_left'],
      ['1.5', 1, null, '300.3', null, null, '0.3', null],
    ]);
  });

  it('name who bought and who sold, where several agents share an account', () => {
    const [one, two] = [parseFixed('1'), parseFixed('2')];
    const by = (agentId: string | undefined, draft: FillDraft): LotFill =>
      agentId === undefined ? draft : { ...draft, agentId };
    const lots = fifoLots([
      by('a1', fill('buy', 'BTC/USDT', one, one, 0)),
      by('a2', fill('buy', 'BTC/USDT', one, one, 1)),
      by(undefined, fill('buy', 'BTC/USDT', one, one, 2)),
      by('a3', fill('sell', 'BTC/USDT', one, one, 3)),
      by(undefined, fill('sell', 'BTC/USDT', one, one, 4)),
    ]);
    expect(lots.map(({ acquiredBy, disposedBy }) => [acquiredBy, disposedBy])).toEqual([
      ['a1', 'a3'],
      ['a2', null],
      [null, null],
    ]);
    expect(() =>
      fifoLots([fill('buy', 'BTC/USDT', one, one, 0), fill('sell', 'BTC/USDT', two, one, 1)]),
    ).toThrow('More BTC/USDT is sold than was bought');
  });

  it('that are given over leave unsold, oldest first, with their cost', () => {
    const [one, two, price] = [parseFixed('1'), parseFixed('2'), parseFixed('100')];
    const book = new FifoBook();
    book.take({ ...fill('buy', 'BTC/USDT', two, price, 0), agentId: 'a1' });
    const given = { pair: 'BTC/USDT', quantity: one, filledAt: 1, reason: 'written_off' };
    expect(book.giveOver({ ...given, agentId: 'a1' })).toEqual([
      {
        pair: 'BTC/USDT',
        quantity: one,
        acquiredAt: 0,
        disposedAt: 1,
        entryPrice: price,
        exitPrice: null,
        basis: parseFixed('100.1'),
        proceeds: null,
        gain: null,
        fees: parseFixed('0.1'),
        exitReason: 'written_off',
        acquiredBy: 'a1',
        disposedBy: 'a1',
      },
    ]);
    expect(book.giveOver(given)[0]).toMatchObject({ disposedBy: null });
    expect(book.held()).toEqual([]);
    expect(() => book.giveOver(given)).toThrow('More BTC/USDT is sold than was bought');
  });

  it('have no cost where more is sold than was bought and that may be, and the next purchase is whole', () => {
    const [one, two, price] = [parseFixed('1'), parseFixed('2'), parseFixed('100')];
    const book = new FifoBook(true);
    book.take(fill('buy', 'BTC/USDT', one, price, 0));
    const lots = book.take(fill('sell', 'BTC/USDT', two, price, 5));
    expect(lots).toMatchObject([
      { quantity: one, acquiredAt: 0, basis: parseFixed('100.1') },
      {
        ...{ quantity: one, acquiredAt: 5, disposedAt: 5, basis: ZERO, acquiredBy: null },
        ...{ proceeds: parseFixed('99.9'), gain: parseFixed('99.9'), fees: parseFixed('0.1') },
      },
    ]);
    expect(sum(lots.map(({ proceeds }) => proceeds ?? ZERO))).toBe(parseFixed('199.8'));
    const given = { pair: 'BTC/USDT', quantity: one, filledAt: 6, reason: 'dust_left' };
    expect(book.giveOver(given)).toMatchObject([{ basis: ZERO, acquiredAt: 6 }]);
    book.take(fill('buy', 'BTC/USDT', one, price, 7));
    expect(book.held()).toMatchObject([{ quantity: one, basis: parseFixed('100.1') }]);
  });

  it('are known of no pair before its first purchase', () => {
    const given = { pair: 'BTC/USDT', quantity: parseFixed('1'), filledAt: 6, reason: 'dust_left' };
    expect(() => new FifoBook().giveOver(given)).toThrow('More BTC/USDT is sold than was bought');
    expect(new FifoBook(true).giveOver(given)).toMatchObject([
      { quantity: parseFixed('1'), basis: ZERO, acquiredAt: 6, disposedAt: 6 },
    ]);
  });

  it('share what was charged in other coins by their quantity, and lose nothing of it to rounding', () => {
    const raw = (units: bigint): Fixed => units as Fixed;
    const price = parseFixed('100');
    const charged = (draft: FillDraft, ...fees: [string, bigint][]): LotFill => ({
      ...draft,
      otherFees: new Map(fees.map(([asset, units]) => [asset, raw(units)])),
    });
    const book = new FifoBook();
    book.take(charged(fill('buy', 'BTC/USDT', raw(3n), price, 0), ['BNB', 100n], ['BTC', 1n]));
    book.take(charged(fill('buy', 'BTC/USDT', raw(7n), price, 1), ['BNB', 10n]));
    const sold = [
      ...book.take(charged(fill('sell', 'BTC/USDT', raw(2n), price, 2), ['KFEE', 5n])),
      ...book.take(charged(fill('sell', 'BTC/USDT', raw(4n), price, 3), ['BNB', 11n])),
    ];
    const given = { pair: 'BTC/USDT', quantity: raw(1n), filledAt: 4, reason: 'dust_left' };
    const left = [...book.giveOver(given), ...book.held()];
    const feesOf = ({ quantity, otherFees = new Map() }: Lot) => [
      quantity,
      Object.fromEntries(otherFees),
    ];
    expect([...sold, ...left].map(feesOf)).toEqual([
      [2n, { BNB: 66n, KFEE: 5n }],
      [1n, { BNB: 36n, BTC: 1n }],
      [3n, { BNB: 13n }],
      [1n, { BNB: 1n }],
      [3n, { BNB: 5n }],
    ]);
    const plain = fifoLots([
      fill('buy', 'BTC/USDT', raw(2n), price, 0),
      fill('sell', 'BTC/USDT', raw(1n), price, 1),
    ]);
    expect(plain.some((lot) => 'otherFees' in lot)).toBe(false);
  });

  it('refuse to sell what was not bought', () => {
    expect(() => fifoLots([fill('sell', 'BTC/USDT', parseFixed('1'), parseFixed('1'), 0)])).toThrow(
      'More BTC/USDT is sold than was bought',
    );
  });

  it('agree with average cost on the total once nothing is held, to the last digit, and lose no unit before', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n }).map((raw) => raw as Fixed);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...PAIRS), amount, amount), {
          maxLength: 40,
        }),
        amount,
        (acts, last) => {
          const trader = new Trader();
          for (const [buys, pair, quantity, price] of acts) {
            if (buys) trader.buy(pair, quantity, price);
            else trader.sell(pair, quantity, price);
          }
          const lots = fifoLots(trader.fills);
          const heldCost = sum([...trader.held.values()].map((position) => position.cost));
          const heldBasis = sum(
            lots.filter((lot) => lot.disposedAt === null).map((lot) => lot.basis),
          );
          expect(add(subtract(sum(lots.map((lot) => lot.gain ?? ZERO)), heldBasis), ZERO)).toBe(
            subtract(trader.realized, heldCost),
          );
          expect(sum(lots.map((lot) => lot.fees))).toBe(sum(trader.fills.map((one) => one.fee)));
          trader.closeAll(last);
          expect(gains(trader)).toBe(trader.realized);
        },
      ),
    );
  });
});

describe('held for more than a year', () => {
  const DAY = 86_400_000;
  it.each([
    ['2024-02-29T23:59:59.999Z', '2025-03-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', '2025-03-01T00:00:00.000Z'],
    ['2023-02-28T12:00:00.000Z', '2024-02-29T00:00:00.000Z'],
    ['2023-03-01T12:00:00.000Z', '2024-03-02T00:00:00.000Z'],
    ['2024-12-31T12:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2024-04-30T12:00:00.000Z', '2025-05-01T00:00:00.000Z'],
  ])('is what was bought at %s from %s on, the day after its anniversary', (bought, long) => {
    const [from, to] = [Date.parse(bought), Date.parse(long)];
    expect([to - DAY, to - 1, to, to + DAY].map((sold) => heldLong(from, sold))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

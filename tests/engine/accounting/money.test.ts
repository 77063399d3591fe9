/**
 * Over many random fills, deposits, withdrawals and transfers, rounding neither creates nor loses
 * money.
 */
import { describe, expect, it } from 'vitest';
import {
  add,
  formatFixed,
  negate,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { paperFill, quoteAround } from '../../../engine/execution/fills.ts';
import {
  applyBuy,
  applySell,
  CASH,
  depositEntries,
  EXTERNAL,
  FEES,
  fillEntries,
  holdingBucket,
  sumsByAsset,
} from '../../../engine/accounting/ledger.ts';
import { FifoBook } from '../../../engine/accounting/fifo-lots.ts';
import type { FillDraft, OpenPosition } from '../../../engine/execution/agent-types.ts';
import type { LedgerEntry } from '../../../engine/accounting/ledger-entry.ts';
import type { PairRules } from '../../../engine/market-types.ts';
import { random } from '../../support/tape.ts';

/** `npm run test:money` takes a million. */
const FILLS = Number(process.env.FILLS ?? 20_000);
/** After this many fills money comes in, goes out, or moves between accounts. */
const FLOW_EVERY = 7;
const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SHIB/USDT', 'USDC/USDT'];
const FEES_BPS = [0, 0.1, 1, 7.5, 10, 26.26, 333.333333333333];

const rulesOf = (pair: string, feeBps: number): PairRules => ({
  pair,
  base: pair.split('/')[0] ?? '',
  quote: 'USDT',
  lot: 1n as Fixed,
  minNotional: ZERO,
  halfSpreadBps: 2,
  feeBps,
});

/** One account: its ledger by bucket, its positions at average cost, its lots. */
class Book {
  readonly balances = new Map<string, Fixed>();
  readonly held = new Map<string, OpenPosition>();
  readonly lots = new FifoBook();
  realized = ZERO;
  fifoGain = ZERO;
  fees = ZERO;
  flows = ZERO;
  fills = 0;

  constructor(readonly name: string) {}

  /** @throws Error where a transaction does not sum to zero in each asset. */
  post(entries: readonly LedgerEntry[], assets: Map<string, Fixed>): void {
    for (const [asset, total] of sumsByAsset(entries)) {
      if (total !== ZERO)
        throw new Error(`A transaction of ${this.name} sums to ${formatFixed(total)} ${asset}`);
    }
    for (const { bucket, asset, amount } of entries) {
      const key = `${bucket} ${asset}`;
      this.balances.set(key, add(this.balances.get(key) ?? ZERO, amount));
      assets.set(asset, add(assets.get(asset) ?? ZERO, amount));
    }
  }

  balance(bucket: string, asset = 'USDT'): Fixed {
    return this.balances.get(`${bucket} ${asset}`) ?? ZERO;
  }

  /** A withdrawal is a deposit the other way round. */
  flow(amount: Fixed, assets: Map<string, Fixed>): void {
    const entries = depositEntries('USDT', amount < ZERO ? negate(amount) : amount);
    this.post(
      amount < ZERO
        ? entries.map((entry) => ({ ...entry, amount: negate(entry.amount) }))
        : entries,
      assets,
    );
    this.flows = add(this.flows, amount);
  }

  trade(fill: FillDraft, agent: string, assets: Map<string, Fixed>): void {
    const key = holdingBucket(agent, fill.pair);
    const position = this.held.get(key) ?? null;
    let priced = fill;
    if (fill.side === 'buy')
      this.held.set(key, { ...applyBuy(position, fill, null), id: key, openedAt: 0 });
    else if (position !== null) {
      const sold = applySell(position, fill);
      priced = sold.fill;
      this.realized = add(this.realized, priced.realized ?? ZERO);
      if (sold.after.quantity === ZERO) this.held.delete(key);
      else this.held.set(key, { ...sold.after, id: key, openedAt: 0 });
    }
    this.post(fillEntries(agent, priced), assets);
    this.fees = add(this.fees, priced.fee);
    this.fills += 1;
    for (const lot of this.lots.take({ ...priced, agentId: agent }))
      this.fifoGain = add(this.fifoGain, lot.gain ?? ZERO);
  }

  check(): void {
    const cost = [...this.held.values()].reduce((sum, one) => add(sum, one.cost), ZERO);
    const basis = this.lots.held().reduce((sum, lot) => add(sum, lot.basis), ZERO);
    expect(this.balance(CASH), `${this.name}: cash`).toBe(
      subtract(add(this.flows, this.realized), cost),
    );
    expect(this.balance(EXTERNAL), `${this.name}: flows`).toBe(negate(this.flows));
    expect(this.balance(FEES), `${this.name}: fees`).toBe(this.fees);
    // First in, first out and average cost differ by what is held, and by nothing else.
    expect(subtract(this.fifoGain, basis), `${this.name}: both ways of costing`).toBe(
      subtract(this.realized, cost),
    );
    for (const [key, { pair, quantity }] of this.held)
      expect(this.balance(key, pair.split('/')[0])).toBe(quantity);
  }
}

/** Random trades, agents and accounts that never sell more than is held. */
function* life(
  fills: number,
): Generator<{ book: Book; books: readonly Book[]; assets: Map<string, Fixed> }> {
  const next = random(20_210_404);
  const amount = (digits: number): Fixed =>
    BigInt(Math.floor(next() ** 3 * 10 ** Math.min(15, digits)) + 1) as Fixed;
  const books = ['one', 'two', 'three'].map((name) => new Book(name));
  const assets = new Map<string, Fixed>();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  for (let made = 0; made < fills; made += 1) {
    const [book, pair, agent] = [pick(books), pick(PAIRS), pick(['a', 'b'])];
    const held = book.held.get(holdingBucket(agent, pair));
    const side = held === undefined || next() < 0.5 ? 'buy' : 'sell';
    const wanted = amount(15);
    const quantity =
      side === 'sell' && held !== undefined && (next() < 0.2 || wanted > held.quantity)
        ? held.quantity
        : wanted;
    const rules = rulesOf(pair, pick(FEES_BPS));
    const fill = paperFill({
      side,
      wanted: quantity,
      quantity,
      quote: quoteAround(rules, made, amount(15)),
      rules,
      depth: {
        candleVolume: next() * 1e6,
        dayVolume: next() * 1e6 * 288,
        dailyVolatility: next() * 0.1,
      },
      reason: side === 'buy' ? 'entered' : 'signal_left',
    });
    book.trade(fill, agent, assets);
    if (made % FLOW_EVERY === 0) {
      const sum = amount(15);
      const kind = next();
      if (kind < 0.4) book.flow(sum, assets);
      else if (kind < 0.6) book.flow(negate(sum), assets);
      else {
        const other = pick(books.filter((one) => one !== book));
        book.flow(negate(sum), assets);
        other.flow(sum, assets);
      }
    }
    yield { book, books, assets };
  }
}

describe('money', () => {
  it(`over ${FILLS.toLocaleString('en')} random fills, fees, deposits, withdrawals and transfers: every ledger sums to zero, both ways of costing agree, rounding makes nothing (F61)`, () => {
    const begun = performance.now();
    let last: { books: readonly Book[]; assets: Map<string, Fixed> } | null = null;
    let seen = 0;
    for (const moment of life(FILLS)) {
      last = moment;
      seen += 1;
      if (seen % Math.ceil(FILLS / 20) === 0) {
        for (const book of moment.books) book.check();
        expect([...moment.assets.values()].filter((total) => total !== ZERO)).toEqual([]);
      }
    }
    if (last === null) throw new Error('Nothing was traded');
    const { books, assets } = last;
    // Everything is sold: what was won or lost is in the cash, and the two ways of costing are one.
    for (const book of books) {
      for (const [key, { pair, quantity }] of [...book.held]) {
        const rules = rulesOf(pair, 10);
        book.trade(
          paperFill({
            side: 'sell',
            wanted: quantity,
            quantity,
            quote: quoteAround(rules, FILLS, parseFixed('1.000000000001')),
            rules,
            depth: { candleVolume: 1e6, dayVolume: 1e6 * 288, dailyVolatility: 0.05 },
            reason: 'liquidated',
          }),
          key.split(':')[1] ?? '',
          assets,
        );
      }
      book.check();
      expect([book.held.size, book.lots.held().length]).toEqual([0, 0]);
      expect(book.fifoGain).toBe(book.realized);
      expect(book.balance(CASH)).toBe(add(book.flows, book.realized));
    }
    expect([...assets.values()].filter((total) => total !== ZERO)).toEqual([]);
    // Transfers between accounts cancel out; the rest is money from outside and trading results.
    expect(books.reduce((sum, book) => sum + book.fills, 0)).toBeGreaterThanOrEqual(FILLS);
    if (process.env.FILLS !== undefined) {
      console.log(
        `${FILLS.toLocaleString('en')} fills in ${((performance.now() - begun) / 1_000).toFixed(1)} s; ${books.map((book) => `${book.name}: flows ${formatFixed(book.flows)}, realised ${formatFixed(book.realized)}, fees ${formatFixed(book.fees)}, cash ${formatFixed(book.balance(CASH))}`).join('; ')}`,
      );
    }
  }, 600_000);
});

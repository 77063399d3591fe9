/** Tax lots of an account, computed once and served in pages of the same moment. */
import { inArray } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { add, formatFixed, parseFixed, subtract, sum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import {
  TAX_PAGE_ROWS,
  type HeldLots,
  type TaxLot,
  type TaxLots,
  type TaxSums,
} from '../../contract/tax.ts';
import { FifoBook, heldLong, type Lot } from '../../engine/accounting/fifo-lots.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Database, Db } from '../db/database.ts';
import { venueFills } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { accountByNumber } from './closed-account.ts';
import { fillIds, fillsInOrder } from './fill-order.ts';
import { agentNames } from './marks.ts';
import { openAccountOf, type AccountRow } from './open-account.ts';

/** Books kept between two pages, and how long. */
const BOOKS_KEPT = 3;
const KEPT_MS = 60_000;

interface Worked {
  through: number;
  sold: Lot[];
  held: Lot[];
  /** Average cost of what is held, by pair. */
  averageCost: Map<string, Fixed>;
  realized: Fixed;
  names: Map<string, string>;
}

export interface TaxAsk {
  book?: number | undefined;
  year?: number | undefined;
  held?: 'yes' | 'no' | undefined;
  after?: number | undefined;
  through?: number | undefined;
}

export class TaxLotReader {
  private readonly kept = new Map<string, { through: number; worked: Promise<Worked> }>();

  constructor(private readonly deps: { database: Database; market: Market }) {}

  async read(uid: string, ask: TaxAsk, atOnce = TAX_PAGE_ROWS): Promise<TaxLots> {
    const {
      database: { db },
      market,
    } = this.deps;
    const account =
      ask.book === undefined
        ? await openAccountOf(db, uid, market.source.id)
        : await accountByNumber(db, uid, market.source.id, ask.book);
    if (account === null)
      throw new Refusal('not_found', 'Paper account not found.', { field: 'book' });
    return { paper: true, book: account.book, ...(await this.readAccount(account, ask, atOnce)) };
  }

  /** Of one account, whoever's and whatever its money. */
  async readAccount(
    account: Pick<AccountRow, 'id' | 'quote' | 'connectionId'>,
    ask: TaxAsk,
    atOnce = TAX_PAGE_ROWS,
  ): Promise<Omit<TaxLots, 'paper' | 'book'>> {
    const { market } = this.deps;
    const worked = await this.worked(account, ask.through);
    const sold =
      ask.year === undefined ? worked.sold : worked.sold.filter((lot) => yearOf(lot) === ask.year);
    const rows = ask.held === 'yes' ? [...sold, ...worked.held] : sold;
    const from = ask.after ?? 0;
    return {
      source: market.source.label,
      quote: account.quote,
      asOf: market.now(),
      through: worked.through,
      years: [...new Set(worked.sold.map(yearOf))].sort((a, b) => a - b),
      sums: sumsOf(sold),
      all: sumsOf(worked.sold),
      held: heldByPair(worked),
      realized: formatFixed(worked.realized),
      rows: rows.slice(from, from + atOnce).map((lot) => rowOf(lot, worked.names)),
      total: rows.length,
      next: from + atOnce < rows.length ? from + atOnce : null,
    };
  }

  /**
   * What is worked out lies here while its pages are asked for; a server that has not got it works
   * it out anew, and to the same.
   */
  private async worked(
    account: Pick<AccountRow, 'id' | 'connectionId'>,
    wanted: number | undefined,
  ): Promise<Worked> {
    const known = this.kept.get(account.id);
    if (known !== undefined && known.through === wanted) return known.worked;
    const { db } = this.deps.database;
    const ids = await fillIds(db, account.id);
    const through = Math.min(wanted ?? ids.length, ids.length);
    if (known !== undefined && known.through === through) return known.worked;
    const worked = this.workOut(ids.slice(0, through), account.connectionId !== null);
    const entry = { through, worked };
    this.kept.delete(account.id);
    this.kept.set(account.id, entry);
    const drop = (): void => {
      if (this.kept.get(account.id) === entry) this.kept.delete(account.id);
    };
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= BOOKS_KEPT) break;
      this.kept.delete(oldest);
    }
    setTimeout(drop, KEPT_MS).unref();
    worked.catch(drop);
    return worked;
  }

  /** A page of fills, then a breath for everybody else's requests. */
  private async workOut(ids: readonly string[], isLive: boolean): Promise<Worked> {
    const { db } = this.deps.database;
    const coinFees = isLive ? await feesInCoin(db, ids) : new Map<string, Fixed>();
    const book = new FifoBook();
    const sold: Lot[] = [];
    const averageCost = new Map<string, Fixed>();
    const agents = new Set<string>();
    let realized = ZERO;
    for await (const page of fillsInOrder(db, ids)) {
      for (const fill of page) {
        sold.push(...book.take(withCoinFee(fill, coinFees.get(fill.id) ?? ZERO)));
        agents.add(fill.agentId);
        realized = add(realized, fill.realized ?? ZERO);
        const cost = averageCost.get(fill.pair) ?? ZERO;
        averageCost.set(
          fill.pair,
          fill.side === 'buy'
            ? add(cost, add(fill.notional, fill.fee))
            : subtract(cost, fill.costBasis ?? ZERO),
        );
      }
    }
    return {
      through: ids.length,
      sold,
      held: book.held(),
      averageCost,
      realized,
      names: await agentNames(db, [...agents]),
    };
  }
}

/** What an exchange took of the coin itself, by fill: it was never held, or went with the sale. */
async function feesInCoin(db: Db, ids: readonly string[]): Promise<Map<string, Fixed>> {
  const found = new Map<string, Fixed>();
  for (let from = 0; from < ids.length; from += TAX_PAGE_ROWS) {
    const rows = await db
      .select({ id: venueFills.fillId, symbol: venueFills.symbol, fees: venueFills.fees })
      .from(venueFills)
      .where(inArray(venueFills.fillId, ids.slice(from, from + TAX_PAGE_ROWS)));
    for (const { id, symbol, fees } of rows) {
      const taken = (fees as { asset: string; amount: string }[]).filter(
        ({ asset }) => asset === baseOf(symbol),
      );
      if (id !== null && taken.length > 0)
        found.set(id, sum(taken.map(({ amount }) => parseFixed(amount))));
    }
  }
  return found;
}

const withCoinFee = <F extends { side: string; quantity: Fixed }>(fill: F, fee: Fixed): F =>
  fee === ZERO
    ? fill
    : {
        ...fill,
        quantity: fill.side === 'buy' ? subtract(fill.quantity, fee) : add(fill.quantity, fee),
      };

const yearOf = (lot: Lot): number => new Date(lot.disposedAt ?? 0).getUTCFullYear();
const orNull = (value: Fixed | null): string | null => (value === null ? null : formatFixed(value));

function sumsOf(lots: readonly Lot[]): TaxSums {
  const of = (read: (lot: Lot) => Fixed | null): string =>
    formatFixed(sum(lots.map((lot) => read(lot) ?? ZERO)));
  return {
    lots: lots.length,
    proceeds: of((lot) => lot.proceeds),
    basis: of((lot) => lot.basis),
    gain: of((lot) => lot.gain),
    fees: of((lot) => lot.fees),
  };
}

function heldByPair({ held, averageCost }: Worked): HeldLots[] {
  return [...new Set(held.map(({ pair }) => pair))].sort().map((pair) => {
    const mine = held.filter((lot) => lot.pair === pair);
    return {
      pair,
      lots: mine.length,
      quantity: formatFixed(sum(mine.map((lot) => lot.quantity))),
      basis: formatFixed(sum(mine.map((lot) => lot.basis))),
      averageCost: formatFixed(averageCost.get(pair) ?? ZERO),
    };
  });
}

function rowOf(lot: Lot, names: ReadonlyMap<string, string>): TaxLot {
  const name = (id: string | null): string => (id === null ? '' : (names.get(id) ?? ''));
  return {
    pair: lot.pair,
    quantity: formatFixed(lot.quantity),
    acquiredAt: lot.acquiredAt,
    disposedAt: lot.disposedAt,
    proceeds: orNull(lot.proceeds),
    basis: formatFixed(lot.basis),
    gain: orNull(lot.gain),
    fees: formatFixed(lot.fees),
    long: lot.disposedAt === null ? null : heldLong(lot.acquiredAt, lot.disposedAt),
    acquiredBy: name(lot.acquiredBy),
    disposedBy: lot.disposedAt === null ? null : name(lot.disposedBy),
    reason: lot.exitReason,
  };
}

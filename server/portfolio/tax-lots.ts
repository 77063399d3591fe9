/** Tax lots of an account, computed once and served in pages of the same moment. */
import { inArray } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { add, formatFixed, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import {
  TAX_PAGE_ROWS,
  type HeldLots,
  type TaxLot,
  type TaxLots,
  type TaxSums,
} from '../../contract/tax.ts';
import type { CoinAmounts } from '../../engine/accounting/coin-amounts.ts';
import { FifoBook, heldLong, type Lot, type LotFill } from '../../engine/accounting/fifo-lots.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Database, Db } from '../db/database.ts';
import { liveWriteOffs } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { accountByNumber } from './closed-account.ts';
import { OtherFeeSums, otherFeesByFill, otherFeesOn } from './fees-by-fill.ts';
import { fillsInOrder, lotIds, type LedgerFill, type LotId } from './fill-order.ts';
import { agentNames } from './marks.ts';
import { openAccountOf, type AccountRow } from './open-account.ts';

/** Books kept between two pages, and how long. */
const BOOKS_KEPT = 3;
const KEPT_MS = 60_000;

/** Lots that were sold, in the order of their sale, and what they add up to. */
interface Sold {
  lots: Lot[];
  sums: TaxSums;
}

/** Everything that the pages of one moment share, worked out once for all of them. */
interface Worked {
  through: number;
  all: Sold;
  byYear: ReadonlyMap<number, Sold>;
  years: number[];
  open: Lot[];
  held: HeldLots[];
  realized: string;
  names: Map<string, string>;
}

interface Kept {
  through: number;
  worked: Promise<Worked>;
  drop: NodeJS.Timeout;
}

export interface TaxAsk {
  book?: number | undefined;
  year?: number | undefined;
  held?: 'yes' | 'no' | undefined;
  after?: number | undefined;
  through?: number | undefined;
}

export class TaxLotReader {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly deps: { database: Database; market: Market },
    private readonly keptMs = KEPT_MS,
  ) {}

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
    const { all, byYear, years, held, realized, names } = worked;
    const sold = ask.year === undefined ? all : (byYear.get(ask.year) ?? NONE_SOLD);
    const open = ask.held === 'yes' ? worked.open : [];
    const total = sold.lots.length + open.length;
    const from = ask.after ?? 0;
    const to = Math.min(total, from + atOnce);
    const rows = [
      ...sold.lots.slice(from, to),
      ...open.slice(Math.max(0, from - sold.lots.length), Math.max(0, to - sold.lots.length)),
    ];
    return {
      source: market.source.label,
      quote: account.quote,
      asOf: market.now(),
      through: worked.through,
      years,
      sums: sold.sums,
      all: all.sums,
      held,
      realized,
      rows: rows.map((lot) => rowOf(lot, names)),
      total,
      next: to < total ? to : null,
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
    if (known !== undefined && known.through === wanted) return this.used(account.id, known);
    const { db } = this.deps.database;
    const ids = await lotIds(db, account.id);
    const through = Math.min(wanted ?? ids.length, ids.length);
    if (known !== undefined && known.through === through) return this.used(account.id, known);
    const worked = this.workOut(ids.slice(0, through), account.connectionId !== null);
    const drop = (): void => {
      if (this.kept.get(account.id)?.worked === worked) this.kept.delete(account.id);
    };
    worked.catch(drop);
    return this.used(account.id, {
      through,
      worked,
      drop: setTimeout(drop, this.keptMs).unref(),
    });
  }

  /** A long file takes longer than a minute on a slow line: it is kept from its last page on. */
  private used(id: string, entry: Kept): Promise<Worked> {
    entry.drop.refresh();
    this.kept.delete(id);
    this.kept.set(id, entry);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= BOOKS_KEPT) break;
      this.kept.delete(oldest);
    }
    return entry.worked;
  }

  /** A page of fills, then a breath for everybody else's requests. */
  private async workOut(ids: readonly LotId[], isLive: boolean): Promise<Worked> {
    const { db } = this.deps.database;
    const fills = ids.flatMap(({ id, isFill }) => (isFill ? id : []));
    const otherFees = isLive ? await otherFeesByFill(db, fills) : new Map<string, CoinAmounts>();
    // One sale too many must not keep an account's lots from its owner for good.
    const book = new FifoBook(isLive);
    const sold = new SoldLots();
    const averageCost = new Map<string, Fixed>();
    const agents = new Set<string>();
    let realized = ZERO;
    const addCost = (pair: string, change: Fixed): void => {
      averageCost.set(pair, add(averageCost.get(pair) ?? ZERO, change));
    };
    const take = (fill: LedgerFill): void => {
      for (const lot of book.take(asLotFill(fill, otherFees.get(fill.id)))) sold.add(lot);
      agents.add(fill.agentId);
      realized = add(realized, fill.realized ?? ZERO);
      const isBuy = fill.side === 'buy';
      addCost(
        fill.pair,
        isBuy ? add(fill.notional, fill.fee) : subtract(ZERO, fill.costBasis ?? ZERO),
      );
    };
    const giveOver = (row: WriteOffRow): void => {
      const { symbol: pair, agentId, atMarketMs: filledAt, cause: reason } = row;
      const quantity = parseFixed(row.quantity);
      for (const lot of book.giveOver({ pair, quantity, filledAt, agentId, reason }))
        sold.addGivenOver(lot);
      agents.add(agentId);
      addCost(pair, subtract(ZERO, parseFixed(row.cost)));
    };
    const writeOffs = await writeOffsAmong(db, ids);
    for (const { fillIds, then } of betweenWriteOffs(ids)) {
      for await (const page of fillsInOrder(db, fillIds)) for (const fill of page) take(fill);
      const row = writeOffs.get(then ?? '');
      if (row !== undefined) giveOver(row);
    }
    const open = book.held();
    return {
      through: ids.length,
      ...sold.told(),
      open,
      held: heldByPair(open, averageCost),
      realized: formatFixed(realized),
      names: await agentNames(db, [...agents]),
    };
  }
}

type WriteOffRow = typeof liveWriteOffs.$inferSelect;

async function writeOffsAmong(db: Db, ids: readonly LotId[]): Promise<Map<string, WriteOffRow>> {
  const wanted = ids.flatMap(({ id, isFill }) => (isFill ? [] : id));
  if (wanted.length === 0) return new Map();
  const rows = await db.select().from(liveWriteOffs).where(inArray(liveWriteOffs.id, wanted));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Fills up to each write-off, and those after the last. */
function betweenWriteOffs(ids: readonly LotId[]): { fillIds: string[]; then: string | null }[] {
  const parts: { fillIds: string[]; then: string | null }[] = [];
  let fillIds: string[] = [];
  for (const { id, isFill } of ids) {
    if (isFill) fillIds.push(id);
    else {
      parts.push({ fillIds, then: id });
      fillIds = [];
    }
  }
  return [...parts, { fillIds, then: null }];
}

/** What an exchange took of the coin itself was never held, or went with the sale. */
function asLotFill(fill: LedgerFill, otherFees: CoinAmounts | undefined): LotFill {
  if (otherFees === undefined) return fill;
  const ofCoin = otherFees.get(baseOf(fill.pair)) ?? ZERO;
  const change = fill.side === 'buy' ? subtract : add;
  return { ...fill, quantity: change(fill.quantity, ofCoin), otherFees };
}

const yearOf = (lot: Lot): number => new Date(lot.disposedAt ?? 0).getUTCFullYear();
const orNull = (value: Fixed | null): string | null => (value === null ? null : formatFixed(value));

/** Adds up lots as they are sold. Those given over are among the rows and in no sum. */
class LotSums {
  readonly lots: Lot[] = [];
  private sold = 0;
  private proceeds = ZERO;
  private basis = ZERO;
  private gain = ZERO;
  private fees = ZERO;
  private readonly otherFees = new OtherFeeSums();

  add(lot: Lot): void {
    this.lots.push(lot);
    this.sold += 1;
    this.proceeds = add(this.proceeds, lot.proceeds ?? ZERO);
    this.basis = add(this.basis, lot.basis);
    this.gain = add(this.gain, lot.gain ?? ZERO);
    this.fees = add(this.fees, lot.fees);
    if (lot.otherFees !== undefined) this.otherFees.add(lot.pair, lot.otherFees);
  }

  told(): Sold {
    return {
      lots: this.lots,
      sums: {
        lots: this.sold,
        proceeds: formatFixed(this.proceeds),
        basis: formatFixed(this.basis),
        gain: formatFixed(this.gain),
        fees: formatFixed(this.fees),
        ...this.otherFees.told(),
      },
    };
  }
}

const NONE_SOLD: Sold = new LotSums().told();

/** Sold lots in all and by the UTC year of their sale. */
class SoldLots {
  private readonly all = new LotSums();
  private readonly byYear = new Map<number, LotSums>();

  add(lot: Lot): void {
    this.all.add(lot);
    const year = yearOf(lot);
    const known = this.byYear.get(year) ?? new LotSums();
    this.byYear.set(year, known);
    known.add(lot);
  }

  addGivenOver(lot: Lot): void {
    this.all.lots.push(lot);
    const year = yearOf(lot);
    const known = this.byYear.get(year) ?? new LotSums();
    this.byYear.set(year, known);
    known.lots.push(lot);
  }

  told(): Pick<Worked, 'all' | 'byYear' | 'years'> {
    return {
      all: this.all.told(),
      byYear: new Map([...this.byYear].map(([year, sums]) => [year, sums.told()])),
      years: [...this.byYear.keys()].sort((a, b) => a - b),
    };
  }
}

function heldByPair(open: readonly Lot[], averageCost: ReadonlyMap<string, Fixed>): HeldLots[] {
  const pairs = new Map<string, { lots: number; quantity: Fixed; basis: Fixed }>();
  for (const { pair, quantity, basis } of open) {
    const known = pairs.get(pair) ?? { lots: 0, quantity: ZERO, basis: ZERO };
    pairs.set(pair, {
      lots: known.lots + 1,
      quantity: add(known.quantity, quantity),
      basis: add(known.basis, basis),
    });
  }
  return [...pairs.keys()].sort().map((pair) => {
    const { lots = 0, quantity = ZERO, basis = ZERO } = pairs.get(pair) ?? {};
    return {
      pair,
      lots,
      quantity: formatFixed(quantity),
      basis: formatFixed(basis),
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
    ...otherFeesOn(lot.pair, lot.otherFees),
    long: lot.disposedAt === null ? null : heldLong(lot.acquiredAt, lot.disposedAt),
    acquiredBy: name(lot.acquiredBy),
    disposedBy: lot.disposedAt === null ? null : name(lot.disposedBy),
    reason: lot.exitReason,
  };
}

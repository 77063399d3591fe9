/** Compares every open position's stop loss with every price, for stopped agents too. */
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { parseFixed } from '../../contract/money.ts';
import { stopQuoteInCandle } from '../../engine/execution/stops.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { Db } from '../db/database.ts';
import { accounts, positions } from '../db/schema.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { candlesSince } from '../market/candles-since.ts';
import type { Venue } from '../venues/venue.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { Watched } from './sell-stopped.ts';
import { STOP_BATCH, StopSales } from './stop-sales.ts';

/** What candles that nobody watched have come to. */
export interface Missed {
  sold: number;
  /** Stops that were hit and not carried out: these positions are watched on. */
  unsold: number;
  /** Close of the newest candle that was there, market ms; everything where nothing is watched. */
  seenTo: number;
}

/** When each of these positions of a pair last grew, market ms, by its id. */
async function lastPurchases(
  db: Db,
  pair: string,
  list: readonly Watched[],
): Promise<Map<string, number>> {
  if (list.length === 0) return new Map();
  const asked = list.map(({ id, agentId, openedAt }) => ({ id, agent: agentId, opened: openedAt }));
  const rows = await rowsOf<{ id: string; at: string }>(
    db,
    sql`
    select held.id, bought.at::text as at
    from json_to_recordset(${JSON.stringify(asked)}::json) as held(id text, agent uuid, opened bigint)
    cross join lateral (
      select filled_market_ms as at from fills
      where agent_id = held.agent and pair = ${pair} and side = 'buy' and filled_market_ms >= held.opened
      order by filled_market_ms desc limit 1
    ) bought`,
  );
  return new Map(rows.map(({ id, at }) => [id, Number(at)]));
}

export class StopWatch {
  private byPair = new Map<string, Map<string, Watched>>();
  private ofAgent = new Map<string, Watched[]>();
  private turn: Promise<void> = Promise.resolve();
  private readonly sales: StopSales;

  constructor(
    private readonly deps: TradingDeps,
    private readonly venue: Venue,
    /** Positions sold in one transaction. */
    batch = STOP_BATCH,
  ) {
    const unwatch = (watched: Watched): void => {
      this.byPair.get(watched.pair)?.delete(watched.id);
    };
    this.sales = new StopSales(deps, venue, unwatch, batch);
  }

  get watched(): number {
    let count = 0;
    for (const list of this.byPair.values()) count += list.size;
    return count;
  }

  /** Pairs of which a position is watched. */
  get pairs(): string[] {
    return [...this.byPair].flatMap(([pair, list]) => (list.size > 0 ? [pair] : []));
  }

  /**
   * Reads the index afresh: at start, and for what other processes opened. Looks at present prices
   * at once.
   */
  load(): Promise<void> {
    return this.inTurn(async () => {
      const rows = await this.read(null);
      this.byPair = new Map();
      this.ofAgent = new Map();
      this.watch(rows);
    });
  }

  /** Reads the positions of these agents afresh: after a commit that changed them. */
  refresh(agentIds: readonly string[]): Promise<void> {
    return this.inTurn(async () => {
      const rows = await this.read(agentIds);
      for (const agentId of agentIds) {
        for (const watched of this.ofAgent.get(agentId) ?? [])
          this.byPair.get(watched.pair)?.delete(watched.id);
        this.ofAgent.delete(agentId);
      }
      this.watch(rows);
    });
  }

  /**
   * Drops the positions of accounts that were closed or deleted; after any reading that may still
   * know them.
   */
  forget(accountIds: readonly string[]): Promise<void> {
    return this.inTurn(async () => {
      const closed = new Set(accountIds);
      for (const list of this.byPair.values()) {
        for (const { id, accountId } of list.values()) {
          if (!closed.has(accountId)) continue;
          list.delete(id);
          this.sales.forget(id);
        }
      }
      for (const [agentId, list] of this.ofAgent) {
        if (list.some(({ accountId }) => closed.has(accountId))) this.ofAgent.delete(agentId);
      }
    });
  }

  /** One reading after another: an older one must not take the place of a newer. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async read(agentIds: readonly string[] | null): Promise<Watched[]> {
    const wanted = and(
      eq(accounts.source, this.deps.market.source.id),
      isNull(accounts.closedAt),
      isNull(positions.closedMarketMs),
      isNotNull(positions.stopPrice),
      ...(agentIds === null ? [] : [inArray(positions.agentId, [...agentIds])]),
    );
    // As one text: there may be as many as there are agents.
    const [row] = await rowsOf<{ list: string | null }>(
      this.deps.database.db,
      sql`
      select json_agg(json_build_array(positions.id, positions.agent_id, positions.account_id, accounts.uid, positions.pair, positions.stop_price::text, positions.quantity::text, positions.opened_market_ms))::text as list
      from positions join accounts on accounts.id = positions.account_id where ${wanted}`,
    );
    const list = JSON.parse(row?.list ?? '[]') as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      number,
    ][];
    return list.map(([id, agentId, accountId, uid, pair, stop, quantity, openedAt]) => ({
      id,
      agentId,
      accountId,
      uid,
      pair,
      stopPrice: parseFixed(stop),
      quantity: parseFixed(quantity),
      openedAt,
    }));
  }

  private watch(rows: readonly Watched[]): void {
    const pairs = new Set<string>();
    for (const row of rows) {
      const list = this.byPair.get(row.pair) ?? new Map<string, Watched>();
      this.byPair.set(row.pair, list.set(row.id, row));
      this.ofAgent.set(row.agentId, [...(this.ofAgent.get(row.agentId) ?? []), row]);
      pairs.add(row.pair);
    }
    for (const pair of pairs) {
      const quote = this.venue.price(pair);
      if (quote !== null) this.onQuote(quote);
    }
  }

  /** Every sane quote comes through here. */
  onQuote(quote: Quote): void {
    const list = this.byPair.get(quote.pair);
    if (list === undefined) return;
    for (const watched of list.values()) {
      if (this.sales.isUnder(watched.id)) continue;
      const owed = this.sales.owed(watched.id);
      if (owed !== null) void this.sales.sell({ ...owed, watched });
      else if (quote.bid <= watched.stopPrice && quote.at >= watched.openedAt)
        void this.sales.sell({ watched, quote, depth: null });
    }
  }

  /** Waits for the readings and sales under way. */
  async settled(): Promise<void> {
    await this.turn;
    await this.sales.settled();
  }

  /**
   * Runs the stops of a pair over candles that closed while nobody watched: from `since` (market
   * ms) to now. A gap is paid for: the sale gets the worse of the candle's open and the stop. A
   * purchase may have raised the stop: candles that opened before the last one say nothing of it.
   * Where the source has no base candles that far back, hours are run.
   */
  async runMissed(pair: string, since: number): Promise<Missed> {
    const { market } = this.deps;
    const list = this.byPair.get(pair);
    if (list === undefined || list.size === 0) return { sold: 0, unsold: 0, seenTo: Infinity };
    const rules = market.rules(pair);
    if (rules === null) throw new Error('The source does not offer the pair now');
    const length = INTERVAL_MS[market.baseInterval];
    const { hours, base } = await candlesSince(market, pair, since);
    const candles = [...hours, ...base];
    const firstHit = (watched: Watched, from: number) =>
      candles
        .filter((candle) => candle.time >= from)
        .map((candle) => ({ candle, quote: stopQuoteInCandle(watched, candle, rules) }))
        .find(({ quote }) => quote !== null);
    const suspects = [...list.values()].filter(
      (watched) => firstHit(watched, watched.openedAt) !== undefined,
    );
    const boughtAt = await lastPurchases(this.deps.database.db, pair, suspects);
    const hits: Watched[] = [];
    const sales: Promise<boolean>[] = [];
    const depths = new Map<number, Promise<Depth>>();
    for (const watched of suspects) {
      const hit = firstHit(watched, boughtAt.get(watched.id) ?? watched.openedAt);
      if (hit === undefined || hit.quote === null || this.sales.isUnder(watched.id)) continue;
      const { time } = hit.candle;
      // As it was then: a sale is not priced by what was traded after it.
      const depth = depths.get(time) ?? this.venue.depth(pair, time);
      depths.set(time, depth);
      hits.push(watched);
      sales.push(this.sales.sell({ watched, quote: hit.quote, depth: await depth, missed: true }));
    }
    const sold = (await Promise.all(sales)).filter(Boolean).length;
    const unsold = hits.filter(({ id }) => this.byPair.get(pair)?.has(id) === true).length;
    return { sold, unsold, seenTo: (candles.at(-1)?.time ?? -Infinity) + length };
  }
}

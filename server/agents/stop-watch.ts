/** Compares every open position's stop loss with every price, for stopped agents too. */
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { INTERVAL_MS } from '../../contract/market.ts';
import { parseFixed } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { stopHit, stopQuoteInCandle } from '../../engine/execution/stops.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { Tx } from '../db/database.ts';
import { accounts, agents, positions } from '../db/schema.ts';
import { lockOpenPosition, sellPosition } from '../portfolio/exits.ts';
import { toOpenPosition } from '../portfolio/marks.ts';
import { rowsOf } from '../db/sql-rows.ts';
import type { Venue } from '../venues/venue.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow } from './read-agents.ts';
import { publishChanged } from './transitions.ts';

/** Sales at one time: a crash sets off many, and a tick needs connections too. */
const SALES_AT_ONCE = 4;

interface Watched {
  id: string;
  agentId: string;
  accountId: string;
  uid: string;
  pair: string;
  stopPrice: Fixed;
  openedAt: number;
}

export class StopWatch {
  private byPair = new Map<string, Map<string, Watched>>();
  private ofAgent = new Map<string, Watched[]>();
  private turn: Promise<void> = Promise.resolve();
  private readonly selling = new Map<string, Promise<boolean>>();
  private readonly waiting: (() => void)[] = [];
  private under = 0;
  /** Positions whose stop failed the last time. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly deps: TradingDeps,
    private readonly venue: Venue,
  ) {}

  get watched(): number {
    let count = 0;
    for (const list of this.byPair.values()) count += list.size;
    return count;
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
          this.failing.delete(id);
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
      select json_agg(json_build_array(positions.id, positions.agent_id, positions.account_id, accounts.uid, positions.pair, positions.stop_price::text, positions.opened_market_ms))::text as list
      from positions join accounts on accounts.id = positions.account_id where ${wanted}`,
    );
    const list = JSON.parse(row?.list ?? '[]') as [
      string,
      string,
      string,
      string,
      string,
      string,
      number,
    ][];
    return list.map(([id, agentId, accountId, uid, pair, stop, openedAt]) => ({
      id,
      agentId,
      accountId,
      uid,
      pair,
      stopPrice: parseFixed(stop),
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
      if (
        quote.bid > watched.stopPrice ||
        quote.at < watched.openedAt ||
        this.selling.has(watched.id)
      )
        continue;
      void this.begin(watched, quote, null);
    }
  }

  /** Waits for the readings and sales under way. */
  async settled(): Promise<void> {
    await this.turn;
    while (this.selling.size > 0) await Promise.all(this.selling.values());
  }

  /**
   * Runs the stops over candles that closed while nobody watched: from `since` (market ms) to now.
   * A gap is paid for: the sale gets the worse of the candle's open and the stop. Of all pairs, or
   * of one.
   */
  async runMissed(since: number, only?: string): Promise<number> {
    const { market } = this.deps;
    const length = INTERVAL_MS[market.baseInterval];
    let sold = 0;
    for (const [pair, list] of this.byPair) {
      if (only !== undefined && pair !== only) continue;
      const rules = market.rules(pair);
      const candles =
        rules === null ? [] : await market.candles(pair, market.baseInterval, since, market.now());
      for (const watched of list.values()) {
        const hit = candles
          .filter((candle) => candle.time >= watched.openedAt)
          .map((candle) => ({
            candle,
            quote: rules === null ? null : stopQuoteInCandle(watched, candle, rules),
          }))
          .find(({ quote }) => quote !== null);
        if (hit === undefined || hit.quote === null || this.selling.has(watched.id)) continue;
        const known = await this.venue.depth(pair);
        if (
          await this.begin(watched, hit.quote, {
            ...known,
            volume: hit.candle.volume,
            intervalMs: length,
          })
        )
          sold += 1;
      }
    }
    return sold;
  }

  private begin(watched: Watched, quote: Quote, depth: Depth | null): Promise<boolean> {
    const sale = this.place()
      .then(() => this.sell(watched, quote, depth))
      .then((sold) => {
        this.failing.delete(watched.id);
        return sold;
      })
      .catch((error: unknown) => {
        // Still watched: the next price tries again. Said once, however many prices come meanwhile.
        const reason = error instanceof Error ? error.message : String(error);
        if (!this.failing.has(watched.id))
          this.deps.log.error(
            { position: watched.id, reason },
            'A stop loss could not be carried out; every price retries',
          );
        this.failing.add(watched.id);
        return false;
      })
      .finally(() => {
        this.selling.delete(watched.id);
        // Whoever waits takes this place; else it is free.
        const next = this.waiting.shift();
        if (next === undefined) this.under -= 1;
        else next();
      });
    this.selling.set(watched.id, sale);
    return sale;
  }

  /** Waits for one of the few places in which a sale is carried out. */
  private async place(): Promise<void> {
    if (this.under < SALES_AT_ONCE) this.under += 1;
    else
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
  }

  private async sell(watched: Watched, quote: Quote, given: Depth | null): Promise<boolean> {
    const depth = given ?? (await this.venue.depth(watched.pair));
    const { log } = this.deps;
    const outcome = await this.deps.database.transaction((tx) =>
      this.sellIn(tx, watched, quote, depth),
    );
    if (outcome === 'account-gone')
      log.warn({ position: watched.id }, 'A position is no longer watched: its account is gone');
    if (outcome !== 'kept') this.byPair.get(watched.pair)?.delete(watched.id);
    return outcome === 'sold';
  }

  private async sellIn(
    tx: Tx,
    watched: Watched,
    quote: Quote,
    depth: Depth,
  ): Promise<'sold' | 'kept' | 'gone' | 'account-gone'> {
    // Agent, account, position: the order in which the batches take them.
    const [agent] = await tx.db
      .select()
      .from(agents)
      .where(eq(agents.id, watched.agentId))
      .for('update');
    const [account] = await tx.db
      .select()
      .from(accounts)
      .where(eq(accounts.id, watched.accountId))
      .for('update');
    if (account === undefined || account.closedAt !== null) return 'account-gone';
    const position = await lockOpenPosition(tx, watched.id);
    if (agent === undefined || position === null) return 'gone';
    if (!stopHit(toOpenPosition(position), quote)) return 'kept';
    const fill = await sellPosition(tx, this.deps, this.venue, watched.uid, {
      position,
      quote,
      depth,
      reason: 'stop_loss',
      tickId: `stop:${watched.id}`,
    });
    if (fill === null) return 'kept';
    const [fresh] = await tx.db.select().from(agents).where(eq(agents.id, watched.agentId));
    if (fresh !== undefined) await publishChanged(tx, this.deps, watched.uid, [asAgentRow(fresh)]);
    return 'sold';
  }
}

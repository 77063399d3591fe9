/** Holds every open position with a stop against every price, for stopped agents too; refuses to sell a position twice. */
import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm';
import { INTERVAL_MS } from '../../contract/market.ts';
import { parseFixed } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { stopHit, stopQuoteInCandle } from '../../engine/stops.ts';
import type { Depth, Quote } from '../../engine/types.ts';
import { accounts, agents, positions } from '../db/schema.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { lockOpenPosition, sellPosition } from '../portfolio/exits.ts';
import { toOpenPosition } from '../portfolio/marks.ts';
import type { Venue } from '../venues/venue.ts';
import type { TradingDeps } from './deps.ts';
import { asAgentRow } from './read-agents.ts';
import { tellChanged } from './transitions.ts';

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
  private readonly selling = new Map<string, Promise<boolean>>();

  constructor(private readonly deps: TradingDeps, private readonly venue: Venue) {}

  get watched(): number {
    let count = 0;
    for (const list of this.byPair.values()) count += list.size;
    return count;
  }

  /** Reads the index afresh: at start, and after every commit that changed positions. Looks at present prices at once. */
  async load(): Promise<void> {
    const rows = await this.deps.database.db.select({
      id: positions.id, agentId: positions.agentId, accountId: positions.accountId, uid: accounts.uid, pair: positions.pair,
      stopPrice: positions.stopPrice, openedAt: positions.openedMarketMs,
    }).from(positions).innerJoin(accounts, eq(accounts.id, positions.accountId))
      .where(and(eq(accounts.source, this.deps.market.source.id), isNull(accounts.closedAt), isNull(positions.closedMarketMs), isNotNull(positions.stopPrice)))
      .orderBy(asc(positions.id));
    const byPair = new Map<string, Map<string, Watched>>();
    for (const row of rows) {
      const list = byPair.get(row.pair) ?? new Map<string, Watched>();
      list.set(row.id, { ...row, stopPrice: parseFixed(row.stopPrice ?? '0') });
      byPair.set(row.pair, list);
    }
    this.byPair = byPair;
    for (const pair of byPair.keys()) {
      const quote = this.venue.price(pair);
      if (quote !== null) this.onQuote(quote);
    }
  }

  /** Every sane quote comes through here. */
  onQuote(quote: Quote): void {
    const list = this.byPair.get(quote.pair);
    if (list === undefined) return;
    for (const watched of list.values()) {
      if (quote.bid > watched.stopPrice || quote.at < watched.openedAt || this.selling.has(watched.id)) continue;
      void this.begin(watched, quote, null);
    }
  }

  /** Waits for the sales under way. */
  async settled(): Promise<void> {
    while (this.selling.size > 0) await Promise.all(this.selling.values());
  }

  /**
   * Runs the stops over candles that closed while nobody watched: from `since` (market ms) to now. A gap is paid for:
   * the sale gets the worse of the candle's open and the stop. Of all pairs, or of one.
   */
  async runMissed(since: number, only?: string): Promise<number> {
    const { market } = this.deps;
    const length = INTERVAL_MS[market.baseInterval];
    let sold = 0;
    for (const [pair, list] of this.byPair) {
      if (only !== undefined && pair !== only) continue;
      const rules = market.rules(pair);
      const candles = rules === null ? [] : await market.candles(pair, market.baseInterval, since, market.now());
      for (const watched of list.values()) {
        const hit = candles.filter((candle) => candle.time >= watched.openedAt)
          .map((candle) => ({ candle, quote: rules === null ? null : stopQuoteInCandle(watched, candle, rules) })).find(({ quote }) => quote !== null);
        if (hit === undefined || hit.quote === null || this.selling.has(watched.id)) continue;
        const known = await this.venue.depth(pair);
        if (await this.begin(watched, hit.quote, { ...known, volume: hit.candle.volume, intervalMs: length })) sold += 1;
      }
    }
    return sold;
  }

  private begin(watched: Watched, quote: Quote, depth: Depth | null): Promise<boolean> {
    const sale = this.sell(watched, quote, depth)
      .catch((error: unknown) => {
        // Still watched: the next price tries again.
        this.deps.log.error({ position: watched.id, reason: error instanceof Error ? error.message : String(error) }, 'A stop could not be carried out');
        return false;
      })
      .finally(() => { this.selling.delete(watched.id); });
    this.selling.set(watched.id, sale);
    return sale;
  }

  private async sell(watched: Watched, quote: Quote, given: Depth | null): Promise<boolean> {
    const depth = given ?? await this.venue.depth(watched.pair);
    const sold = await this.deps.database.transaction(async (tx) => {
      // Agent, account, position: the order in which the batches take them.
      const [agent] = await tx.db.select().from(agents).where(eq(agents.id, watched.agentId)).for('update');
      const account = await lockAccount(tx, watched.accountId);
      const position = await lockOpenPosition(tx, watched.id);
      if (agent === undefined || account.closedAt !== null || position === null) return 'gone';
      if (!stopHit(toOpenPosition(position), quote)) return 'kept';
      const fill = await sellPosition(tx, this.deps, this.venue, watched.uid, { position, quote, depth, reason: 'stop_loss', tickId: `stop:${watched.id}` });
      if (fill === null) return 'kept';
      const [fresh] = await tx.db.select().from(agents).where(eq(agents.id, watched.agentId));
      if (fresh !== undefined) await tellChanged(tx, this.deps, watched.uid, [asAgentRow(fresh)]);
      return 'sold';
    });
    if (sold !== 'kept') this.byPair.get(watched.pair)?.delete(watched.id);
    return sold === 'sold';
  }
}

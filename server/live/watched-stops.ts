/**
 * Stops that do not rest at the exchange, and those that rest with a limit: the server watches
 * prices, and asks for the sale.
 */
import { sql } from 'drizzle-orm';
import { parseFixed, type Fixed } from '../../contract/money.ts';
import { stopRoomBps } from '../../contract/stop-limit.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { Quote } from '../../engine/market-types.ts';
import { sizeOrder, stopOnTick } from '../../engine/orders/order-size.ts';
import { highestLimit } from '../../engine/orders/stop-plan.ts';
import { LIVE_STATES } from '../../engine/orders/live-order.ts';
import type { Db, Tx } from '../db/database.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { askStopLoss } from './ask-exit.ts';
import { tellTooSmall } from './failed-stops.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps, LivePort } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { hasPassed } from './elapsed.ts';
import { liveOrdersOf } from './order-rows.ts';
import { readOwned, readWatches } from './pair-plan.ts';
import { readGuarded } from './protecting-stop.ts';
import type { Watch } from './watches.ts';

/** How soon this process knows of a stop that another one has come to watch. */
const LEARN_MS = 2_000;
/** A stop whose limit the bid is below for so long is not filled any more by what comes back at once. */
const BEYOND_LIMIT_MS = 5_000;

const LIVE = sql.raw(`('${LIVE_STATES.join("', '")}')`);

/**
 * By pair, what its watches follow from: positions with a stop price, orders that live, what is to be
 * sold, and stops that did not stay. A wish that ends as too small changes the last two alone.
 */
async function readStates(db: Db, { id }: ConnectionRow): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf<{ symbol: string; state: string }>(
    db,
    sql`
    select symbol, string_agg(one, ' ' order by one) as state from (
      select pair as symbol, concat_ws(':', id, quantity, stop_price) as one
        from positions
        where agent_id in (select id from agents where connection_id = ${id})
          and closed_market_ms is null and stop_price is not null
      union all
      select symbol, concat_ws(':', client_order_id, state, cancel, booked) as one
        from live_orders where connection_id = ${id} and state in ${LIVE}
      union all
      select symbol, concat_ws(':', 'exit', agent_id, tick_id, quantity) as one
        from live_exits where connection_id = ${id}
      union all
      select symbol, concat_ws(':', 'failed', agent_id, quantity, stop_price, why) as one
        from live_failed_stops
        where agent_id in (select id from agents where connection_id = ${id})
    ) as things group by symbol`,
  );
  return new Map(rows.map(({ symbol, state }) => [symbol, state]));
}

const isOf =
  ({ agentId, symbol, why }: Watch) =>
  (one: Watch): boolean =>
    one.agentId === agentId &&
    one.symbol === symbol &&
    (one.why === 'beyond_limit') === (why === 'beyond_limit');
const keyOf = ({ agentId, symbol }: Watch): string => `${agentId} ${symbol}`;
const sizeKeyOf = (watch: Watch): string => `${keyOf(watch)} ${watch.owned}`;

/** A bid from before says nothing of a position that was bought since, or of a stop that was raised. */
const isAnother = (hit: Watch, now: Watch): boolean =>
  now.positionId !== hit.positionId || now.stopPrice > hit.stopPrice;

export class WatchedStops {
  private watches: readonly Watch[] = [];
  private readonly leaving = new Set<string>();
  /**
   * Stops whose sale could not be asked for, and the bid that has reached them: the sale is owed at
   * it, wherever the price goes, as long as the same position has no higher stop.
   */
  private readonly owed = new Map<string, { watch: Watch; bid: Fixed }>();
  /** Since when the bid is below the limit of a stop, by agent and pair. */
  private readonly beyondSince = new Map<string, number>();
  /** What could not be sold at its stop, because it was worth too little: it waits for a higher price. */
  private readonly small = new Set<string>();
  /** By pair, the state that its watches were last read in. */
  private states: ReadonlyMap<string, string> = new Map();
  private learnedAtMs = Number.NEGATIVE_INFINITY;
  /** How often the list has changed. */
  private changes = 0;

  constructor(
    private readonly deps: LiveDeps,
    private readonly port: LivePort,
    private readonly rules: (symbol: string) => PairRules | null,
  ) {}

  get list(): readonly Watch[] {
    return this.watches;
  }

  /** All of them, as a comparison left them. */
  replace(watches: readonly Watch[]): void {
    this.changes += 1;
    this.watches = watches;
    const limited = new Set(watches.filter(({ why }) => why === 'beyond_limit').map(keyOf));
    for (const key of this.beyondSince.keys()) if (!limited.has(key)) this.beyondSince.delete(key);
    const sizes = new Set(watches.map(sizeKeyOf));
    for (const key of this.small) if (!sizes.has(key)) this.small.delete(key);
  }

  /** Those of one pair, as it was planned. */
  replaceOf(symbol: string, watches: readonly Watch[]): void {
    this.replace([...this.watches.filter((one) => one.symbol !== symbol), ...watches]);
  }

  /**
   * What another server has planned, which may be gone before this one compares: a price that falls
   * meanwhile would find nobody who watches it.
   */
  async learn(connection: ConnectionRow): Promise<void> {
    const { clock, database } = this.deps;
    const now = clock.now();
    if (!hasPassed(this.learnedAtMs, LEARN_MS, now)) return;
    this.learnedAtMs = now;
    const states = new Map(await readStates(database.db, connection));
    for (const symbol of new Set([...this.states.keys(), ...states.keys()])) {
      if (this.states.get(symbol) === states.get(symbol)) continue;
      const rules = this.rules(symbol);
      const { changes } = this;
      const { db } = database;
      const watches = await readWatches(db, connection, symbol, rules, this.bid(symbol));
      const isOld = changes !== this.changes;
      if (!isOld) this.replaceOf(symbol, watches);
      // Planned meanwhile, from what may be newer, or without rules: read once more the next time.
      if (isOld || rules === null) states.set(symbol, '');
    }
    this.states = states;
  }

  /** Sells what this price has reached. One that fails holds up no other, and is owed. */
  async onQuote(connection: ConnectionRow, quote: Quote): Promise<void> {
    for (const watch of this.watches)
      if (
        watch.symbol === quote.pair &&
        !this.waitsForWorth(watch, quote.bid) &&
        this.isReached(watch, quote.bid)
      )
        await this.leaveOnce(connection, watch, quote.bid);
  }

  /**
   * What is owed; and below a stop's limit time decides, which passes also where no price comes.
   */
  async lookAgain(connection: ConnectionRow): Promise<void> {
    for (const { watch, bid } of [...this.owed.values()])
      await this.leaveOnce(connection, watch, bid, true);
    const beyond = this.watches.filter((one) => this.beyondSince.has(keyOf(one)));
    for (const symbol of new Set(beyond.map((one) => one.symbol))) {
      const quote = this.deps.market.quote(symbol);
      if (quote !== null) await this.onQuote(connection, quote);
    }
  }

  private async leaveOnce(
    connection: ConnectionRow,
    watch: Watch,
    bid: Fixed,
    isOwed = false,
  ): Promise<void> {
    const key = keyOf(watch);
    if (this.leaving.has(key)) return;
    this.leaving.add(key);
    try {
      await this.leave(connection, watch, bid, isOwed);
      this.owed.delete(key);
    } catch (error) {
      this.owed.set(key, { watch, bid });
      this.watchAgain(watch);
      this.deps.log.warn(
        { connection: connection.id, pair: watch.symbol, reason: String(error) },
        'A stop was hit and its sale could not be asked for; it is tried again',
      );
    } finally {
      this.leaving.delete(key);
    }
  }

  /** Planned anew meanwhile, it is watched by that plan. */
  private watchAgain(watch: Watch): void {
    if (!this.watches.some(isOf(watch))) this.replace([...this.watches, watch]);
  }

  private bid(symbol: string): Fixed | null {
    return this.deps.market.quote(symbol)?.bid ?? null;
  }

  private waitsForWorth(watch: Watch, bid: Fixed): boolean {
    return this.small.has(sizeKeyOf(watch)) && this.isTooSmall(watch.symbol, watch.owned, bid);
  }

  private isTooSmall(symbol: string, quantity: Fixed, bid: Fixed): boolean {
    const rules = this.rules(symbol);
    return rules !== null && sizeOrder(quantity, bid, rules).kind === 'dust';
  }

  private isReached(watch: Watch, bid: Fixed): boolean {
    if (watch.why !== 'beyond_limit') return watch.why !== 'dust' && bid <= watch.stopPrice;
    const key = keyOf(watch);
    if (bid >= watch.stopPrice) {
      this.beyondSince.delete(key);
      return false;
    }
    const now = this.deps.clock.now();
    const sinceMs = this.beyondSince.get(key);
    // Noted later than now: the clock was set back.
    if (sinceMs === undefined || sinceMs > now) this.beyondSince.set(key, now);
    return now - (this.beyondSince.get(key) ?? now) >= BEYOND_LIMIT_MS;
  }

  private async leave(
    connection: ConnectionRow,
    watch: Watch,
    bid: Fixed,
    isOwed: boolean,
  ): Promise<void> {
    const { deps, port } = this;
    const { agentId, symbol } = watch;
    this.replace(this.watches.filter((one) => !isOf(watch)(one)));
    const goesOn = await deps.database.transaction(async (tx): Promise<Watch | null> => {
      await lockBooks(tx, connection, [agentId]);
      // The person may have ended live trading, the position is gone, or another server has sold it
      // and bought again.
      const current = await this.watchNow(tx, connection, watch);
      if (current === null) return null;
      if (bid > current.stopPrice || (isOwed && isAnother(watch, current))) return current;
      if (await this.isLeftForWorth(tx, connection, current, bid)) return current;
      await askStopLoss(tx, deps, port, { connectionId: connection.id, agentId, symbol });
      await publishLive(tx, deps, connection, true);
      return null;
    });
    if (goesOn !== null) this.watchAgain(goesOn);
  }

  /** A sale would find nothing to sell, and its stop would be gone for nothing. */
  private async isLeftForWorth(
    tx: Tx,
    connection: ConnectionRow,
    watch: Watch,
    bid: Fixed,
  ): Promise<boolean> {
    const { agentId, symbol, owned } = watch;
    const rules = this.rules(symbol);
    const held = await readGuarded(tx.db, agentId, symbol);
    if (held === null || rules === null) return false;
    if (!this.isTooSmall(symbol, owned, bid)) return false;
    await tellTooSmall(tx, this.deps, {
      ...{ connectionId: connection.id, agentId, symbol, rules },
      ...{ owned, stopPrice: parseFixed(held.stopPrice) },
    });
    await publishLive(tx, this.deps, connection);
    tx.afterCommit(() => this.small.add(sizeKeyOf(watch)));
    return true;
  }

  /** The watch with position, price and what can be sold as they are now; null where there is none. */
  private async watchNow(tx: Tx, connection: ConnectionRow, watch: Watch): Promise<Watch | null> {
    const { agentId, symbol } = watch;
    const held = await readGuarded(tx.db, agentId, symbol);
    if (held === null) return null;
    const stopPrice = await this.priceNow(tx, connection, watch, parseFixed(held.stopPrice));
    if (stopPrice === null) return null;
    const rules = this.rules(symbol);
    const owned =
      rules === null ? watch.owned : await readOwned(tx.db, connection, { agentId, symbol, rules });
    return { ...watch, positionId: held.id, stopPrice, owned };
  }

  /** At what price the position is to be sold from here; null where its stop there has no limit. */
  private async priceNow(
    tx: Tx,
    { id, exchange }: ConnectionRow,
    { agentId, symbol, why }: Watch,
    own: Fixed,
  ): Promise<Fixed | null> {
    const rules = this.rules(symbol);
    if (rules === null) return own;
    if (why !== 'beyond_limit') return stopOnTick(own, rules);
    const resting = (await liveOrdersOf(tx.db, id))
      .map(({ order }) => order)
      .filter(({ intent }) => intent.agentId === agentId && intent.symbol === symbol)
      .filter(({ state, intent }) => state === 'open' && intent.type === 'stop');
    return highestLimit(resting, stopRoomBps(exchange), rules);
  }
}

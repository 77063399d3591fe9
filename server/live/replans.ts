/**
 * Pairs of one account that are planned anew: those whose rules have changed, those of which a sale
 * was refused, and those where a sale that somebody asked for waits.
 */
import { eq } from 'drizzle-orm';
import type { PairRules } from '../../contract/venue.ts';
import type { LiveOrder } from '../../engine/orders/live-order.ts';
import { liveExits } from '../db/schema-live.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { isClosed } from './pair-facts.ts';
import { pairsToPlan, planPair, REFUSED_PAUSE_MS, tellWaiting } from './pair-plan.ts';
import type { WatchedStops } from './watched-stops.ts';

interface Replan {
  fromMs: number;
  /** What was refused before then says nothing of the rules as they are now. */
  rulesSinceMs: number;
}

/** What the exchange has answered of a pair in the last minute; null where that was nothing. */
export type PairSaid = (symbol: string) => PairRules['status'] | null;

export class Replans {
  /** By pair. */
  private readonly waiting = new Map<string, Replan>();

  constructor(
    private readonly deps: LiveDeps,
    private readonly rules: (symbol: string) => PairRules | null,
    private readonly pairSaid: PairSaid,
    private readonly watches: WatchedStops,
  ) {}

  /** The exchange changed these pairs' rules: what was turned down by the old ones may pass now. */
  rulesChanged(symbols: readonly string[]): void {
    const now = this.deps.clock.now();
    for (const symbol of symbols) this.waiting.set(symbol, { fromMs: now, rulesSinceMs: now });
  }

  /** A sale that was refused is planned again after the pause, if it is still wanted. */
  afterRefusal({ intent: { side, symbol } }: LiveOrder): void {
    if (side !== 'sell') return;
    // At the last moment of the pause it would be held back once more, and planned no more.
    const fromMs = this.deps.clock.now() + REFUSED_PAUSE_MS + 1;
    this.waiting.set(symbol, { fromMs, rulesSinceMs: 0 });
  }

  /** The clock was set back: nothing waits for a time that was read before. */
  clockSetBack(now: number): void {
    for (const [symbol, one] of this.waiting) this.waiting.set(symbol, { ...one, fromMs: now });
  }

  /** Plans what is due. An exchange that halts changes all of its pairs, of which an account has a few. */
  async planDue(connection: ConnectionRow): Promise<void> {
    const { waiting } = this;
    const now = this.deps.clock.now();
    const due = [...waiting].filter(([, { fromMs }]) => now >= fromMs);
    if (due.length === 0) return;
    // What a check finds while these are planned is planned after them.
    for (const [symbol] of due) waiting.delete(symbol);
    try {
      const ours = new Set(await pairsToPlan(this.deps.database.db, connection));
      for (let next = due[0]; next !== undefined; next = due[0]) {
        const [symbol, { rulesSinceMs }] = next;
        if (ours.has(symbol)) await this.plan(connection, symbol, rulesSinceMs);
        due.shift();
      }
    } finally {
      for (const [symbol, one] of due) if (!waiting.has(symbol)) waiting.set(symbol, one);
    }
  }

  private async plan(
    connection: ConnectionRow,
    symbol: string,
    rulesSinceMs: number,
  ): Promise<void> {
    const { deps } = this;
    const plan = await deps.database.transaction(async (tx) => {
      await lockBooks(tx, connection, 'all');
      const rules = this.rules(symbol);
      const made = await planPair(tx, deps, connection, symbol, rules, rulesSinceMs);
      await publishLive(tx, deps, connection);
      return made;
    });
    this.watches.replaceOf(symbol, plan.watches);
  }

  /**
   * Plans the sales that another process asked for, or that had to wait: as soon as they can be.
   * Resolves to their pairs.
   */
  async planExits(connection: ConnectionRow): Promise<string[]> {
    const { deps } = this;
    const wanted = await deps.database.db
      .selectDistinct({ symbol: liveExits.symbol })
      .from(liveExits)
      .where(eq(liveExits.connectionId, connection.id));
    for (const { symbol } of wanted)
      await deps.database.transaction(async (tx) => {
        await lockBooks(tx, connection, 'all');
        const plan = await planPair(tx, deps, connection, symbol, this.rules(symbol));
        if (plan.exitEnded)
          tx.afterCommit(() => {
            this.watches.replaceOf(symbol, plan.watches);
          });
        // Whoever asked for the sale may tell nothing at its end. A list may be old.
        if (isClosed(this.pairSaid(symbol)))
          await tellWaiting(tx, deps, connection, symbol, plan.waiting);
        await publishLive(tx, deps, connection, plan.exitEnded);
      });
    return wanted.map(({ symbol }) => symbol);
  }
}

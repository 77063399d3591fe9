/** Stops that do not rest at the exchange: the server watches prices, and asks for the sale. */
import { parseFixed, type Fixed } from '../../contract/money.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { Quote } from '../../engine/market-types.ts';
import { stopOnTick } from '../../engine/orders/order-size.ts';
import type { Tx } from '../db/database.ts';
import { askExit } from './ask-exit.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps, LivePort } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import type { Watch } from './pair-plan.ts';
import { readGuarded } from './protecting-stop.ts';

const isOf =
  ({ agentId, symbol }: Watch) =>
  (one: Watch): boolean =>
    one.agentId === agentId && one.symbol === symbol;

export class WatchedStops {
  private watches: readonly Watch[] = [];
  private readonly leaving = new Set<string>();

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
    this.watches = watches;
  }

  /** Those of one pair, as it was planned. */
  replaceOf(symbol: string, watches: readonly Watch[]): void {
    this.watches = [...this.watches.filter((one) => one.symbol !== symbol), ...watches];
  }

  /** Sells what this price has reached. */
  async onQuote(connection: ConnectionRow, quote: Quote): Promise<void> {
    for (const watch of this.watches) {
      if (watch.symbol !== quote.pair || quote.bid > watch.stopPrice || watch.why === 'dust')
        continue;
      const key = `${watch.agentId} ${watch.symbol}`;
      if (this.leaving.has(key)) continue;
      this.leaving.add(key);
      try {
        await this.leave(connection, watch, quote.bid);
      } finally {
        this.leaving.delete(key);
      }
    }
  }

  private async leave(connection: ConnectionRow, watch: Watch, bid: Fixed): Promise<void> {
    const { deps, port } = this;
    const { agentId, symbol } = watch;
    this.watches = this.watches.filter((one) => !isOf(watch)(one));
    const goesOn = await deps.database.transaction(async (tx): Promise<Watch | null> => {
      await lockBooks(tx, connection, [agentId]);
      // The person may have ended live trading, the position is gone, or another server has sold it
      // and bought again.
      const stopPrice = await this.stopNow(tx, agentId, symbol);
      if (stopPrice === null) return null;
      if (bid > stopPrice) return { ...watch, stopPrice };
      await askExit(tx, deps, port, {
        connectionId: connection.id,
        agentId,
        symbol,
        reason: 'stop_loss',
        quantity: null,
        tickId: `stop:${agentId}:${deps.clock.now()}`,
      });
      await publishLive(tx, deps, connection, true);
      return null;
    });
    // Planned anew meanwhile, it is watched by that plan.
    if (goesOn !== null && !this.watches.some(isOf(watch)))
      this.watches = [...this.watches, goesOn];
  }

  /** At what price the position is to be sold, as it is now; null where it is not. */
  private async stopNow(tx: Tx, agentId: string, symbol: string): Promise<Fixed | null> {
    const held = await readGuarded(tx.db, agentId, symbol);
    if (held === null) return null;
    const rules = this.rules(symbol);
    const stopPrice = parseFixed(held.stopPrice);
    return rules === null ? stopPrice : stopOnTick(stopPrice, rules);
  }
}

/** An agent's decision to buy or sell, carried out in a transaction as the batch of a tick does it. */
import { and, eq, isNull } from 'drizzle-orm';
import { divide, fixedFromNumber, parseFixed, ZERO, type Fixed } from '../../../contract/money.ts';
import type { TradeDraft } from '../../../engine/execution/agent-types.ts';
import type { Quote } from '../../../engine/market-types.ts';
import type { Db } from '../../../server/db/database.ts';
import { agents, positions } from '../../../server/db/schema.ts';
import type { BookDeps, LivePort } from '../../../server/live/live-deps.ts';
import { loadLiveAccounts, planDecided, toLiveTrades } from '../../../server/live/live-batch.ts';

export interface Decision {
  connectionId: string;
  agentId: string;
  symbol: string;
  /**
   * For a purchase, in the quote currency; an agent that holds more of the pair than dust sells all
   * of it.
   */
  budget: number;
  tickId: string;
  /** A purchase also where the agent holds something. */
  isIncrease?: boolean;
}

type Held = typeof positions.$inferSelect;

export async function heldBy(db: Db, agentId: string, symbol: string): Promise<Held | null> {
  const [row] = await db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.agentId, agentId),
        eq(positions.pair, symbol),
        isNull(positions.closedMarketMs),
      ),
    );
  return row ?? null;
}

export async function decideTrade(
  deps: BookDeps,
  live: LivePort,
  { connectionId, agentId, symbol, budget, tickId, isIncrease = false }: Decision,
): Promise<void> {
  const quote = deps.market.quote(symbol);
  if (quote === null) return;
  await deps.database.transaction(async (tx) => {
    await tx.db.select().from(agents).where(eq(agents.id, agentId)).for('update');
    const state = (await loadLiveAccounts(tx, deps, [connectionId])).get(connectionId);
    if (state === undefined || state.isBusy(agentId, symbol)) return;
    const row = await heldBy(tx.db, agentId, symbol);
    const isLeftOver =
      row !== null && state.isDust(live, symbol, parseFixed(row.quantity), quote.bid);
    const held = isLeftOver || isIncrease ? null : row;
    if (held === null && state.entriesOff(live) !== null) return;
    const wanted = divide(fixedFromNumber(budget, 2), quote.ask, 'down');
    const trade = draftOf(symbol, held, quote, wanted);
    const outcome = { decisions: [], trades: [trade], memory: {}, hold: null };
    const { live: trades } = toLiveTrades(state, live, outcome, {
      memory: {},
      tradingFrequency: 'high',
      maxTradeAmount: fixedFromNumber(1_000_000),
      maxPositionSize: fixedFromNumber(1_000_000),
    });
    await planDecided(tx, deps, live, { ...trades, agentId, tickId, close: deps.market.now() });
  });
}

/** What the engine would have made of it, as far as a live order is made of that. */
function draftOf(
  pair: string,
  held: Held | null,
  { bid, ask, at }: Quote,
  wanted: Fixed,
): TradeDraft {
  const quantity = held === null ? wanted : parseFixed(held.quantity);
  const stopPrice = divide((ask * 97n) as Fixed, parseFixed('100'), 'down');
  return {
    fill: {
      pair,
      side: held === null ? 'buy' : 'sell',
      wanted: quantity,
      quantity,
      price: held === null ? ask : bid,
      notional: ZERO,
      fee: ZERO,
      feeBps: ZERO,
      slippageBps: ZERO,
      quoteBid: bid,
      quoteAsk: ask,
      ruleVersion: 1,
      realized: null,
      costBasis: null,
      reason: held === null ? 'signal_up' : 'signal_down',
      filledAt: at,
    },
    after: { pair, quantity: held === null ? quantity : ZERO, cost: ZERO, stopPrice },
  };
}

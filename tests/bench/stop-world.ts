/** Agents that all hold the same coin, each with a stop of its own, laid into a database. */
import { sql } from 'drizzle-orm';
import { fixedFromNumber } from '../../contract/money.ts';
import { applyBuy } from '../../engine/accounting/ledger.ts';
import { paperFill } from '../../engine/execution/fills.ts';
import { stopPriceFor } from '../../engine/execution/stops.ts';
import type { Database } from '../../server/db/database.ts';
import { rowsOf } from '../../server/db/sql-rows.ts';
import { recordTrades, type TradeToRecord } from '../../server/portfolio/record-trades.ts';
import { ruleFor, type TapeMarket } from '../support/tape-market.ts';
import { layAgents } from './tick-world.ts';

export const HELD = 'BTC/USDT';
const AT_ONCE = 500;
const DEPTH = { candleVolume: 90_000, dayVolume: 90_000 * 288, dailyVolatility: 0.03 };

/**
 * `holders` stopped agents with an open position each, and `running` agents that trade other pairs.
 * Stops lie between 4 and 8 % under the price paid.
 */
export async function layHolders(
  database: Database,
  market: TapeMarket,
  holders: number,
  running: number,
): Promise<void> {
  await layAgents(database, holders + running);
  await database.db.execute(sql`
    update agents set trading_pairs = array['ETH/USDT', 'SOL/USDT'], pool = 'momentum_24h'`);
  await database.db.execute(sql`
    update agents set status = 'stopped', enabled = false, next_due_market_ms = null
    where substr(name, 7)::int < ${holders}`);
  const list = await rowsOf<{ id: string; account: string; n: number }>(
    database.db,
    sql`
    select agents.id::text as id, accounts.id::text as account, substr(agents.name, 7)::int as n
    from agents join accounts on accounts.uid = agents.uid where agents.status = 'stopped' order by n`,
  );
  const quote = market.quote(HELD);
  if (quote === null) throw new Error('No price');
  const trades = list.map(({ id, account, n }): TradeToRecord => {
    const quantity = fixedFromNumber(0.1 + (n % 17) / 10);
    const fill = paperFill({
      side: 'buy',
      wanted: quantity,
      quantity,
      quote,
      rules: ruleFor(HELD),
      depth: DEPTH,
      reason: 'entry',
    });
    return {
      accountId: account,
      agentId: id,
      positionId: null,
      tickId: 'laid',
      decidedAt: quote.at,
      trade: { fill, after: applyBuy(null, fill, stopPriceFor(fill.price, 0.04 + (n % 9) / 200)) },
    };
  });
  for (let from = 0; from < trades.length; from += AT_ONCE)
    await database.transaction(async (tx) => {
      await recordTrades(tx, trades.slice(from, from + AT_ONCE));
    });
  await database.db.execute(sql`vacuum analyze`);
}

/** Every sale in words that do not depend on made ids, so that two runs can be held together. */
export async function salesOf(database: Database): Promise<string[]> {
  const rows = await rowsOf<{ line: string }>(
    database.db,
    sql`
    select concat_ws(' ', agents.name, fills.pair, fills.quantity, fills.price, fills.notional, fills.fee, fills.realized, fills.cost_basis, fills.reason,
      fills.decided_market_ms, fills.filled_market_ms, agents.memory->'exits',
      (select count(*) from ledger where ledger.fill_id = fills.id), orders.state,
      (select count(*) from events where events.uid = agents.uid and payload->>'type' = 'fill.recorded' and payload->'fill'->>'id' = fills.id::text)) as line
    from fills join agents on agents.id = fills.agent_id join orders on orders.id = fills.order_id
    where fills.reason = 'stop_loss'`,
  );
  return rows.map(({ line }) => line).sort();
}

/**
 * For every pool, one tape through the live wiring and through the backtest: the same journal, with
 * trades in it.
 */
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { backtest } from '../../../engine/backtest/run-backtest.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import type { Database } from '../../../server/db/database.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { decisions, fills } from '../../../server/db/schema.ts';
import { STEP_MS, type TapeOptions } from '../../support/tape-market.ts';
import { AGGRESSIVE, openFloor } from '../../support/trading.ts';

let database: Database;
beforeAll(async () => {
  database = await openEmptyDatabase();
});
afterAll(async () => {
  await database.close();
});

const exact = (text: string | null): string | null =>
  text === null ? null : formatFixed(parseFixed(text));

describe('live and backtest', () => {
  it.each([
    ['all_pools', 50, {}],
    ['momentum_24h', 220, {}],
    ['base_ecosystem', 40, {}],
    ['weekly_leaders', 30, {}],
    ['ytd_champions', 20, { warmUpDays: 95 }],
    ['stablecoin_arbitrage', 130, { pegged: true, pairs: ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT'] }],
  ] as const)(
    'make the same trades of one tape with %s over %i closes, to the last digit',
    async (pool, TICKS, tape: TapeOptions) => {
      const floor = await openFloor(
        { candles: TICKS + 10, sourceId: `twin-${pool}`, ...tape },
        database,
      );
      const pairs = tape.pairs ?? AGGRESSIVE.trading_pairs;
      // A quote has eight decimals, a made candle more.
      for (const [pair, list] of floor.market.tape)
        floor.market.tape.set(
          pair,
          list.map((candle) => ({ ...candle, open: Number(candle.open.toFixed(6)) })),
        );
      const uid = `twin-${pool}`;
      await floor.join(uid);
      const { agent } = await floor.call(uid, 'createAgent', {
        body: { ...AGGRESSIVE, trading_pairs: [...pairs], pool },
      });
      const scheduler = floor.scheduler();
      await scheduler.open();
      const from = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
      const candles = new Map([...floor.market.tape].map(([pair, list]) => [pair, [...list]]));
      await floor.run(scheduler, TICKS);
      const live = await database.db
        .select()
        .from(fills)
        .where(eq(fills.agentId, agent.id))
        .orderBy(asc(fills.filledMarketMs), asc(fills.pair));
      const recorded = backtest({
        agent: {
          pool,
          profile: 'Aggressive',
          risk: riskValues('Aggressive'),
          pairs: [...pairs],
          maxPositionSize: parseFixed(String(AGGRESSIVE.max_position_size)),
          interval: '5-minute',
          frequency: 'high',
        },
        candles,
        rules: new Map(floor.market.pairs().map((rules) => [rules.pair, rules])),
        deposit: parseFixed('10000'),
        maxTradeAmount: parseFixed('10000'),
        from,
        to: from + TICKS * STEP_MS,
      });
      const tested = [...recorded.trades].sort(
        (a, b) => a.filledAt - b.filledAt || (a.pair < b.pair ? -1 : 1),
      );
      expect(live.length).toBeGreaterThan(0);
      expect(
        live.map((fill) => [
          Math.floor(fill.filledMarketMs / STEP_MS) * STEP_MS,
          fill.pair,
          fill.side,
          exact(fill.quantity),
          exact(fill.price),
          exact(fill.fee),
          exact(fill.realized),
          fill.reason,
        ]),
      ).toEqual(
        tested.map((fill) => [
          fill.filledAt,
          fill.pair,
          fill.side,
          formatFixed(fill.quantity),
          formatFixed(fill.price),
          formatFixed(fill.fee),
          fill.realized === null ? null : formatFixed(fill.realized),
          fill.reason,
        ]),
      );
      const acted = await database.db
        .select()
        .from(decisions)
        .where(eq(decisions.agentId, agent.id));
      expect(
        acted.filter((decision) => decision.action === 'enter' || decision.action === 'exit')
          .length,
      ).toBe(recorded.acted.length);
      expect((await floor.call(uid, 'portfolio')).cash).toBe(formatFixed(recorded.cash));
    },
  );
});

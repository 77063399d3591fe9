/** The paper venue: the market's own quotes, the engine's own fills. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import { exitTrade } from '../../../engine/execution/stops.ts';
import type { OpenPosition } from '../../../engine/execution/agent-types.ts';
import { PaperVenue } from '../../../server/venues/paper.ts';
import { ruleFor, STEP_MS, TapeMarket } from '../../support/tape-market.ts';

const held: OpenPosition = {
  id: 'p',
  pair: 'BTC/USDT',
  quantity: parseFixed('2'),
  cost: parseFixed('180'),
  stopPrice: null,
  openedAt: 0,
};

describe('the paper venue', () => {
  it("has no price where the market's is stale", () => {
    const market = new TapeMarket({ candles: 10 });
    const venue = new PaperVenue(market);
    expect(venue.price('BTC/USDT')).toEqual(market.quote('BTC/USDT'));
    market.silence('BTC/USDT');
    expect(venue.price('BTC/USDT')).toBeNull();
    expect(venue.price('NONE/USDT')).toBeNull();
  });

  it('is as deep as the last day and its newest candle, and as rough as the last month', async () => {
    const market = new TapeMarket({ candles: 10 });
    const venue = new PaperVenue(market);
    market.bend('BTC/USDT', Math.floor(market.now() / STEP_MS) * STEP_MS, { volume: 777 });
    market.step();
    const closedAt = Math.floor(market.now() / STEP_MS) * STEP_MS;
    const depth = await venue.depth('BTC/USDT');
    expect(depth.candleVolume).toBe(777);
    const day = await market.history('BTC/USDT', DAY_MS, closedAt);
    expect(day).toHaveLength(DAY_MS / STEP_MS);
    expect(depth.dayVolume).toBeCloseTo(
      day.reduce((sum, { volume }) => sum + volume, 0),
      6,
    );
    expect(depth.dailyVolatility).toBeGreaterThan(0);
  });

  it("sells the whole at the bid less slippage, by the engine's rules, and not what is offered no more", async () => {
    const market = new TapeMarket({ candles: 10 });
    const venue = new PaperVenue(market);
    const quote = market.say('BTC/USDT', 100);
    const depth = await venue.depth('BTC/USDT');
    const trade = venue.sell(held, quote, depth, 'closed');
    expect(trade).toEqual(exitTrade(held, quote, ruleFor('BTC/USDT'), depth, 'closed'));
    expect(trade?.after.quantity).toBe(0n);
    expect((trade?.fill.price ?? quote.bid) < quote.bid).toBe(true);
    expect(venue.sell({ ...held, pair: 'NONE/USDT' }, quote, depth, 'closed')).toBeNull();
  });
});

/** Candles of a tick, made ready without holding up the rest of the process. */
import { expect, it } from 'vitest';
import type { Candle } from '../../../engine/market-types.ts';
import { TickInputs } from '../../../server/agents/tick-inputs.ts';
import type { Market } from '../../../server/market/market-source.ts';

const STEP_MS = 300_000;
const DAYS = 90;
const TICK = Date.UTC(2026, 0, 1);
const pairs = Array.from({ length: 40 }, (_, at) => `COIN${at}/USD`);

function tape(): Candle[] {
  const count = (DAYS * 86_400_000) / STEP_MS;
  return Array.from({ length: count }, (_, at) => ({
    time: TICK - (count - at) * STEP_MS,
    open: 100,
    high: 101,
    low: 99,
    close: 100.5,
    volume: 3,
  }));
}

it('lets others have their turn between the pairs of a close', async () => {
  let asked = 0;
  const market = {
    source: { id: 'tape' },
    baseInterval: '5m',
    pairs: () => pairs.map((pair) => ({ pair })),
    now: () => TICK,
    history: () => {
      asked += 1;
      return Promise.resolve(tape());
    },
  } as unknown as Market;
  const inputs = new TickInputs(market, TICK, new Map());
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      turns += 1;
    }
  })();
  const unread = await inputs.load([
    {
      executionInterval: '5-minute',
      pool: 'momentum_24h',
      tradingPairs: pairs,
      tradingFrequency: 'daily',
    },
  ] as never);
  isDone = true;
  await others;
  expect(unread).toEqual([]);
  expect(asked).toBe(pairs.length);
  // 40 pairs of 25,920 candles, two of them in a turn.
  expect(turns).toBeGreaterThanOrEqual(19);
});

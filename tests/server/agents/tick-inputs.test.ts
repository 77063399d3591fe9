/** Candles of a tick: what is made of them, and of those that do not come. */
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../engine/market-types.ts';
import type { AgentTerms } from '../../../server/agents/read-agents.ts';
import { TickInputs } from '../../../server/agents/tick-inputs.ts';
import type { Market } from '../../../server/market/market-source.ts';

const STEP_MS = 300_000;
const DAY_MS = 86_400_000;
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

describe('a stablecoin pair whose candles cannot be read', () => {
  const ROW = {
    executionInterval: '5-minute',
    pool: 'momentum_24h',
    tradingPairs: ['BTC/USDT'],
    tradingFrequency: 'daily',
  } as unknown as AgentTerms;
  const steady = tape().slice(-600);
  /** Coins of which nobody knows at the tick whether they are on their peg. */
  async function unknownAt(market: Market, tick: number): Promise<string[]> {
    const inputs = new TickInputs(market, tick, new Map());
    await inputs.load([ROW]);
    const { pegBreaks } = inputs.of(ROW) ?? {};
    return [...(pegBreaks ?? [])].flatMap(([coin, found]) => (found === null ? [coin] : [])).sort();
  }
  function marketOf(refused: ReadonlySet<string>, gone: ReadonlySet<string>): Market {
    const list = ['BTC/USDT', 'USDC/USDT', 'DAI/USDT', 'TUSD/USDT'].map((pair) => ({
      pair,
      ...(gone.has(pair) ? { notTraded: 'gone' } : {}),
    }));
    return {
      source: { id: 'tape' },
      baseInterval: '5m',
      pairs: () => list,
      rules: () => null,
      now: () => TICK,
      history: (pair: string) =>
        refused.has(pair)
          ? Promise.reject(new Error('refused'))
          : Promise.resolve(
              pair === 'BTC/USDT'
                ? steady
                : steady.map((candle) => ({ ...candle, open: 1, high: 1, low: 1, close: 1 })),
            ),
    } as unknown as Market;
  }

  it('leaves its coin unknown, and the one it is quoted in where half of them cannot', async () => {
    const none = new Set<string>();
    expect(await unknownAt(marketOf(none, none), TICK)).toEqual([]);
    expect(await unknownAt(marketOf(new Set(['DAI/USDT']), none), TICK)).toEqual(['DAI']);
    const two = new Set(['DAI/USDT', 'USDC/USDT']);
    expect(await unknownAt(marketOf(two, none), TICK)).toEqual(['DAI', 'USDC', 'USDT']);
  });

  it('holds purchases back for a day once its exchange has it no more, and not for ever (F101)', async () => {
    const two = new Set(['DAI/USDT', 'USDC/USDT']);
    const market = marketOf(two, two);
    expect(await unknownAt(market, TICK)).toEqual(['DAI', 'USDC', 'USDT']);
    expect(await unknownAt(market, TICK + DAY_MS - STEP_MS)).toEqual(['DAI', 'USDC', 'USDT']);
    expect(await unknownAt(market, TICK + DAY_MS)).toEqual([]);
  });
});

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

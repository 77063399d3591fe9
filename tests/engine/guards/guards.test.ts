/** Each guard says until when and why it blocks, and ends. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { runAgent } from '../../../engine/execution/step-agent.ts';
import { badPrice } from '../../../engine/guards/bad-price.ts';
import { cooldown } from '../../../engine/guards/cooldown.ts';
import { dayLoss } from '../../../engine/guards/day-loss.ts';
import { drawdown } from '../../../engine/guards/drawdown.ts';
import { firstBlock } from '../../../engine/guards/guard.ts';
import { staleFeed } from '../../../engine/guards/stale-feed.ts';
import { stopLoss } from '../../../engine/guards/stop-loss.ts';
import { stopLossCluster } from '../../../engine/guards/stop-loss-cluster.ts';
import { readMemory, rememberEquity, writeMemory } from '../../../engine/execution/agent-memory.ts';
import type { AgentMemory } from '../../../engine/execution/agent-memory.ts';
import { RISK_PROFILES } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../engine/execution/schedule.ts';
import type { AccountInput, AgentInput, TickInput } from '../../../engine/execution/agent-types.ts';
import type { Quote } from '../../../engine/market-types.ts';
import { MONDAY, NOON, quoteOf } from '../tape.ts';

const agent: AgentInput = {
  id: 'a1',
  pool: 'base_ecosystem',
  profile: 'Moderate',
  risk: RISK_PROFILES.Moderate,
  pairs: ['BTC/USDT'],
  maxPositionSize: parseFixed('1000'),
  interval: '5-minute',
  frequency: 'high',
  memory: {},
};
const worth = (equity: string): AccountInput => ({
  freeCash: parseFixed('0'),
  equity: parseFixed(equity),
  maxTradeAmount: parseFixed('1000'),
  entriesAllowed: { allowed: true },
});
const memoryWith = (more: Partial<AgentMemory>): AgentMemory => ({ ...readMemory({}), ...more });
const over = (equity: string, more: Partial<AgentMemory>) => ({
  at: NOON,
  agent,
  account: worth(equity),
  memory: memoryWith(more),
});
const onPair = (more: { quote?: Quote; memory?: AgentMemory; at?: number; price?: number }) => ({
  at: more.at ?? NOON,
  intervalMs: 5 * MINUTE_MS,
  pair: 'BTC/USDT',
  quote: more.quote ?? quoteOf('BTC/USDT', '99.9', '100.1', NOON + 1000),
  signal: {
    pair: 'BTC/USDT',
    z: 1,
    strength: 0.7,
    quality: 1,
    enter: true,
    leave: false,
    dailyVolatility: 0.04,
    reason: 'trend_up',
    price: more.price ?? 100,
  },
  pegBreaks: new Map(),
  memory: more.memory ?? memoryWith({}),
});
const tick = (close: number): TickInput => ({
  id: 't',
  close,
  signals: new Map(),
  quotes: new Map(),
  rules: new Map(),
  volumes: new Map(),
  pegBreaks: new Map(),
  correlation: () => null,
});

describe('guards over an agent', () => {
  it('day loss: halts at its limit until midnight UTC', () => {
    const day = { start: MONDAY + DAY_MS, equity: parseFixed('10000') };
    expect(firstBlock([dayLoss], over('9600.01', { day }))).toBeNull();
    expect(firstBlock([dayLoss], over('9600', { day }))).toEqual({
      code: 'day_loss',
      text: 'Down 4 % today, the limit is 4 %: no new trades until 2022-04-13 00:00 UTC.',
      until: MONDAY + 2 * DAY_MS,
    });
    expect(firstBlock([dayLoss], over('1', { day: null }))).toBeNull();
  });

  it('drawdown: halts under the high-water mark until started again', () => {
    expect(firstBlock([drawdown], over('8000.01', { highWater: parseFixed('10000') }))).toBeNull();
    expect(firstBlock([drawdown], over('8000', { highWater: parseFixed('10000') }))).toMatchObject({
      code: 'drawdown',
      until: null,
    });
  });

  it('stop-loss cluster: three stops within a day pause twelve hours', () => {
    const stops = (...hoursAgo: number[]) => ({
      exits: hoursAgo.map((hours) => ({ pair: 'X/USDT', at: NOON - hours * HOUR_MS, stop: true })),
    });
    expect(firstBlock([stopLossCluster], over('1', stops(5, 3)))).toBeNull();
    expect(firstBlock([stopLossCluster], over('1', stops(30, 5, 3)))).toBeNull();
    expect(firstBlock([stopLossCluster], over('1', stops(20, 5, 3)))).toMatchObject({
      code: 'stop_loss_cluster',
      until: NOON + 9 * HOUR_MS,
    });
    expect(firstBlock([stopLossCluster], over('1', stops(30, 20, 12)))).toBeNull();
    // Candles that were missed tell of the older ones last.
    expect(firstBlock([stopLossCluster], over('1', stops(6, 6, 6, 13)))).toMatchObject({
      until: NOON + 6 * HOUR_MS,
    });
    expect(
      firstBlock(
        [stopLossCluster],
        over('1', { exits: stops(5, 4, 3).exits.map((exit) => ({ ...exit, stop: false })) }),
      ),
    ).toBeNull();
  });

  it('keep a halt in memory, lift a day-loss halt the next day and a drawdown halt only by a start', () => {
    const first = runAgent(agent, tick(NOON), worth('10000'), []);
    const down = runAgent(
      { ...agent, memory: first.memory },
      tick(NOON + HOUR_MS),
      worth('9500'),
      [],
    );
    expect(down.hold).toMatchObject({ code: 'day_loss' });
    const recovered = runAgent(
      { ...agent, memory: down.memory },
      tick(NOON + 2 * HOUR_MS),
      worth('10000'),
      [],
    );
    expect(recovered.hold).toMatchObject({ code: 'day_loss' });
    const tomorrow = runAgent(
      { ...agent, memory: recovered.memory },
      tick(MONDAY + 2 * DAY_MS),
      worth('9500'),
      [],
    );
    expect(tomorrow.hold).toBeNull();
    const fallen = runAgent(
      { ...agent, memory: tomorrow.memory },
      tick(MONDAY + 3 * DAY_MS),
      worth('7900'),
      [],
    );
    expect(fallen.hold).toMatchObject({ code: 'drawdown', until: null });
    expect(
      runAgent({ ...agent, memory: fallen.memory }, tick(MONDAY + 9 * DAY_MS), worth('10000'), [])
        .hold,
    ).toMatchObject({ code: 'drawdown' });
  });

  it('measure no loss and take no mark while a held pair has no price, and keep what they knew (F100)', () => {
    const unknown = (equity: string) => ({ ...worth(equity), unpriced: ['ETH/USDT'] });
    const run = (before: AgentInput['memory'], at: number, account: AccountInput) =>
      runAgent({ ...agent, memory: before }, tick(at), account, []);
    const first = run({}, NOON, worth('10000'));
    const low = run(first.memory, NOON + HOUR_MS, unknown('7000'));
    expect(low.hold).toBeNull();
    const high = run(low.memory, NOON + 2 * HOUR_MS, unknown('90000'));
    const tomorrow = run(high.memory, MONDAY + 2 * DAY_MS, unknown('90000'));
    const marks = { day: { start: MONDAY + DAY_MS }, highWater: parseFixed('10000') };
    expect(readMemory(tomorrow.memory)).toMatchObject(marks);
    const known = run(tomorrow.memory, MONDAY + 2 * DAY_MS + HOUR_MS, worth('9000'));
    expect(known.hold).toBeNull();
    expect(readMemory(known.memory).day?.equity).toBe(parseFixed('9000'));
    // A halt that is in force stays, or ends, as ever.
    const down = run(first.memory, NOON + HOUR_MS, worth('9500'));
    expect(run(down.memory, NOON + 2 * HOUR_MS, unknown('7000')).hold).toEqual(down.hold);
    expect(run(down.memory, MONDAY + 2 * DAY_MS, unknown('7000')).hold).toBeNull();
  });

  it('count what was paid in while a held pair had no price, once it has one (F100)', () => {
    const paid = (outside: string) => ({ outsideCash: parseFixed(outside) });
    const run = (before: AgentInput['memory'], account: AccountInput) =>
      runAgent({ ...agent, memory: before }, tick(NOON), account, []);
    const first = run({}, { ...worth('10000'), ...paid('10000') });
    const taken = { ...worth('1000'), ...paid('5000') };
    const unknown = run(first.memory, { ...taken, unpriced: ['ETH/USDT'] });
    const known = run(unknown.memory, { ...worth('5000'), ...paid('5000') });
    expect(known.hold).toBeNull();
    expect(readMemory(known.memory).highWater).toBe(parseFixed('5000'));
  });
});

describe('guards over a pair', () => {
  const exited = (minutesAgo: number, stop: boolean) =>
    memoryWith({
      exits: [
        { pair: 'BTC/USDT', at: NOON - minutesAgo * MINUTE_MS, stop },
        { pair: 'X/USDT', at: NOON, stop: true },
      ],
    });

  it('stop loss: a day off the pair where the stop was hit, and on that pair only', () => {
    expect(firstBlock([stopLoss], onPair({ memory: exited(60, true) }))).toMatchObject({
      code: 'stop_loss',
      until: NOON + 23 * HOUR_MS,
    });
    expect(firstBlock([stopLoss], onPair({ memory: exited(24 * 60, true) }))).toBeNull();
    expect(firstBlock([stopLoss], onPair({ memory: exited(60, false) }))).toBeNull();
  });

  it('cooldown: an hour after any exit', () => {
    expect(firstBlock([cooldown], onPair({ memory: exited(59, false) }))).toMatchObject({
      code: 'cooldown',
      until: NOON + MINUTE_MS,
    });
    expect(firstBlock([cooldown], onPair({ memory: exited(60, false) }))).toBeNull();
  });

  it('stale feed: neither a price from before the candle closed nor one long after (F57)', () => {
    const at = (offset: number) =>
      onPair({ quote: quoteOf('BTC/USDT', '99.9', '100.1', NOON + offset) });
    expect(firstBlock([staleFeed], at(-1))).toMatchObject({ code: 'stale_feed' });
    expect(firstBlock([staleFeed], at(0))).toBeNull();
    expect(firstBlock([staleFeed], at(HOUR_MS))).toBeNull();
    expect(firstBlock([staleFeed], at(HOUR_MS + 1))).toMatchObject({ code: 'stale_feed' });
  });

  it('bad price: crossed, far too wide, or far from the candle', () => {
    const quoted = (bid: string, ask: string, price = 100) =>
      firstBlock([badPrice], onPair({ quote: quoteOf('BTC/USDT', bid, ask), price }));
    expect(quoted('99.9', '100.1')).toBeNull();
    expect(quoted('100.1', '99.9')).toMatchObject({ code: 'bad_price' });
    expect(quoted('0', '100')).toMatchObject({ code: 'bad_price' });
    expect(quoted('98', '102')).toMatchObject({ code: 'bad_price' });
    expect(quoted('999', '1001')).toMatchObject({ code: 'bad_price' });
    expect(quoted('119', '120')).toBeNull();
  });
});

describe('money that is paid in or out of an account at an exchange', () => {
  const marked = (...seen: [equity: string, outside: string][]): AgentMemory => {
    const memory = memoryWith({});
    for (const [equity, outside] of seen)
      rememberEquity(memory, NOON, {
        equity: parseFixed(equity),
        outsideCash: parseFixed(outside),
      });
    return memory;
  };
  const blocks = (equity: string, memory: AgentMemory) => {
    const input = { at: NOON, agent, account: worth(equity), memory };
    return [drawdown, dayLoss].map((guard) => guard.check(input) !== null);
  };

  it('is no loss when it leaves and no gain when it comes', () => {
    expect(blocks('100', marked(['1000', '1000'], ['100', '100']))).toEqual([false, false]);
    const grown = marked(['1000', '1000'], ['5000', '5000']);
    expect(grown.highWater).toBe(parseFixed('5000'));
    expect(blocks('5000', grown)).toEqual([false, false]);
  });

  it('hides no loss: the share that is lost stays the same', () => {
    const { drawdownHalt } = RISK_PROFILES.Moderate;
    const left = 1_000 * (1 - drawdownHalt) - 1;
    const before = marked(['1000', '1000'], [String(left), '1000']);
    const after = marked(
      ['1000', '1000'],
      [String(left), '1000'],
      [String(left / 2), String(1000 - left / 2)],
    );
    expect(blocks(String(left), before)[0]).toBe(true);
    expect(blocks(String(left / 2), after)[0]).toBe(true);
    const more = marked(['1000', '1000'], [String(left), '1000'], [String(left + 9_000), '10000']);
    expect(blocks(String(left + 9_000), more)[0]).toBe(true);
  });

  it('begins anew where nothing was left', () => {
    const memory = marked(['1000', '1000'], ['0', '0'], ['300', '300']);
    expect([memory.highWater, memory.day?.equity]).toEqual([parseFixed('300'), parseFixed('300')]);
  });

  it('is kept between evaluations, and on paper nothing is kept of it', () => {
    const memory = marked(['1000', '1000']);
    expect(readMemory(writeMemory(memory)).outsideCash).toBe(parseFixed('1000'));
    expect(writeMemory(memoryWith({}))).not.toHaveProperty('outsideCash');
  });
});

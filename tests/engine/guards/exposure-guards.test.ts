/**
 * The depeg and correlation guards: what they block, until when and why; and no guard ever blocks
 * an exit.
 */
import { describe, expect, it } from 'vitest';
import { PoolId, RiskProfile } from '../../../contract/agents.ts';
import { parseFixed } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { runAgent } from '../../../engine/execution/step-agent.ts';
import { correlationAt, pearson } from '../../../engine/signals/correlation.ts';
import { correlatedExposure } from '../../../engine/guards/correlated-exposure.ts';
import { depeg } from '../../../engine/guards/depeg.ts';
import { firstBlock } from '../../../engine/guards/guard.ts';
import type { SizeGuardInput } from '../../../engine/guards/guard.ts';
import { readMemory, writeMemory } from '../../../engine/execution/agent-memory.ts';
import { PEG_BACK_MS, pegReader, withUnread } from '../../../engine/signals/pegs.ts';
import { RISK_PROFILES } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { makeSeries } from '../../../engine/signals/candle-series.ts';
import type {
  AccountInput,
  AgentInput,
  OpenPosition,
  TickInput,
} from '../../../engine/execution/agent-types.ts';
import type { Quote } from '../../../engine/market-types.ts';
import type { Signal } from '../../../engine/signals/signal.ts';
import fc from '../../support/property.ts';
import { dailySteps, hourlyTo, MONDAY, NOON, quoteOf, rulesOf } from '../tape.ts';

const DEEP = { candleVolume: 1e6, dayVolume: 1e6 * 288 };
const steady = (hours: number, price = 1): number[] => Array<number>(hours).fill(price);
const pegs = (tapes: Record<string, readonly number[]>, at = NOON) =>
  pegReader(
    Object.entries(tapes).map(([pair, closes]) => makeSeries(pair, hourlyTo(NOON, closes))),
  )(at);
const asked = (pair: string, breaks: ReturnType<typeof pegs>, bid = '99.98', ask = '100.02') =>
  firstBlock([depeg], {
    at: NOON,
    intervalMs: 300_000,
    pair,
    quote: quoteOf(pair, bid, ask, NOON + 1000),
    pegBreaks: breaks,
    memory: readMemory({}),
    signal: {
      pair,
      z: 1,
      strength: 0.7,
      quality: 1,
      enter: true,
      leave: false,
      dailyVolatility: 0.04,
      reason: 'x',
    },
  });

describe('depeg', () => {
  it('says nothing while every stablecoin stays within one per cent, or where none tells', () => {
    expect(
      pegs({ 'USDC/USDT': [...steady(40), 0.9901, 1.0099, 1], 'BTC/USDT': [50, 90, 20] }).size,
    ).toBe(0);
    expect(asked('BTC/USDT', pegs({ 'BTC/USDT': steady(40, 100) }))).toBeNull();
    // In euros the price of a dollar coin is not about one.
    expect(pegs({ 'USDC/EUR': steady(40, 0.91) }).size).toBe(0);
  });

  it('keeps out of a coin that fell, and of that coin alone, until it has been back for a day', () => {
    const breaks = pegs({
      'USDC/USDT': [...steady(40), 0.97, ...steady(5)],
      'DAI/USDT': steady(46),
    });
    const off = NOON - 5 * HOUR_MS;
    expect(asked('USDC/USDT', breaks, '0.9999', '1.0001')).toEqual({
      code: 'depeg',
      until: off + DAY_MS,
      text: 'USDC was off its peg by more than 1 % (USDC/USDT at 0.9700, 2022-04-12 07:00 UTC): no new trade until it has been back for a day, 2022-04-13 07:00 UTC at the earliest.',
    });
    expect(asked('BTC/USDT', breaks)).toBeNull();
    expect(asked('DAI/USDT', breaks, '0.9999', '1.0001')).toBeNull();
  });

  it('keeps out of everything while what is paid with falls: half of its stablecoins stand too high', () => {
    const high = [...steady(40), 1.02, 1.03];
    const tapesOf: Record<string, readonly number[]>[] = [
      { 'USDC/USDT': high },
      { 'USDC/USDT': high, 'DAI/USDT': high, 'TUSD/USDT': steady(42) },
    ];
    for (const tapes of tapesOf) {
      expect(asked('BTC/USDT', pegs(tapes))).toMatchObject({ code: 'depeg', until: NOON + DAY_MS });
      expect(asked('BTC/USDT', pegs(tapes))?.text).toContain('USDT was off its peg');
    }
    // A single high pair of three concerns its base alone.
    const own = pegs({ 'USDC/USDT': high, 'DAI/USDT': steady(42), 'TUSD/USDT': steady(42) });
    expect(asked('BTC/USDT', own)).toBeNull();
    expect(asked('USDC/USDT', own, '1', '1.0002')).toMatchObject({ code: 'depeg' });
    // In dollars only the coin itself can be off.
    expect(asked('BTC/USD', pegs({ 'USDT/USD': [...steady(40), 0.95] }))).toBeNull();
    expect(asked('USDT/USD', pegs({ 'USDT/USD': [...steady(40), 0.95] }), '1', '1')).toMatchObject({
      code: 'depeg',
    });
  });

  it('keeps out of a coin whose pairs came too late, and of all where half of those paid with did', () => {
    const witnesses = ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT', 'USDT/USD'];
    const after = (...late: string[]) => withUnread(pegs({}), witnesses, late);
    const unknown = { code: 'depeg', until: null };
    expect(asked('USDC/USDT', after('USDC/USDT'), '1', '1.0002')).toMatchObject(unknown);
    expect(asked('BTC/USDT', after('USDC/USDT'))).toBeNull();
    expect(asked('BTC/USDT', after('USDC/USDT', 'DAI/USDT'))).toMatchObject(unknown);
    expect(asked('BTC/USDT', after('USDC/USDT', 'DAI/USDT'))?.text).toBe(
      'whether USDT is on its peg could not be read in time.',
    );
    expect(asked('BTC/USD', after('USDT/USD'))).toBeNull();
    expect(after().size).toBe(0);
  });

  it('begins the day anew with each close that is off, and ends to the millisecond', () => {
    const series = makeSeries(
      'USDC/USDT',
      hourlyTo(NOON, [...steady(30), 0.98, ...steady(10), 0.985, ...steady(30)]),
    );
    const read = pegReader([series]);
    const off = NOON - 30 * HOUR_MS;
    expect(read(off - 1)?.get('USDC')?.at).toBe(off - 11 * HOUR_MS);
    expect(read(off)?.get('USDC')?.at).toBe(off);
    expect(read(off + PEG_BACK_MS - 1).has('USDC')).toBe(true);
    expect(read(off + PEG_BACK_MS).has('USDC')).toBe(false);
  });

  it('looks at the price that would be paid too, and never at what comes later', () => {
    expect(asked('USDC/USDT', new Map(), '0.985', '0.9852')).toMatchObject({
      code: 'depeg',
      until: NOON + 1000 + DAY_MS,
    });
    const closes = [...steady(60), 0.97, ...steady(20), 1.02, ...steady(40)];
    const whole = pegReader([makeSeries('USDC/USDT', hourlyTo(NOON, closes))]);
    for (let cut = 1; cut <= closes.length; cut += 1) {
      const at = NOON - (closes.length - cut) * HOUR_MS;
      const seen = pegReader([makeSeries('USDC/USDT', hourlyTo(at, closes.slice(0, cut)))]);
      expect([...seen(at)]).toEqual([...whole(at)]);
    }
  });
});

/** Days of returns as closes, the last at the midnight before NOON. */
const walk = (returns: readonly number[]): number[] =>
  returns.reduce<number[]>(
    (closes, one) => [...closes, (closes.at(-1) ?? 100) * Math.exp(one)],
    [100],
  );
const wave = Array.from({ length: 40 }, (_, i) => 0.03 * Math.sin(i * 1.7));
const other = Array.from({ length: 40 }, (_, i) => 0.03 * Math.cos(i * 2.9));
const at = (value: string): Fixed => parseFixed(value);

describe('correlation', () => {
  const series = new Map(
    [
      ['A/USDT', wave],
      ['B/USDT', wave.map((one, i) => 2 * one + 0.003 * Math.sin(i * 5.3))],
      ['C/USDT', wave.map((one) => -one)],
      ['D/USDT', other],
      ['E/USDT', wave.slice(-15)],
    ].map(
      ([pair, returns]) =>
        [
          pair as string,
          makeSeries(pair as string, [...dailySteps(MONDAY + DAY_MS, walk(returns as number[]))]),
        ] as const,
    ),
  );

  it('is that of the daily returns of thirty days, and unknown under twenty', () => {
    const read = correlationAt(series, NOON);
    expect(read('A/USDT', 'B/USDT')).toBeGreaterThan(0.99);
    expect(read('A/USDT', 'C/USDT')).toBeCloseTo(-1, 9);
    expect(Math.abs(read('A/USDT', 'D/USDT') ?? 1)).toBeLessThan(0.5);
    expect(read('A/USDT', 'E/USDT')).toBeNull();
    expect(read('A/USDT', 'none')).toBeNull();
  });

  it('agrees with the definition, leaves out days that one lacks, and is null where nothing moved', () => {
    const [x, y] = [
      Float64Array.from({ length: 30 }, (_, i) => Math.sin(i)),
      Float64Array.from({ length: 30 }, (_, i) => Math.sin(i + 0.6)),
    ];
    const mean = (list: Float64Array): number => list.reduce((a, b) => a + b, 0) / list.length;
    const cov = x.reduce((sum, one, i) => sum + (one - mean(x)) * ((y[i] ?? 0) - mean(y)), 0);
    const dev = (list: Float64Array): number =>
      Math.sqrt(list.reduce((sum, one) => sum + (one - mean(list)) ** 2, 0));
    expect(pearson(x, y)).toBeCloseTo(cov / dev(x) / dev(y), 12);
    expect(pearson(x.with(3, Number.NaN), y)).toBeCloseTo(
      pearson(
        x.filter((_, i) => i !== 3),
        y.filter((_, i) => i !== 3),
      ) ?? 0,
      12,
    );
    expect(pearson(x, new Float64Array(30))).toBeNull();
  });

  it('changes at midnight alone, and knows nothing that came after it', () => {
    const [noon, evening] = [
      correlationAt(series, NOON),
      correlationAt(series, NOON + 11 * HOUR_MS),
    ];
    expect(noon('A/USDT', 'B/USDT')).toBe(evening('A/USDT', 'B/USDT'));
    const cut = new Map(
      [...series.keys()].map((pair) => [
        pair,
        makeSeries(
          pair,
          dailySteps(
            MONDAY + DAY_MS,
            walk(
              pair === 'A/USDT' ? wave : wave.map((one, i) => 2 * one + 0.003 * Math.sin(i * 5.3)),
            ),
          ),
        ),
      ]),
    );
    const later = new Map(
      [...cut].map(([pair]) => [
        pair,
        makeSeries(pair, [
          ...dailySteps(
            MONDAY + DAY_MS,
            walk(
              pair === 'A/USDT' ? wave : wave.map((one, i) => 2 * one + 0.003 * Math.sin(i * 5.3)),
            ),
          ),
          ...hourlyTo(NOON, steady(11, 7)),
        ]),
      ]),
    );
    expect(correlationAt(later, NOON)('A/USDT', 'B/USDT')).toBe(
      correlationAt(cut, NOON)('A/USDT', 'B/USDT'),
    );
  });
});

describe('correlated exposure', () => {
  const close = (): number => 0.87;
  const room = (held: Record<string, string>, more: Partial<SizeGuardInput> = {}) =>
    correlatedExposure.check({
      pair: 'SOL/USDT',
      wanted: at('1000'),
      equity: at('10000'),
      profile: 'Moderate',
      maxPosition: 0.1,
      correlation: close,
      held: new Map(Object.entries(held).map(([pair, value]) => [pair, at(value)])),
      ...more,
    });

  it('lets what moves together grow to a multiple of one position, and says who, how closely and how much', () => {
    expect(room({})).toEqual({ block: null, amount: at('1000') });
    expect(room({ 'BTC/USDT': '1000' })).toEqual({ block: null, amount: at('1000') });
    expect(room({ 'BTC/USDT': '900', 'ETH/USDT': '500' })).toEqual({
      block: null,
      amount: at('600'),
    });
    expect(room({ 'BTC/USDT': '1000', 'ETH/USDT': '900' })).toEqual({
      block: {
        until: null,
        text: 'BTC/USDT, ETH/USDT and SOL/USDT are correlated (0.87). Together they may hold 20 % and hold 19 %: no new entries until they hold less.',
      },
    });
    expect(room({ 'BTC/USDT': '2500' }).block?.text).toContain('hold 25 %');
  });

  it("takes the profile and the person's own largest position, and leaves alone what moves by itself", () => {
    expect(room({ 'BTC/USDT': '1000', 'ETH/USDT': '900' }, { profile: 'Aggressive' })).toEqual({
      block: null,
      amount: at('1000'),
    });
    expect(room({ 'BTC/USDT': '1000' }, { maxPosition: 0.05 }).block?.text).toContain(
      'they may hold 10 % and hold 10 %',
    );
    expect(room({ 'BTC/USDT': '5000' }, { correlation: () => 0.79 })).toEqual({
      block: null,
      amount: at('1000'),
    });
    expect(room({ 'BTC/USDT': '5000' }, { correlation: () => null })).toEqual({
      block: null,
      amount: at('1000'),
    });
    expect(room({ 'BTC/USDT': '5000' }, { correlation: () => -0.95 })).toEqual({
      block: null,
      amount: at('1000'),
    });
    // What the pair holds itself counts as soon as another moves with it.
    expect(room({ 'BTC/USDT': '1000', 'SOL/USDT': '800' }, { wanted: at('200') })).toEqual({
      block: null,
      amount: at('200'),
    });
    expect(room({ 'BTC/USDT': '1200', 'SOL/USDT': '800' }, { wanted: at('200') }).block).not.toBe(
      null,
    );
  });

  it('counts what was bought a moment ago in the same look', () => {
    const pairs = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
    const tick: TickInput = {
      id: 't',
      close: NOON,
      pegBreaks: new Map(),
      correlation: () => 0.9,
      rules: new Map(pairs.map((pair) => [pair, rulesOf(pair)])),
      volumes: new Map(pairs.map((pair) => [pair, DEEP])),
      quotes: new Map(pairs.map((pair) => [pair, quoteOf(pair, '99.98', '100.02', NOON + 1000)])),
      signals: new Map(
        pairs.map((pair) => [
          pair,
          {
            pair,
            z: 1,
            strength: 0.9,
            quality: 1,
            enter: true,
            leave: false,
            dailyVolatility: 0.005,
            reason: 'trend_up',
            price: 100,
          },
        ]),
      ),
    };
    const agent: AgentInput = {
      id: 'a',
      pool: 'base_ecosystem',
      profile: 'Moderate',
      risk: RISK_PROFILES.Moderate,
      pairs,
      maxPositionSize: parseFixed('1000000'),
      interval: '5-minute',
      frequency: 'high',
      memory: {},
    };
    const { decisions } = runAgent(
      agent,
      tick,
      {
        freeCash: at('10000'),
        equity: at('10000'),
        maxTradeAmount: at('1000000'),
        entriesAllowed: { allowed: true },
      },
      [],
    );
    expect(decisions.map(({ action, reason }) => `${action} ${reason}`)).toEqual([
      'enter entered',
      'enter entered',
      'skip correlated_exposure',
    ]);
    expect(decisions[2]?.text).toBe(
      'No trade: BTC/USDT, ETH/USDT and SOL/USDT are correlated (0.90). Together they may hold 20 % and hold 20 %: no new entries until they hold less.',
    );
  });
});

describe('no guard holds an exit back', () => {
  const PAIRS = ['BTC/USDT', 'ETH/USDT', 'USDC/USDT'];
  const pairState = fc.record({
    held: fc.boolean(),
    price: fc.double({ min: 80, max: 120, noNaN: true }),
    stop: fc.constantFrom(90, 95, 105),
    strength: fc.double({ min: 0, max: 1, noNaN: true }),
    enter: fc.boolean(),
    leave: fc.boolean(),
    cost: fc.constantFrom('500', '1000', '3000'),
    exitAgoMin: fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: null }),
    byStop: fc.boolean(),
    spread: fc.constantFrom(0.0002, 0.05),
    off: fc.constantFrom(1, 1.5),
  });
  const state = fc.record({
    pairs: fc.tuple(pairState, pairState, pairState),
    pool: fc.constantFrom(...PoolId.options.filter((pool) => pool !== 'all_pools')),
    profile: fc.constantFrom(...RiskProfile.options),
    halt: fc.constantFrom(null, 'day_loss', 'drawdown'),
    stopped: fc.boolean(),
    fallen: fc.constantFrom('10000', '6000'),
    pegs: fc.boolean(),
    late: fc.boolean(),
  });
  const price = (value: number): string => value.toFixed(4);

  it('over random states: with every block thrown, what was due to be sold is sold, as much of it and at the same price', () => {
    let exits = 0;
    fc.assert(
      fc.property(state, ({ pairs, pool, profile, halt, stopped, fallen, pegs: off, late }) => {
        const at0 = NOON + (late ? 2 * HOUR_MS : 1000);
        const quotes = new Map(
          PAIRS.map((pair, i) => {
            const { price: last = 100, spread = 0 } = pairs[i] ?? {};
            return [
              pair,
              quoteOf(pair, price(last * (1 - spread / 2)), price(last * (1 + spread / 2)), at0),
            ] as [string, Quote];
          }),
        );
        const signals = new Map(
          PAIRS.map((pair, i) => {
            const one = pairs[i];
            return [
              pair,
              {
                pair,
                z: 1,
                strength: one?.strength ?? 0,
                quality: 1,
                enter: one?.enter ?? false,
                leave: one?.leave ?? false,
                dailyVolatility: 0.03,
                reason: 'x',
                price: (one?.price ?? 100) * (one?.off ?? 1),
              },
            ] as [string, Signal];
          }),
        );
        const held = PAIRS.flatMap((pair, i): OpenPosition[] =>
          pairs[i]?.held === true
            ? [
                {
                  id: pair,
                  pair,
                  quantity: parseFixed('12.5'),
                  cost: parseFixed(pairs[i]?.cost ?? '1'),
                  stopPrice: parseFixed(String(pairs[i]?.stop)),
                  openedAt: NOON - 3 * DAY_MS,
                },
              ]
            : [],
        );
        const strategyHoldings = Object.fromEntries(
          held.map(({ pair }) => [pair, { pools: [pool], deviation: null }]),
        );
        const free = writeMemory({
          ...readMemory({}),
          strategyHoldings,
          lastEvaluation: NOON - 300_000,
        });
        const exitsThen = PAIRS.flatMap((pair, i) =>
          pairs[i]?.exitAgoMin == null
            ? []
            : [{ pair, at: NOON - pairs[i].exitAgoMin * 60_000, stop: pairs[i].byStop }],
        ).sort((a, b) => a.at - b.at);
        const bound = writeMemory({
          ...readMemory(free),
          exits: exitsThen,
          day: { start: MONDAY + DAY_MS, equity: parseFixed('10000') },
          highWater: parseFixed('10000'),
          halt:
            halt === null
              ? null
              : {
                  code: halt,
                  text: 'a limit was passed.',
                  until: halt === 'drawdown' ? null : NOON + HOUR_MS,
                },
        });
        const agent = (memory: Record<string, unknown>): AgentInput => ({
          id: 'a',
          pool,
          profile,
          risk: RISK_PROFILES[profile],
          pairs: PAIRS,
          maxPositionSize: parseFixed('1000000'),
          interval: '5-minute',
          frequency: 'high',
          memory,
        });
        const tick: TickInput = {
          id: 't',
          close: NOON,
          signals,
          quotes,
          rules: new Map(PAIRS.map((pair) => [pair, rulesOf(pair)])),
          volumes: new Map(PAIRS.map((pair) => [pair, DEEP])),
          pegBreaks: new Map(),
          correlation: () => null,
        };
        const account: AccountInput = {
          freeCash: at('5000'),
          equity: parseFixed(fallen),
          maxTradeAmount: at('1000000'),
          entriesAllowed: { allowed: true },
        };
        const open = runAgent(agent(free), tick, account, held);
        const broken = off
          ? new Map([
              ['USDT', { at: NOON, witness: 'USDC/USDT', price: 1.4 }],
              ['USDC', { at: NOON, witness: 'USDC/USDT', price: 1.4 }],
            ])
          : tick.pegBreaks;
        const shut = runAgent(
          agent(bound),
          { ...tick, pegBreaks: broken, correlation: () => 0.99 },
          stopped
            ? { ...account, entriesAllowed: { allowed: false, reason: 'you said so.' } }
            : account,
          held,
        );
        for (const { fill } of open.trades.filter((trade) => trade.fill.side === 'sell')) {
          const same = shut.trades.find(
            (trade) => trade.fill.pair === fill.pair && trade.fill.side === 'sell',
          );
          expect(same?.fill).toEqual(fill);
          exits += 1;
        }
        // And a blocked agent buys nothing.
        if (stopped || off || halt !== null)
          expect(shut.trades.filter(({ fill }) => fill.side === 'buy')).toEqual([]);
        for (const decision of shut.decisions) expect(decision.text).toMatch(/\.$/);
      }),
      { numRuns: 1_000 },
    );
    expect(exits).toBeGreaterThan(500);
  });
});

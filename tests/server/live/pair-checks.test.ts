/** Whether pairs take orders, asked of Kraken through the signer's own limits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PairRules } from '../../../contract/venue.ts';
import { ExchangeRules } from '../../../server/live/exchange-rules.ts';
import type { LiveDeps } from '../../../server/live/live-deps.ts';
import { ReadFailed } from '../../../signer/exchanges/adapter.ts';
import { NotSent } from '../../../signer/exchanges/budget.ts';
import { openExchange } from '../../../signer/exchanges/open-exchange.ts';
import { MarketView } from '../../../signer/market-view.ts';
import { queueClock } from '../../support/signer/queue-clock.ts';

const COINS = Array.from({ length: 12 }, (_, index) => `C${index}X`);
const SYMBOLS = COINS.map((coin) => `${coin}/USD`);
const LATENCY_MS = 150;

const pairOf = (coin: string, status: string) => ({
  altname: `${coin}USD`,
  base: coin,
  quote: 'ZUSD',
  pair_decimals: 1,
  lot_decimals: 8,
  ordermin: '0.0001',
  costmin: '0.5',
  tick_size: '0.1',
  status,
});

interface Kraken {
  ofAll: string;
  closed: ReadonlySet<string>;
  limited: ReadonlySet<string>;
  gone: ReadonlySet<string>;
  asked: string[];
}

function answerOf(kraken: Kraken, url: URL): unknown {
  const name = url.pathname.split('/').at(-1) ?? '';
  kraken.asked.push(name);
  if (name === 'SystemStatus') return { status: kraken.ofAll, timestamp: '' };
  if (name === 'Assets')
    return Object.fromEntries(
      ['ZUSD', ...COINS].map((coin) => [coin, { altname: coin.replace('Z', ''), decimals: 8 }]),
    );
  const listed = COINS.filter((coin) => !kraken.gone.has(coin));
  const wanted = url.searchParams.get('pair')?.split(',') ?? listed.map((coin) => `${coin}USD`);
  if (wanted.some((pair) => !listed.includes(pair.replace('USD', '')))) return null;
  if (name === 'Ticker')
    return Object.fromEntries(wanted.map((pair) => [pair, { a: ['101'], b: ['99'] }]));
  return Object.fromEntries(
    listed
      .filter((coin) => wanted.includes(`${coin}USD`))
      .map((coin) => [
        `${coin}USD`,
        pairOf(
          coin,
          kraken.closed.has(coin)
            ? 'cancel_only'
            : kraken.limited.has(coin)
              ? 'limit_only'
              : 'online',
        ),
      ]),
  );
}

type PairRulesReply = { kind: 'read'; value: PairRules[] } | { kind: 'unknown'; cause: 'timeout' };

async function openWorld() {
  const clock = queueClock();
  const kraken: Kraken = {
    ofAll: 'online',
    closed: new Set(),
    limited: new Set(),
    gone: new Set(),
    asked: [],
  };
  const { data } = await openExchange('kraken', {
    origin: null,
    clock,
    fetch: async (input) => {
      const result = answerOf(kraken, new URL(input as string));
      await clock.sleep(LATENCY_MS);
      const error = result === null ? ['EQuery:Unknown asset pair'] : [];
      return new Response(JSON.stringify({ error, ...(result === null ? {} : { result }) }));
    },
  });
  const view = new MarketView(data, () => clock.now());
  let isSilent = false;
  let asked = 0;
  const ask = async ({ symbols, isNow }: { symbols: string[]; isNow?: boolean }) => {
    if (isNow === true) asked += 1;
    if (isNow === true && isSilent) return { kind: 'unknown', cause: 'timeout' } as const;
    try {
      const value = isNow === true ? await view.rulesNowOf(symbols) : await view.rulesOf(symbols);
      return { kind: 'read', value } as const;
    } catch (error) {
      if (error instanceof NotSent || error instanceof ReadFailed)
        return { kind: 'unknown', cause: 'timeout' } as const;
      throw error;
    }
  };
  const signer = { ask: ask as (asked: never) => Promise<PairRulesReply> } as LiveDeps['signer'];
  const rules = new ExchangeRules(
    { signer, clock },
    { begun: () => undefined, changed: () => undefined },
  );
  void rules.keepCurrent('kraken');
  // The first request of a process waits for code that is loaded.
  for (let turn = 0; turn < 1_000 && rules.of('kraken', 'C0X/USD') === null; turn += 1) {
    await clock.runFor(LATENCY_MS);
    await sleep(5);
  }
  expect(rules.of('kraken', 'C0X/USD')?.status).toBe('trading');
  await clock.runFor(60_000);
  kraken.asked.length = 0;
  return {
    clock,
    kraken,
    view,
    rules,
    /** From now on whoever asks whether a pair takes orders hears nothing. */
    silence: (isOn: boolean) => {
      isSilent = isOn;
    },
    asked: () => asked,
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** As accounts look each second; after how many each pair is taken to trade. */
async function look(
  { clock, rules }: World,
  symbols: readonly string[],
  seconds: number,
): Promise<Map<string, number>> {
  const trading = new Map<string, number>();
  for (let second = 0; second < seconds; second += 1) {
    for (const symbol of symbols) {
      void rules.check('kraken', symbol);
      if (!trading.has(symbol) && rules.takesOrders('kraken', symbol)) trading.set(symbol, second);
    }
    void rules.keepCurrent('kraken');
    await clock.runFor(1_000);
  }
  return trading;
}

describe('at Kraken, whose limit all pairs share', () => {
  it('a pair in limit_only mode takes sales and no stops, whatever an older list says', async () => {
    const world = await openWorld();
    world.kraken.limited = new Set(['C0X']);
    const [symbol = ''] = SYMBOLS;
    expect((await look(world, SYMBOLS, 3)).size).toBe(12);
    const stops = () => world.rules.of('kraken', symbol)?.takesStops;
    expect(stops()).toBe(false);
    world.rules.doubt('kraken');
    await look(world, [symbol], 3);
    expect(stops()).toBe(false);
    world.kraken.limited = new Set();
    await look(world, [symbol], 30);
    expect(stops()).not.toBe(false);
  });

  it.each([1, 2, 5, 12])(
    'no stop makes way of %s pairs that are to be sold while all of it takes no orders',
    async (count) => {
      const world = await openWorld();
      world.kraken.ofAll = 'cancel_only';
      // What is held is looked at just then.
      for (const symbol of SYMBOLS.slice(0, 3)) void world.view.marksOf([symbol]).catch(() => null);
      await world.clock.runFor(400);
      const symbols = SYMBOLS.slice(0, count);
      expect(await look(world, symbols, 60)).toEqual(new Map());
      world.kraken.ofAll = 'online';
      const opened = await look(world, symbols, 30);
      expect(opened.size).toBe(count);
      expect(Math.max(...opened.values())).toBeLessThanOrEqual(25);
    },
  );

  it('twelve pairs that are to be sold at once are answered within three seconds', async () => {
    const world = await openWorld();
    const trading = await look(world, SYMBOLS, 3);
    expect(trading.size).toBe(12);
    expect(world.kraken.asked.toSorted()).toEqual(['AssetPairs', 'SystemStatus']);
  });

  it('twelve pairs that stay closed leave a sale half of the limit', async () => {
    const world = await openWorld();
    world.kraken.closed = new Set(COINS);
    // Each is asked for at another second.
    for (const [index] of SYMBOLS.entries()) await look(world, SYMBOLS.slice(0, index + 1), 1);
    world.kraken.asked.length = 0;
    expect(await look(world, SYMBOLS, 60)).toEqual(new Map());
    expect(world.kraken.asked.length).toBeLessThanOrEqual(24);
  });

  it('a pair that is gone keeps no other from being answered', async () => {
    const world = await openWorld();
    world.kraken.gone = new Set(['C3X']);
    const trading = await look(world, SYMBOLS.slice(0, 5), 5);
    expect([...trading.keys()]).toEqual(['C0X/USD', 'C1X/USD', 'C2X/USD', 'C4X/USD']);
  });
});

describe('an order that was rejected', () => {
  it('makes its own pair be asked for anew, and no other', async () => {
    const world = await openWorld();
    await look(world, SYMBOLS, 1);
    world.kraken.asked.length = 0;
    const before = world.asked();
    world.view.forgetNow('C0X/USD');
    world.rules.doubtPair('kraken', 'C0X/USD');
    world.kraken.closed = new Set(['C0X']);
    expect(world.rules.takesOrders('kraken', 'C0X/USD')).toBe(false);
    expect(world.rules.takesOrders('kraken', 'C1X/USD')).toBe(true);
    await look(world, SYMBOLS, 2);
    expect(world.asked()).toBe(before + 1);
    expect(world.kraken.asked).toEqual(['SystemStatus', 'AssetPairs']);
    expect(world.rules.takesOrders('kraken', 'C0X/USD')).toBe(false);
    expect(world.rules.takesOrders('kraken', 'C1X/USD')).toBe(true);
  });

  it('while it is asked for makes what is answered not count', async () => {
    const world = await openWorld();
    void world.rules.check('kraken', 'C0X/USD');
    await world.clock.runFor(LATENCY_MS + 10);
    world.view.forgetNow('C0X/USD');
    world.rules.doubtPair('kraken', 'C0X/USD');
    // The pairs were asked for before it closed.
    await world.clock.runFor(LATENCY_MS / 2);
    world.kraken.closed = new Set(['C0X']);
    expect(await look(world, ['C0X/USD'], 5)).toEqual(new Map());
    expect(world.rules.of('kraken', 'C0X/USD')?.status).toBe('cancel_only');
  });
});

describe('a question that is not answered', () => {
  it('is asked again within three seconds, and lets nothing go meanwhile', async () => {
    const world = await openWorld();
    world.kraken.closed = new Set(['C0X']);
    world.silence(true);
    expect(await look(world, ['C0X/USD'], 3)).toEqual(new Map());
    expect(world.asked()).toBeGreaterThan(1);
    world.silence(false);
    expect(await look(world, ['C0X/USD'], 60)).toEqual(new Map());
  });

  it('keeps a stop for half a minute, and then what is known counts', async () => {
    const world = await openWorld();
    world.silence(true);
    const trading = await look(world, ['C0X/USD'], 40);
    expect(trading.get('C0X/USD')).toBe(30);
    // It is asked seldom by then, and another sale waits no further half minute.
    expect(world.asked()).toBeLessThan(8);
    expect(world.rules.takesOrders('kraken', 'C0X/USD')).toBe(true);
    world.kraken.closed = new Set(['C0X']);
    world.silence(false);
    await look(world, ['C0X/USD'], 16);
    expect(world.rules.takesOrders('kraken', 'C0X/USD')).toBe(false);
  });

  it('is a new one where nobody has asked for a while', async () => {
    const world = await openWorld();
    world.silence(true);
    await look(world, ['C0X/USD'], 2);
    await world.clock.runFor(60_000);
    expect(await look(world, ['C0X/USD'], 20)).toEqual(new Map());
  });

  it('does not undo the answer that the pair takes none by a list, which may not know', async () => {
    const world = await openWorld();
    // All of Kraken: its list of pairs says that they trade.
    world.kraken.ofAll = 'cancel_only';
    await look(world, ['C0X/USD'], 2);
    expect(world.rules.of('kraken', 'C0X/USD')?.status).toBe('cancel_only');
    world.silence(true);
    world.rules.doubt('kraken');
    world.rules.doubtPair('kraken', 'C0X/USD');
    expect(await look(world, ['C0X/USD'], 14 * 60)).toEqual(new Map());
    expect(world.rules.of('kraken', 'C0X/USD')?.status).toBe('cancel_only');
  });

  it('does not make an answer of long ago outlast the lists', async () => {
    const world = await openWorld();
    world.kraken.closed = new Set(['C0X']);
    await look(world, ['C0X/USD'], 2);
    expect(world.rules.of('kraken', 'C0X/USD')?.status).toBe('cancel_only');
    world.kraken.closed = new Set();
    world.silence(true);
    await look(world, ['C0X/USD'], 36 * 60);
    expect(world.rules.of('kraken', 'C0X/USD')?.status).toBe('trading');
    expect(world.rules.takesOrders('kraken', 'C0X/USD')).toBe(true);
  });
});

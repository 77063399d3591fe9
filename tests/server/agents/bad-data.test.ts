/**
 * Bad prices and bad candles through the live wiring, feed to journal: no entry on them, exits
 * honoured, every refusal in words, and holds that a restart keeps.
 */
import { and, asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { Scheduler } from '../../../server/agents/scheduler.ts';
import type { TradingDeps } from '../../../server/trading-deps.ts';
import type { Database } from '../../../server/db/database.ts';
import { agents, decisions, fills, positions } from '../../../server/db/schema.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { silentLog } from '../../support/app.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { ruleFor, STEP_MS, TAPE_START, TapeMarket } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
const FROM = TAPE_START + 36 * DAY_MS;
const made = new TapeMarket({ pairs: PAIRS, candles: 500 }).tape;
const indexOf = (n: number): number => 36 * 288 + n;

let database: Database;
let feed: HandFeed;
let deps: TradingDeps;
let floor: Floor;
let agentId = '';
let scheduler: Scheduler;
let people = 0;
let n = 0;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});

/** The product's own market over a feed of the test; the tape begins to rise a day before. */
async function open(more: Record<string, (i: number) => number> = {}): Promise<void> {
  people += 1;
  const uid = `feed${people}`;
  const tapes = new Map(
    [...made].map(([pair, list]): [string, Candle[]] => [
      pair,
      list.map((candle) => ({ ...candle })),
    ]),
  );
  for (const [pair, priceAt] of Object.entries(more)) {
    tapes.set(
      pair,
      (made.get('BTC/USDT') ?? []).map(({ time }, i) => {
        const close = priceAt(i - indexOf(0));
        return { time, open: close, high: close, low: close, close, volume: 1e6 };
      }),
    );
  }
  feed = new HandFeed(FROM + 1, 'exchange', [...tapes.keys()].map(ruleFor), tapes);
  // A source of its own: each begins where no tick has been.
  feed.id = `hand${people}`;
  n = 0;
  floor = await openFloor({ candles: 1, sourceId: feed.id }, database);
  await restart();
  await floor.join(uid);
  const { agent } = await floor.call(uid, 'createAgent', {
    body: { ...AGGRESSIVE, enabled: true },
  });
  agentId = agent.id;
  await database.db
    .update(agents)
    .set({ nextDueMarketMs: FROM + STEP_MS })
    .where(eq(agents.id, agentId));
}

/** A new process on the same database and the same feed. */
async function restart(): Promise<void> {
  const market = new FeedMarket(feed, silentLog);
  await market.start();
  deps = { ...floor.deps, market };
  scheduler = new Scheduler(deps);
  await scheduler.open();
}

const openOf = (pair: string): number => feed.made.get(pair)?.[indexOf(n)]?.open ?? 0;
/**
 * To the next close; every pair is quoted at the open of the next candle but the silent ones, whose
 * price is waited for in vain.
 */
async function step(
  silent: readonly string[] = [],
  before: () => void = () => undefined,
): Promise<void> {
  n += 1;
  feed.clock = FROM + n * STEP_MS + 1;
  before();
  for (const pair of feed.made.keys())
    if (!silent.includes(pair)) feed.say(pair, openOf(pair).toFixed(8));
  if (silent.length > 0) feed.clock += 61_000;
  await scheduler.runOnce();
  await scheduler.settled();
}
const fillsOf = () =>
  database.db
    .select()
    .from(fills)
    .where(eq(fills.agentId, agentId))
    .orderBy(asc(fills.filledMarketMs));
const decisionsOf = (reason: string) =>
  database.db
    .select()
    .from(decisions)
    .where(and(eq(decisions.agentId, agentId), eq(decisions.reason, reason)));
const held = async () =>
  (await database.db.select().from(positions).where(eq(positions.agentId, agentId))).filter(
    ({ closedMarketMs }) => closedMarketMs === null,
  );

/** What a broken venue sends, around one price of its own. */
function garbage(pair: string): void {
  const price = openOf(pair);
  for (const last of [
    'NaN',
    '-5',
    '0',
    '',
    'Infinity',
    '1e400',
    (price * 100).toFixed(4),
    (price / 100).toFixed(6),
  ])
    feed.send({ pair, at: feed.clock, last, bid: null, ask: null });
  feed.send({
    pair,
    at: feed.clock,
    last: price.toFixed(4),
    bid: (price * 1.01).toFixed(4),
    ask: (price * 0.99).toFixed(4),
  });
  feed.send({
    pair,
    at: feed.clock - 10 * 60_000,
    last: (price * 0.5).toFixed(4),
    bid: null,
    ask: null,
  });
  feed.send({
    pair,
    at: feed.clock,
    last: (price * 0.5).toFixed(4),
    bid: null,
    ask: null,
    sequence: 0,
  });
}

describe('through the live wiring', () => {
  beforeEach(async () => {
    await database.db.delete(agents);
  });

  it('prices that are none move nothing: no fill, stop or mark at any of them, and every one is counted', async () => {
    await open();
    for (let i = 0; i < 4; i += 1)
      await step([], () => {
        for (const pair of PAIRS) garbage(pair);
      });
    const bought = await fillsOf();
    expect(bought.filter(({ side }) => side === 'buy').length).toBe(3);
    for (const fill of bought) {
      const open =
        feed.made.get(fill.pair)?.find(({ time }) => time === fill.decidedMarketMs)?.open ?? 0;
      expect(toNumber(parseFixed(fill.price)) / open).toBeCloseTo(1, 2);
    }
    for (const pair of PAIRS) garbage(pair);
    await scheduler.settled();
    expect((await held()).length).toBe(3);
    expect(Object.keys(deps.market.refused()).sort()).toEqual([
      'crossed',
      'jump',
      'negative',
      'not_a_number',
      'out_of_order',
      'zero',
    ]);
  });

  it('candles that are none are decided on by nobody: the journal is that of the market without them', async () => {
    const journals: unknown[] = [];
    for (const spoil of [true, false]) {
      await open();
      for (const pair of PAIRS) {
        const list = feed.made.get(pair) ?? [];
        const bad = [-200, -40, 2, 5].map(indexOf);
        const spoilt: ((candle: Candle) => Candle)[] = [
          (c) => ({ ...c, close: Number.NaN }),
          (c) => ({ ...c, high: c.low * 0.5 }),
          (c) => ({ ...c, volume: 1e200 }),
          (c) => ({ ...c, close: c.close * 100, high: c.high * 100 }),
        ];
        if (spoil)
          bad.forEach((i, kind) => {
            list[i] = spoilt[kind]?.(list[i] as Candle) as Candle;
          });
        else
          feed.made.set(
            pair,
            list.filter((_, i) => !bad.includes(i)),
          );
      }
      const kept = [...made].map(([pair, list]) => [pair, list] as const);
      for (let i = 0; i < 10; i += 1) {
        n += 1;
        feed.clock = FROM + n * STEP_MS + 1;
        for (const [pair, list] of kept) feed.say(pair, (list[indexOf(n)]?.open ?? 0).toFixed(8));
        await scheduler.runOnce();
        await scheduler.settled();
      }
      const decided = await database.db
        .select()
        .from(decisions)
        .where(eq(decisions.agentId, agentId))
        .orderBy(asc(decisions.atMarketMs), asc(decisions.pair));
      journals.push(
        decided.map(({ pair, action, reason, text, strength }) => ({
          pair,
          action,
          reason,
          text,
          strength,
        })),
      );
      expect((await fillsOf()).length).toBeGreaterThan(0);
      await database.db.delete(agents);
    }
    expect(journals[0]).toEqual(journals[1]);
  });

  it('a feed that dies: nothing is bought, the reason is said, and on its return a price under the stop sells at once', async () => {
    await open();
    await step();
    await step();
    const before = (await fillsOf()).length;
    expect((await held()).map(({ pair }) => pair)).toContain('BTC/USDT');
    for (let i = 0; i < 5; i += 1) await step(['BTC/USDT']);
    expect((await fillsOf()).filter(({ pair }) => pair === 'BTC/USDT').length).toBe(1);
    const silent = await decisionsOf('no_price');
    expect(silent).toHaveLength(5);
    expect(silent[0]).toMatchObject({
      pair: 'BTC/USDT',
      action: 'hold',
      text: 'No price of BTC/USDT since the candle closed.',
    });
    feed.say('BTC/USDT', (openOf('BTC/USDT') * 0.7).toFixed(4));
    await scheduler.settled();
    const [sold] = (await fillsOf()).slice(before).filter(({ pair }) => pair === 'BTC/USDT');
    expect(sold).toMatchObject({ side: 'sell', reason: 'stop_loss' });
    expect(toNumber(parseFixed(sold?.price ?? '0')) / openOf('BTC/USDT')).toBeLessThan(0.71);
  });

  it('a depeg of what is paid with: nobody who trades anything in it buys, and is told until when', async () => {
    await open({ 'USDC/USDT': (i) => (i >= -3 ? 1.025 : 1) });
    for (let i = 0; i < 3; i += 1) await step();
    expect(await fillsOf()).toEqual([]);
    const said = await decisionsOf('depeg');
    expect(said.length).toBeGreaterThan(3);
    expect(said[0]?.text).toMatch(
      /^No trade: USDT was off its peg by more than 1 % \(USDC\/USDT at 1\.0250, 2024-02-06 00:05 UTC\): no new trade until it has been back for a day, 2024-02-07 00:05 UTC at the earliest\.$/,
    );
  });

  it('a crash of 60 % in an hour, and a restart in the midst of it: all stops are carried out, and what holds it back holds on', async () => {
    await open();
    await step();
    await step();
    expect((await held()).length).toBe(3);
    for (let minute = 5; minute <= 60; minute += 5) {
      feed.clock = FROM + n * STEP_MS + 1 + minute * 1_000;
      for (const pair of PAIRS) feed.say(pair, (openOf(pair) * 0.4 ** (minute / 60)).toFixed(6));
      await scheduler.settled();
    }
    expect(await held()).toEqual([]);
    const sold = (await fillsOf()).filter(({ side }) => side === 'sell');
    expect(sold.map(({ reason }) => reason)).toEqual(['stop_loss', 'stop_loss', 'stop_loss']);
    await scheduler.stop();
    await restart();
    // The tape goes on as if nothing had been: signals say buy, and the agent remembers its stops.
    for (let i = 0; i < 3; i += 1) await step();
    expect((await fillsOf()).length).toBe(6);
    const held1 = [...(await decisionsOf('stop_loss_cluster')), ...(await decisionsOf('day_loss'))];
    expect(held1.length).toBeGreaterThan(0);
    for (const { text } of held1)
      expect(text).toMatch(/^No trade: .* until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/);
    expect((await checkLedger(database.db)).problems).toEqual([]);
  });
});

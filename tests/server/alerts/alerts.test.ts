/**
 * Price alerts through calls, watch and database: set, reached, missed, deleted; each arming fires
 * once.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alert, AlertBody, AlertCondition, AlertList } from '../../../contract/alerts.ts';
import { ALERTS_MAX } from '../../../contract/limits.ts';
import { AlertWatch } from '../../../server/alerts/alert-watch.ts';
import { alertFirings, alerts, alertWatches } from '../../../server/db/schema-alerts.ts';
import { events } from '../../../server/db/schema.ts';
import { openFloor, type Floor } from '../../support/trading.ts';
import { STEP_MS } from '../../support/tape-market.ts';

const PAIR = 'BTC/USDT';
const UID = 'anna';
let floor: Floor;
let watch: AlertWatch;

beforeEach(async () => {
  floor = await openFloor({ candles: 400, warmUpDays: 2 });
  await floor.join(UID, null);
  await floor.join('ben', null);
  floor.market.say(PAIR, 100);
  watch = new AlertWatch(floor.deps);
  await watch.start();
  floor.alertsChanged.add((id) => {
    watch.note(id);
  });
});
afterEach(async () => {
  await watch.stop();
  await floor.close();
});

const seenNow = (price = '100') => ({ price, at: floor.market.now() });
const bodyOf = (condition: AlertCondition, more: Partial<AlertBody> = {}): AlertBody => ({
  symbol: PAIR,
  condition,
  repeatMinutes: null,
  note: '',
  active: true,
  seenVersion: null,
  seen: seenNow(),
  ...more,
});
/** These prices come while nothing can be written, until what they told is given up; by a faked clock. */
async function giveUpWriting(prices: readonly number[]): Promise<void> {
  const { database } = floor;
  const transaction = database.transaction.bind(database);
  database.transaction = () => Promise.reject(new Error('No space left'));
  for (const price of prices) {
    floor.market.sleep(1_000);
    floor.market.say(PAIR, price);
  }
  for (let n = 0; n < 20 && floor.errors.length < 7; n += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  database.transaction = transaction;
  await vi.advanceTimersByTimeAsync(2_000);
  await watch.settled();
}
const above = (price: string): AlertCondition => ({ kind: 'above', price });

async function set(
  body: AlertBody,
  {
    id = String(randomUUID()),
    uid = UID,
    key = String(randomUUID()),
  }: { id?: string; uid?: string; key?: string } = {},
): Promise<Alert> {
  const { alert } = await floor.call(uid, 'setAlert', { params: { id }, body, key });
  await watch.settled();
  return alert;
}
const listOf = (uid = UID): Promise<AlertList> => floor.call(uid, 'alerts');
async function say(price: number, afterMs = 1_000): Promise<void> {
  floor.market.sleep(afterMs);
  floor.market.say(PAIR, price);
  await watch.settled();
}
/** As a server that comes up: another watch on the same database. */
async function restart(): Promise<void> {
  watch = new AlertWatch(floor.deps);
  await watch.start();
  await watch.settled();
}
const eventsOf = async (uid = UID): Promise<string[]> => {
  const rows = await floor.database.db
    .select()
    .from(events)
    .where(eq(events.uid, uid))
    .orderBy(events.sequence);
  return rows
    .map(({ payload }) => (payload as { type: string }).type)
    .filter((type) => type.startsWith('alert.'));
};
const refused = (
  work: Promise<unknown>,
): Promise<{ code: string; status: number; more: { field?: string } }> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => error as never,
  );

describe('an alert', () => {
  it('fires once at the price it names, with an event of its own, and is done', async () => {
    const alert = await set(bodyOf(above('110'), { note: 'Sell half' }));
    expect(alert).toMatchObject({ phase: 'watching', version: 1, active: true, note: 'Sell half' });
    await say(109.99);
    expect((await listOf()).firings).toEqual([]);
    await say(110);
    await say(120);
    const list = await listOf();
    expect(list.firings).toMatchObject([
      {
        alertId: alert.id,
        symbol: PAIR,
        price: '110',
        late: false,
        simulated: true,
        note: 'Sell half',
        movedBps: null,
      },
    ]);
    expect(list.alerts).toMatchObject([
      { id: alert.id, phase: 'fired', active: false, version: 1 },
    ]);
    expect(await eventsOf()).toEqual(['alert.changed', 'alert.fired']);
    expect(floor.errors).toEqual([]);
  });

  it('that holds already when it is set waits until the price has gone back', async () => {
    const { phase } = await set(bodyOf(above('90')));
    expect(phase).toBe('waiting');
    await say(101);
    await say(89);
    expect((await listOf()).alerts).toMatchObject([{ phase: 'watching' }]);
    expect((await listOf()).firings).toEqual([]);
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90' }]);
  });

  it('that was passed on its way to the server fires at once', async () => {
    const seen = seenNow();
    await say(115);
    await set(bodyOf(above('110'), { seen }));
    expect((await listOf()).firings).toMatchObject([{ price: '115', late: false }]);
  });

  it('repeats at most so often, and only after the price has gone back', async () => {
    await set(bodyOf(above('110'), { repeatMinutes: 5 }));
    await say(111);
    await say(105);
    await say(112, 60_000);
    expect((await listOf()).firings).toHaveLength(1);
    await say(113, 5 * 60_000);
    expect((await listOf()).firings).toHaveLength(1);
    await say(105);
    await say(114);
    expect((await listOf()).firings.map(({ price }) => price)).toEqual(['114', '111']);
  });

  it('of a move counts from when it was set, within its window', async () => {
    await say(110);
    await set(
      bodyOf(
        { kind: 'move', direction: 'up', bps: 500, windowMinutes: 5 },
        { seen: seenNow('110') },
      ),
    );
    await say(110);
    expect((await listOf()).firings).toEqual([]);
    // Ten minutes later the rise from 100 is out of the window.
    await say(110, 10 * 60_000);
    await say(115.5);
    expect((await listOf()).firings).toMatchObject([{ price: '115.5', movedBps: 500 }]);
  });

  it('is not told by the price of another pair', async () => {
    await set(bodyOf(above('110')));
    floor.market.sleep(1_000);
    floor.market.say('ETH/USDT', 500);
    await watch.settled();
    expect((await listOf()).firings).toEqual([]);
  });
});

describe('what happened while no server watched', () => {
  it('is found in candles and fired with its time, marked as late, once', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    const hit = (Math.floor(floor.market.now() / STEP_MS) + 3) * STEP_MS;
    floor.market.bend(PAIR, hit, { high: 5_200 });
    floor.market.sleep(10 * STEP_MS);
    await restart();
    await watch.stop();
    await restart();
    expect((await listOf()).firings).toMatchObject([
      { alertId: alert.id, at: hit, late: true, price: '5200' },
    ]);
    expect(await eventsOf()).toEqual(['alert.changed', 'alert.fired']);
  });

  it('is looked for from the moment at which an alert was saved on a device', async () => {
    const seen = seenNow();
    const hit = (Math.floor(floor.market.now() / STEP_MS) + 2) * STEP_MS;
    floor.market.bend(PAIR, hit, { high: 5_200 });
    floor.market.sleep(6 * STEP_MS);
    await say(100, 0);
    await set(bodyOf(above('5000'), { seen }));
    expect((await listOf()).firings).toMatchObject([{ at: hit, late: true }]);
  });

  it('says nothing of a candle that began before the alert was set', async () => {
    floor.market.sleep(60_000);
    const open = Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
    floor.market.bend(PAIR, open, { high: 5_200 });
    await set(bodyOf(above('5000')));
    await watch.stop();
    floor.market.sleep(4 * STEP_MS);
    await restart();
    expect((await listOf()).firings).toEqual([]);
  });

  it('is found in hours where the finest candles do not reach that far back', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    // An hour later: of the one in which it was set only the close is surely after that.
    const hit = Math.floor(floor.market.now() / STEP_MS + 14) * STEP_MS;
    floor.market.bend(PAIR, hit, { high: 5_200 });
    // 5-minute candles of the last ten hours, and hours of the last five days.
    floor.market.candlesKept = 120;
    floor.market.sleep(300 * STEP_MS);
    await restart();
    expect((await listOf()).firings).toMatchObject([
      { alertId: alert.id, price: '5200', late: true },
    ]);
  });

  it('is no move within five minutes where only an hour says so', async () => {
    const condition = { kind: 'move', direction: 'up', bps: 300, windowMinutes: 5 } as const;
    await set(bodyOf(condition));
    await watch.stop();
    const hour = Math.ceil(floor.market.now() / (12 * STEP_MS) + 1) * 12;
    // A twentieth in an hour, in small steps.
    for (let step = 0; step < 12; step += 1) {
      const price = 5_000 + 20 * step;
      floor.market.bend(PAIR, (hour + step) * STEP_MS, {
        open: price,
        low: price,
        high: price + 20,
        close: price + 20,
      });
    }
    floor.market.candlesKept = 120;
    floor.market.sleep(300 * STEP_MS);
    await restart();
    expect((await listOf()).firings).toEqual([]);
  });

  it('is written in the end where the database was away at the moment', async () => {
    await set(bodyOf(above('110')));
    const { database } = floor;
    const transaction = database.transaction.bind(database);
    let failures = 0;
    database.transaction = (work) =>
      failures++ < 1 ? Promise.reject(new Error('The database is away')) : transaction(work);
    await say(111);
    database.transaction = transaction;
    expect(failures).toBeGreaterThan(1);
    expect((await listOf()).firings).toMatchObject([{ price: '111', late: false }]);
  });

  it('keeps the place up to which everything was watched behind what is not written yet', async () => {
    await set(bodyOf(above('110')));
    const { database } = floor;
    const transaction = database.transaction.bind(database);
    database.transaction = () => Promise.reject(new Error('The database is away'));
    floor.market.sleep(1_000);
    floor.market.say(PAIR, 111);
    const at = floor.market.now();
    floor.market.sleep(60_000);
    floor.market.say(PAIR, 100);
    await watch.stop();
    database.transaction = transaction;
    const [row] = await database.db.select().from(alertWatches);
    expect(row?.watchedMarketMs).toBeLessThanOrEqual(at);
    expect(await database.db.select().from(alertFirings)).toEqual([]);
  });
});

describe('what happened while prices are missing or candles cannot be read', () => {
  const hitAfter = (steps: number, price = 5_200): number => {
    const hit = (Math.floor(floor.market.now() / STEP_MS) + steps) * STEP_MS;
    floor.market.bend(PAIR, hit, { high: price });
    return hit;
  };
  /** Candles fail until the function that is returned is called. */
  function failCandles(): () => void {
    const { market } = floor;
    const candles = market.candles.bind(market);
    market.candles = () => Promise.reject(new Error('429'));
    return () => {
      market.candles = candles;
    };
  }
  /** The watch looks around once a second; fifteen times is longer than it waits after a failure. */
  async function look(times = 15): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      vi.advanceTimersByTime(1_000);
      await watch.settled();
    }
  }

  beforeEach(async () => {
    await watch.stop();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await restart();
  });
  afterEach(async () => {
    await watch.stop();
    vi.useRealTimers();
  });

  it('is found once they can, by the server that could not at its start, and told once (F86)', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    const hit = hitAfter(3);
    floor.market.sleep(10 * STEP_MS);
    const mend = failCandles();
    await restart();
    await say(100);
    await look();
    expect((await listOf()).firings).toEqual([]);
    mend();
    await look();
    const told = [{ alertId: alert.id, at: hit, late: true, price: '5200' }];
    expect((await listOf()).firings).toMatchObject(told);
    await look();
    await watch.stop();
    await restart();
    expect((await listOf()).firings).toMatchObject(told);
  });

  it('is found by the next server where one could not at its start (F86)', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    const hit = hitAfter(3);
    floor.market.sleep(10 * STEP_MS);
    const mend = failCandles();
    await restart();
    await say(100);
    await look();
    await watch.stop();
    mend();
    await restart();
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: hit, late: true }]);
  });

  it('is found after a silence, by the same server and by the next (F86)', async () => {
    const alert = await set(bodyOf(above('5000')));
    await set(bodyOf(above('6000')));
    await say(100);
    const first = hitAfter(1);
    floor.market.sleep(3 * STEP_MS);
    const mend = failCandles();
    await say(100);
    floor.market.sleep(STEP_MS);
    await look();
    expect((await listOf()).firings).toEqual([]);
    mend();
    await look();
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: first, late: true }]);

    const second = hitAfter(1, 6_200);
    floor.market.sleep(3 * STEP_MS);
    const mendAgain = failCandles();
    await say(100);
    await say(100, STEP_MS);
    await look();
    await watch.stop();
    mendAgain();
    await restart();
    expect((await listOf()).firings).toMatchObject([{ at: second, late: true }, { at: first }]);
  });

  it('is found for an alert that was long on its way, and for no other (F86)', async () => {
    const other = await set(bodyOf(above('5000')));
    const seen = seenNow();
    // A price that the watch did not hear, as one that the gate refused.
    const hit = hitAfter(2);
    for (let n = 0; n < 6 * 5; n += 1) await say(100, 60_000);
    const mend = failCandles();
    const late = await set(bodyOf(above('5000'), { seen }));
    expect((await listOf()).firings).toEqual([]);
    mend();
    await look();
    const { alerts: list, firings } = await listOf();
    expect(firings).toMatchObject([{ alertId: late.id, at: hit, late: true }]);
    expect(list.find(({ id }) => id === other.id)).toMatchObject({ phase: 'watching' });
  });

  it('is found by the next server for an alert that was long on its way, and for no other (A-06, F86)', async () => {
    const other = await set(bodyOf(above('5000')));
    const seen = seenNow();
    const hit = hitAfter(2);
    for (let n = 0; n < 6 * 5; n += 1) await say(100, 60_000);
    await look();
    const mend = failCandles();
    const late = await set(bodyOf(above('5000'), { seen, repeatMinutes: 5 }));
    await look();
    await watch.stop();
    hitAfter(1, 5_300);
    floor.market.sleep(3 * STEP_MS);
    mend();
    await restart();
    const told = [
      { alertId: other.id, price: '5300' },
      { alertId: late.id, at: hit, price: '5200' },
    ];
    expect((await listOf()).firings).toMatchObject(told);
    await watch.stop();
    await restart();
    await look();
    expect((await listOf()).firings).toMatchObject(told);
  });

  it('is found for an alert of which the server had not heard when it ended (A-06)', async () => {
    const seen = seenNow();
    const hit = hitAfter(2);
    for (let n = 0; n < 6 * 5; n += 1) await say(100, 60_000);
    floor.alertsChanged.clear();
    const alert = await set(bodyOf(above('5000'), { seen }));
    await watch.stop();
    await restart();
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: hit, late: true }]);
  });

  it('is not told by the next server where it was looked at and found wanting (A-06)', async () => {
    const seen = seenNow();
    await say(100, 2 * STEP_MS);
    await set(bodyOf(above('5000'), { seen }));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await look();
    // A price that the watch did not hear, as one that the gate refused.
    hitAfter(0);
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await look();
    await watch.stop();
    await restart();
    await look();
    expect((await listOf()).firings).toEqual([]);
  });

  it('is found where no price has come since the start of the server (A-06)', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    await restart();
    const hit = hitAfter(1);
    floor.market.sleep(3 * STEP_MS);
    await say(100);
    floor.market.sleep(STEP_MS);
    await look();
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: hit, late: true }]);
  });

  it('is found where the server was away for seconds alone, and told once (A-05, A-06)', async () => {
    const alert = await set(bodyOf(above('5000')));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await watch.stop();
    const hit = hitAfter(0);
    floor.market.sleep(20_000);
    await restart();
    await say(100);
    for (let n = 0; n < 5; n += 1) await say(100, 60_000);
    await look();
    const told = [{ alertId: alert.id, at: hit, late: true, price: '5200' }];
    expect((await listOf()).firings).toMatchObject(told);
    await watch.stop();
    await restart();
    for (let n = 0; n < 5; n += 1) await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toMatchObject(told);
  });

  it('is found in its candle where what was seen of it could not be written and was given up (A-06)', async () => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout'] });
    await restart();
    for (let n = 0; n < 12; n += 1) await say(100, 60_000);
    await look();
    const hit = hitAfter(0);
    await giveUpWriting([5_100, 100]);
    expect((await listOf()).firings).toEqual([]);
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await look();
    const told = [{ alertId: alert.id, at: hit, price: '5200' }];
    expect((await listOf()).firings).toMatchObject(told);
    await watch.stop();
    await restart();
    await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toMatchObject(told);
  });

  it('in seconds before an alert was set or changed is not told of (A-03, A-06)', async () => {
    const { id } = await set(bodyOf(above('6000')));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    hitAfter(0);
    await set(bodyOf(above('5000'), { seenVersion: 1 }), { id });
    await set(bodyOf(above('4900')));
    await watch.stop();
    floor.market.sleep(20_000);
    await restart();
    await say(100);
    for (let n = 0; n < 5; n += 1) await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toEqual([]);
  });

  /** The candle is there, but the source does not give it until the function is called. */
  function publishLate(time: number): () => void {
    const { market } = floor;
    const candles = market.candles.bind(market);
    market.candles = async (...asked) =>
      (await candles(...asked)).filter((candle) => candle.time !== time);
    return () => {
      market.candles = candles;
    };
  }

  it('is found in a candle that comes late after a silence, once (A-05, A-06)', async () => {
    const alert = await set(bodyOf(above('5000'), { repeatMinutes: 5 }));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    const hit = hitAfter(0);
    const publish = publishLate(hit);
    await say(100, 3 * 60_000);
    await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toEqual([]);
    publish();
    await look();
    const told = [{ alertId: alert.id, at: hit, late: true, price: '5200' }];
    expect((await listOf()).firings).toMatchObject(told);
    for (let n = 0; n < 12; n += 1) await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toMatchObject(told);
  });

  it('is found in a candle that comes late after a start, and the one before it is told once (A-05, A-06)', async () => {
    const alert = await set(bodyOf(above('5000'), { repeatMinutes: 5 }));
    const once = await set(bodyOf(above('5100')));
    await watch.stop();
    const first = hitAfter(2, 5_050);
    const last = hitAfter(9);
    const publish = publishLate(last);
    floor.market.sleep(10 * STEP_MS);
    await restart();
    await say(100);
    await look();
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: first }]);
    publish();
    await look();
    expect((await listOf()).firings).toMatchObject([
      { alertId: once.id, at: last, late: true },
      { alertId: alert.id, at: first, late: true },
    ]);
  });

  /** The others look around after the first, at the same time as one another. */
  async function lookTogether(others: readonly AlertWatch[], times = 15): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      vi.advanceTimersByTime(1_000);
      await Promise.all([watch, ...others].map((each) => each.settled()));
    }
  }
  async function startOthers(count: number): Promise<AlertWatch[]> {
    const others = Array.from({ length: count }, () => new AlertWatch(floor.deps));
    await Promise.all(others.map((each) => each.start()));
    return others;
  }
  /** The price comes and goes four times, and rests longer than the alert does. */
  function crossOften(): number {
    const first = hitAfter(2);
    for (const steps of [6, 10, 14]) hitAfter(steps);
    return first;
  }

  it.each([1, 2, 3])(
    'is told once where the price came and went several times, of watches: %i (A-05, A-06)',
    async (watches) => {
      const alert = await set(bodyOf(above('5000'), { repeatMinutes: 5 }));
      const others = await startOthers(watches - 1);
      await say(100);
      await lookTogether(others);
      const hit = crossOften();
      await say(100, 20 * STEP_MS);
      for (let n = 0; n < 6; n += 1) await say(100, 60_000);
      await lookTogether(others);
      const told = { alertId: alert.id, at: hit, late: true };
      expect((await listOf()).firings).toMatchObject([told]);
      for (let n = 0; n < 12; n += 1) {
        await say(100, 60_000);
        await lookTogether(others, 2);
      }
      expect((await listOf()).firings).toMatchObject([told]);
      // They all watch on: the next absence is told of too, once.
      const next = crossOften();
      await say(100, 20 * STEP_MS);
      for (let n = 0; n < 6; n += 1) await say(100, 60_000);
      await lookTogether(others);
      expect((await listOf()).firings).toMatchObject([{ at: next, late: true }, told]);
      await Promise.all(others.map((each) => each.stop()));
    },
  );

  it('is told once by servers that start at one time, and by one that starts after them (A-05, A-06)', async () => {
    const alert = await set(bodyOf(above('5000'), { repeatMinutes: 5 }));
    await watch.stop();
    const hit = crossOften();
    floor.market.sleep(20 * STEP_MS);
    const others = await startOthers(2);
    await restart();
    await lookTogether(others, 3);
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: hit, late: true }]);
    await Promise.all(others.map((each) => each.stop()));
  });

  it('is looked for anew by a second watch where the alert was set or changed (A-05, A-06)', async () => {
    const { id } = await set(bodyOf(above('6000'), { repeatMinutes: 5 }));
    const [other] = await startOthers(1);
    if (other === undefined) throw new Error('There is another');
    await lookTogether([other]);
    await watch.stop();
    floor.alertsChanged.clear();
    const hit = hitAfter(2);
    const seen = seenNow();
    for (let n = 0; n < 6 * 5; n += 1) await say(100, 60_000);
    await set(bodyOf(above('5000'), { repeatMinutes: 5, seenVersion: 1, seen }), { id });
    const made = await set(bodyOf(above('5000'), { seen }));
    vi.advanceTimersByTime(1_000);
    await other.settled();
    const { firings } = await listOf();
    expect(firings).toMatchObject([
      { at: hit, late: true },
      { at: hit, late: true },
    ]);
    expect(new Set(firings.map(({ alertId }) => alertId))).toEqual(new Set([id, made.id]));
    await other.stop();
  });

  it('is waited for no longer than a candle where nobody traded', async () => {
    await set(bodyOf(above('5000')));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    publishLate(hitAfter(0));
    await say(100, 3 * 60_000);
    const back = floor.market.now();
    for (let n = 0; n < 4; n += 1) await say(100, 60_000);
    await look();
    const markOf = async (): Promise<number> =>
      (await floor.database.db.select().from(alertWatches))[0]?.watchedMarketMs ?? 0;
    expect(await markOf()).toBeLessThan(back);
    for (let n = 0; n < 5; n += 1) await say(100, 60_000);
    await look();
    expect(await markOf()).toBeGreaterThan(back);
  });

  it('is found once for an alert whose price comes again in the meantime (F86)', async () => {
    await set(bodyOf(above('5000'), { repeatMinutes: 5 }));
    await watch.stop();
    hitAfter(3);
    floor.market.sleep(10 * STEP_MS);
    const mend = failCandles();
    await restart();
    await say(5_100);
    await say(100);
    mend();
    await look();
    expect((await listOf()).firings).toMatchObject([{ price: '5100', late: false }]);
  });

  it('is in the window of a move all the same, once they can be read (F86)', async () => {
    hitAfter(1, 200);
    floor.market.sleep(4 * STEP_MS);
    await say(100, 0);
    const mend = failCandles();
    await set(bodyOf({ kind: 'move', direction: 'down', bps: 5_500, windowMinutes: 60 }));
    mend();
    await look();
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90', late: false }]);
  });

  const fall = { kind: 'move', direction: 'down', bps: 5_500, windowMinutes: 30 } as const;

  it('is in the window of a move after a silence (A-02, A-06)', async () => {
    await set(bodyOf(fall));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    hitAfter(0, 200);
    await say(100, 6 * 60_000);
    for (let n = 0; n < 4; n += 1) await say(100, 60_000);
    await look();
    expect((await listOf()).firings).toEqual([]);
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90', late: false }]);
  });

  it('is in the window of a move after a start, also of the candle that was open then (A-02, A-06)', async () => {
    await set(bodyOf(fall));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await watch.stop();
    hitAfter(0, 200);
    floor.market.sleep(20_000);
    await restart();
    await say(100);
    for (let n = 0; n < 5; n += 1) await say(100, 60_000);
    await look();
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90', late: false }]);
  });

  it('is in the window of a move where its candle comes late after a start (A-02, A-06)', async () => {
    await set(bodyOf(fall));
    await watch.stop();
    const publish = publishLate(hitAfter(2, 200));
    floor.market.sleep(3 * STEP_MS);
    await restart();
    await say(100);
    await look();
    publish();
    await look();
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90', late: false }]);
  });

  it('is in the window of a move that is set after it, where no alert was there then (A-02)', async () => {
    const { id } = await set(bodyOf(fall));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await floor.call(UID, 'deleteAlert', { params: { id } });
    hitAfter(0, 200);
    await say(100, 6 * 60_000);
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    await look();
    await set(bodyOf(fall));
    await say(100);
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90', late: false }]);
  });

  it('is no move of an alert that is set after it (A-03)', async () => {
    await set(bodyOf({ ...fall, bps: 9_000 }));
    for (let n = 0; n < 6; n += 1) await say(100, 60_000);
    const hit = hitAfter(0, 200);
    for (const steps of [1, 2])
      floor.market.bend(PAIR, hit + steps * STEP_MS, { open: 90, high: 90, low: 90, close: 90 });
    await say(90, 6 * 60_000);
    await set(bodyOf(fall, { seen: seenNow('90') }));
    for (let n = 0; n < 6; n += 1) await say(90, 60_000);
    await look();
    await say(90);
    expect((await listOf()).firings).toEqual([]);
  });

  it.each([
    ['by the server that waited for it', false],
    ['by the next server', true],
  ])('is found once the exchange has named its pairs, %s (F100)', async (_, isNext) => {
    const alert = await set(bodyOf(above('5000')));
    await watch.stop();
    const hit = hitAfter(3);
    floor.market.sleep(10 * STEP_MS);
    floor.market.unname();
    await restart();
    await look();
    expect((await listOf()).firings).toEqual([]);
    const next = async (): Promise<void> => {
      await watch.stop();
      await restart();
    };
    // One that ends meanwhile leaves it to the one after it.
    if (isNext) await next();
    floor.market.name();
    await say(100);
    await look();
    const told = [{ alertId: alert.id, at: hit, late: true, price: '5200' }];
    expect((await listOf()).firings).toMatchObject(told);
    await next();
    await look();
    expect((await listOf()).firings).toMatchObject(told);
    expect(floor.warnings).toEqual([]);
  });

  it('is in the window of a move all the same, once the exchange has named its pairs (F100)', async () => {
    await set(bodyOf({ kind: 'move', direction: 'down', bps: 5_500, windowMinutes: 60 }));
    await watch.stop();
    hitAfter(1, 200);
    floor.market.sleep(4 * STEP_MS);
    floor.market.unname();
    await restart();
    await look();
    floor.market.name();
    await look();
    await say(90);
    expect((await listOf()).firings).toMatchObject([{ price: '90' }]);
  });

  it('of a pair that the exchange does not offer any more holds up nothing (F100)', async () => {
    await set(bodyOf(above('5000')));
    await watch.stop();
    floor.market.sleep(10 * STEP_MS);
    // The other pairs are named.
    floor.market.rules = () => null;
    floor.market.candles = async () => [];
    const started = floor.market.now();
    await restart();
    floor.market.sleep(2 * STEP_MS);
    await look();
    const [mark] = await floor.database.db.select().from(alertWatches);
    expect(mark?.watchedMarketMs).toBeGreaterThanOrEqual(started);
  });

  it('holds up no symbol whose candles can be read (F86)', async () => {
    const { market } = floor;
    await set(bodyOf(above('5000')));
    const alert = await set({ ...bodyOf(above('5000')), symbol: 'ETH/USDT' });
    await watch.stop();
    const hit = (Math.floor(market.now() / STEP_MS) + 3) * STEP_MS;
    market.bend('ETH/USDT', hit, { high: 5_200 });
    market.sleep(10 * STEP_MS);
    const mend = failCandles();
    await restart();
    mend();
    const candles = market.candles.bind(market);
    market.candles = (pair, ...more) =>
      pair === PAIR ? Promise.reject(new Error('No such pair')) : candles(pair, ...more);
    await look(30);
    expect((await listOf()).firings).toMatchObject([{ alertId: alert.id, at: hit }]);
    market.candles = candles;
  });
});

describe('setting an alert', () => {
  it('fifty times at once with one command makes one, and one version', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const body = bodyOf(above('110'));
    const all = await Promise.all(Array.from({ length: 50 }, () => set(body, { id, key })));
    expect(new Set(all.map(({ version }) => version))).toEqual(new Set([1]));
    expect((await listOf()).alerts).toHaveLength(1);
    expect(await eventsOf()).toEqual(['alert.changed']);
  });

  it('as new under an id that is there already is taken where it says the same, and refused where not', async () => {
    const { id } = await set(bodyOf(above('110')));
    expect(await set(bodyOf(above('110')), { id })).toMatchObject({ version: 1 });
    expect(await refused(set(bodyOf(above('111')), { id }))).toMatchObject({
      code: 'alert_changed',
      status: 409,
      more: { details: { alert: { id, version: 1 } } },
    });
  });

  it('from an older version is refused with the present one, and changes nothing', async () => {
    const { id } = await set(bodyOf(above('110')));
    await set(bodyOf(above('120'), { seenVersion: 1 }), { id });
    expect(await refused(set(bodyOf(above('130'), { seenVersion: 1 }), { id }))).toMatchObject({
      code: 'alert_changed',
    });
    expect((await listOf()).alerts).toMatchObject([{ version: 2, condition: above('120') }]);
  });

  it('anew watches by the new price; off, it is silent; its note alone changes nothing of the watching', async () => {
    const { id } = await set(bodyOf(above('110')));
    await set(bodyOf(above('120'), { seenVersion: 1 }), { id });
    await say(115);
    expect((await listOf()).firings).toEqual([]);
    await set(bodyOf(above('120'), { seenVersion: 2, active: false, seen: seenNow('115') }), {
      id,
    });
    await say(125);
    expect((await listOf()).alerts).toMatchObject([{ phase: 'off' }]);
    expect((await listOf()).firings).toEqual([]);
    await say(115);
    await set(bodyOf(above('120'), { seenVersion: 3, seen: seenNow('115') }), { id });
    await set(bodyOf(above('120'), { seenVersion: 4, note: 'x', seen: null }), { id });
    await say(121);
    expect((await listOf()).firings).toMatchObject([{ price: '121', note: 'x' }]);
  });

  it('again after it has fired does not fire for what it has fired for, also where the edit was on its way', async () => {
    const { id } = await set(bodyOf(above('110')));
    const before = seenNow();
    await say(111);
    await say(105);
    await set(bodyOf(above('110'), { seenVersion: 1, note: 'later', seen: before }), { id });
    expect((await listOf()).alerts).toMatchObject([{ phase: 'fired', note: 'later', version: 2 }]);
    await set(bodyOf(above('110'), { seenVersion: 2, seen: seenNow('105') }), { id });
    expect((await listOf()).firings).toHaveLength(1);
    await say(112);
    expect((await listOf()).firings).toHaveLength(2);
  });

  it('is for fifty at most, and a deleted one makes room', async () => {
    for (let index = 0; index < ALERTS_MAX; index += 1)
      await set(bodyOf(above(String(200 + index))));
    expect(await refused(set(bodyOf(above('999'))))).toMatchObject({
      code: 'alert_limit_reached',
      status: 403,
    });
    const [first] = (await listOf()).alerts;
    await floor.call(UID, 'deleteAlert', { params: { id: first?.id ?? '' } });
    await set(bodyOf(above('999')));
    expect((await listOf()).alerts).toHaveLength(ALERTS_MAX);
    await set(bodyOf(above('999')), { uid: 'ben' });
  });

  it('of a pair that is not offered is refused by its field', async () => {
    expect(await refused(set({ ...bodyOf(above('110')), symbol: 'NOPE/USDT' }))).toMatchObject({
      code: 'unknown_symbol',
      more: { field: 'symbol' },
    });
  });
});

describe('deleting an alert', () => {
  it('ends it; a late edit of it is refused, and setting it as new makes it again', async () => {
    const { id } = await set(bodyOf(above('110')));
    await floor.call(UID, 'deleteAlert', { params: { id } });
    await watch.settled();
    await say(111);
    expect(await listOf()).toMatchObject({ alerts: [], firings: [] });
    expect(await floor.call(UID, 'deleteAlert', { params: { id } })).toMatchObject({ alertId: id });
    expect(await refused(set(bodyOf(above('120'), { seenVersion: 1 }), { id }))).toMatchObject({
      status: 404,
    });
    expect(await set(bodyOf(above('120'), { seen: seenNow('111') }), { id })).toMatchObject({
      id,
      phase: 'watching',
    });
    expect(await eventsOf()).toEqual(['alert.changed', 'alert.deleted', 'alert.changed']);
  });

  it('of somebody else finds nothing and changes nothing, and neither does an edit of it', async () => {
    const { id } = await set(bodyOf(above('110')));
    expect(await floor.call('ben', 'deleteAlert', { params: { id } })).toMatchObject({
      alertId: id,
    });
    expect((await listOf()).alerts).toMatchObject([{ id, phase: 'watching' }]);
    expect(await eventsOf('ben')).toEqual([]);
    for (const seenVersion of [null, 1])
      expect(
        await refused(set(bodyOf(above('120'), { seenVersion }), { id, uid: 'ben' })),
      ).toMatchObject({ status: 404 });
    expect((await listOf('ben')).alerts).toEqual([]);
    expect((await listOf()).alerts).toMatchObject([{ condition: above('110') }]);
  });
});

describe('two watches on one database', () => {
  it('fire each arming once, whichever sees it first', async () => {
    const other = new AlertWatch(floor.deps);
    await other.start();
    for (let index = 0; index < 20; index += 1)
      await set(bodyOf(above(String(110 + index)), { repeatMinutes: index % 2 === 0 ? 5 : null }));
    // The other one hears of them by looking.
    await other.stop();
    await other.start();
    await say(150);
    await other.settled();
    expect(await floor.database.db.select().from(alertFirings)).toHaveLength(20);
    expect((await eventsOf()).filter((type) => type === 'alert.fired')).toHaveLength(20);
    expect((await floor.database.db.select().from(alerts)).map(({ arming }) => arming)).toEqual(
      Array.from({ length: 20 }, () => 2),
    );
    await other.stop();
    expect(floor.errors).toEqual([]);
  });

  it('watch the condition of now, also the one that saw the price by the old (A-05, A-08)', async () => {
    await say(99.9);
    const { id } = await set(bodyOf(above('100'), { repeatMinutes: 5, seen: seenNow('99.9') }));
    const other = new AlertWatch(floor.deps);
    await other.start();
    // It holds at once, and waits. The other one has not heard of it yet.
    await set(bodyOf(above('95'), { seenVersion: 1, repeatMinutes: 5, seen: seenNow('99.9') }), {
      id,
    });
    await watch.stop();
    await say(100);
    await other.settled();
    // By the old condition it would have gone back here.
    await say(99.5);
    await other.settled();
    expect((await listOf()).alerts).toMatchObject([{ id, phase: 'waiting' }]);
    await say(90);
    await other.settled();
    expect((await listOf()).alerts).toMatchObject([{ id, phase: 'watching' }]);
    await say(96);
    await other.settled();
    expect((await listOf()).firings).toMatchObject([{ price: '96', condition: above('95') }]);
    await other.stop();
  });

  it('tell nothing by the old condition where several prices have come at once (A-05, A-08)', async () => {
    await say(99.9);
    const { id } = await set(bodyOf(above('100'), { repeatMinutes: 5, seen: seenNow('99.9') }));
    const other = new AlertWatch(floor.deps);
    await other.start();
    await set(bodyOf(above('95'), { seenVersion: 1, repeatMinutes: 5, seen: seenNow('99.9') }), {
      id,
    });
    await watch.stop();
    for (const price of [100, 99.5, 101]) {
      floor.market.sleep(5 * 60_000);
      floor.market.say(PAIR, price);
    }
    await other.settled();
    expect(await listOf()).toMatchObject({ alerts: [{ id, phase: 'waiting' }], firings: [] });
    await other.stop();
  });

  it('go on with an alert whose firing could not be written and was given up (A-06)', async () => {
    await set(bodyOf(above('110'), { repeatMinutes: 5 }));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    await giveUpWriting([111, 105]);
    vi.useRealTimers();
    expect((await listOf()).firings).toEqual([]);
    await say(112);
    expect((await listOf()).firings).toMatchObject([{ price: '112' }]);
  });
});

/** However many sell at one moment, all orders leave within what the exchange's limit allows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { OrderIntent } from '../../contract/signer.ts';
import type { PlaceOutcome } from '../../contract/venue.ts';
import { sealKey } from '../../server/live/seal-key.ts';
import { Books } from '../../signer/books.ts';
import { Desk } from '../../signer/desk.ts';
import type { Waiting } from '../../signer/exchanges/adapter.ts';
import { NotSent } from '../../signer/exchanges/budget.ts';
import { openLog } from '../../signer/log.ts';
import { openStore } from '../../signer/open-signer.ts';
import { Secrets } from '../../signer/secrets.ts';
import { StandIn } from '../support/exchange/stand-in.ts';
import { newOrderId } from '../support/signer/desk-world.ts';
import { queueClock } from '../support/signer/queue-clock.ts';

const LATENCY_MS = 100;
const STEP_MS = 100;
const accountOf = (index: number): string => `person-${index}`;
const connectionOf = (index: number): string => `connection-${index}`;

/** So many accounts at Kraken, each of which holds a little of the same coin. */
async function openWorld(count: number) {
  const accounts = Array.from({ length: count }, (_, index) => ({
    name: accountOf(index),
    balances: { USD: '1000' },
  }));
  const standIn = new StandIn({ dialect: 'kraken', accounts });
  const clock = {
    now: () => standIn.clock.trueNow(),
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        standIn.clock.after(ms, resolve);
      }),
  };
  const asked: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  const secrets = new Secrets();
  const store = await openStore(folder, () => clock.now(), secrets);
  onTestFinished(async () => {
    store.close();
    await standIn.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const desk = new Desk({
    ...store,
    secrets,
    log: openLog(secrets, () => undefined),
    clock,
    origins: { kraken: standIn.url },
    passkeys: { rpId: '', origins: [] },
    fetch: async (input, init) => {
      asked.push(new URL(input as string).pathname.split('/').at(-1) ?? '');
      await clock.sleep(LATENCY_MS);
      return standIn.fetch(input, init);
    },
  });
  /** Lets time pass until it is done. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (;;) {
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      if (isDone) return done;
      await standIn.advance(STEP_MS);
    }
  };
  const place = (index: number, more: Partial<OrderIntent>): Promise<PlaceOutcome> =>
    desk.answer({
      act: 'place',
      intent: {
        clientOrderId: newOrderId(),
        connectionId: connectionOf(index),
        agentId: 'agent-1',
        symbol: 'BTC/USD',
        side: 'sell',
        type: 'market',
        quantity: parseFixed('0.0005'),
        limitPrice: null,
        stopPrice: null,
        deadlineMs: clock.now() + 30_000,
        ...more,
      },
    }) as Promise<PlaceOutcome>;
  for (let index = 0; index < count; index += 1) {
    const own = { connectionId: connectionOf(index), ownerId: accountOf(index) } as const;
    const at = { ...own, exchange: 'kraken' } as const;
    const sealedKey = await sealKey(standIn.issueKey(accountOf(index)), at, store.box.current);
    const rest = { accountId: accountOf(index), limits: null, stepUpKeys: [] };
    expect(await during(desk.answer({ act: 'connect', ...at, ...rest, sealedKey }))).toMatchObject({
      value: { accepted: true },
    });
    const clientOrderId = newOrderId();
    expect(await during(place(index, { side: 'buy', clientOrderId }))).toMatchObject({
      kind: 'confirmed',
    });
    const order = { clientOrderId, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 };
    await during(desk.answer({ act: 'look_up', connectionId: own.connectionId, order }));
  }
  // The limit is full again, and what is known of time and pairs is old.
  await during(clock.sleep(11 * 60_000));
  asked.length = 0;
  return { asked, clock, during, place };
}

describe('sales of one pair at Kraken', () => {
  it.each([13, 50])('that %s accounts make at one moment all leave', async (count) => {
    const { asked, clock, during, place } = await openWorld(count);
    const before = clock.now();
    const outcomes = await during(
      Promise.all(Array.from({ length: count }, (_, index) => place(index, {}))),
    );
    expect(outcomes.filter(({ kind }) => kind !== 'confirmed')).toEqual([]);
    expect(clock.now() - before).toBeLessThan(10_000);
    // Eight at once is what may be used: names, time and book are asked for once.
    expect(asked.filter((call) => call !== 'AddOrder').toSorted()).toEqual([
      'AssetPairs',
      'Assets',
      'Depth',
      'Time',
    ]);
  });

  it('that come one after another all leave, while others buy', async () => {
    const { clock, during, place } = await openWorld(20);
    const sales: Promise<PlaceOutcome>[] = [];
    const purchases: Promise<PlaceOutcome>[] = [];
    for (let index = 0; index < 20; index += 1) {
      sales.push(place(index, {}));
      purchases.push(place(index, { side: 'buy' }));
      await during(clock.sleep(150));
    }
    const outcomes = await during(Promise.all(sales));
    expect(outcomes.filter(({ kind }) => kind !== 'confirmed')).toEqual([]);
    await during(Promise.all(purchases));
  });
});

/** A book that is answered when the test says so. */
function openBooks() {
  const clock = queueClock();
  const asked: { leave: () => void; answer: () => void; fail: () => void; waiting: Waiting }[] = [];
  const books = new Books(
    (_symbol, waiting) =>
      new Promise((resolve, reject) => {
        const price = parseFixed(String(asked.length));
        asked.push({
          waiting,
          leave: () => waiting.leaves?.(),
          answer: () => {
            resolve({ bids: [{ price, quantity: price }], asks: [] });
          },
          fail: () => {
            reject(new NotSent('busy'));
          },
        });
      }),
    () => clock.now(),
  );
  const sale = (isNew = true) => books.ofSale('A/USD', { untilMs: clock.now() + 30_000, isNew });
  return { asked, books, clock, sale };
}

describe('a book', () => {
  it('that has not left yet is for all who come, whatever leaves before it', async () => {
    const { asked, books, sale } = openBooks();
    const first = sale();
    books.changed('A/USD');
    const second = sale();
    expect(asked).toHaveLength(1);
    asked[0]?.leave();
    asked[0]?.answer();
    expect(await second).toBe(await first);
  });

  it('that left before an order of ours is for nobody who comes after it', async () => {
    const { asked, books, sale } = openBooks();
    const first = sale();
    asked[0]?.leave();
    books.changed('A/USD');
    const second = sale();
    expect(asked).toHaveLength(2);
    asked[1]?.leave();
    for (const one of asked) one.answer();
    expect(await first).not.toBe(await second);
    // A stop is judged by the later one.
    expect(await sale(false)).toBe(await second);
    expect(asked).toHaveLength(2);
  });

  it('that was answered is asked for anew by a sale at market', async () => {
    const { asked, sale } = openBooks();
    const first = sale();
    asked[0]?.leave();
    asked[0]?.answer();
    await first;
    void sale();
    expect(asked).toHaveLength(2);
  });

  it('that cannot be asked for takes none away that is on its way', async () => {
    const { asked, books, clock, sale } = openBooks();
    const first = sale();
    asked[0]?.leave();
    await clock.runFor(2_000);
    const second = sale();
    asked[1]?.fail();
    await expect(second).rejects.toThrow('busy');
    asked[0]?.answer();
    await first;
    // It left two seconds ago.
    const third = books.ofPurchase('A/USD');
    asked[2]?.leave();
    asked[2]?.answer();
    expect(await third).not.toBe(await first);
  });

  it('that a purchase asked for with less patience is asked for again by the sale that waited', async () => {
    const { asked, books, sale } = openBooks();
    const purchase = books.ofPurchase('A/USD');
    const sold = sale();
    expect(asked.map(({ waiting }) => waiting.untilMs)).toEqual([null]);
    asked[0]?.fail();
    await expect(purchase).rejects.toThrow('busy');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(asked[1]?.waiting.untilMs).not.toBeNull();
    asked[1]?.leave();
    asked[1]?.answer();
    expect((await sold).bids).toHaveLength(1);
  });
});

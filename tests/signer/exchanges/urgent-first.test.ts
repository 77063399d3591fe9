/** However many connections read, what gets somebody out goes before: orders, cancels, their book. */
import { describe, expect, it } from 'vitest';
import { ALLOWANCES } from '../../../signer/exchanges/allowances.ts';
import { Budget, NotSent } from '../../../signer/exchanges/budget.ts';
import { Door } from '../../../signer/exchanges/door.ts';
import { BINANCE_ENDPOINTS, type Endpoint } from '../../../signer/exchanges/endpoints.ts';
import { KrakenPublic } from '../../../signer/exchanges/kraken/public.ts';
import { noneOfOursUnread } from '../../../signer/exchanges/rows.ts';
import { MarketView } from '../../../signer/market-view.ts';
import { keyOf } from '../../support/signer/adapter-world.ts';
import { queueClock } from '../../support/signer/queue-clock.ts';

const json = (body: unknown): Response => new Response(JSON.stringify(body));
const CONNECTIONS = 20;

/** A door whose limit by address is read from by so many connections, one list after another. */
async function crowdedBinance() {
  const clock = queueClock();
  const door = await Door.open({
    exchange: 'binance',
    key: keyOf('binance'),
    origin: null,
    byAddress: new Budget(ALLOWANCES.binance.byAddress, clock),
    byKey: new Budget(ALLOWANCES.binance.byKey, clock),
    clock,
    fetch: () => Promise.resolve(json([])),
  });
  let isOver = false;
  const found = { read: 0, sent: 0, busy: 0 };
  const readOn = async (): Promise<void> => {
    while (!isOver)
      await door.ask(BINANCE_ENDPOINTS.allOrders).then(
        () => (found.read += 1),
        () => clock.sleep(1_000),
      );
  };
  const sendOnce = (endpoint: Endpoint): Promise<void> =>
    door.ask(endpoint).then(
      () => {
        found.sent += 1;
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(NotSent);
        found.busy += 1;
      },
    );
  for (let reader = 0; reader < CONNECTIONS; reader += 1) void readOn();
  await clock.runFor(20_000);
  return {
    clock,
    door,
    found,
    sendOnce,
    end: async (): Promise<void> => {
      isOver = true;
      await clock.runFor(200_000);
    },
  };
}

describe('at Binance, while twenty connections read', () => {
  it('every order and every cancellation is sent', async () => {
    const { clock, found, sendOnce, end } = await crowdedBinance();
    for (let turn = 0; turn < 20; turn += 1) {
      void sendOnce(BINANCE_ENDPOINTS.place);
      void sendOnce(BINANCE_ENDPOINTS.cancel);
      void sendOnce(BINANCE_ENDPOINTS.order);
      await clock.runFor(1_000);
    }
    expect(found).toMatchObject({ sent: 60, busy: 0 });
    // The lists have what is left: it is not idle.
    expect(found.read).toBeGreaterThan(250);
    await end();
  });

  it('a list that costs more is read in its turn', async () => {
    const { clock, door, end } = await crowdedBinance();
    let isRead = false;
    void door.ask(BINANCE_ENDPOINTS.openOrders).then(() => {
      isRead = true;
    });
    await clock.runFor(15_000);
    expect(isRead).toBe(true);
    await end();
  });
});

async function openKraken(count: number) {
  const coins = Array.from({ length: count }, (_, index) => `C${index}`);
  const clock = queueClock();
  const door = await Door.open({
    exchange: 'kraken',
    key: null,
    origin: null,
    byAddress: new Budget(ALLOWANCES.kraken.byAddress, clock),
    byKey: null,
    clock,
    fetch: (input) => Promise.resolve(publicAnswer(input as string, coins)),
  });
  const view = new MarketView(new KrakenPublic(door, noneOfOursUnread), () => clock.now());
  await view.rulesOf([]);
  await clock.runFor(60_000);
  return { clock, view, symbols: coins.map((coin) => `${coin}/USD`) };
}

describe('at Kraken, while what is held is looked at', () => {
  it('the book that a sale is judged by is read at once', async () => {
    const { clock, view, symbols } = await openKraken(30);
    const marks = view.marksOf(symbols).catch(() => null);
    await clock.runFor(0);
    const before = clock.now();
    const facts = await view.factsOf('C7/USD', 'sell', {
      untilMs: before + 30_000,
      isNew: true,
    });
    expect(facts.book.bids).toHaveLength(1);
    expect(clock.now()).toBe(before);
    await clock.runFor(200_000);
    await marks;
  });
});

describe('at Kraken, when twenty pairs are to be sold at one moment', () => {
  it('each has its book before its deadline', async () => {
    const { clock, view, symbols } = await openKraken(20);
    const untilMs = clock.now() + 30_000;
    const facts = Promise.all(
      symbols.map((symbol) => view.factsOf(symbol, 'sell', { untilMs, isNew: true })),
    );
    await clock.runFor(20_000);
    expect(await facts).toHaveLength(20);
  });

  it('one whose deadline comes first is told at once', async () => {
    const { clock, view, symbols } = await openKraken(20);
    const ask = { untilMs: clock.now() + 3_000, isNew: true };
    const facts = Promise.allSettled(symbols.map((symbol) => view.factsOf(symbol, 'sell', ask)));
    await clock.runFor(0);
    await clock.runFor(3_000);
    const late = (await facts).filter(({ status }) => status === 'rejected');
    expect(late.length).toBeGreaterThan(5);
  });
});

function publicAnswer(url: string, coins: readonly string[]): Response {
  const at = new URL(url);
  const result = (value: unknown): Response => json({ error: [], result: value });
  if (at.pathname.endsWith('/Ticker'))
    return result(
      Object.fromEntries(
        (at.searchParams.get('pair') ?? '')
          .split(',')
          .map((pair) => [pair, { a: ['101', '1', '1.000'], b: ['99', '1', '1.000'] }]),
      ),
    );
  if (at.pathname.endsWith('/Depth'))
    return result({ X: { bids: [['99', '1', 1]], asks: [['101', '1', 1]] } });
  if (at.pathname.endsWith('/Assets'))
    return result(
      Object.fromEntries(
        [...coins, 'USD'].map((coin) => [coin, { aclass: 'currency', altname: coin, decimals: 8 }]),
      ),
    );
  return result(
    Object.fromEntries(
      coins.map((coin) => [
        `${coin}USD`,
        {
          altname: `${coin}USD`,
          wsname: `${coin}/USD`,
          base: coin,
          quote: 'USD',
          pair_decimals: 1,
          lot_decimals: 8,
          ordermin: '0.0001',
          costmin: '0.5',
          tick_size: '0.1',
          status: 'online',
        },
      ]),
    ),
  );
}

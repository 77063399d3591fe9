/** What becomes of a request whose answer is spoilt: seen through ccxt, judged by the journal. */
import ccxt from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';
import { REQUEST_FAULTS, type RequestFaultName } from '../support/exchange/faults.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const id = clientId(1);
const SELL = { id, side: 'sell', quantity: 0.01 } as const;
const tested = new Set<RequestFaultName>();

/** The error a call ends with. */
async function errorOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It was expected to fail');
}

/** What a sender hears: the class of an error, or the id that ccxt gives it. */
async function heard(call: Promise<{ id?: string }>): Promise<unknown> {
  return call.then(
    (order) => order.id,
    (error: unknown) => (error as Error).constructor.name,
  );
}

/** Gives up soon, in real time. */
async function openImpatient(dialect: Trader['dialect']): Promise<Trader> {
  const opened = await openTrader(dialect);
  opened.client.timeout = 150;
  return opened;
}

describe.each(DIALECTS)('%s', (dialect) => {
  const SPOILT = ['drop-response', 'gateway-timeout', 'status-unknown', 'garbage'] as const;

  it.each(SPOILT)('%s: the order took effect, and its sender does not know', async (name) => {
    tested.add(name);
    trader = await openTrader(dialect);
    trader.strike({ name });
    const { journal } = trader.standIn;
    const told = await heard(trader.place(SELL));
    const [order] = journal.ordersByClientId(id);
    expect(told).not.toBe(order?.accepted.orderId);
    expect(order?.filled).toBe(10n ** 10n);
    const answer = journal.answerTo(order?.accepted.request ?? 0);
    expect(answer).toMatchObject({ fault: name, delivered: name !== 'drop-response' });
    expect(journal.of('fault').map((fault) => fault.name)).toEqual([name]);
  });

  it.each(SPOILT)('%s: nothing took effect, and it sounds the same', async (name) => {
    trader = await openTrader(dialect);
    trader.strike({ name });
    const told = await heard(trader.place(SELL));
    trader.strike({ name, effect: 'none' });
    expect(await heard(trader.place({ ...SELL, id: clientId(2) }))).toBe(told);
    expect(trader.standIn.journal.ordersByClientId(clientId(2))).toEqual([]);
  });

  it('slow-answer: ccxt gives up, and the order is there', async () => {
    tested.add('slow-answer');
    trader = await openImpatient(dialect);
    trader.strike({ name: 'slow-answer' });
    const error = await errorOf(trader.place(SELL));
    expect(error).toBeInstanceOf(ccxt.RequestTimeout);
    const { journal } = trader.standIn;
    await struck(trader);
    expect(journal.ordersByClientId(id)).toHaveLength(1);
    await trader.standIn.advance(60_000);
    expect(journal.of('answer').at(-1)?.fault).toBe('slow-answer');
  });

  it('slow-answer: an answer held for virtual time arrives when that time has come', async () => {
    trader = await openTrader(dialect);
    trader.strike({ name: 'slow-answer', holdMs: 60_000 });
    const placing = trader.place(SELL);
    await struck(trader);
    await trader.standIn.advance(59_999);
    expect(trader.standIn.journal.of('answer').at(-1)?.fault).not.toBe('slow-answer');
    await trader.standIn.advance(1);
    expect((await placing).id).toBe(
      trader.standIn.journal.ordersByClientId(id)[0]?.accepted.orderId,
    );
  });

  it('slow-answer: an order may take effect long after its sender gave up', async () => {
    trader = await openImpatient(dialect);
    trader.strike({ name: 'slow-answer', effect: 'later' });
    await errorOf(trader.place(SELL));
    const { journal } = trader.standIn;
    await struck(trader);
    expect(journal.ordersByClientId(id)).toEqual([]);
    await trader.standIn.advance(60_000);
    // Signatures of Binance and tokens of Coinbase may have run out by then.
    expect(journal.ordersByClientId(id)).toHaveLength(dialect === 'binance' ? 0 : 1);
  });

  it('rate-limited: 429 with Retry-After, and a ban for whoever does not wait', async () => {
    tested.add('rate-limited');
    trader = await openTrader(dialect);
    const { client, standIn, symbol } = trader;
    trader.strike({ name: 'rate-limited', retryAfterS: 20, banS: 300 });
    expect(await errorOf(trader.place(SELL))).toBeInstanceOf(ccxt.NetworkError);
    expect(client.last_response_headers).toMatchObject({ 'Retry-After': '20' });
    expect(standIn.journal.of('answer').at(-1)?.status).toBe(429);
    await standIn.advance(5_000);
    await errorOf(client.fetchOpenOrders(symbol));
    const status = { kraken: 200, coinbase: 429, binance: 418 }[dialect];
    expect(standIn.journal.of('answer').at(-1)?.status).toBe(status);
    expect(client.last_response_headers).toMatchObject({ 'Retry-After': '300' });
    expect(standIn.journal.requestsDuringBan()).toHaveLength(1);
    await standIn.advance(300_000);
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
    expect(standIn.journal.of('accepted')).toEqual([]);
  });

  it('rate-limited: who waits is served', async () => {
    trader = await openTrader(dialect);
    trader.strike({ name: 'rate-limited', retryAfterS: 20 });
    await errorOf(trader.place(SELL));
    await trader.standIn.advance(20_000);
    await trader.place(SELL);
    expect(trader.standIn.journal.requestsDuringBan()).toEqual([]);
  });
});

describe('an id that is sent again', () => {
  it.each(['kraken', 'binance'] as const)('%s buys again once it was filled', async (dialect) => {
    trader = await openTrader(dialect);
    await trader.place(SELL);
    await trader.place(SELL);
    expect(trader.standIn.journal.effectsOf(id)).toMatchObject({ sold: 2n * 10n ** 10n });
    expect(trader.standIn.journal.ordersByClientId(id)).toHaveLength(2);
    expect(trader.standIn.journal.doubledIds()).toEqual([id]);
  });

  it.each([
    ['kraken', 'EOrder:Duplicate cl_ord_id'],
    ['binance', 'Duplicate order sent.'],
  ] as const)('%s rejects it while the first is open', async (dialect, words) => {
    trader = await openTrader(dialect);
    const wish = { id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 } as const;
    await trader.place(wish);
    const error = await errorOf(trader.place(wish));
    expect(error.message).toContain(words);
    expect(trader.standIn.journal.effectsOf(id).rejections).toEqual(['duplicate-client-id']);
  });

  it('coinbase never makes two orders of it, filled or not', async () => {
    trader = await openTrader('coinbase');
    trader.strike({ name: 'drop-response' });
    await errorOf(trader.place(SELL));
    const again = await trader.place(SELL);
    const [order, ...others] = trader.standIn.journal.ordersByClientId(id);
    expect(others).toEqual([]);
    expect(again.id).toBe(order?.accepted.orderId);
  });
});

describe("kraken's deadline", () => {
  const at = (ms: number): string => new Date(ms).toISOString();

  it('keeps an order from taking effect once it has passed', async () => {
    trader = await openImpatient('kraken');
    const { standIn } = trader;
    trader.strike({ name: 'slow-answer', effect: 'later', holdMs: 60_000 });
    const params = { deadline: at(standIn.clock.now() + 10_000) };
    await errorOf(trader.place({ ...SELL, params }));
    await struck(trader);
    await standIn.advance(60_000);
    expect(standIn.journal.effectsOf(id)).toMatchObject({
      orders: [],
      rejections: ['deadline-passed'],
    });
  });

  it.each([1_000, 61_000])('may not be %i ms ahead', async (aheadMs) => {
    trader = await openTrader('kraken');
    const { standIn } = trader;
    const params = { deadline: at(standIn.clock.now() + aheadMs) };
    const error = await errorOf(trader.place({ ...SELL, params }));
    expect(error.message).toContain('EGeneral:Invalid arguments:deadline');
  });
});

describe('what the real exchange allows', () => {
  it.each(DIALECTS)('%s: is measured, and kept to when asked to', async (dialect) => {
    trader = await openTrader(dialect, { enforcesLimits: true });
    const { client, standIn, symbol } = trader;
    const few = standIn.meter.peakShare;
    expect(few).toBeLessThan(1);
    const ask = async (): Promise<void> => {
      for (;;) await client.fetchMyTrades(symbol);
    };
    expect(await errorOf(ask())).toBeInstanceOf(ccxt.NetworkError);
    expect(standIn.journal.of('answer').at(-1)?.status).toBe(429);
    expect(standIn.meter.peakShare).toBeGreaterThan(1);
    await standIn.advance(60_000);
    expect(await client.fetchMyTrades(symbol)).toEqual([]);
    expect(standIn.journal.requestsDuringBan()).toEqual([]);
  });

  it.each(DIALECTS)('%s: is only measured otherwise', async (dialect) => {
    trader = await openTrader(dialect);
    const { client, standIn, symbol } = trader;
    for (let number = 0; number < 35; number += 1) await client.fetchMyTrades(symbol);
    expect(standIn.meter.peakShare).toBeGreaterThan(dialect === 'binance' ? 0.1 : 1);
    if (dialect !== 'binance') return;
    const headers = client.last_response_headers as Record<string, string>;
    expect(Number(headers['X-Mbx-Used-Weight-1m'])).toBeGreaterThan(700);
  });
});

it('every fault of a request was tried', () => {
  expect([...tested].sort()).toEqual([...REQUEST_FAULTS].sort());
});

/** A request may arrive only after its sender has given up. */
async function struck({ standIn }: Trader): Promise<void> {
  while (standIn.journal.of('fault').length === 0)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Faults of orders, of the market and of the person: seen through ccxt, judged by the journal. */
import ccxt from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';
import {
  MARKET_FAULTS,
  ORDER_FAULTS,
  PERSON_FAULTS,
  type FaultName,
} from '../support/exchange/faults.ts';
import { CONVENTIONS } from '../support/exchange/market-conventions.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const id = clientId(1);
const SELL = { id, side: 'sell', quantity: 0.01 } as const;
const BUY_LOW = { id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 } as const;
const tested = new Set<FaultName>();
const TOLD_ON_STREAMS: readonly FaultName[] = [
  'fill-before-ack',
  'fills-twice',
  'fills-by-rest-only',
  'stream-silent',
  'stream-dropped',
];

describe.each(DIALECTS)('%s', (dialect) => {
  const open = async (): Promise<Trader> => {
    trader = await openTrader(dialect);
    return trader;
  };

  it('not-found: a live order is denied for up to two minutes, everywhere', async () => {
    tested.add('not-found');
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'not-found', forMs: 300_000 });
    const { id: orderId } = await place(BUY_LOW);
    await expect(client.fetchOrder(orderId, symbol)).rejects.toThrow();
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
    standIn.setPrice(symbol, '59000');
    expect(await client.fetchMyTrades(symbol)).toEqual([]);
    expect(await client.fetchClosedOrders(symbol)).toEqual([]);
    expect(standIn.journal.effectsOf(id).bought).toBe(10n ** 10n);
    await standIn.advance(120_000);
    expect((await client.fetchOrder(orderId, symbol)).status).toBe('closed');
    expect(await client.fetchMyTrades(symbol)).toHaveLength(1);
  });

  it('partial-then-cancel: a share is filled, the exchange cancels the rest', async () => {
    tested.add('partial-then-cancel');
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'partial-then-cancel', share: '0.4' });
    const { id: orderId } = await place(SELL);
    expect(await client.fetchOrder(orderId, symbol)).toMatchObject({
      status: 'canceled',
      filled: 0.004,
    });
    const [order] = standIn.journal.ordersByClientId(id);
    expect(order).toMatchObject({ filled: parseFixed('0.004'), end: { end: 'cancelled' } });
  });

  it('dust: all but one step is filled', async () => {
    tested.add('dust');
    const { standIn, symbol, place, strike } = await open();
    strike({ name: 'dust' });
    await place(SELL);
    const [order] = standIn.journal.ordersByClientId(id);
    const left = parseFixed('0.01') - (order?.filled ?? 0n);
    expect(left).toBe(standIn.instrument(symbol).step);
    expect(order?.end?.end).toBe('expired');
  });

  it('in-parts: a resting order fills a part at each crossing', async () => {
    tested.add('in-parts');
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'in-parts', parts: 3 });
    const { id: orderId } = await place(BUY_LOW);
    standIn.setPrice(symbol, '59900');
    const partly = await client.fetchOrder(orderId, symbol);
    expect(partly.status).toBe('open');
    expect(partly.filled).toBeCloseTo(0.01 / 3, 4);
    standIn.setPrice(symbol, '59900');
    standIn.setPrice(symbol, '59900');
    expect((await client.fetchOrder(orderId, symbol)).status).toBe('closed');
    expect(standIn.journal.fillsOf({ clientOrderId: id })).toHaveLength(3);
    expect(standIn.journal.effectsOf(id).bought).toBe(parseFixed('0.01'));
  });

  it('fill-while-cancelling: filled a moment before, so there is nothing to cancel', async () => {
    tested.add('fill-while-cancelling');
    const { client, standIn, symbol, place, strike } = await open();
    const { id: orderId } = await place(BUY_LOW);
    strike({ name: 'fill-while-cancelling' });
    await expect(client.cancelOrder(orderId, symbol)).rejects.toThrow();
    expect((await client.fetchOrder(orderId, symbol)).status).toBe('closed');
    expect(standIn.journal.effectsOf(id).bought).toBe(parseFixed('0.01'));
  });

  it('fill-while-cancelling: a part is filled, the rest is cancelled', async () => {
    const { client, standIn, symbol, place, strike } = await open();
    const { id: orderId } = await place(BUY_LOW);
    strike({ name: 'fill-while-cancelling', share: '0.3' });
    await client.cancelOrder(orderId, symbol);
    expect(await client.fetchOrder(orderId, symbol)).toMatchObject({
      status: 'canceled',
      filled: 0.003,
    });
    expect(standIn.journal.effectsOf(id).bought).toBe(parseFixed('0.003'));
  });

  it('fills-late: the order says filled, its trades are not listed yet', async () => {
    tested.add('fills-late');
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'fills-late', lateMs: 45_000 });
    const { id: orderId } = await place(SELL);
    expect((await client.fetchOrder(orderId, symbol)).status).toBe('closed');
    expect(await client.fetchMyTrades(symbol)).toEqual([]);
    await standIn.advance(45_000);
    expect(await client.fetchMyTrades(symbol)).toHaveLength(1);
  });

  it('fills-out-of-order: trades are listed the other way round', async () => {
    tested.add('fills-out-of-order');
    const { client, standIn, symbol, place, strike } = await open();
    for (const number of [1, 2, 3]) {
      await place({ ...SELL, id: clientId(number) });
      await standIn.advance(1_000);
    }
    const rawIds = async (): Promise<unknown[]> => {
      await client.fetchMyTrades(symbol);
      const text = client.last_http_response ?? '';
      const ids = standIn.journal.fillsOf().map((fill) => fill.id);
      return ids.toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
    };
    const before = await rawIds();
    strike({ name: 'fills-out-of-order' });
    expect(await rawIds()).toEqual(before.toReversed());
  });

  it('fills-twice: lists show the same trade twice, where a list can', async () => {
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'fills-twice' });
    await place(SELL);
    await client.fetchMyTrades(symbol);
    const [fill] = standIn.journal.fillsOf();
    const rows = (client.last_http_response ?? '').split(fill?.id ?? '-').length - 1;
    expect(rows).toBe({ kraken: 1, coinbase: 2, binance: 2 }[dialect]);
    expect(standIn.journal.fillsOf()).toHaveLength(1);
  });

  it('fee-coin: fees are charged where the exchange can charge them', async () => {
    tested.add('fee-coin');
    const { client, standIn, symbol, quote, place, strike } = await open();
    for (const [index, feeCoin] of CONVENTIONS[dialect].feeCoins.entries()) {
      strike({ name: 'fee-coin', feeCoin });
      const own = clientId(20 + index);
      await place({ id: own, side: 'buy', quantity: 0.01 });
      const coin = { base: 'BTC', quote, received: 'BTC', third: 'BNB' }[feeCoin];
      expect([...standIn.journal.effectsOf(own).fees.keys()]).toEqual([coin]);
      const [newest] = (await client.fetchMyTrades(symbol)).slice(-1);
      // Kraken's trades do not say what the fee was in: the order's flags and the ledger do.
      if (dialect !== 'kraken') expect(newest?.fee?.currency).toBe(coin);
    }
  });

  it('step-change: what was a good quantity is rejected mid-run', async () => {
    tested.add('step-change');
    const { client, standIn, symbol, place, strike } = await open();
    strike({ name: 'step-change', symbol, value: '0.01' });
    await expect(place({ ...SELL, quantity: 0.012 })).rejects.toThrow();
    expect(standIn.journal.effectsOf(id).rejections).toEqual(['bad-step']);
    await client.loadMarkets(true);
    expect(client.market(symbol).precision.amount).toBe(0.01);
  });

  it('minimum-change: an order worth less than the new minimum is rejected', async () => {
    tested.add('minimum-change');
    const { standIn, symbol, place, strike } = await open();
    strike({ name: 'minimum-change', symbol, value: '50' });
    await expect(place({ ...SELL, quantity: 0.0005 })).rejects.toThrow();
    expect(standIn.journal.effectsOf(id).rejections).toEqual(['below-min-notional']);
  });

  it('clock-skew: the exchange is 30 s ahead or behind and says so', async () => {
    tested.add('clock-skew');
    const { client, standIn, symbol, strike } = await open();
    for (const skewMs of [30_000, -30_000]) {
      strike({ name: 'clock-skew', skewMs, forMs: 60_000 });
      const ahead = ((await client.fetchTime()) ?? 0) - standIn.clock.trueNow();
      expect(Math.abs(ahead - skewMs)).toBeLessThan(1_000);
      const outcome = await client.fetchOpenOrders(symbol).catch((error: unknown) => error);
      // Kraken looks at the nonce alone, and a token is good a moment before it is due.
      const isRefused = { kraken: false, coinbase: skewMs < 0, binance: true }[dialect];
      expect(outcome instanceof ccxt.BaseError).toBe(isRefused);
      await standIn.advance(60_000);
    }
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
  });

  it('maintenance: nothing is answered, open orders stay', async () => {
    tested.add('maintenance');
    const { client, standIn, symbol, place, strike } = await open();
    await place(BUY_LOW);
    strike({ name: 'maintenance', forMs: 60_000 });
    await expect(client.fetchOpenOrders(symbol)).rejects.toThrow();
    await expect(place({ ...SELL, id: clientId(2) })).rejects.toThrow();
    await standIn.advance(60_000);
    expect(await client.fetchOpenOrders(symbol)).toHaveLength(1);
    expect(standIn.journal.ordersByClientId(clientId(2))).toEqual([]);
  });

  it('cancel-only: no new orders, but cancellations', async () => {
    tested.add('cancel-only');
    const { client, standIn, symbol, place, strike } = await open();
    const { id: orderId } = await place(BUY_LOW);
    strike({ name: 'cancel-only', forMs: 60_000 });
    await expect(place({ ...SELL, id: clientId(2) })).rejects.toThrow();
    expect(standIn.journal.effectsOf(clientId(2)).rejections).toEqual(['market-closed']);
    await client.cancelOrder(orderId, symbol);
    await standIn.advance(60_000);
    await place({ ...SELL, id: clientId(3) });
    expect(standIn.journal.ordersByClientId(clientId(3))).toHaveLength(1);
  });

  it('delist: the pair goes with a position open, and its orders with it', async () => {
    tested.add('delist');
    const { client, standIn, symbol, place, strike } = await open();
    await place({ id, side: 'sell', quantity: 0.1, stop: 60_000 });
    strike({ name: 'delist', symbol });
    expect(standIn.journal.ordersByClientId(id)[0]?.end).toMatchObject({ by: 'exchange' });
    await expect(place({ ...SELL, id: clientId(2) })).rejects.toThrow();
    await client.loadMarkets(true);
    expect(client.markets?.[symbol]).toBeUndefined();
    expect((await client.fetchBalance()).BTC).toMatchObject({ total: 0.5, used: 0 });
  });

  it('hand-trade: the person sells, and no order of ours did', async () => {
    tested.add('hand-trade');
    const { client, standIn, symbol, strike } = await open();
    strike({ name: 'hand-trade', symbol, share: '0.5' });
    expect((await client.fetchMyTrades(symbol)).length).toBeGreaterThan(0);
    expect(standIn.journal.fillsOf({ by: 'api' })).toEqual([]);
    expect(standIn.journal.balancesOf('main').get('BTC')).toBe(parseFixed('0.25'));
    const [hand] = await client.fetchClosedOrders(symbol);
    // ccxt reads Kraken's absent reference as an id.
    expect(hand?.clientOrderId).toBe(
      { kraken: '0', coinbase: '', binance: '' }[dialect] || undefined,
    );
  });

  it('hand-cancel-stop: the stop is gone, and no request of ours did it', async () => {
    tested.add('hand-cancel-stop');
    const { client, standIn, symbol, place, strike } = await open();
    const { id: orderId } = await place({ id, side: 'sell', quantity: 0.1, stop: 60_000 });
    strike({ name: 'hand-cancel-stop' });
    expect((await client.fetchOrder(orderId, symbol)).status).toBe('canceled');
    expect(standIn.journal.ordersByClientId(id)[0]?.end).toMatchObject({ by: 'hand' });
  });

  it('withdraw: free coins leave the account', async () => {
    tested.add('withdraw');
    const { client, standIn, place, strike } = await open();
    await place({ id, side: 'sell', quantity: 0.1, stop: 60_000 });
    strike({ name: 'withdraw', coin: 'BTC', share: '1' });
    expect((await client.fetchBalance()).BTC).toMatchObject({ free: 0, total: 0.1 });
    expect(standIn.journal.of('movement').at(-1)).toMatchObject({
      cause: 'withdrawal',
      amount: parseFixed('-0.4'),
    });
  });

  it('revoke-key: nothing is answered to the key any more', async () => {
    tested.add('revoke-key');
    const { client, standIn, symbol, place, strike } = await open();
    await place(BUY_LOW);
    strike({ name: 'revoke-key' });
    const error: unknown = await client.fetchOpenOrders(symbol).catch((one: unknown) => one);
    // ccxt takes Binance's answer for a ban once the key has worked.
    expect(error).toBeInstanceOf(
      dialect === 'binance' ? ccxt.DDoSProtection : ccxt.AuthenticationError,
    );
    expect(standIn.journal.ordersByClientId(id)[0]?.end).toBeNull();
  });

  it('moved-key: the key reaches another sub-account', async () => {
    tested.add('moved-key');
    const { client, standIn, symbol, place, strike } = await open();
    await place(BUY_LOW);
    standIn.accounts.open({ name: 'other', balances: { BTC: '7' } });
    strike({ name: 'moved-key', toAccount: 'other' });
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
    expect((await client.fetchBalance()).BTC?.total).toBe(7);
  });
});

it('every fault but those of streams was tried here', () => {
  const all = [...ORDER_FAULTS, ...MARKET_FAULTS, ...PERSON_FAULTS];
  const rest = all.filter((name) => !TOLD_ON_STREAMS.includes(name));
  expect([...tested].sort()).toEqual(rest.sort());
});

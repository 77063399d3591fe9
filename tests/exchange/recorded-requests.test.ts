/**
 * The stand-in takes what ccxt was recorded to ask of spot accounts (ccxt/ccxt,
 * ts/src/test/static/request), by ccxt's own parameters. Without what nothing here sends: orders on
 * margin, trailing ones, those that take a profit, and those that change another.
 */
import { afterEach, expect, it } from 'vitest';
import { openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

/** What was answered with an error, in whatever way the exchange says so. */
function refused({ standIn }: Trader): string[] {
  return standIn.journal
    .of('answer')
    .filter(({ status, body }) => status !== 200 || /"error":\["/.test(body))
    .map(({ status, body }) => `${status} ${body}`);
}

it("takes Kraken's recorded orders and questions", async () => {
  trader = await openTrader('kraken');
  const { client, standIn, symbol } = trader;
  await client.createOrder(symbol, 'market', 'buy', 0.001);
  await client.createOrder(symbol, 'market', 'sell', 0.001);
  await client.createOrder(symbol, 'market', 'sell', 0.001, undefined, { stopLossPrice: 55_000 });
  const stop = await client.createOrder(symbol, 'limit', 'sell', 0.001, 54_000, {
    stopLossPrice: 55_000,
  });
  await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, {
    postOnly: true,
    oflags: 'fcib',
  });
  await client.createMarketBuyOrderWithCost(symbol, 50);
  expect(standIn.journal.orders()).toHaveLength(6);
  await client.fetchMyTrades(symbol, standIn.clock.now() - 60_000, 5);
  await client.fetchOpenOrders(symbol);
  await client.fetchClosedOrders(symbol);
  await client.cancelOrder(stop.id ?? '');
  await client.fetchBalance({ type: 'spot' });
  await client.fetchTime();
  await client.fetchTrades(symbol);
  await client.fetchOrderBook(symbol);
  await client.fetchTicker(symbol);
  await client.fetchTickers([symbol, 'ETH/USD']);
  expect(refused(trader)).toEqual([]);
});

it("takes Coinbase's recorded orders and questions", async () => {
  trader = await openTrader('coinbase');
  const { client, standIn, symbol } = trader;
  const free = { createMarketBuyOrderRequiresPrice: false };
  const limit = await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000);
  await client.createOrder(symbol, 'market', 'buy', 0.001, 64_000);
  await client.createOrder(symbol, 'market', 'sell', 0.001);
  const maker = await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, { postOnly: true });
  await client.createOrder(symbol, 'market', 'buy', 50, undefined, free);
  await client.createOrder(symbol, 'market', 'buy', 0, undefined, { cost: 50 });
  await client.createOrder(symbol, 'limit', 'buy', 0.001, 65_000, { timeInForce: 'IOC' });
  await client.createMarketBuyOrderWithCost(symbol, 50);
  expect(standIn.journal.orders()).toHaveLength(8);
  await client.cancelOrder(limit.id ?? '', symbol);
  await client.cancelOrders([maker.id ?? ''], symbol);
  await client.fetchOrder(limit.id ?? '', symbol);
  await client.fetchOpenOrders();
  await client.fetchClosedOrders();
  await client.fetchBalance({ v3: true });
  await client.fetchBalance({ type: 'spot' });
  await client.fetchTime();
  await client.fetchTime({ method: 'v3PublicGetBrokerageTime' });
  await client.fetchOrderBook(symbol);
  await client.fetchTicker(symbol);
  await client.fetchTickers([symbol, 'ETH/USD']);
  expect(refused(trader)).toEqual([]);
});

it("takes Binance's recorded orders and questions", async () => {
  trader = await openTrader('binance');
  const { client, standIn, symbol } = trader;
  await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, {
    selfTradePrevention: 'expire_maker',
    icebergAmount: 0.0006,
  });
  await client.createOrder(symbol, 'market', 'buy', 0.001, 64_000);
  const limit = await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000);
  await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, { postOnly: true });
  // More digits than the pair takes: ccxt cuts them off.
  await client.createOrder(symbol, 'limit', 'buy', 0.000_785_650_995_914_771_9, 55_000);
  await client.createOrder(symbol, 'limit', 'sell', 0.001, 50_000, { stopLossPrice: 51_000 });
  await client.createMarketOrderWithCost(symbol, 'buy', 10);
  await client.createMarketBuyOrderWithCost(symbol, 15.324_234_234_234_23);
  expect(standIn.journal.orders()).toHaveLength(8);
  await client.cancelOrder(limit.id ?? '', symbol);
  await client.fetchOrder(limit.id ?? '', symbol);
  await client.fetchOpenOrders(symbol);
  await client.fetchOrders(symbol);
  await client.fetchCanceledOrders(symbol, undefined, 1);
  const [filled] = await client.fetchClosedOrders(symbol, undefined, 10);
  await client.fetchMyTrades(symbol);
  await client.fetchOrderTrades(filled?.id ?? '', symbol);
  await client.fetchBalance();
  await client.fetchOrderBook(symbol);
  await client.fetchTicker(symbol);
  await client.fetchTickers([symbol, 'ETH/USDT']);
  expect(refused(trader)).toEqual([]);
});

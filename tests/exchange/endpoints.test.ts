/** The stand-in answers real ccxt clients as the three exchanges would, call by call. */
import type { Exchange } from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { formatFixed } from '../../contract/money.ts';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

type Implicit = Record<string, (params?: Record<string, unknown>) => Promise<unknown>>;
/** ccxt's raw calls, which its types do not list. */
const raw = (client: Exchange): Implicit => client;

describe.each(DIALECTS)('%s', (dialect) => {
  const open = async (): Promise<Trader> => {
    trader = await openTrader(dialect);
    return trader;
  };

  it('tells its time and its pairs with their rules', async () => {
    const { client, standIn, symbol } = await open();
    expect(await client.fetchTime()).toBe(Math.floor(standIn.clock.now() / 1_000) * 1_000);
    const market = client.market(symbol);
    const rules = standIn.instrument(symbol);
    expect(market.active).toBe(true);
    expect(market.precision.amount).toBe(Number(formatFixed(rules.step)));
    expect(market.precision.price).toBe(Number(formatFixed(rules.tick)));
    expect(market.limits.amount?.min).toBe(Number(formatFixed(rules.minQuantity)));
    expect(market.limits.cost?.min).toBe(Number(formatFixed(rules.minNotional)));
  });

  it('shows prices and depth around the price that was set', async () => {
    const { client, standIn, symbol } = await open();
    standIn.setPrice(symbol, '61000');
    const ticker = await client.fetchTicker(symbol);
    expect(ticker.last).toBe(61_000);
    const book = await client.fetchOrderBook(symbol);
    expect(book.bids).toHaveLength(10);
    expect(book.asks[0]?.[0]).toBe(ticker.ask);
    expect(book.bids[0]?.[0]).toBe(ticker.bid);
    expect(ticker.ask).toBeGreaterThan(61_000);
    expect(ticker.bid).toBeLessThan(61_000);
    expect(Object.keys(await client.fetchTickers([symbol]))).toEqual([symbol]);
  });

  it('fills a market order by walking the depth and charges the fee', async () => {
    const { client, standIn, symbol, place } = await open();
    const placed = await place({ id: clientId(1), side: 'sell', quantity: 0.2 });
    const order = await client.fetchOrder(placed.id, symbol);
    expect(order).toMatchObject({ status: 'closed', filled: 0.2, side: 'sell' });
    const fills = standIn.journal.fillsOf({ clientOrderId: clientId(1) });
    expect(fills.length).toBeGreaterThan(1);
    const trades = await client.fetchMyTrades(symbol);
    expect(new Set(trades.map(({ id }) => id))).toEqual(new Set(fills.map(({ id }) => id)));
    for (const trade of trades) {
      const fill = fills.find(({ id }) => id === trade.id);
      expect(trade.order).toBe(placed.id);
      expect(trade.price).toBe(Number(formatFixed(fill?.price ?? (0n as never))));
      expect(trade.amount).toBe(Number(formatFixed(fill?.quantity ?? (0n as never))));
      expect(trade.fee?.cost).toBe(Number(formatFixed(fill?.fee ?? (0n as never))));
      expect(trade.fee?.currency).toBe(fill?.feeCoin);
    }
  });

  it('keeps a limit order open with its hold, fills it when the price comes, and lists it', async () => {
    const { client, standIn, symbol, quote, place } = await open();
    const id = clientId(2);
    const { id: orderId } = await place({
      id,
      side: 'buy',
      type: 'limit',
      quantity: 0.01,
      limit: 60_000,
    });
    const [open_] = await client.fetchOpenOrders(symbol);
    expect(open_).toMatchObject({ id: orderId, clientOrderId: id, status: 'open', filled: 0 });
    const balance = await client.fetchBalance();
    expect(balance[quote]?.used).toBeGreaterThanOrEqual(600);
    standIn.setPrice(symbol, '59900');
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
    const closed = await client.fetchClosedOrders(symbol);
    expect(closed.map((order) => [order.id, order.average])).toEqual([[orderId, 60_000]]);
    const after = await client.fetchBalance();
    expect(after[quote]?.used).toBe(0);
    expect(standIn.journal.fillsOf({ clientOrderId: id })[0]?.maker).toBe(true);
  });

  it('cancels by id, gives the hold back, and knows no second cancellation', async () => {
    const { client, standIn, symbol, quote, place } = await open();
    const placed = await place({
      id: clientId(3),
      side: 'buy',
      type: 'limit',
      quantity: 0.01,
      limit: 60_000,
    });
    await client.cancelOrder(placed.id, symbol);
    expect((await client.fetchOrder(placed.id, symbol)).status).toBe('canceled');
    expect((await client.fetchBalance())[quote]?.used).toBe(0);
    expect(standIn.journal.ordersByClientId(clientId(3))[0]?.end).toMatchObject({
      end: 'cancelled',
      by: 'api',
    });
    await expect(client.cancelOrder(placed.id, symbol)).rejects.toThrow();
  });

  it('rests a stop until the price falls to it, then sells', async () => {
    const { client, standIn, symbol, place } = await open();
    const { id } = await place({ id: clientId(4), side: 'sell', quantity: 0.1, stop: 60_000 });
    standIn.setPrice(symbol, '60500');
    expect((await client.fetchOrder(id, symbol)).status).toBe('open');
    standIn.setPrice(symbol, '59950');
    expect((await client.fetchOrder(id, symbol)).status).toBe('closed');
    expect(standIn.journal.of('triggered')).toHaveLength(1);
    expect(standIn.journal.effectsOf(clientId(4)).sold).toBe(10n ** 11n);
  });

  it('tells balances to the last digit', async () => {
    const { client, standIn, quote, place } = await open();
    await place({ id: clientId(5), side: 'buy', quantity: 0.0123 });
    const balance = await client.fetchBalance();
    const truth = standIn.journal.balancesOf('main');
    for (const coin of ['BTC', quote])
      expect(String(balance[coin]?.total)).toBe(
        String(Number(formatFixed(truth.get(coin) ?? (0n as never)))),
      );
  });

  it('lists only trades since the one that is known', async () => {
    const { client, standIn, symbol, place } = await open();
    await place({ id: clientId(6), side: 'sell', quantity: 0.01 });
    await standIn.advance(60_000);
    await place({ id: clientId(7), side: 'sell', quantity: 0.01 });
    const since = standIn.clock.now() - 30_000;
    const trades = await client.fetchMyTrades(symbol, since);
    const [later] = standIn.journal.fillsOf({ clientOrderId: clientId(7) });
    expect(trades.map(({ id }) => id)).toEqual([later?.id]);
  });

  it('shows a key of another account nothing of this one', async () => {
    const { client, standIn, symbol, place } = await open();
    await place({ id: clientId(8), side: 'sell', quantity: 0.01 });
    standIn.accounts.open({ name: 'other', balances: { BTC: '1' } });
    const [key] = standIn.accounts.keysOf('main');
    standIn.person.moveKey(key?.apiKey ?? '', 'other');
    expect(await client.fetchMyTrades(symbol)).toEqual([]);
    expect((await client.fetchBalance()).BTC?.total).toBe(1);
  });
});

describe('looking an order up by the id the client gave it', () => {
  const id = clientId(9);

  it('kraken finds it among open and closed orders', async () => {
    trader = await openTrader('kraken');
    const { client, standIn, symbol, place } = trader;
    await place({ id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 });
    const params = { clientOrderId: id };
    const found = await client.fetchOpenOrders(symbol, undefined, undefined, params);
    expect(found.map((order) => order.clientOrderId)).toEqual([id]);
    standIn.setPrice(symbol, '59000');
    expect(await client.fetchOpenOrders(symbol, undefined, undefined, params)).toEqual([]);
    const closed = await client.fetchClosedOrders(symbol, undefined, undefined, params);
    expect(closed.map((order) => order.clientOrderId)).toEqual([id]);
  });

  it('kraken cancels by it', async () => {
    trader = await openTrader('kraken');
    const { client, standIn, symbol, place } = trader;
    await place({ id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 });
    await client.cancelOrder('', symbol, { clientOrderId: id });
    expect(standIn.journal.ordersByClientId(id)[0]?.end?.end).toBe('cancelled');
  });

  it('binance looks up and cancels by origClientOrderId', async () => {
    trader = await openTrader('binance');
    const { client, standIn, symbol, place } = trader;
    const placed = await place({ id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 });
    const params = { origClientOrderId: id };
    expect((await client.fetchOrder('', symbol, params)).id).toBe(placed.id);
    await client.cancelOrder('', symbol, params);
    expect(standIn.journal.ordersByClientId(id)[0]?.end?.end).toBe('cancelled');
  });

  it('coinbase answers the same id with the order it already has', async () => {
    trader = await openTrader('coinbase');
    const { standIn, place } = trader;
    const first = await place({ id, side: 'sell', quantity: 0.01 });
    const again = await place({ id, side: 'sell', quantity: 0.01 });
    expect(again.id).toBe(first.id);
    expect(standIn.journal.effectsOf(id)).toMatchObject({ replays: 1, sold: 10n ** 10n });
  });
});

describe('what a key may do', () => {
  it('kraken lists the rights of the key', async () => {
    trader = await openTrader('kraken');
    const answer = await raw(trader.client).privatePostGetApiKeyInfo?.();
    expect(answer).toMatchObject({
      result: { permissions: expect.arrayContaining(['query-funds', 'modify-trades']) as unknown },
    });
    expect(JSON.stringify(answer)).not.toContain('withdraw-funds');
  });

  it('coinbase names the portfolio and whether the key may transfer', async () => {
    trader = await openTrader('coinbase');
    const { standIn, client } = trader;
    expect(await raw(client).v3PrivateGetBrokerageKeyPermissions?.()).toMatchObject({
      can_view: true,
      can_trade: true,
      can_transfer: false,
      portfolio_uuid: standIn.accounts.get('main').subAccountId,
    });
  });

  it('binance lists the restrictions of the key', async () => {
    trader = await openTrader('binance');
    expect(await raw(trader.client).sapiGetAccountApiRestrictions?.()).toMatchObject({
      ipRestrict: false,
      enableWithdrawals: false,
      enableInternalTransfer: false,
      permitsUniversalTransfer: false,
      enableSpotAndMarginTrading: true,
    });
  });

  it.each(DIALECTS)('%s lets a key without the right place nothing', async (dialect) => {
    trader = await openTrader(dialect);
    const { standIn, place } = trader;
    const [key] = standIn.accounts.keysOf('main');
    if (key !== undefined) key.permissions.trade = false;
    await expect(place({ id: clientId(10), side: 'sell', quantity: 0.01 })).rejects.toThrow();
    expect(standIn.journal.of('accepted')).toEqual([]);
  });
});

/**
 * What ccxt does that would double, lose or misread an order. Each test fails when an upgrade of
 * ccxt changes one of these, so that the adapters are looked at again. The signer avoids each by
 * sending raw requests through its door.
 */
import ccxt, { type Exchange } from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const id = clientId(1);
const SELL = { id, side: 'sell', quantity: 0.01 } as const;
const BUY_LOW = { id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 } as const;

async function errorOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It was expected to fail');
}

/** What a client sent: address and body of every request. */
interface Sent {
  url: string;
  body: string;
}

/** Answers every request of a client with the same, and keeps what it sent. */
function stub(client: Exchange, status: number, body: unknown): Sent[] {
  const sent: Sent[] = [];
  // Without this, ccxt goes on with the one it loaded for its first request.
  Object.assign(client, { fetchIsNative: false });
  client.fetchImplementation = (url: string, { body: form = '' }: { body?: string }) => {
    sent.push({ url, body: form });
    const headers = { 'content-type': 'application/json' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return Promise.resolve(new Response(text, { status, headers }));
  };
  return sent;
}

describe('retries', () => {
  it('maxRetriesOnFailure signs and sends an order again', async () => {
    trader = await openTrader('binance');
    const { client, standIn, place } = trader;
    client.options.maxRetriesOnFailure = 1;
    trader.strike({ name: 'status-unknown' });
    await place(SELL);
    expect(standIn.journal.of('request').filter(({ call }) => call === 'place')).toHaveLength(2);
    expect(standIn.journal.ordersByClientId(id)).toHaveLength(2);
  });

  it('with 0, it does not', async () => {
    trader = await openTrader('binance');
    trader.strike({ name: 'status-unknown' });
    await errorOf(trader.place(SELL));
    expect(trader.standIn.journal.ordersByClientId(id)).toHaveLength(1);
  });

  it('is 0 unless it is set', async () => {
    trader = await openTrader('kraken');
    delete (trader.client.options as Record<string, unknown>).maxRetriesOnFailure;
    trader.strike({ name: 'gateway-timeout' });
    await errorOf(trader.place(SELL));
    expect(trader.standIn.journal.ordersByClientId(id)).toHaveLength(1);
  });
});

describe('coinbase', () => {
  it('drops clientOrderId and sends an id of its own', async () => {
    trader = await openTrader('coinbase');
    const { client, standIn, symbol } = trader;
    await client.createOrder(symbol, 'market', 'sell', 0.01, undefined, { clientOrderId: id });
    const [order] = standIn.journal.orders();
    expect(order?.accepted.clientOrderId).toMatch(/^ccxt-/);
    expect(standIn.journal.ordersByClientId(id)).toEqual([]);
  });

  it('sends client_order_id as it is', async () => {
    trader = await openTrader('coinbase');
    await trader.place(SELL);
    expect(trader.standIn.journal.ordersByClientId(id)).toHaveLength(1);
  });

  it('makes a plain ExchangeError of a 503 with a JSON body', async () => {
    trader = await openTrader('coinbase');
    trader.strike({ name: 'status-unknown' });
    const error = await errorOf(trader.place(SELL));
    expect(error.constructor).toBe(ccxt.ExchangeError);
    expect(trader.standIn.journal.of('answer').at(-1)?.status).toBe(503);
    // It was no rejection: the order is there.
    expect(trader.standIn.journal.ordersByClientId(id)).toHaveLength(1);
  });

  it('does not recognize "not found" of an order', async () => {
    trader = await openTrader('coinbase');
    const { client, symbol } = trader;
    const error = await errorOf(client.fetchOrder('no-such-order', symbol));
    expect(error.constructor).toBe(ccxt.ExchangeError);
  });

  it('lists an expired order neither as open nor as closed nor as cancelled', async () => {
    trader = await openTrader('coinbase');
    const { client, symbol } = trader;
    trader.strike({ name: 'dust' });
    await trader.place(SELL);
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
    expect(await client.fetchClosedOrders(symbol)).toEqual([]);
    expect(await client.fetchCanceledOrders(symbol)).toEqual([]);
  });

  it('shows balances without holds unless told to use the third version', async () => {
    trader = await openTrader('coinbase');
    const { client } = trader;
    await trader.place(BUY_LOW);
    client.options.fetchBalance = 'v2PrivateGetAccounts';
    expect((await client.fetchBalance()).USD).toMatchObject({ free: 10_000, used: 0 });
    client.options.fetchBalance = 'v3PrivateGetBrokerageAccounts';
    expect((await client.fetchBalance()).USD?.used).toBeGreaterThan(600);
  });

  it('dates its tokens by the clock of this machine, whatever the difference', async () => {
    trader = await openTrader('coinbase');
    const { client, symbol } = trader;
    trader.strike({ name: 'clock-skew', skewMs: -30_000, forMs: 60_000 });
    client.options.timeDifference = 30_000;
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.AuthenticationError);
  });
});

describe('kraken', () => {
  it('fetchOrder sends a client order id as userref, which takes numbers only', async () => {
    trader = await openTrader('kraken');
    const { client, symbol } = trader;
    const { id: orderId } = await trader.place(BUY_LOW);
    const error = await errorOf(client.fetchOrder(orderId, symbol, { clientOrderId: id }));
    expect(error.message).toContain('EGeneral:Invalid arguments:userref');
    const sent = stub(client, 200, { error: [], result: {} });
    await errorOf(client.fetchOrder(orderId, symbol, { clientOrderId: id }));
    expect(sent[0]?.body).toContain(`userref=${id}`);
    expect(sent[0]?.body).not.toContain('cl_ord_id');
  });

  it('open, closed and cancel send cl_ord_id', async () => {
    trader = await openTrader('kraken');
    const { client, symbol } = trader;
    const sent = stub(client, 200, { error: [], result: {} });
    const params = { clientOrderId: id };
    await client.fetchOpenOrders(symbol, undefined, undefined, params);
    await client.fetchClosedOrders(symbol, undefined, undefined, params);
    await client.cancelOrder('', symbol, params);
    expect(sent).toHaveLength(3);
    for (const { body } of sent) expect(body).toContain(`cl_ord_id=${id}`);
  });

  it('makes InvalidOrder of "Unknown order", except when cancelling', async () => {
    trader = await openTrader('kraken');
    const { client, symbol } = trader;
    const looked = await errorOf(client.fetchOrder('OAAAAA-BBBBB-CCCCCC', symbol));
    expect(looked.constructor).toBe(ccxt.InvalidOrder);
    const cancelled = await errorOf(client.cancelOrder('OAAAAA-BBBBB-CCCCCC', symbol));
    expect(cancelled.constructor).toBe(ccxt.OrderNotFound);
  });

  it('knows no status of an order it has just placed', async () => {
    trader = await openTrader('kraken');
    const order = await trader.place(SELL);
    expect(order.id).not.toBe('');
    expect(order.status).toBeUndefined();
    expect(order.clientOrderId).toBeUndefined();
  });

  it('reads untagged orders as client order id "0"', async () => {
    trader = await openTrader('kraken');
    const { client, standIn, symbol } = trader;
    standIn.person.trade({
      account: 'main',
      symbol,
      side: 'buy',
      quantity: '0.01',
      limit: '60000',
    });
    const [byHand] = await client.fetchOpenOrders(symbol);
    expect(byHand?.clientOrderId).toBe('0');
  });

  it('always says that a fee was in the quote coin', async () => {
    trader = await openTrader('kraken');
    const { client, standIn, symbol } = trader;
    trader.strike({ name: 'fee-coin', feeCoin: 'base' });
    await trader.place({ ...SELL, side: 'buy' });
    const [trade] = await client.fetchMyTrades(symbol);
    expect(trade?.fee?.currency).toBe('USD');
    expect(standIn.journal.fillsOf()[0]?.feeCoin).toBe('BTC');
  });

  it('repeats a nonce within one millisecond', async () => {
    trader = await openTrader('kraken');
    const { client, standIn } = trader;
    client.nonce = () => standIn.clock.trueNow() + 1_000_000;
    await client.fetchBalance();
    expect(await errorOf(client.fetchBalance())).toBeInstanceOf(ccxt.InvalidNonce);
  });
});

describe('kraken and coinbase', () => {
  it.each(['kraken', 'coinbase'] as const)(
    '%s: a page that is no JSON is read as a placed order without an id',
    async (dialect) => {
      trader = await openTrader(dialect);
      trader.strike({ name: 'garbage', effect: 'none' });
      const order = await trader.place(SELL);
      expect(order.id).toBe('');
      expect(trader.standIn.journal.of('accepted')).toEqual([]);
    },
  );
});

describe('binance', () => {
  it('makes InvalidOrder of a duplicate id and of a bad size alike', async () => {
    trader = await openTrader('binance');
    const { client } = trader;
    await trader.place(BUY_LOW);
    const duplicate = await errorOf(trader.place(BUY_LOW));
    expect(duplicate.message).toContain('Duplicate order sent.');
    expect(duplicate.constructor).toBe(ccxt.InvalidOrder);
    stub(client, 400, { code: -1013, msg: 'Filter failure: LOT_SIZE' });
    const size = await errorOf(trader.place({ ...SELL, id: clientId(2) }));
    expect(size.constructor).toBe(ccxt.InvalidOrder);
  });

  it.each([
    [-2010, 'Duplicate order sent.', ccxt.InvalidOrder],
    [-2010, 'Account has insufficient balance for requested action.', ccxt.InsufficientFunds],
    [-1013, 'Filter failure: NOTIONAL', ccxt.BadRequest],
    [-1007, 'Timeout waiting for response from backend server.', ccxt.RequestTimeout],
    [-1021, 'Timestamp for this request is outside of the recvWindow.', ccxt.InvalidNonce],
  ])('at its real address, makes %i "%s" the same as at another', async (code, msg, kind) => {
    trader = await openTrader('binance');
    const { client, place } = trader;
    stub(client, 400, { code, msg });
    expect((await errorOf(place(SELL))).constructor).toBe(kind);
    const real = new ccxt.binance({ apiKey: 'key', secret: 'secret', enableRateLimit: false });
    real.setMarkets(Object.values(client.markets ?? {}));
    const sent = stub(real, 400, { code, msg });
    const params = { clientOrderId: id };
    const order = real.createOrder('BTC/USDT', 'market', 'sell', 0.01, undefined, params);
    expect((await errorOf(order)).constructor).toBe(kind);
    expect(sent[0]?.url).toMatch(/^https:\/\/api\.binance\.com\/api\/v3\/order/);
  });

  it('buys again under an id that was filled', async () => {
    trader = await openTrader('binance');
    await trader.place({ ...SELL, side: 'buy' });
    await trader.place({ ...SELL, side: 'buy' });
    expect(trader.standIn.journal.effectsOf(id).bought).toBe(2n * 10n ** 10n);
  });

  it('calls a revoked key a ban once the key has worked', async () => {
    trader = await openTrader('binance');
    const { client, symbol } = trader;
    await client.fetchOpenOrders(symbol);
    trader.strike({ name: 'revoke-key' });
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.DDoSProtection);
  });
});

/** What the signer's door uses of ccxt: a raw request that is signed, and its answer parsed. */
describe('a raw request', () => {
  const order = { symbol: 'BTCUSDT', newClientOrderId: id };
  const place = (client: Exchange, params: Record<string, string> = order): Promise<unknown> =>
    client.request('order', 'private', 'POST', params);
  // Kraken's secrets are base64.
  const keys = { apiKey: 'key', secret: 'c2VjcmV0', password: 'password', enableRateLimit: false };

  const PLACE = {
    kraken: ['AddOrder', 'private'],
    coinbase: ['brokerage/orders', ['v3', 'private']],
    binance: ['order', 'private'],
  } as const;
  it.each(
    (['kraken', 'coinbase', 'binance'] as const).flatMap((exchange) => [
      [exchange, 2, 3] as const,
      [exchange, 0, 1] as const,
    ]),
  )(
    'to %s with maxRetriesOnFailure %i is sent %i times when it fails',
    async (exchange, retries, times) => {
      const client = new ccxt[exchange]({ ...keys, options: { maxRetriesOnFailure: retries } });
      const sent = stub(client, 503, 'busy');
      const [path, api] = PLACE[exchange];
      await errorOf(client.request(path, api, 'POST', order));
      expect(sent).toHaveLength(times);
    },
  );

  it.each([
    [-2010, 'Duplicate order sent.'],
    [-1013, 'Filter failure: LOT_SIZE'],
  ])('to binance answered with %i (%s) is an InvalidOrder', async (code, msg) => {
    const client = new ccxt.binance(keys);
    stub(client, 400, { code, msg });
    expect(await errorOf(place(client))).toBeInstanceOf(ccxt.InvalidOrder);
  });

  it('to binance gets a client order id of its own where none is given', async () => {
    const client = new ccxt.binance(keys);
    const sent = stub(client, 200, {});
    await place(client, { symbol: 'BTCUSDT' });
    expect(sent[0]?.body).toMatch(/newClientOrderId=x-/);
  });

  it('to binance keeps the timestamp and window it is given, so that a deadline holds', async () => {
    const client = new ccxt.binance(keys);
    const sent = stub(client, 200, {});
    await place(client, { ...order, timestamp: '1767261590000', recvWindow: '12345' });
    expect(sent[0]?.body).toContain('timestamp=1767261590000');
    expect(sent[0]?.body).toContain('recvWindow=12345');
  });

  it('to okx with a duplicate id is a plain InvalidOrder', async () => {
    const client = new ccxt.okx(keys);
    const sMsg = 'Client order ID already exists.';
    stub(client, 200, { code: '1', data: [{ sCode: '51016', sMsg }] });
    const error = await errorOf(client.request('trade/order', 'private', 'POST', { instId: 'x' }));
    expect(error.constructor).toBe(ccxt.InvalidOrder);
  });

  it.each([
    [170_141, 'Duplicate clientOrderId', ccxt.InvalidOrder],
    [10_000, 'Server error', ccxt.ExchangeError],
    [10_016, 'Server error', ccxt.ExchangeError],
  ])('to bybit answered with %i (%s) loses its meaning', async (retCode, retMsg, kind) => {
    const client = new ccxt.bybit(keys);
    stub(client, 200, { retCode, retMsg, result: {} });
    const error = await errorOf(client.request('v5/order/create', 'private', 'POST', {}));
    expect(error.constructor).toBe(kind);
  });

  it('has its numbers left as numbers, and amounts as the text they were', () => {
    const client = new ccxt.binance();
    expect(client.parseJson('{"orderId":9780331417,"time":1737635557417,"price":"0.10"}')).toEqual({
      orderId: 9_780_331_417,
      time: 1_737_635_557_417,
      price: '0.10',
    });
  });

  /** Times are text then too, which the adapters read nothing of: no exchange has such ids. */
  it('has every number put in quotes where one is too large to be kept exactly', () => {
    const client = new ccxt.binance();
    expect(client.parseJson('{"orderId":12345678901234567890,"time":1737635557417}')).toEqual({
      orderId: '12345678901234567890',
      time: '1737635557417',
    });
  });
});

describe('OKX and Bybit, for later', () => {
  const market = (raw: Record<string, unknown>): Record<string, unknown> => ({
    id: 'BTCUSDT',
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    baseId: 'BTC',
    quoteId: 'USDT',
    type: 'spot',
    spot: true,
    active: true,
    precision: { amount: 0.00001, price: 0.01 },
    limits: { amount: { min: 0.00001 }, cost: { min: 1 } },
    info: {},
    ...raw,
  });

  function open(client: Exchange, raw: Record<string, unknown> = {}): Exchange {
    client.enableRateLimit = false;
    client.setMarkets([market(raw)] as never);
    return client;
  }
  const keys = { apiKey: 'key', secret: 'secret', password: 'password' };

  it('okx: a duplicate id is a plain InvalidOrder (51016)', async () => {
    const client = open(new ccxt.okx(keys), { id: 'BTC-USDT' });
    stub(client, 200, {
      code: '1',
      msg: '',
      data: [{ clOrdId: id, ordId: '', sCode: '51016', sMsg: 'Client order ID already exists.' }],
    });
    const params = { clientOrderId: id };
    const error = await errorOf(
      client.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60_000, params),
    );
    expect(error.constructor).toBe(ccxt.InvalidOrder);
  });

  it.each([
    [170_141, 'Duplicate clientOrderId.', ccxt.InvalidOrder],
    [10_000, 'Server Timeout', ccxt.ExchangeError],
    [10_016, 'Server error', ccxt.ExchangeError],
  ])('bybit: %i (%s) loses its meaning', async (retCode, retMsg, kind) => {
    const client = open(new ccxt.bybit(keys));
    client.options.enableUnifiedAccount = true;
    client.options.unifiedMarginStatus = 6;
    stub(client, 200, { retCode, retMsg, result: {}, retExtInfo: {}, time: 1 });
    const error = await errorOf(client.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60_000));
    expect(error.constructor).toBe(kind);
  });

  it('bybit: open, closed and cancel ignore clientOrderId and send orderLinkId', async () => {
    const client = open(new ccxt.bybit(keys));
    client.options.enableUnifiedAccount = true;
    client.options.enableUnifiedMargin = true;
    client.options.unifiedMarginStatus = 6;
    const sent = stub(client, 200, { retCode: 0, retMsg: 'OK', result: { list: [] }, time: 1 });
    const ask = async (params: Record<string, unknown>): Promise<string[]> => {
      sent.length = 0;
      await client.fetchOpenOrders('BTC/USDT', undefined, undefined, params);
      await client.fetchClosedOrders('BTC/USDT', undefined, undefined, params);
      await client.cancelOrder('', 'BTC/USDT', params).catch(() => undefined);
      return sent.map(({ url, body }) => `${url}${body}`);
    };
    const ignored = await ask({ clientOrderId: id });
    expect(ignored.length).toBeGreaterThanOrEqual(2);
    for (const text of ignored) expect(text).not.toContain('orderLinkId');
    const heeded = await ask({ orderLinkId: id });
    expect(heeded).toHaveLength(3);
    for (const text of heeded) expect(text).toContain('orderLinkId');
  });
});

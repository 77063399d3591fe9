/**
 * What ccxt does that would lose or double an order, pinned: an upgrade that changes any of it fails
 * here and is looked at. The signer avoids each by sending raw requests through its door.
 */
import ccxt, { type Exchange } from 'ccxt';
import { describe, expect, it } from 'vitest';

interface Sent {
  url: string;
  method: string;
  body: string;
}

/** A client whose answers are given in turn; what it sent is kept. */
function stubbed<E extends Exchange>(
  client: E,
  answers: { status?: number; body: string }[],
): { client: E; sent: Sent[] } {
  const sent: Sent[] = [];
  client.apiKey = 'key';
  client.secret = Buffer.from('secret').toString('base64');
  client.enableRateLimit = false;
  client.fetchImplementation = (url: string, init: RequestInit) => {
    sent.push({
      url,
      method: init.method ?? 'GET',
      body: typeof init.body === 'string' ? init.body : '',
    });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return Promise.resolve(new Response(answer?.body ?? '{}', { status: answer?.status ?? 200 }));
  };
  return { client, sent };
}

const market = (id: string, symbol: string) => {
  const [base = '', quote = ''] = symbol.split('/');
  return {
    id,
    symbol,
    base,
    quote,
    baseId: base,
    quoteId: quote,
    type: 'spot' as const,
    spot: true,
    margin: false,
    swap: false,
    future: false,
    option: false,
    contract: false,
    active: true,
    precision: { amount: 1e-8, price: 0.01 },
    limits: { amount: {}, price: {}, cost: {} },
    altname: id,
    info: {},
  };
};
function withMarket<E extends Exchange>(client: E, id: string, symbol: string): E {
  client.setMarkets([market(id, symbol)] as never);
  return client;
}
const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as Error,
  );
const ID = '0123456789abcdef0123456789abcdef';

describe('every exchange', () => {
  it('signs and sends again after a failure when maxRetriesOnFailure is set', async () => {
    const { client, sent } = stubbed(new ccxt.binance({ options: { maxRetriesOnFailure: 2 } }), [
      { status: 503, body: 'busy' },
    ]);
    await errorOf(
      client.request('order', 'private', 'POST', { symbol: 'BTCUSDT', newClientOrderId: ID }),
    );
    expect(sent).toHaveLength(3);
  });

  it('sends once when it is 0', async () => {
    const { client, sent } = stubbed(new ccxt.binance({ options: { maxRetriesOnFailure: 0 } }), [
      { status: 503, body: 'busy' },
    ]);
    await errorOf(
      client.request('order', 'private', 'POST', { symbol: 'BTCUSDT', newClientOrderId: ID }),
    );
    expect(sent).toHaveLength(1);
  });
});

describe('coinbase', () => {
  const open = (body: string, status = 200) => {
    const { client, sent } = stubbed(new ccxt.coinbase(), [{ status, body }]);
    // A key of the older kind: signed by a shared secret.
    client.secret = 'secret';
    return { client: withMarket(client, 'BTC-USD', 'BTC/USD'), sent };
  };
  const success = JSON.stringify({
    success: true,
    success_response: { order_id: 'o-1', product_id: 'BTC-USD', side: 'BUY', client_order_id: 'x' },
    order_configuration: {},
  });

  it('drops clientOrderId and sends a random id; client_order_id passes', async () => {
    const dropped = open(success);
    await dropped.client.createOrder('BTC/USD', 'limit', 'buy', 0.001, 60_000, {
      clientOrderId: ID,
    });
    const random = JSON.parse(dropped.sent[0]?.body ?? '{}') as Record<string, string>;
    expect(random.client_order_id).not.toBe(ID);
    expect(random.client_order_id).toMatch(/.{16}/);
    const passed = open(success);
    await passed.client.createOrder('BTC/USD', 'limit', 'buy', 0.001, 60_000, {
      client_order_id: ID,
    });
    expect(JSON.parse(passed.sent[0]?.body ?? '{}')).toMatchObject({ client_order_id: ID });
  });

  it('turns a 503 with a JSON body into a plain ExchangeError', async () => {
    const { client } = open('{"error":"unavailable","message":"try later"}', 503);
    const error = await errorOf(client.createOrder('BTC/USD', 'limit', 'buy', 0.001, 60_000));
    expect(error.constructor).toBe(ccxt.ExchangeError);
  });
});

describe('kraken', () => {
  const open = (result: unknown, error: string[] = []) => {
    const { client, sent } = stubbed(new ccxt.kraken(), [
      { body: JSON.stringify({ error, result }) },
    ]);
    return { client: withMarket(client, 'XBTUSD', 'BTC/USD'), sent };
  };
  const order = {
    userref: '0',
    status: 'open',
    opentm: '1705259439.563',
    descr: { pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '50000', price2: '0' },
    vol: '0.1',
    vol_exec: '0',
    cost: '0',
    fee: '0',
    price: '0',
    oflags: 'fciq',
  };

  it('asks for an order by userref, but for the lists and a cancellation by cl_ord_id', async () => {
    const one = open({ OABC: order });
    await one.client.fetchOrder('OABC', 'BTC/USD', { clientOrderId: ID });
    expect(one.sent[0]?.body).toContain(`userref=${ID}`);
    expect(one.sent[0]?.body).not.toContain('cl_ord_id');
    const list = open({ open: {} });
    await list.client.fetchOpenOrders('BTC/USD', undefined, undefined, { clientOrderId: ID });
    expect(list.sent[0]?.body).toContain(`cl_ord_id=${ID}`);
    const closed = open({ closed: {}, count: 0 });
    await closed.client.fetchClosedOrders('BTC/USD', undefined, undefined, { clientOrderId: ID });
    expect(closed.sent[0]?.body).toContain(`cl_ord_id=${ID}`);
    const cancel = open({ count: 1 });
    await cancel.client.cancelOrder('OABC', 'BTC/USD', { clientOrderId: ID });
    expect(cancel.sent[0]?.body).toContain(`cl_ord_id=${ID}`);
  });

  it('turns "Unknown order" into InvalidOrder, like a bad size', async () => {
    const { client } = open(undefined, ['EOrder:Unknown order']);
    const error = await errorOf(client.fetchOrder('OABC', 'BTC/USD'));
    expect(error.constructor).toBe(ccxt.InvalidOrder);
  });

  it('answers a new order without a status', async () => {
    const { client } = open({ txid: ['OABC'], descr: { order: 'buy 0.1 XBTUSD @ limit 50000' } });
    const placed = await client.createOrder('BTC/USD', 'limit', 'buy', 0.1, 50_000);
    expect(placed.status).toBeUndefined();
  });

  it('reads an order without an id of ours as clientOrderId "0"', async () => {
    const { client } = open({ OABC: order });
    expect((await client.fetchOrder('OABC', 'BTC/USD')).clientOrderId).toBe('0');
  });
});

describe('binance', () => {
  const refuses = async (code: number, msg: string): Promise<Error> => {
    const { client } = stubbed(new ccxt.binance(), [
      { status: 400, body: JSON.stringify({ code, msg }) },
    ]);
    return errorOf(
      client.request('order', 'private', 'POST', { symbol: 'BTCUSDT', newClientOrderId: ID }),
    );
  };

  it('turns a duplicate id into InvalidOrder, like a bad size', async () => {
    const duplicate = await refuses(-2010, 'Duplicate order sent.');
    const bad = await refuses(-1013, 'Filter failure: LOT_SIZE');
    expect(duplicate.constructor).toBe(ccxt.InvalidOrder);
    expect(bad).toBeInstanceOf(ccxt.InvalidOrder);
  });

  it('puts an id of its own where none is given', async () => {
    const { client, sent } = stubbed(new ccxt.binance(), [{ body: '{}' }]);
    await client.request('order', 'private', 'POST', { symbol: 'BTCUSDT' });
    expect(sent[0]?.body).toMatch(/newClientOrderId=x-/);
  });

  it('uses the timestamp and window it is given, so that a deadline can be kept', async () => {
    const { client, sent } = stubbed(new ccxt.binance(), [{ body: '{}' }]);
    await client.request('order', 'private', 'POST', {
      symbol: 'BTCUSDT',
      newClientOrderId: ID,
      timestamp: '1767261590000',
      recvWindow: '12345',
    });
    expect(sent[0]?.body).toContain('timestamp=1767261590000');
    expect(sent[0]?.body).toContain('recvWindow=12345');
  });
});

describe('exchanges that come later', () => {
  it('okx and bybit: a duplicate id is a plain InvalidOrder', async () => {
    const okx = stubbed(new ccxt.okx({ password: 'x' }), [
      { body: '{"code":"1","data":[{"sCode":"51016","sMsg":"Client order ID already exists."}]}' },
    ]).client;
    const okxError = await errorOf(okx.request('trade/order', 'private', 'POST', { instId: 'x' }));
    expect(okxError.constructor).toBe(ccxt.InvalidOrder);
    const bybit = stubbed(new ccxt.bybit(), [
      { body: '{"retCode":170141,"retMsg":"Duplicate clientOrderId","result":{}}' },
    ]).client;
    const bybitError = await errorOf(bybit.request('v5/order/create', 'private', 'POST', {}));
    expect(bybitError.constructor).toBe(ccxt.InvalidOrder);
  });

  it.each(['10000', '10016'])(
    'bybit: %s is a plain ExchangeError, its outcome unknown',
    async (code) => {
      const { client } = stubbed(new ccxt.bybit(), [
        { body: `{"retCode":${code},"retMsg":"Server error","result":{}}` },
      ]);
      const error = await errorOf(client.request('v5/order/create', 'private', 'POST', {}));
      expect(error.constructor).toBe(ccxt.ExchangeError);
    },
  );
});

it('ccxt keeps large ids exact, and hands numbers of money on as text only if they were text', () => {
  const client = new ccxt.binance();
  expect(client.parseJson('{"orderId":12345678901234567890,"price":"0.10"}')).toEqual({
    orderId: '12345678901234567890',
    price: '0.10',
  });
});

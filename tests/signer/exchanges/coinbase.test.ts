/** Coinbase Advanced's adapter, before answers in the shape recorded from it. */
import { describe, expect, it } from 'vitest';
import { parseFixed, sum } from '../../../contract/money.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';

const V3 = '/api/v3/brokerage';
const product = {
  product_id: 'BTC-USD',
  base_currency_id: 'BTC',
  quote_currency_id: 'USD',
  base_increment: '0.00000001',
  quote_increment: '0.01',
  base_min_size: '0.00000001',
  quote_min_size: '1',
  status: 'online',
  product_type: 'SPOT',
  trading_disabled: false,
  is_disabled: false,
  cancel_only: false,
  post_only: false,
  auction_mode: false,
  price: '60000.5',
  volume_24h: '1000.25',
};
const order = (more: object = {}) => ({
  order_id: '01b6e467-b659-432f-9490-c7cefe949564',
  product_id: 'BTC-USD',
  user_id: 'dbcb91e7-2bc9-5152-bb6f-72d6677e6727',
  order_configuration: { market_market_ioc: { base_size: '10' } },
  side: 'SELL',
  client_order_id: ORDER_ID,
  status: 'FILLED',
  time_in_force: 'IMMEDIATE_OR_CANCEL',
  created_time: '2025-12-31T09:59:47.423220Z',
  filled_size: '10',
  average_filled_price: '0.3920000000000000001',
  last_fill_time: '2025-12-31T09:59:47.504Z',
  ...more,
});
const fill = (more: object = {}) => ({
  entry_id: 'dc7424ac5193601a',
  trade_id: '19fc7eee-f4b4-40a7-8104-033da1db5311',
  order_id: '01b6e467-b659-432f-9490-c7cefe949564',
  trade_time: '2025-12-31T09:59:47.504Z',
  trade_type: 'FILL',
  price: '0.392',
  size: '10',
  commission: '0.0313600000000001',
  product_id: 'BTC-USD',
  size_in_quote: false,
  side: 'SELL',
  ...more,
});
const usual: Said = {
  [`GET ${V3}/time`]: () => ({
    body: { iso: '', epochSeconds: '1', epochMillis: '1767261600000' },
  }),
  [`GET ${V3}/market/products`]: () => ({ body: { products: [product], num_products: 1 } }),
  [`GET ${V3}/market/products/BTC-USD`]: () => ({ body: product }),
};
const open = (said: Said = {}) => openAdapter('coinbase', { ...usual, ...said });
const placed = (order_id = 'o-1') => ({
  body: {
    success: true,
    success_response: { order_id, product_id: 'BTC-USD', side: 'BUY', client_order_id: ORDER_ID },
    order_configuration: {},
  },
});
const POST = `POST ${V3}/orders`;

describe('Coinbase', () => {
  it('gives all fills, also where its pages are shorter than what was asked for', async () => {
    const pages: Record<string, unknown> = {
      '': { fills: [fill({ trade_id: 't1' }), fill({ trade_id: 't2' })], cursor: 'next' },
      next: { fills: [fill({ trade_id: 't3' })], cursor: 'last' },
      last: { fills: [], cursor: '' },
    };
    const { adapter } = await open({
      [`GET ${V3}/orders/historical/fills`]: ({ params }) => ({
        body: pages[params.cursor ?? ''],
      }),
    });
    const trades = await adapter.tradesSince(0, []);
    expect(trades.map(({ tradeId }) => tradeId)).toEqual(['t1', 't2', 't3']);
  });

  it('reads the time once a minute for a key that it does not take', async () => {
    const { adapter, sentTo, clock } = await open({
      [`GET ${V3}/accounts`]: () => ({ status: 401, body: 'Unauthorized' }),
    });
    for (let turn = 0; turn < 12; turn += 1) {
      await adapter.balances().catch(() => undefined);
      clock.at += 5_000;
    }
    expect(sentTo(`GET ${V3}/time`).length).toBeLessThanOrEqual(2);
  });

  it('is sent our id and exact amounts, with a token of its own time', async () => {
    const { adapter, sentTo, order: toPlace } = await open({ [POST]: () => placed() });
    expect(await adapter.place(toPlace())).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'o-1',
      replay: false,
    });
    const [sent] = sentTo(POST);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      client_order_id: ORDER_ID,
      product_id: 'BTC-USD',
      side: 'BUY',
      order_configuration: {
        limit_limit_gtc: { base_size: '0.0015', limit_price: '60100.1', post_only: false },
      },
    });
    const [, payload = ''] = String(sent?.headers.authorization).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      nbf: 1_767_261_600,
      uri: 'POST api.coinbase.com/api/v3/brokerage/orders',
    });
  });

  it('trades at market by quantity, and no further than the price that was judged', async () => {
    const { adapter, sentTo, order: toPlace } = await open({ [POST]: () => placed() });
    await adapter.place(toPlace({ type: 'market', limitPrice: null }));
    const sale = { type: 'market', limitPrice: null, side: 'sell' } as const;
    await adapter.place(toPlace({ ...sale, worstPrice: parseFixed('57095.1') }));
    expect(
      sentTo(POST).map(({ params }): unknown => JSON.parse(params.order_configuration ?? '')),
    ).toEqual([
      { sor_limit_ioc: { base_size: '0.0015', limit_price: '60100.1' } },
      { sor_limit_ioc: { base_size: '0.0015', limit_price: '57095.1' } },
    ]);
  });

  it('rests a stop with a limit below it, on the tick', async () => {
    const { adapter, sentTo, order: toPlace } = await open({ [POST]: () => placed() });
    await adapter.place(
      toPlace({ type: 'stop', side: 'sell', limitPrice: null, stopPrice: parseFixed('50000.33') }),
    );
    expect(JSON.parse(sentTo(POST)[0]?.params.order_configuration ?? '')).toEqual({
      stop_limit_stop_limit_gtc: {
        base_size: '0.0015',
        limit_price: '47500.32',
        stop_price: '50000.33',
        stop_direction: 'STOP_DIRECTION_STOP_DOWN',
      },
    });
  });

  it('answers what it rejects and what nobody knows', async () => {
    const outcome = async (status: number, body: unknown) => {
      const { adapter, order: toPlace } = await open({ [POST]: () => ({ status, body }) });
      return adapter.place(toPlace());
    };
    expect(
      await outcome(200, {
        success: false,
        error_response: { error: 'INSUFFICIENT_FUND', message: 'm' },
      }),
    ).toEqual({ kind: 'rejected', code: 'INSUFFICIENT_FUND', message: 'm' });
    expect(await outcome(503, { error: 'unavailable' })).toEqual({
      kind: 'unknown',
      cause: 'server_error',
    });
    expect(await outcome(200, { success: true })).toEqual({ kind: 'unknown', cause: 'unreadable' });
  });

  it('finds an order by our id in its lists, open ones first, with its fills', async () => {
    const { adapter, ref, sentTo } = await open({
      [`GET ${V3}/orders/historical/batch`]: ({ params }) => ({
        body: {
          orders: params.order_status === 'OPEN' ? [] : [order({ client_order_id: 'x' }), order()],
          has_next: false,
          cursor: '',
        },
      }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: { fills: [fill()], cursor: '1' } }),
    });
    expect(await adapter.lookUp(ref())).toEqual({
      kind: 'found',
      order: {
        exchangeOrderId: '01b6e467-b659-432f-9490-c7cefe949564',
        clientOrderId: ORDER_ID,
        symbol: 'BTC/USD',
        side: 'sell',
        type: 'market',
        quantity: parseFixed('10'),
        limitPrice: null,
        stopPrice: null,
        filled: parseFixed('10'),
        status: 'closed',
        updatedAtMs: Date.parse('2025-12-31T09:59:47.504Z'),
      },
      fills: [
        {
          tradeId: '19fc7eee-f4b4-40a7-8104-033da1db5311',
          exchangeOrderId: '01b6e467-b659-432f-9490-c7cefe949564',
          clientOrderId: null,
          symbol: 'BTC/USD',
          side: 'sell',
          quantity: parseFixed('10'),
          price: parseFixed('0.392'),
          quoteAmount: parseFixed('3.92'),
          fees: [{ asset: 'USD', amount: parseFixed('0.031360000001') }],
          atMs: Date.parse('2025-12-31T09:59:47.504Z'),
        },
      ],
    });
    const lists = sentTo(`GET ${V3}/orders/historical/batch`);
    expect(lists.map(({ params }) => params.order_status)).toEqual(['OPEN', undefined]);
  });

  it('reads every page, and believes absence only after all lists', async () => {
    const pages: Said = {
      [`GET ${V3}/orders/historical/batch`]: ({ params }) => ({
        body:
          params.cursor === undefined
            ? {
                orders: [order({ order_id: 'a', client_order_id: 'x' })],
                has_next: true,
                cursor: 'p2',
              }
            : { orders: [order({ order_id: 'b', client_order_id: 'y' })], has_next: false },
      }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: { fills: [], cursor: '' } }),
    };
    const { adapter, ref } = await open(pages);
    expect(await adapter.lookUp(ref())).toMatchObject({
      kind: 'not_found',
      searched: { byClientId: true, open: true, closed: true, trades: true },
    });
    expect(await adapter.closedOrders(0, [])).toHaveLength(2);
    const broken = await open({
      ...pages,
      [`GET ${V3}/orders/historical/fills`]: () => ({ status: 502, body: 'bad' }),
    });
    expect(await broken.adapter.lookUp(broken.ref())).toEqual({
      kind: 'unknown',
      cause: 'server_error',
    });
  });

  it('reads wallets of one coin as one balance, and a size in money as a quantity', async () => {
    const money = (value: string) => ({ value, currency: 'BTC' });
    const { adapter } = await open({
      [`GET ${V3}/accounts`]: () => ({
        body: {
          accounts: [
            { currency: 'BTC', available_balance: money('0.1'), hold: money('0.02') },
            { currency: 'BTC', available_balance: money('1.0000000000009'), hold: money('0') },
          ],
          has_next: false,
          cursor: '',
        },
      }),
      [`GET ${V3}/orders/historical/fills`]: () => ({
        body: { fills: [fill({ size: '39.2', size_in_quote: true })], cursor: '' },
      }),
    });
    expect(await adapter.balances()).toEqual([
      { asset: 'BTC', total: parseFixed('1.12'), available: parseFixed('1.1') },
    ]);
    expect((await adapter.tradesSince(0, []))[0]).toMatchObject({
      quantity: parseFixed('100'),
      quoteAmount: parseFixed('39.2'),
    });
  });

  it('says whether a key can transfer, and of which portfolio it is', async () => {
    const { adapter } = await open({
      [`GET ${V3}/key_permissions`]: () => ({
        body: {
          can_view: true,
          can_trade: true,
          can_transfer: true,
          portfolio_uuid: 'p-1',
          portfolio_type: 'DEFAULT',
        },
      }),
    });
    expect(await adapter.permissions()).toMatchObject({
      canTransfer: true,
      portfolioId: 'p-1',
      missing: [],
    });
  });

  it('says of a key that cannot read which right it lacks', async () => {
    const rights = { can_view: false, can_trade: true, can_transfer: false };
    const { adapter } = await open({ [`GET ${V3}/key_permissions`]: () => ({ body: rights }) });
    expect(await adapter.permissions()).toMatchObject({ missing: ['View'] });
  });

  it('knows a pair’s rules and a day’s volume', async () => {
    const { data } = await open();
    expect((await data.rules()).get('BTC/USD')).toEqual({
      symbol: 'BTC/USD',
      quantityStep: parseFixed('0.00000001'),
      priceTick: parseFixed('0.01'),
      minQuantity: parseFixed('0.00000001'),
      minNotional: parseFixed('1'),
      status: 'trading',
    });
    expect(await data.dayVolume('BTC/USD')).toBe(parseFixed('60015500.125'));
  });

  it.each([
    [{}, 'trading'],
    [{ cancel_only: true }, 'cancel_only'],
    [{ post_only: true }, 'cancel_only'],
    // All that is sent there has a limit, stops too.
    [{ limit_only: true }, 'trading'],
    [{ trading_disabled: true }, 'halted'],
    [{ view_only: true }, 'halted'],
    [{ auction_mode: true }, 'halted'],
    [{ status: 'delisted' }, 'delisted'],
  ] as const)('a pair that says %j is %s', async (said, status) => {
    const { data, sentTo } = await open({
      [`GET ${V3}/market/products/BTC-USD`]: () => ({ body: { ...product, ...said } }),
    });
    expect(await data.rulesNow('BTC/USD')).toMatchObject({ symbol: 'BTC/USD', status });
    expect(sentTo(`GET ${V3}/market/products`)).toEqual([]);
  });

  it('rounds what is finer so that our books never say more than the account has (F88)', async () => {
    const fine = { price: '0.3920000000000000001', size: '10.0000000000001' };
    const { adapter } = await open({
      [`GET ${V3}/orders/historical/fills`]: () => ({
        body: {
          fills: [
            fill({ ...fine, trade_id: 's' }),
            fill({ ...fine, trade_id: 'b', order_id: 'b', side: 'BUY' }),
          ],
        },
      }),
    });
    const fills = await adapter.tradesSince(0, []);
    expect(fills.find(({ side }) => side === 'sell')).toMatchObject({
      quantity: parseFixed('10.000000000001'),
      quoteAmount: parseFixed('3.92'),
    });
    // Worked out from every digit: 3.9200000000000392…
    expect(fills.find(({ side }) => side === 'buy')).toMatchObject({
      quantity: parseFixed('10'),
      quoteAmount: parseFixed('3.920000000001'),
    });
  });

  it('books the fills of one order to no more and no less than its whole (F88)', async () => {
    const sizes = ['0.000297920684505', '0.000500000000747', '0.000702079314748'];
    for (const side of ['BUY', 'SELL']) {
      const { adapter } = await open({
        [`GET ${V3}/orders/historical/fills`]: () => ({
          body: {
            // Newest first, as it lists them.
            fills: sizes
              .map((size, at) =>
                fill({ size, side, trade_id: `t${at}`, trade_time: `2025-12-31T09:59:4${at}Z` }),
              )
              .reverse(),
          },
        }),
      });
      const fills = await adapter.tradesSince(0, []);
      expect(fills).toHaveLength(3);
      expect(sum(fills.map(({ quantity }) => quantity))).toBe(parseFixed('0.0015'));
    }
  });

  it('leaves out what it cannot read of the person’s own, and reads no list without ours (F88)', async () => {
    const odd = {
      status: 'SOMETHING_NEW',
      client_order_id: '18eb9947-db49-4874-8e7b-39b8fe5f4317',
    };
    const list = (orders: unknown[]): Said => ({
      [`GET ${V3}/orders/historical/batch`]: () => ({ body: { orders, has_next: false } }),
    });
    const theirs = await open(list([order({ order_id: 'a', ...odd }), order()]));
    expect(await theirs.adapter.closedOrders(0, [])).toHaveLength(1);
    const ours = await open(list([order({ ...odd, client_order_id: ORDER_ID })]));
    await expect(ours.adapter.closedOrders(0, [])).rejects.toMatchObject({ cause: 'unreadable' });
    // Not even its fields are as they were.
    const shape = await open(list([{ order_id: 'a', side: 'BOTH' }, order()]));
    expect(await shape.adapter.closedOrders(0, [])).toHaveLength(1);
    const nothing = await open(list([{ id: 'a' }, order()]));
    await expect(nothing.adapter.closedOrders(0, [])).rejects.toMatchObject({
      cause: 'unreadable',
    });
  });

  it('reads on past a page of trades of which it can read none (F88)', async () => {
    const page = (from: number, more: object) =>
      Array.from({ length: 250 }, (_, at) => fill({ trade_id: `t${from + at}`, ...more }));
    const { adapter } = await open({
      [`GET ${V3}/orders/historical/fills`]: ({ params }) => ({
        body:
          params.cursor === undefined
            ? { fills: page(0, { price: 'none' }), cursor: 'p2' }
            : { fills: page(250, {}).slice(0, 10), cursor: '' },
      }),
    });
    expect(await adapter.tradesSince(0, [])).toHaveLength(10);
  });

  it('says nothing of an order of which it cannot read a fill (F88)', async () => {
    const { adapter, ref } = await open({
      [`GET ${V3}/orders/historical/batch`]: () => ({ body: { orders: [order()] } }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: { fills: [fill({ size: 'ten' })] } }),
    });
    expect(await adapter.lookUp(ref())).toEqual({ kind: 'unknown', cause: 'unreadable' });
  });
});

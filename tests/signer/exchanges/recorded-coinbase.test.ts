/** What Coinbase was recorded to answer, through the adapter, and requests of ours beside recorded ones. */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import {
  CLOSED_ORDER,
  CLOSED_ORDERS,
  FILL,
  FILLS,
  PERPETUAL_FILL,
  PRODUCTS,
} from '../../support/exchange/recorded/recorded-coinbase.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';

const V3 = '/api/v3/brokerage';
const USUAL: Said = {
  [`GET ${V3}/time`]: () => ({ body: { epochMillis: '1767261600000' } }),
  [`GET ${V3}/market/products`]: () => ({ body: { products: PRODUCTS } }),
};
const open = (said: Said = {}) => openAdapter('coinbase', { ...USUAL, ...said });

const SOLD = {
  exchangeOrderId: '01b6e467-b659-432f-9490-c7cefe949564',
  clientOrderId: 'a0f970a2-05fa-4e1f-9517-f6702c33cfd1',
  symbol: 'ADA/USDT',
  side: 'sell',
  type: 'market',
  quantity: parseFixed('10'),
  limitPrice: null,
  stopPrice: null,
  filled: parseFixed('10'),
  status: 'closed',
  updatedAtMs: 1_700_993_987_504,
};
const SALE = {
  tradeId: '19fc7eee-f4b4-40a7-8104-033da1db5311',
  exchangeOrderId: '01b6e467-b659-432f-9490-c7cefe949564',
  clientOrderId: null,
  symbol: 'ADA/USDT',
  side: 'sell',
  quantity: parseFixed('10'),
  price: parseFixed('0.392'),
  quoteAmount: parseFixed('3.92'),
  fees: [{ asset: 'USDT', amount: parseFixed('0.03136') }],
  atMs: 1_700_993_987_504,
};

describe('recorded answers of Coinbase', () => {
  it('show a filled sale, with the pages after it', async () => {
    const { adapter, sentTo } = await open({
      [`GET ${V3}/orders/historical/batch`]: ({ params }) => ({
        body:
          params.cursor === undefined
            ? CLOSED_ORDERS
            : { orders: [], sequence: '0', has_next: false, cursor: '' },
      }),
    });
    expect(await adapter.closedOrders(0, [])).toEqual([SOLD]);
    const asked = sentTo(`GET ${V3}/orders/historical/batch`);
    expect(asked.map(({ params }) => params.cursor)).toEqual([undefined, '748478308']);
  });

  it('show its fill, and end where a page brings nothing new', async () => {
    const { adapter, sentTo } = await open({
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: FILLS }),
    });
    expect(await adapter.tradesSince(0, [])).toEqual([SALE]);
    expect(sentTo(`GET ${V3}/orders/historical/fills`)).toHaveLength(2);
  });

  it('show both when the order is looked up', async () => {
    const { adapter, ref, sentTo } = await open({
      [`GET ${V3}/orders/historical/${CLOSED_ORDER.order_id}`]: () => ({
        body: { order: CLOSED_ORDER },
      }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: FILLS }),
    });
    const sought = ref({ exchangeOrderId: CLOSED_ORDER.order_id, symbol: 'ADA/USDT' });
    expect(await adapter.lookUp(sought)).toEqual({ kind: 'found', order: SOLD, fills: [SALE] });
    expect(sentTo(`GET ${V3}/orders/historical/fills`)[0]?.params).toMatchObject({
      order_ids: CLOSED_ORDER.order_id,
    });
  });

  it('book no coins for a trade of a perpetual: none moved', async () => {
    const { adapter } = await open({
      [`GET ${V3}/orders/historical/fills`]: () => ({
        body: { fills: [PERPETUAL_FILL, FILL], cursor: '244975901' },
      }),
    });
    expect(await adapter.tradesSince(0, [])).toEqual([SALE]);
  });

  it('tell the rules of pairs and what was traded in a day', async () => {
    const { data } = await open({
      [`GET ${V3}/market/products/BTC-USDC`]: () => ({ body: PRODUCTS[1] }),
    });
    const rules = [...(await data.rules()).values()].map((pair) => [
      pair.symbol,
      formatFixed(pair.quantityStep),
      formatFixed(pair.priceTick),
      formatFixed(pair.minQuantity),
      formatFixed(pair.minNotional),
      pair.status,
    ]);
    const bitcoin = ['0.00000001', '0.01', '0.00000001', '1', 'trading'];
    expect(rules).toEqual([
      ['BTC/USD', ...bitcoin],
      ['BTC/USDC', ...bitcoin],
      ['BTC/USDT', ...bitcoin],
      ['ETH/USDT', ...bitcoin],
      ['ADA/USDT', '0.01', '0.0001', '0.01', '1', 'trading'],
      ['XRP/USDT', '0.000001', '0.0001', '0.000001', '1', 'trading'],
      ['XRP/USDC', '0.000001', '0.0001', '0.000001', '1', 'trading'],
      ['DOGE/USDT', '0.1', '0.0001', '0.1', '1', 'trading'],
    ]);
    // 9035.28731773 × 103459.11; Coinbase itself rounds it to 934782784.49.
    expect(await data.dayVolume('BTC/USDC')).toBe(parseFixed('934782784.4866330203'));
  });
});

/** As ccxt's source quotes them. */
describe('answers of Coinbase about a purchase by amount', () => {
  const order_id = '813a53c5-3e39-47bb-863d-2faf685d22d8';
  const order = {
    order_id,
    product_id: 'BTC-USDT',
    order_configuration: { market_market_ioc: { quote_size: '6.36' } },
    side: 'BUY',
    client_order_id: '18eb9947-db49-4874-8e7b-39b8fe5f4317',
    status: 'FILLED',
    created_time: '2023-01-18T01:37:37.975552Z',
    filled_size: '0.000297920684505',
    average_filled_price: '21220.6399999973697697',
  };
  const fill = {
    trade_id: 'cdc39e45-bbd3-44ec-bf02-61742dfb16a1',
    order_id,
    trade_time: '2023-01-18T01:37:38.091377090Z',
    price: '21220.64',
    size: '0.0046830664333996',
    commission: '0.0000280983986004',
    product_id: 'BTC-USDT',
    size_in_quote: true,
    side: 'BUY',
  };

  it('are read, finer than we keep money: less of the coin, more of what it cost (F88)', async () => {
    const { adapter } = await open({
      [`GET ${V3}/orders/historical/batch`]: () => ({ body: { orders: [order], cursor: '' } }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: { fills: [fill], cursor: '' } }),
    });
    expect(await adapter.closedOrders(0, [])).toMatchObject([
      { quantity: parseFixed('0.000297920684'), filled: parseFixed('0.000297920684') },
    ]);
    expect(await adapter.tradesSince(0, [])).toMatchObject([
      {
        // 0.0046830664333996 divided by 21220.64 is 0.000000220684504…
        quantity: parseFixed('0.000000220684'),
        quoteAmount: parseFixed('0.004683066434'),
        fees: [{ asset: 'USDT', amount: parseFixed('0.000028098399') }],
      },
    ]);
  });
});

describe('requests that were recorded to Coinbase', () => {
  const POST = `POST ${V3}/orders`;
  const ADA = { symbol: 'ADA/USDT', quantity: parseFixed('10') } as const;

  it.each([
    [
      'a purchase with a limit',
      { quantity: parseFixed('4'), limitPrice: parseFixed('0.2') },
      'BUY',
      { limit_limit_gtc: { base_size: '4', limit_price: '0.2', post_only: false } },
    ],
    [
      'an order that is filled at once or not at all',
      { type: 'market', limitPrice: null, worstPrice: parseFixed('0.05') },
      'BUY',
      { sor_limit_ioc: { base_size: '10', limit_price: '0.05' } },
    ],
    [
      // Recorded for a purchase; we rest stops for sales alone.
      'a stop with a limit',
      {
        type: 'stop',
        side: 'sell',
        stopPrice: parseFixed('0.2'),
        limitPrice: parseFixed('0.25'),
      },
      'SELL',
      {
        stop_limit_stop_limit_gtc: {
          base_size: '10',
          limit_price: '0.25',
          stop_price: '0.2',
          stop_direction: 'STOP_DIRECTION_STOP_DOWN',
        },
      },
    ],
  ] as const)('are ours for %s', async (_kind, more, side, order_configuration) => {
    const { adapter, order, sentTo } = await open({ [POST]: () => ({ status: 500, body: {} }) });
    await adapter.place(order({ ...ADA, ...more }));
    const [sent] = sentTo(POST);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      client_order_id: ORDER_ID,
      product_id: 'ADA-USDT',
      side,
      order_configuration,
    });
    expect(sent?.origin).toBe('https://api.coinbase.com');
  });

  it('are ours for a cancellation, one order, open orders and balances', async () => {
    const { adapter, ref, sentTo } = await open({
      [`GET ${V3}/orders/historical/batch`]: () => ({ body: { orders: [], has_next: false } }),
      [`GET ${V3}/accounts`]: () => ({ body: { accounts: [], has_next: false, cursor: '' } }),
    });
    const id = '9fd0cadc-2ccc-45e8-b254-ea511c34e5b2';
    await adapter.cancel(ref({ exchangeOrderId: id }));
    await adapter.lookUp(ref({ exchangeOrderId: id }));
    await adapter.openOrders([]);
    await adapter.balances();
    const [cancelled] = sentTo(`POST ${V3}/orders/batch_cancel`);
    expect(JSON.parse(cancelled?.body ?? '')).toEqual({ order_ids: [id] });
    expect(sentTo(`GET ${V3}/orders/historical/${id}`)).toHaveLength(1);
    // A page as large as Coinbase gives, where ccxt asks for a hundred.
    const limit = '250';
    expect(sentTo(`GET ${V3}/orders/historical/batch`)[0]?.params).toEqual({
      order_status: 'OPEN',
      limit,
    });
    expect(sentTo(`GET ${V3}/accounts`)[0]?.params).toEqual({ limit });
  });
});

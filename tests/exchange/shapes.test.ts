/**
 * The stand-in's answers have the shape of real ones: keys and kinds as ccxt's own recorded replies
 * of the three exchanges have them (ccxt/ccxt, ts/src/test/static).
 */
import { afterEach, expect, it } from 'vitest';
import { clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

/** `number` is one, or text that is one: ccxt's recordings quote them all. */
type Kind = 'text' | 'number' | 'flag' | 'null' | 'list' | 'text or null';
type Shape = Kind | { [key: string]: Shape } | [Shape];

const of = (kind: Kind, keys: string): Record<string, Kind> =>
  Object.fromEntries(keys.split(' ').map((key) => [key, kind]));

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return (
        typeof value === 'number' ||
        (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)))
      );
    case 'flag':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value);
    case 'text or null':
      return value === null || typeof value === 'string';
    default:
      return kind satisfies never;
  }
}

/** Where an answer differs from what was recorded; keys that came later are named. */
function differences(value: unknown, shape: Shape, later: string[] = [], at = ''): string[] {
  if (typeof shape === 'string')
    return isKind(value, shape) ? [] : [`${at} is no ${shape}: ${JSON.stringify(value)}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [`${at} is no list of anything`];
    return (value as unknown[]).flatMap((one) => differences(one, shape[0], later, `${at}[]`));
  }
  if (typeof value !== 'object' || value === null) return [`${at} is no object`];
  const row = value as Record<string, unknown>;
  const missing = Object.keys(shape).filter((key) => !(key in row));
  const extra = Object.keys(row).filter((key) => !(key in shape) && !later.includes(key));
  return [
    ...missing.map((key) => `${at}.${key} is missing`),
    ...extra.map((key) => `${at}.${key} was never recorded`),
    ...Object.entries(shape)
      .filter(([key]) => key in row)
      .flatMap(([key, inner]) => differences(row[key], inner, later, `${at}.${key}`)),
  ];
}

/** What the exchange answered last. */
const last = (one: Trader): unknown =>
  JSON.parse(one.standIn.journal.of('answer').at(-1)?.body ?? 'null');

const SELL = { id: clientId(1), side: 'sell', quantity: 0.01 } as const;
const BUY_LOW = {
  id: clientId(2),
  side: 'buy',
  type: 'limit',
  quantity: 0.01,
  limit: 60_000,
} as const;

const KRAKEN_DESCRIPTION = {
  ...of('text', 'pair type ordertype leverage order close'),
  ...of('number', 'price price2'),
};
const KRAKEN_OPEN: Shape = {
  refid: 'null',
  ...of('number', 'userref opentm starttm expiretm vol vol_exec cost fee price'),
  ...of('number', 'stopprice limitprice'),
  ...of('text', 'status misc oflags'),
  descr: KRAKEN_DESCRIPTION,
};
/** Kraken added it after the recordings were made. */
const KRAKEN_LATER = ['cl_ord_id'];

it("kraken's placing, look-up, lists and prices", async () => {
  trader = await openTrader('kraken');
  const { client, symbol, place } = trader;
  const { id } = await place(SELL);
  expect(
    differences(last(trader), {
      error: 'list',
      result: { txid: ['text'], descr: { order: 'text' } },
    }),
  ).toEqual([]);
  await client.fetchOrder(id, symbol);
  const closed: Shape = { ...KRAKEN_OPEN, reason: 'null', closetm: 'number', trades: ['text'] };
  const looked = last(trader);
  expect(differences(looked, { error: 'list', result: { [id]: closed } }, KRAKEN_LATER)).toEqual(
    [],
  );
  await client.fetchClosedOrders(symbol);
  const listed: Shape = { ...KRAKEN_OPEN, reason: 'null', closetm: 'number' };
  expect(
    differences(
      last(trader),
      { error: 'list', result: { closed: { [id]: listed }, count: 'number' } },
      KRAKEN_LATER,
    ),
  ).toEqual([]);
  const resting = await place(BUY_LOW);
  await client.fetchOpenOrders(symbol);
  expect(
    differences(
      last(trader),
      { error: 'list', result: { open: { [resting.id]: KRAKEN_OPEN } } },
      KRAKEN_LATER,
    ),
  ).toEqual([]);
  await client.fetchTicker(symbol);
  const pairs = Object.fromEntries('abcvptlh'.split('').map((key) => [key, ['number'] as [Kind]]));
  expect(
    differences(last(trader), { error: 'list', result: { XXBTZUSD: { ...pairs, o: 'number' } } }),
  ).toEqual([]);
});

it("kraken's sentence for a stop, word for word", async () => {
  trader = await openTrader('kraken');
  const { client, symbol } = trader;
  await client.createOrder(symbol, 'limit', 'sell', 0.1, 54_000, { stopLossPrice: 55_000 });
  const [order] = await client.fetchOpenOrders(symbol);
  expect((order?.info as { descr?: unknown } | undefined)?.descr).toMatchObject({
    ordertype: 'stop-loss-limit',
    price: '55000.0',
    price2: '54000.0',
    order: 'sell 0.10000000 XBTUSD @ stop loss 55000.0 -> limit 54000.0',
  });
  expect(order).toMatchObject({ stopLossPrice: 55_000, price: 54_000, type: 'limit' });
});

it("kraken's balances and trades", async () => {
  trader = await openTrader('kraken');
  const { client, symbol, place } = trader;
  await place(SELL);
  await client.fetchBalance();
  const balance = of('number', 'balance hold_trade');
  expect(
    differences(last(trader), {
      error: 'list',
      result: { XXBT: balance, ZUSD: balance, BNB: balance },
    }),
  ).toEqual([]);
  await client.fetchMyTrades(symbol);
  const [fill] = trader.standIn.journal.fillsOf();
  const row: Shape = {
    ...of('text', 'ordertxid postxid pair type ordertype misc'),
    ...of('number', 'time price cost fee vol margin leverage trade_id'),
    maker: 'flag',
  };
  expect(
    differences(last(trader), {
      error: 'list',
      result: { trades: { [fill?.id ?? '']: row }, count: 'number' },
    }),
  ).toEqual([]);
});

const COINBASE_ORDER: Shape = {
  ...of('text', 'order_id product_id user_id side client_order_id status time_in_force'),
  ...of('text', 'created_time fee trigger_status order_type reject_reason product_type'),
  ...of('text', 'reject_message cancel_message order_placement_source leverage margin_type'),
  ...of('number', 'completion_percentage filled_size average_filled_price number_of_fills'),
  ...of('number', 'filled_value total_fees total_value_after_fees outstanding_hold_amount'),
  ...of('flag', 'pending_cancel size_in_quote size_inclusive_of_fees settled is_liquidation'),
  order_configuration: { market_market_ioc: { base_size: 'number' } },
  last_fill_time: 'text or null',
  edit_history: 'list',
};

it("coinbase's lists, fills and prices", async () => {
  trader = await openTrader('coinbase');
  const { client, symbol, place } = trader;
  await place(SELL);
  await client.fetchClosedOrders(symbol);
  expect(
    differences(last(trader), {
      orders: [COINBASE_ORDER],
      sequence: 'number',
      has_next: 'flag',
      cursor: 'text',
    }),
  ).toEqual([]);
  await client.fetchMyTrades(symbol);
  const fill: Shape = {
    ...of('text', 'entry_id trade_id order_id trade_time trade_type product_id user_id side'),
    ...of('text', 'sequence_timestamp liquidity_indicator'),
    ...of('number', 'price size commission'),
    size_in_quote: 'flag',
  };
  expect(differences(last(trader), { fills: [fill], cursor: 'text' })).toEqual([]);
  await client.fetchTicker(symbol);
  const trade: Shape = {
    ...of('text', 'product_id time side bid ask'),
    ...of('number', 'trade_id price size'),
  };
  expect(
    differences(last(trader), { trades: [trade], best_bid: 'number', best_ask: 'number' }),
  ).toEqual([]);
});

it("coinbase's balances, in both versions", async () => {
  trader = await openTrader('coinbase');
  const { client } = trader;
  const amount: Shape = { value: 'number', currency: 'text' };
  await client.fetchBalance();
  const account: Shape = {
    ...of('text', 'uuid name currency created_at updated_at type'),
    ...of('flag', 'default active ready'),
    deleted_at: 'null',
    available_balance: amount,
    hold: amount,
  };
  expect(
    differences(
      last(trader),
      { accounts: [account], has_next: 'flag', cursor: 'text', size: 'number' },
      ['retail_portfolio_id', 'platform'],
    ),
  ).toEqual([]);
  client.options.fetchBalance = 'v2PrivateGetAccounts';
  await client.fetchBalance();
  const old: Shape = {
    ...of('text', 'id name type created_at updated_at resource resource_path'),
    ...of('flag', 'primary allow_deposits allow_withdrawals'),
    balance: { amount: 'number', currency: 'text' },
    currency: {
      ...of('text', 'asset_id code color name slug type'),
      exponent: 'number',
      rewards: 'null',
    },
  };
  const pagination: Shape = {
    ...of('null', 'ending_before next_starting_after next_uri previous_ending_before'),
    ...of('null', 'previous_uri starting_after'),
    limit: 'number',
    order: 'text',
  };
  expect(differences(last(trader), { data: [old], pagination })).toEqual([]);
});

const BINANCE_ORDER: Shape = {
  ...of('text', 'symbol clientOrderId status timeInForce type side selfTradePreventionMode'),
  ...of('number', 'orderId orderListId price origQty executedQty cummulativeQuoteQty stopPrice'),
  ...of('number', 'icebergQty time updateTime workingTime origQuoteOrderQty'),
  isWorking: 'flag',
};

it("binance's placing, lists, depth and balances", async () => {
  trader = await openTrader('binance');
  const { client, symbol, place } = trader;
  await place(BUY_LOW);
  expect(
    differences(last(trader), {
      ...of('text', 'symbol clientOrderId status timeInForce type side selfTradePreventionMode'),
      ...of('number', 'orderId orderListId transactTime price origQty executedQty'),
      ...of('number', 'origQuoteOrderQty cummulativeQuoteQty workingTime'),
      fills: 'list',
    }),
  ).toEqual([]);
  await client.fetchOrders(symbol);
  expect(differences(last(trader), [BINANCE_ORDER])).toEqual([]);
  await client.fetchOrderBook(symbol);
  const levels: Shape = [['number']];
  expect(differences(last(trader), { lastUpdateId: 'number', bids: levels, asks: levels })).toEqual(
    [],
  );
  await client.fetchBalance();
  expect(
    differences(last(trader), {
      ...of('number', 'makerCommission takerCommission buyerCommission sellerCommission'),
      ...of('number', 'updateTime uid'),
      commissionRates: of('number', 'maker taker buyer seller'),
      ...of('flag', 'canTrade canWithdraw canDeposit brokered requireSelfTradePrevention'),
      preventSor: 'flag',
      accountType: 'text',
      balances: [{ asset: 'text', ...of('number', 'free locked') }],
      permissions: ['text'],
    }),
  ).toEqual([]);
});

it("takes the orders of ccxt's recorded requests", async () => {
  trader = await openTrader('kraken');
  const { client, standIn, symbol } = trader;
  await client.createOrder(symbol, 'market', 'buy', 0.001);
  await client.createOrder(symbol, 'market', 'sell', 0.001);
  await client.createOrder(symbol, 'market', 'sell', 0.001, undefined, { stopLossPrice: 55_000 });
  await client.createOrder(symbol, 'limit', 'sell', 0.001, 54_000, { stopLossPrice: 55_000 });
  await client.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, {
    postOnly: true,
    oflags: 'fcib',
  });
  await client.createMarketBuyOrderWithCost(symbol, 50);
  expect(standIn.journal.orders()).toHaveLength(6);
  await trader.close();

  trader = await openTrader('coinbase');
  const { client: coinbase, standIn: second } = trader;
  const free = { createMarketBuyOrderRequiresPrice: false };
  await coinbase.createOrder(symbol, 'limit', 'buy', 0.001, 50_000);
  await coinbase.createOrder(symbol, 'market', 'buy', 0.001, 64_000);
  await coinbase.createOrder(symbol, 'market', 'sell', 0.001);
  await coinbase.createOrder(symbol, 'limit', 'buy', 0.001, 50_000, { postOnly: true });
  await coinbase.createOrder(symbol, 'market', 'buy', 50, undefined, free);
  await coinbase.createOrder(symbol, 'limit', 'buy', 0.001, 65_000, { timeInForce: 'IOC' });
  await coinbase.createMarketBuyOrderWithCost(symbol, 50);
  expect(second.journal.orders()).toHaveLength(7);
});

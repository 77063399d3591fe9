/**
 * What Coinbase Advanced was recorded to answer (ccxt/ccxt, ts/src/test/static: response, markets):
 * ids and amounts as they were, in rows of our own. A `cursor` within a row is ccxt's own addition.
 */

const USER = 'dbcb91e7-2bc9-5152-bb6f-72d6677e6727';

export const CLOSED_ORDER = {
  order_id: '01b6e467-b659-432f-9490-c7cefe949564',
  product_id: 'ADA-USDT',
  user_id: USER,
  order_configuration: { market_market_ioc: { base_size: '10' } },
  side: 'SELL',
  client_order_id: 'a0f970a2-05fa-4e1f-9517-f6702c33cfd1',
  status: 'FILLED',
  time_in_force: 'IMMEDIATE_OR_CANCEL',
  created_time: '2023-11-26T10:19:47.423220Z',
  completion_percentage: '100.00',
  filled_size: '10',
  average_filled_price: '0.392',
  fee: '',
  number_of_fills: '1',
  filled_value: '3.92',
  pending_cancel: false,
  size_in_quote: false,
  total_fees: '0.03136',
  size_inclusive_of_fees: false,
  total_value_after_fees: '3.88864',
  trigger_status: 'INVALID_ORDER_TYPE',
  order_type: 'MARKET',
  reject_reason: 'REJECT_REASON_UNSPECIFIED',
  settled: true,
  product_type: 'SPOT',
  reject_message: '',
  cancel_message: '',
  order_placement_source: 'RETAIL_ADVANCED',
  outstanding_hold_amount: '0',
  is_liquidation: false,
  last_fill_time: '2023-11-26T10:19:47.504Z',
  edit_history: [],
  leverage: '',
  margin_type: 'UNKNOWN_MARGIN_TYPE',
};
export const CLOSED_ORDERS = {
  orders: [CLOSED_ORDER],
  sequence: '0',
  has_next: true,
  cursor: '748478308',
};

export const FILL = {
  entry_id: 'dc7424ac5193601ae273cf704ece1667987d8c0b1077faa5fe3213e8e9efbd30',
  trade_id: '19fc7eee-f4b4-40a7-8104-033da1db5311',
  order_id: CLOSED_ORDER.order_id,
  trade_time: '2023-11-26T10:19:47.504Z',
  trade_type: 'FILL',
  price: '0.392',
  size: '10',
  commission: '0.03136',
  product_id: 'ADA-USDT',
  sequence_timestamp: '2023-11-26T10:19:47.507001Z',
  liquidity_indicator: 'TAKER',
  size_in_quote: false,
  user_id: USER,
  side: 'SELL',
};
export const FILLS = { fills: [FILL], cursor: '114994851' };

/** Of a perpetual: no coin moved. */
export const PERPETUAL_FILL = {
  ...FILL,
  entry_id: '88d1e03f8fa6fc46ba8e1fc99545edd7e07f430cfffa2f95d59ce4ff4442f5f7',
  trade_id: 'f8e23d3d-29a4-44f9-804d-1c74e4908055',
  order_id: 'efed4cba-7395-4b02-b927-0c1dce00e0d8',
  trade_time: '2024-04-09T11:45:50.552204Z',
  price: '0.6091',
  size: '20',
  commission: '0.0036',
  product_id: 'ADA-PERP-INTX',
  sequence_timestamp: '2024-04-09T11:45:50.653257Z',
  side: 'BUY',
};

export const TICKER = {
  trades: [
    {
      trade_id: '635541194',
      product_id: 'BTC-USDC',
      price: '66363.03',
      size: '0.03720194',
      time: '2024-04-24T09:56:38.063595Z',
      side: 'BUY',
      bid: '',
      ask: '',
    },
  ],
  best_bid: '66367.58',
  best_ask: '66367.59',
};

/** Of the second version, which says nothing of what open orders hold. */
export const OLD_ACCOUNTS = {
  data: [
    {
      id: 'e43047d8-3c24-56bf-bbd7-84dc284ab018',
      name: 'MASK Wallet',
      primary: true,
      type: 'wallet',
      balance: { amount: '0.00000000', currency: 'MASK' },
      created_at: '2023-08-28T23:49:17Z',
      updated_at: '2023-08-28T23:49:17Z',
      resource: 'account',
      resource_path: '/v2/accounts/e43047d8-3c24-56bf-bbd7-84dc284ab018',
      currency: {
        asset_id: '45ce7f01-2962-5576-8dfd-449e4a49b75d',
        code: 'MASK',
        color: '#1C68F3',
        exponent: 8,
        name: 'Mask Network',
        slug: 'mask-network',
        type: 'crypto',
        rewards: null,
      },
      allow_deposits: true,
      allow_withdrawals: true,
    },
  ],
  // As recorded of a list that fits on one page.
  pagination: {
    ending_before: null,
    limit: 25,
    next_starting_after: null,
    next_uri: null,
    order: 'desc',
    previous_ending_before: null,
    previous_uri: null,
    starting_after: null,
  },
};

type ProductRow = [
  id: string,
  names: [base: string, quote: string],
  price: string,
  volume: string,
  quoteVolume: string,
  baseStep: string,
  priceStep: string,
  alias?: string,
];
const PRODUCT_ROWS: ProductRow[] = [
  [
    'BTC-USD',
    ['Bitcoin', 'US Dollar'],
    '103459.11',
    '9035.28731773',
    '934782784.49',
    '0.00000001',
    '0.01',
  ],
  [
    'BTC-USDC',
    ['Bitcoin', 'USDC'],
    '103459.11',
    '9035.28731773',
    '934782784.49',
    '0.00000001',
    '0.01',
    'BTC-USD',
  ],
  [
    'BTC-USDT',
    ['Bitcoin', 'Tether'],
    '103400.79',
    '147.77271455',
    '15279815.42',
    '0.00000001',
    '0.01',
  ],
  [
    'ETH-USDT',
    ['Ethereum', 'Tether'],
    '2584.11',
    '10623.18175615',
    '27451470.21',
    '0.00000001',
    '0.01',
  ],
  ['ADA-USDT', ['Cardano', 'Tether'], '0.8027', '3156487.39', '2533712.428', '0.01', '0.0001'],
  ['XRP-USDT', ['XRP', 'Tether'], '2.5631', '2443403.003755', '6262686.2389', '0.000001', '0.0001'],
  [
    'XRP-USDC',
    ['XRP', 'USDC'],
    '2.5634',
    '133711510.458795',
    '342756085.91',
    '0.000001',
    '0.0001',
    'XRP-USD',
  ],
  ['DOGE-USDT', ['Dogecoin', 'Tether'], '0.2322', '12098381.5', '2809244.1843', '0.1', '0.0001'],
];

/** What nothing here reads is as the first of them had it. */
export const PRODUCTS = PRODUCT_ROWS.map(
  ([product_id, names, price, volume, quoteVolume, baseStep, priceStep, alias = '']) => {
    const [base = '', quote = ''] = product_id.split('-');
    return {
      product_id,
      price,
      price_percentage_change_24h: '-0.31484054621308',
      volume_24h: volume,
      volume_percentage_change_24h: '7.92405208061416',
      base_increment: baseStep,
      quote_increment: priceStep,
      quote_min_size: '1',
      quote_max_size: '10000000',
      base_min_size: baseStep,
      base_max_size: '3400',
      base_name: names[0],
      quote_name: names[1],
      watched: false,
      is_disabled: false,
      new: false,
      status: 'online',
      cancel_only: false,
      limit_only: false,
      post_only: false,
      trading_disabled: false,
      auction_mode: false,
      product_type: 'SPOT',
      quote_currency_id: quote,
      base_currency_id: base,
      fcm_trading_session_details: null,
      mid_market_price: '',
      alias,
      alias_to: [],
      base_display_symbol: base,
      quote_display_symbol: alias === '' ? quote : 'USD',
      view_only: false,
      price_increment: priceStep,
      display_name: product_id,
      product_venue: 'CBE',
      approximate_quote_24h_volume: quoteVolume,
      new_at: '2023-01-01T00:00:00Z',
    };
  },
);

/**
 * What Binance spot was recorded to answer (ccxt/ccxt, ts/src/test/static: response, markets): ids
 * and amounts as they were, in rows of our own. The recordings put every number in quotes; here a
 * number is one where Binance sends one.
 */

/** A limit order of which 0.03 are shown. */
export const PLACED = {
  symbol: 'SOLUSDT',
  orderId: 9_780_331_417,
  orderListId: -1,
  clientOrderId: 'x-R4BD3S824d31be3228a348eaa0a303',
  transactTime: 1_737_635_557_417,
  price: '241.00000000',
  origQty: '0.05000000',
  executedQty: '0.00000000',
  origQuoteOrderQty: '0.00000000',
  cummulativeQuoteQty: '0.00000000',
  status: 'NEW',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  workingTime: 1_737_635_557_417,
  icebergQty: '0.03000000',
  fills: [],
  selfTradePreventionMode: 'EXPIRE_MAKER',
};

const listed = (orderId: number, clientOrderId: string, time: number, more: object) => ({
  symbol: 'LTCUSDT',
  orderId,
  orderListId: -1,
  clientOrderId,
  price: '50.00000000',
  origQty: '0.10000000',
  executedQty: '0.00000000',
  cummulativeQuoteQty: '0.00000000',
  status: 'NEW',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: '0.00000000',
  icebergQty: '0.00000000',
  time,
  updateTime: time,
  isWorking: true,
  workingTime: time,
  origQuoteOrderQty: '0.00000000',
  selfTradePreventionMode: 'EXPIRE_MAKER',
  ...more,
});

export const LOOKED_UP = listed(
  3_397_148_653,
  'x-R4BD3S825806ed40c861260428a48c',
  1_679_571_174_472,
  {
    price: '0.00000000',
    executedQty: '0.10000000',
    cummulativeQuoteQty: '9.08000000',
    status: 'FILLED',
    type: 'MARKET',
    side: 'SELL',
    selfTradePreventionMode: 'NONE',
  },
);
export const OPEN_ORDER = listed(
  3_811_057_334,
  'x-R4BD3S82102a551f8c1642bba06728',
  1_699_380_855_570,
  { origQty: '0.20000000', type: 'LIMIT_MAKER' },
);
export const CANCELLED_ORDER = listed(
  3_854_801_792,
  'x-R4BD3S82d1481ae59ba59326d82c8a',
  1_701_856_395_927,
  { status: 'CANCELED', updateTime: 1_706_883_268_013 },
);

export const TRADE = {
  symbol: 'LTCUSDT',
  id: 309_520_010,
  orderId: 3_784_695_242,
  orderListId: -1,
  price: '69.63000000',
  qty: '0.20000000',
  quoteQty: '13.92600000',
  commission: '0.01392600',
  commissionAsset: 'USDT',
  time: 1_698_138_992_358,
  isBuyer: false,
  isMaker: false,
  isBestMatch: true,
};

export const ACCOUNT = {
  makerCommission: 10,
  takerCommission: 10,
  buyerCommission: 0,
  sellerCommission: 0,
  commissionRates: {
    maker: '0.00100000',
    taker: '0.00100000',
    buyer: '0.00000000',
    seller: '0.00000000',
  },
  canTrade: true,
  canWithdraw: true,
  canDeposit: true,
  brokered: false,
  requireSelfTradePrevention: false,
  preventSor: false,
  updateTime: 1_701_856_395_927,
  accountType: 'SPOT',
  balances: [
    { asset: 'BTC', free: '0.00000000', locked: '0.00000000' },
    { asset: 'LTC', free: '0.91974100', locked: '0.00000000' },
    { asset: 'ETH', free: '0.02229833', locked: '0.00000000' },
  ],
  permissions: ['SPOT'],
  uid: 365_859_102,
};

export const BOOK = {
  lastUpdateId: 25_445_101,
  bids: [
    ['42574.30000000', '0.01070000'],
    ['42574.20000000', '0.00646000'],
  ],
  asks: [
    ['42574.31000000', '0.00870000'],
    ['42574.80000000', '0.00893000'],
  ],
};

export const TICKER = {
  symbol: 'BTCUSDT',
  priceChange: '1188.75000000',
  priceChangePercent: '1.647',
  weightedAvgPrice: '71624.65401064',
  prevClosePrice: '72180.93000000',
  lastPrice: '73369.84000000',
  lastQty: '0.23925000',
  bidPrice: '73369.83000000',
  bidQty: '6.27086000',
  askPrice: '73369.84000000',
  askQty: '0.03321000',
  openPrice: '72181.09000000',
  highPrice: '73650.25000000',
  lowPrice: '68620.82000000',
  volume: '72140.34862800',
  quoteVolume: '5167027510.68728707',
  openTime: 1_710_241_845_391,
  closeTime: 1_710_328_245_391,
  firstId: 3_476_288_989,
  lastId: 3_479_476_926,
  count: 3_187_938,
};

/** Hours of BTCUSDT: time, open, high, low, close, volume, end, in quote, trades, bought, in quote. */
export const HOURS = [
  [
    1_706_630_400_000,
    '43519.34000000',
    '43936.00000000',
    '43171.00000000',
    '43488.71000000',
    '20.55495000',
    1_706_633_999_999,
    '891428.42858070',
    3_743,
    '10.91428000',
    '473782.95739920',
    '0',
  ],
  [
    1_706_634_000_000,
    '43488.71000000',
    '43832.08000000',
    '43084.00000000',
    '43374.80000000',
    '21.80865000',
    1_706_637_599_999,
    '946546.04941680',
    4_365,
    '11.70274000',
    '508392.74777040',
    '0',
  ],
  [
    1_706_637_600_000,
    '43374.81000000',
    '44048.00000000',
    '43062.00000000',
    '43361.11000000',
    '23.66547000',
    1_706_641_199_999,
    '1027527.77116170',
    4_063,
    '15.19718000',
    '660419.73275280',
    '0',
  ],
];

type PairRow = [
  base: string,
  tick: string,
  maxPrice: string,
  step: string,
  maxQuantity: string,
  maxAtMarket: string,
];
const PAIR_ROWS: PairRow[] = [
  ['BTC', '0.01000000', '1000000.00000000', '0.00001000', '9000.00000000', '128.52621715'],
  ['ETH', '0.01000000', '1000000.00000000', '0.00010000', '9000.00000000', '3277.54882761'],
  ['ADA', '0.00010000', '1000.00000000', '0.10000000', '900000.00000000', '3734056.71171548'],
  ['LTC', '0.01000000', '100000.00000000', '0.00100000', '90000.00000000', '20716.23115062'],
  ['XRP', '0.00010000', '10000.00000000', '1.00000000', '9222449.00000000', '6858819.29288702'],
  ['DOGE', '0.00001000', '1000.00000000', '1.00000000', '9000000.00000000', '28160624.66945606'],
];

export const PAIRS = PAIR_ROWS.map(([base, tick, maxPrice, step, maxQuantity, maxAtMarket]) => ({
  symbol: `${base}USDT`,
  status: 'TRADING',
  baseAsset: base,
  baseAssetPrecision: 8,
  quoteAsset: 'USDT',
  quotePrecision: 8,
  quoteAssetPrecision: 8,
  baseCommissionPrecision: 8,
  quoteCommissionPrecision: 8,
  orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'],
  icebergAllowed: true,
  ocoAllowed: true,
  quoteOrderQtyMarketAllowed: true,
  allowTrailingStop: true,
  cancelReplaceAllowed: true,
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: true,
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice, tickSize: tick },
    { filterType: 'LOT_SIZE', minQty: step, maxQty: maxQuantity, stepSize: step },
    { filterType: 'ICEBERG_PARTS', limit: 10 },
    {
      filterType: 'MARKET_LOT_SIZE',
      minQty: '0.00000000',
      maxQty: maxAtMarket,
      stepSize: '0.00000000',
    },
    {
      filterType: 'NOTIONAL',
      minNotional: '5.00000000',
      applyMinToMarket: true,
      maxNotional: '9000000.00000000',
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: 200 },
    { filterType: 'MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: 5 },
  ],
  permissions: ['SPOT', 'MARGIN', 'TRD_GRP_004'],
  defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
  allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
}));

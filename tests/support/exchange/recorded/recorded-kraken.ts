/**
 * What Kraken was recorded to answer (ccxt/ccxt, ts/src/test/static: response, markets, currencies):
 * ids and amounts as they were, in rows of our own. The recordings put every number in quotes; here
 * a number is one where Kraken sends one.
 */

export const PLACED = {
  txid: ['OL7LNO-R4SAD-6UINEU'],
  descr: { order: 'buy 0.10000000 LTCUSDT @ market' },
};

interface Described {
  pair?: string;
  side?: string;
  price?: string;
  price2?: string;
  how: string;
}

/** An order that rests, of 0.1 unless it says another volume. */
function resting(
  opentm: number,
  ordertype: string,
  { pair = 'LTCUSDT', side = 'sell', price = '0', price2 = '0', how }: Described,
  more: object = {},
) {
  const vol = pair === 'XRPUSD' ? '10.00000000' : '0.10000000';
  const none = pair === 'XRPUSD' ? '0.00000000' : '0.000000';
  return {
    refid: null,
    userref: 0,
    status: 'open',
    opentm,
    starttm: 0,
    expiretm: 0,
    descr: {
      pair,
      type: side,
      ordertype,
      price,
      price2,
      leverage: 'none',
      order: `${side} ${vol} ${pair} @ ${how}`,
      close: '',
    },
    vol,
    vol_exec: '0.00000000',
    cost: none,
    fee: none,
    price: none,
    stopprice: none,
    limitprice: none,
    misc: '',
    oflags: 'fciq',
    ...more,
  };
}

export const LOOKED_UP_OPEN_ID = 'OR6EGN-KQSEG-AMI6CL';
export const LOOKED_UP_OPEN = resting(
  1_705_259_439.563,
  'limit',
  { side: 'buy', price: '50.00000', how: 'limit 50.00000' },
  { oflags: 'post,fciq', reason: null },
);

export const LOOKED_UP_CLOSED_ID = 'OGMZCL-KC6MC-ZRBGM6';
export const TRADE_ID = 'TWA6QJ-ZO4EM-6QIHQJ';
export const LOOKED_UP_CLOSED = resting(
  1_705_260_547.472,
  'market',
  { side: 'buy', how: 'market' },
  {
    status: 'closed',
    vol_exec: '0.10000000',
    cost: '7.105741',
    fee: '0.018475',
    price: '71.05741',
    trades: [TRADE_ID],
    reason: null,
    closetm: 1_705_260_547.472_865_8,
  },
);

/** What three accounts had open. */
export const OPEN = {
  'OXCZ7B-EMVZQ-MTJTQJ': resting(1_705_260_203.583, 'take-profit', {
    price: '120.00000',
    how: 'take profit 120.00000',
  }),
  'OIIQBL-6PV3A-7M2AJJ': resting(1_705_260_464.973_174_8, 'stop-loss-limit', {
    price: '55.00000',
    price2: '54.00000',
    how: 'stop loss 55.00000 -> limit 54.00000',
  }),
  'OF7S76-H2IMS-N2ML4U': resting(
    1_706_895_177.107_055_7,
    'trailing-stop',
    { pair: 'XRPUSD', side: 'buy', price: '+50.0000%', how: 'trailing stop +50.0000%' },
    { stopprice: '0.75790000', limitprice: '0.50527000', trigger: 'index' },
  ),
};

export const TICKER = {
  a: ['73380.70000', '1', '1.000'],
  b: ['73380.60000', '1', '1.000'],
  c: ['73380.60000', '0.00160710'],
  v: ['165.16072288', '598.03698452'],
  p: ['72647.97204', '71501.57520'],
  t: [6_405, 21_103],
  l: ['71321.80000', '68666.00000'],
  h: ['73580.00000', '73580.00000'],
  o: '71450.70000',
};

/** Hours of XBTUSDT: time, open, high, low, close, average price, volume, trades. */
export const HOURS = [
  [1_706_626_800, '43437.5', '43593.7', '43355.5', '43361.1', '43511.3', '18.75430110', 162],
  [1_706_630_400, '43366.3', '43529.2', '43234.2', '43485.0', '43435.3', '12.51327406', 126],
  [1_706_634_000, '43497.5', '43594.6', '43316.4', '43409.5', '43429.8', '5.03074129', 127],
  [1_706_637_600, '43398.3', '43500.5', '42983.1', '43386.6', '43255.9', '81.88339686', 434],
  [1_706_641_200, '43375.0', '43539.7', '43357.1', '43539.7', '43438.7', '10.82796308', 137],
  [1_706_799_600, '42633.7', '42905.4', '42545.2', '42548.5', '42817.6', '75.60416795', 612],
];

type PairRow = [
  key: string,
  altname: string,
  base: string,
  quote: string,
  costDecimals: number,
  pairDecimals: number,
  ordermin: string,
  tick: string,
];
const PAIR_ROWS: PairRow[] = [
  ['XBTUSDT', 'XBTUSDT', 'XXBT', 'USDT', 5, 1, '0.0001', '0.1'],
  ['XXBTZUSD', 'XBTUSD', 'XXBT', 'ZUSD', 5, 1, '0.0001', '0.1'],
  ['ETHUSDT', 'ETHUSDT', 'XETH', 'USDT', 5, 2, '0.01', '0.01'],
  ['ADAUSDT', 'ADAUSDT', 'ADA', 'USDT', 8, 6, '20', '0.000001'],
  ['LTCUSDT', 'LTCUSDT', 'XLTC', 'USDT', 6, 5, '0.08', '0.00001'],
  ['XRPUSDT', 'XRPUSDT', 'XXRP', 'USDT', 8, 5, '10', '0.00001'],
  ['XDGUSDT', 'XDGUSDT', 'XXDG', 'USDT', 9, 5, '80', '0.00001'],
  ['XXRPZUSD', 'XRPUSD', 'XXRP', 'ZUSD', 8, 5, '10', '0.00001'],
];

/** The first of each table of fees; those that can be borrowed have limits of positions as well. */
export const PAIRS = Object.fromEntries(
  PAIR_ROWS.map(([key, altname, base, quote, costDecimals, pairDecimals, ordermin, tick]) => [
    key,
    {
      altname,
      wsname: altname.replace(/USDT?$/, (one) => `/${one}`),
      aclass_base: 'currency',
      base,
      aclass_quote: 'currency',
      quote,
      lot: 'unit',
      cost_decimals: costDecimals,
      pair_decimals: pairDecimals,
      lot_decimals: 8,
      lot_multiplier: 1,
      leverage_buy: [],
      leverage_sell: [],
      fees: [[0, 0.26]],
      fees_maker: [[0, 0.16]],
      fee_volume_currency: 'ZUSD',
      margin_call: 80,
      margin_stop: 40,
      ordermin,
      costmin: '0.5',
      tick_size: tick,
      status: 'online',
    },
  ]),
);

/** Without what a coin counts as security, which not every one has. Dogecoin's row is no recording. */
export const COINS = Object.fromEntries(
  (
    [
      ['XXBT', 'XBT', 10, 5],
      ['USDT', 'USDT', 8, 4],
      ['ZEUR', 'EUR', 4, 2],
      ['ZUSD', 'USD', 4, 2],
      ['XLTC', 'LTC', 10, 5],
      ['XETH', 'ETH', 10, 5],
      ['ADA', 'ADA', 8, 6],
      ['XXRP', 'XRP', 8, 5],
      ['XXDG', 'XDG', 8, 2],
    ] as const
  ).map(([code, altname, decimals, display_decimals]) => [
    code,
    { aclass: 'currency', altname, decimals, display_decimals, status: 'enabled' },
  ]),
);

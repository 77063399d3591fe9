/** Binance's public calls: time, pairs with their filters, prices and depth. */
import { formatFixed, parseFixed, ZERO, type Fixed } from '../../../../contract/money.ts';
import type { Answer, Asked, CallName } from '../calls.ts';
import { placesText } from '../decimal-text.ts';
import type { Floor } from '../dialect.ts';
import type { Instrument } from '../instruments.ts';
import { binanceError } from './binance-signature.ts';

export const pairId = ({ base, quote }: Pick<Instrument, 'base' | 'quote'>): string =>
  `${base}${quote}`;

export function findPair(floor: Floor, id: string | null): Instrument | null {
  for (const instrument of floor.instruments.values())
    if (pairId(instrument) === id && instrument.status !== 'delisted') return instrument;
  return null;
}

export const INVALID_SYMBOL = binanceError(-1121, 'Invalid symbol.');

const ok = (body: unknown): Answer => ({ status: 200, body });

export function answerMarket(floor: Floor, call: CallName, asked: Asked): Answer {
  const listed = [...floor.instruments.values()].filter(({ status }) => status !== 'delisted');
  // Futures have an address of their own, which ccxt asks beside the spot one.
  const isSpot = asked.path.startsWith('/api/') || asked.path.startsWith('/sapi/');
  if (call === 'time')
    return ok(asked.path.endsWith('/ping') ? {} : { serverTime: Math.floor(floor.clock.now()) });
  if (call === 'status') return ok({ status: 0, msg: 'normal' });
  if (call === 'markets') return ok(exchangeInfo(floor, isSpot ? listed : []));
  if (call === 'best-prices') return bestPrices(floor, asked, listed);
  const wanted = asked.query.get('symbol');
  const pair = findPair(floor, wanted);
  const row = asked.path.endsWith('/price') ? priceRow : tickerRow;
  if (wanted !== null && pair === null) return INVALID_SYMBOL;
  if (pair === null)
    return call === 'ticker'
      ? ok(listed.map((one) => row(floor, one)))
      : binanceError(-1102, "Mandatory parameter 'symbol' was not sent.");
  if (call === 'ticker') return ok(row(floor, pair));
  return call === 'book' ? ok(depth(floor, pair)) : ok(publicTrades(floor, pair));
}

/** Of one pair, of those on a list, or of all. A list with one that is not traded is refused. */
function bestPrices(floor: Floor, { query }: Asked, listed: Instrument[]): Answer {
  const [one, list] = [query.get('symbol'), query.get('symbols')];
  const wanted = one === null ? (list === null ? null : (JSON.parse(list) as string[])) : [one];
  const found = wanted?.map((id) => findPair(floor, id)) ?? listed;
  const rows = found.flatMap((pair) => (pair === null ? [] : [bookRow(floor, pair)]));
  if (rows.length < found.length) return INVALID_SYMBOL;
  return ok(one === null ? rows : rows[0]);
}

function exchangeInfo(floor: Floor, listed: Instrument[]): Record<string, unknown> {
  return {
    timezone: 'UTC',
    serverTime: Math.floor(floor.clock.now()),
    rateLimits: [
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6_000 },
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 100 },
    ],
    exchangeFilters: [],
    symbols: listed.map((one) => symbolRow(one, floor.core.isCancelOnly)),
  };
}

function symbolRow(instrument: Instrument, isHalted: boolean): Record<string, unknown> {
  const { base, quote, tick, step, minQuantity, minNotional, status } = instrument;
  const [stepSize, minQty] = [placesText(step, 8), placesText(minQuantity, 8)];
  return {
    symbol: pairId(instrument),
    status: status !== 'online' ? 'BREAK' : isHalted ? 'HALT' : 'TRADING',
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: [
      'LIMIT',
      'LIMIT_MAKER',
      'MARKET',
      'STOP_LOSS',
      'STOP_LOSS_LIMIT',
      'TAKE_PROFIT',
      'TAKE_PROFIT_LIMIT',
    ],
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: [
      {
        filterType: 'PRICE_FILTER',
        minPrice: placesText(tick, 8),
        maxPrice: '1000000.00000000',
        tickSize: placesText(tick, 8),
      },
      { filterType: 'LOT_SIZE', minQty, maxQty: '9000.00000000', stepSize },
      {
        filterType: 'NOTIONAL',
        minNotional: placesText(minNotional, 8),
        applyMinToMarket: true,
        maxNotional: '9000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 5,
      },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  };
}

const priceRow = (floor: Floor, instrument: Instrument): Record<string, unknown> => ({
  symbol: pairId(instrument),
  price: placesText(floor.prices.mid(instrument.symbol), 8),
});

const VOLUME = parseFixed('9823.12345');

/** An empty side has a price of nothing. */
function bookRow(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const text = (amount: Fixed | undefined): string => placesText(amount ?? ZERO, 8);
  return {
    symbol: pairId(instrument),
    bidPrice: text(bids[0]?.price),
    bidQty: text(bids[0]?.quantity),
    askPrice: text(asks[0]?.price),
    askQty: text(asks[0]?.quantity),
  };
}

function tickerRow(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const mid = placesText(floor.prices.mid(instrument.symbol), 8);
  const now = Math.floor(floor.clock.now());
  const [bid = { price: parseFixed('0'), quantity: parseFixed('0') }] = bids;
  const [ask = bid] = asks;
  return {
    symbol: pairId(instrument),
    priceChange: '0.00000000',
    priceChangePercent: '0.000',
    weightedAvgPrice: mid,
    prevClosePrice: mid,
    lastPrice: mid,
    lastQty: '0.00100000',
    bidPrice: placesText(bid.price, 8),
    bidQty: placesText(bid.quantity, 8),
    askPrice: placesText(ask.price, 8),
    askQty: placesText(ask.quantity, 8),
    openPrice: mid,
    highPrice: placesText(asks.at(-1)?.price ?? ask.price, 8),
    lowPrice: placesText(bids.at(-1)?.price ?? bid.price, 8),
    volume: placesText(VOLUME, 8),
    quoteVolume: formatFixed(((VOLUME * (bid.price / 10n ** 6n)) / 10n ** 6n) as typeof VOLUME),
    openTime: now - 86_400_000,
    closeTime: now,
    firstId: 1,
    lastId: 2,
    count: 2,
  };
}

function depth(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const rows = (levels: typeof bids): unknown[] =>
    levels.map(({ price, quantity }) => [placesText(price, 8), placesText(quantity, 8)]);
  return { lastUpdateId: Math.floor(floor.clock.now()), bids: rows(bids), asks: rows(asks) };
}

function publicTrades(floor: Floor, instrument: Instrument): unknown[] {
  return [
    {
      id: 1,
      price: placesText(floor.prices.mid(instrument.symbol), 8),
      qty: '0.00100000',
      quoteQty: '1.00000000',
      time: Math.floor(floor.clock.now()),
      isBuyerMaker: false,
      isBestMatch: true,
    },
  ];
}

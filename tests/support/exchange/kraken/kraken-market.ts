/** Kraken's public calls: time, status, coins, pairs with their rules, prices and depth. */
import { divide, parseFixed, ZERO, type Fixed } from '../../../../contract/money.ts';
import type { Answer, Asked, CallName } from '../calls.ts';
import { placesOf, placesText } from '../decimal-text.ts';
import type { Floor } from '../dialect.ts';
import type { Instrument } from '../instruments.ts';
import {
  coinAltname,
  coinDecimals,
  coinId,
  findPair,
  pairAltname,
  pairId,
  pairWsName,
} from './kraken-names.ts';
import { krakenError } from './kraken-signature.ts';

const ok = (result: unknown): Answer => ({ status: 200, body: { error: [], result } });

export function answerMarket(floor: Floor, call: CallName, asked: Asked): Answer {
  const listed = [...floor.instruments.values()].filter(({ status }) => status !== 'delisted');
  const now = floor.clock.now();
  if (call === 'time')
    return ok({ unixtime: Math.floor(now / 1_000), rfc1123: new Date(now).toUTCString() });
  if (call === 'status') {
    const status = floor.core.isCancelOnly ? 'cancel_only' : 'online';
    return ok({ status, timestamp: new Date(now).toISOString() });
  }
  // A coin stays in an account, and has its name, when its pair is gone.
  if (call === 'coins') return ok(coins([...floor.instruments.values()]));
  if (call === 'markets')
    return ok(Object.fromEntries(listed.map((one) => [pairId(one), pair(one)])));
  return answerPair(floor, call, asked, listed);
}

function answerPair(floor: Floor, call: CallName, asked: Asked, listed: Instrument[]): Answer {
  const names = (asked.query.get('pair') ?? '').split(',').filter(Boolean);
  const found = names.map((name) => findPair(listed, name));
  if (found.includes(undefined)) return krakenError('EQuery:Unknown asset pair');
  const chosen = found.length === 0 ? listed : found.filter((one) => one !== undefined);
  const row = (one: Instrument): unknown => {
    if (call === 'ticker') return ticker(floor, one);
    return call === 'book' ? depth(floor, one) : publicTrades(floor, one);
  };
  const rows = chosen.map((one) => [pairId(one), row(one)]);
  if (call === 'public-trades')
    rows.push(['last', `${BigInt(Math.floor(floor.clock.now())) * 1_000_000n}`]);
  return ok(Object.fromEntries(rows));
}

function coins(listed: Instrument[]): Record<string, unknown> {
  const names = new Set(listed.flatMap(({ base, quote }) => [base, quote]));
  return Object.fromEntries(
    [...names].map((coin) => [
      coinId(coin),
      {
        aclass: 'currency',
        altname: coinAltname(coin),
        decimals: coinDecimals(coin),
        display_decimals: 5,
        status: 'enabled',
      },
    ]),
  );
}

function pair(instrument: Instrument): Record<string, unknown> {
  const { base, quote, tick, step, minQuantity, minNotional, status, costDecimals } = instrument;
  return {
    altname: pairAltname(instrument),
    wsname: pairWsName(instrument),
    aclass_base: 'currency',
    base: coinId(base),
    aclass_quote: 'currency',
    quote: coinId(quote),
    lot: 'unit',
    cost_decimals: costDecimals,
    pair_decimals: placesOf(tick),
    lot_decimals: placesOf(step),
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [
      [0, 0.4],
      [10_000, 0.35],
    ],
    fees_maker: [
      [0, 0.25],
      [10_000, 0.2],
    ],
    fee_volume_currency: 'ZUSD',
    margin_call: 80,
    margin_stop: 40,
    ordermin: placesText(minQuantity, placesOf(minQuantity)),
    costmin: placesText(minNotional, placesOf(minNotional)),
    tick_size: placesText(tick, placesOf(tick)),
    status: status === 'cancel-only' ? 'cancel_only' : 'online',
  };
}

const VOLUME = parseFixed('598.03698452');

function ticker(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const mid = floor.prices.mid(instrument.symbol);
  const price = (value: Fixed | undefined): string =>
    placesText(value ?? mid, placesOf(instrument.tick));
  const volume = placesText(divide(VOLUME, parseFixed('2'), 'down'), 8);
  // An empty side has a price of nothing.
  const best = ({ price: at, quantity } = { price: ZERO, quantity: ZERO }): string[] => [
    price(at),
    String(quantity / 10n ** 12n),
    placesText(quantity, 3),
  ];
  return {
    a: best(asks[0]),
    b: best(bids[0]),
    c: [price(mid), '0.00160710'],
    v: [volume, placesText(VOLUME, 8)],
    p: [price(mid), price(mid)],
    t: [6_405, 21_103],
    l: [price(bids.at(-1)?.price), price(bids.at(-1)?.price)],
    h: [price(asks.at(-1)?.price), price(asks.at(-1)?.price)],
    o: price(mid),
  };
}

function depth(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const at = Math.floor(floor.clock.now() / 1_000);
  const rows = (levels: typeof bids): unknown[] =>
    levels.map(({ price, quantity }) => [
      placesText(price, placesOf(instrument.tick)),
      placesText(quantity, placesOf(instrument.step)),
      at,
    ]);
  return { asks: rows(asks), bids: rows(bids) };
}

function publicTrades(floor: Floor, instrument: Instrument): unknown[] {
  const mid = placesText(floor.prices.mid(instrument.symbol), placesOf(instrument.tick));
  return [[mid, '0.01030900', floor.clock.now() / 1_000, 'b', 'm', '', 6_324_366]];
}

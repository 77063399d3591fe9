/** Kraken's orders and trades: how they are asked for, and the rows in which they are answered. */
import {
  ZERO,
  add,
  divide,
  formatFixed,
  parseFixed,
  type Fixed,
} from '../../../../contract/money.ts';
import { placesOf, placesText } from '../decimal-text.ts';
import type { Floor } from '../dialect.ts';
import type { Instrument } from '../instruments.ts';
import type {
  FeeCoin,
  Fill,
  OrderIntent,
  OrderType,
  RejectReason,
  StandInOrder,
} from '../orders.ts';
import { findPair, pairAltname, pairId } from './kraken-names.ts';

const TYPES: Record<string, OrderType> = {
  market: 'market',
  limit: 'limit',
  'stop-loss': 'stop',
  'stop-loss-limit': 'stop-limit',
};
const NAMES: Record<OrderType, string> = {
  market: 'market',
  limit: 'limit',
  stop: 'stop-loss',
  'stop-limit': 'stop-loss-limit',
};

/**
 * Kraken documents that ids are unique among open orders, but not in what words it rejects another:
 * a client has to do without them.
 */
export const REJECTIONS: Record<RejectReason, string> = {
  'unknown-symbol': 'EQuery:Unknown asset pair',
  'market-closed': 'EService:Market in cancel_only mode',
  'bad-arguments': 'EGeneral:Invalid arguments',
  'bad-client-id': 'EGeneral:Invalid arguments:cl_ord_id',
  'bad-step': 'EGeneral:Invalid arguments:volume',
  'bad-tick': 'EOrder:Tick size check failed',
  'below-min-quantity': 'EOrder:Order minimum not met',
  'below-min-notional': 'EOrder:Cost minimum not met',
  'insufficient-funds': 'EOrder:Insufficient funds',
  'duplicate-client-id': 'EOrder:Duplicate cl_ord_id',
  'would-cross': 'EOrder:Post only order',
  'stop-would-trigger': 'EOrder:Invalid price',
  'no-liquidity': 'EOrder:Insufficient liquidity',
  'bad-deadline': 'EGeneral:Invalid arguments:deadline',
  'deadline-passed': 'EService:Deadline elapsed',
};

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** A UUID with or without its dashes, or free text of at most 18 characters. */
const isClientId = (id: string): boolean =>
  UUID.test(id) || /^[0-9a-f]{32}$/i.test(id) || /^[\x21-\x7e]{1,18}$/.test(id);

const decimal = (text: string | null): Fixed | null => (text === null ? null : parseFixed(text));

/** The order a form asks for, or why it cannot be read. */
export function readIntent(
  floor: Floor,
  form: URLSearchParams,
): OrderIntent | { bad: RejectReason } {
  const instrument = findPair(floor.instruments.values(), form.get('pair') ?? '');
  if (instrument === undefined) return { bad: 'unknown-symbol' };
  const clientOrderId = form.get('cl_ord_id');
  if (clientOrderId !== null && !isClientId(clientOrderId)) return { bad: 'bad-client-id' };
  const type = TYPES[form.get('ordertype') ?? ''];
  const side = form.get('type');
  if (type === undefined || (side !== 'buy' && side !== 'sell')) return { bad: 'bad-arguments' };
  const deadline = form.get('deadline');
  const deadlineMs = deadline === null ? null : Date.parse(deadline);
  if (Number.isNaN(deadlineMs)) return { bad: 'bad-deadline' };
  const flags = (form.get('oflags') ?? '').split(',');
  try {
    const price = decimal(form.get('price'));
    const isStop = type === 'stop' || type === 'stop-limit';
    const volume = decimal(form.get('volume'));
    const limit = type === 'stop-limit' ? decimal(form.get('price2')) : price;
    return {
      clientOrderId,
      symbol: instrument.symbol,
      side,
      type,
      quantity: flags.includes('viqc') ? null : volume,
      spend: flags.includes('viqc') ? volume : null,
      limit: type === 'market' || type === 'stop' ? null : limit,
      stop: isStop ? price : null,
      timeInForce: timeInForce(form.get('timeinforce')),
      expiresAtMs: expiry(form, floor.clock.now()),
      postOnly: flags.includes('post'),
      deadlineMs,
      feeCoin: feeCoin(flags),
    };
  } catch {
    return { bad: 'bad-arguments' };
  }
}

function timeInForce(text: string | null): OrderIntent['timeInForce'] {
  const lower = (text ?? 'gtc').toLowerCase();
  return lower === 'ioc' || lower === 'fok' || lower === 'gtd' ? lower : 'gtc';
}

function expiry(form: URLSearchParams, nowMs: number): number | null {
  const text = form.get('expiretm');
  if (text === null || text === '0') return null;
  return text.startsWith('+') ? nowMs + Number(text.slice(1)) * 1_000 : Number(text) * 1_000;
}

function feeCoin(flags: string[]): FeeCoin | null {
  if (flags.includes('fcib')) return 'base';
  return flags.includes('fciq') ? 'quote' : null;
}

const seconds = (ms: number): number => ms / 1_000;

/** The sentence Kraken describes an order by. */
export function description(order: StandInOrder, instrument: Instrument): string {
  const price = (value: Fixed | null): string =>
    placesText(value ?? ZERO, placesOf(instrument.tick));
  const how = {
    market: 'market',
    limit: `limit ${price(order.limit)}`,
    stop: `stop loss ${price(order.stop)}`,
    'stop-limit': `stop loss ${price(order.stop)} -> limit ${price(order.limit)}`,
  }[order.type];
  return `${order.side} ${volumeText(order.quantity, instrument)} ${pairAltname(instrument)} @ ${how}`;
}

const volumeText = (quantity: Fixed, { step }: Instrument): string =>
  placesText(quantity, Math.max(8, placesOf(step)));

const STATUS = { open: 'open', filled: 'closed', cancelled: 'canceled', expired: 'expired' };

/** Only fees in the coin the row speaks of; Kraken charges one order in one coin. */
const feeTotal = (order: StandInOrder): Fixed =>
  [...order.fees.values()].reduce((sum, fee) => add(sum, fee), ZERO);

export function orderRow(
  order: StandInOrder,
  instrument: Instrument,
  withTrades: boolean,
): Record<string, unknown> {
  const places = placesOf(instrument.tick);
  const price = (value: Fixed | null): string => placesText(value ?? ZERO, places);
  const average = order.filled === ZERO ? ZERO : divide(order.cost, order.filled, 'half-even');
  const flags = [order.postOnly ? 'post' : '', order.feeCoin === 'base' ? 'fcib' : 'fciq'];
  return {
    refid: null,
    userref: 0,
    ...(order.clientOrderId === null ? {} : { cl_ord_id: order.clientOrderId }),
    status: STATUS[order.state],
    // The list of open orders leaves it out; a look-up does not.
    ...(withTrades || order.state !== 'open' ? { reason: order.reason } : {}),
    opentm: seconds(order.placedAtMs),
    ...(order.closedAtMs === null ? {} : { closetm: seconds(order.closedAtMs) }),
    starttm: 0,
    expiretm: order.expiresAtMs === null ? 0 : seconds(order.expiresAtMs),
    descr: {
      pair: pairAltname(instrument),
      type: order.side,
      ordertype: NAMES[order.type],
      price: order.type === 'market' ? '0' : price(order.stop ?? order.limit),
      price2: order.type === 'stop-limit' ? price(order.limit) : '0',
      leverage: 'none',
      order: description(order, instrument),
      close: '',
    },
    vol: volumeText(order.quantity, instrument),
    vol_exec: volumeText(order.filled, instrument),
    cost: placesText(order.cost, instrument.costDecimals),
    fee: feeText(feeTotal(order), order.feeCoin === 'base', instrument),
    price: placesText(average, Math.max(places, 5)),
    stopprice: placesText(ZERO, Math.max(places, 5)),
    limitprice: placesText(ZERO, Math.max(places, 5)),
    misc: '',
    oflags: flags.filter(Boolean).join(','),
    ...(withTrades && order.fills.length > 0 ? { trades: order.fills.map(({ id }) => id) } : {}),
  };
}

const feeText = (fee: Fixed, isBase: boolean, { costDecimals }: Instrument): string =>
  placesText(fee, isBase ? 10 : costDecimals);

export function tradeRow(
  fill: Fill,
  order: StandInOrder,
  instrument: Instrument,
): Record<string, unknown> {
  return {
    ordertxid: fill.orderId,
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: pairId(instrument),
    time: seconds(fill.atMs),
    type: fill.side,
    ordertype: NAMES[order.type],
    price: placesText(fill.price, Math.max(5, placesOf(instrument.tick))),
    cost: placesText(fill.cost, instrument.costDecimals),
    fee: feeText(fill.fee, fill.feeCoin === instrument.base, instrument),
    vol: volumeText(fill.quantity, instrument),
    margin: placesText(ZERO, instrument.costDecimals),
    leverage: '0',
    misc: '',
    trade_id: fill.number,
    maker: fill.maker,
  };
}

export const amountText = (value: Fixed): string => {
  const [, fraction = ''] = formatFixed(value).split('.');
  return placesText(value, Math.max(10, fraction.length));
};

/** Coinbase's public calls: time, coins, products with their rules, prices and depth. */
import { formatFixed } from '../../../../contract/money.ts';
import type { Answer, Asked, CallName } from '../calls.ts';
import type { Floor } from '../dialect.ts';
import type { Instrument } from '../instruments.ts';
import { coinbaseError } from './coinbase-signature.ts';

const ok = (body: unknown): Answer => ({ status: 200, body });

export const productId = ({ base, quote }: Pick<Instrument, 'base' | 'quote'>): string =>
  `${base}-${quote}`;

export const isoTime = (ms: number): string => new Date(ms).toISOString();

export function findProduct(floor: Floor, id: string | null): Instrument | null {
  for (const instrument of floor.instruments.values())
    if (productId(instrument) === id && instrument.status !== 'delisted') return instrument;
  return null;
}

export function answerMarket(floor: Floor, call: CallName, asked: Asked): Answer {
  const { path } = asked;
  if (call === 'time') return ok(serverTime(floor, path.startsWith('/v2/')));
  if (call === 'coins') return ok({ data: coins(floor, path) });
  const listed = [...floor.instruments.values()].filter(({ status }) => status !== 'delisted');
  const named = /\/products\/([A-Z0-9-]+)/.exec(path)?.[1] ?? asked.query.get('product_id');
  const product = findProduct(floor, named);
  if (named !== null && product === null)
    return coinbaseError(404, 'NOT_FOUND', 'valid product_id is required');
  if (call === 'book' && product !== null) return ok({ pricebook: pricebook(floor, product) });
  if (call === 'ticker' && product !== null) return ok(ticker(floor, product));
  if (product !== null) return ok(productRow(floor, product));
  const isSpot = (asked.query.get('product_type') ?? 'SPOT') === 'SPOT';
  const wanted = asked.query.getAll('product_ids');
  const products = listed
    .filter((one) => isSpot && (wanted.length === 0 || wanted.includes(productId(one))))
    .map((one) => productRow(floor, one));
  return ok({ products, num_products: products.length });
}

function serverTime(floor: Floor, old: boolean): Record<string, unknown> {
  const now = Math.floor(floor.clock.now());
  const [iso, epoch] = [isoTime(now).replace(/\.\d+Z/, 'Z'), Math.floor(now / 1_000)];
  return old
    ? { data: { epoch, iso } }
    : { iso, epochSeconds: String(epoch), epochMillis: String(now) };
}

function coins(floor: Floor, path: string): unknown {
  const names = new Set(
    [...floor.instruments.values()].flatMap(({ base, quote }) => [base, quote]),
  );
  const crypto = [...names].filter((name) => name !== 'USD');
  if (path.endsWith('/exchange-rates'))
    return { currency: 'USD', rates: Object.fromEntries([...names].map((name) => [name, '1.0'])) };
  if (path.endsWith('/crypto'))
    return crypto.map((code) => ({
      asset_id: `asset-${code}`,
      code,
      name: code,
      color: '#000000',
      sort_index: 100,
      exponent: 8,
      type: 'crypto',
      address_regex: '',
    }));
  return [{ id: 'USD', name: 'United States Dollar', min_size: '0.01' }];
}

function productRow(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { base, quote, tick, step, minQuantity, minNotional, status } = instrument;
  const isClosed = status === 'cancel-only' || floor.core.isCancelOnly;
  return {
    product_id: productId(instrument),
    price: formatFixed(floor.prices.mid(instrument.symbol)),
    price_percentage_change_24h: '0',
    volume_24h: '9823.12345678',
    volume_percentage_change_24h: '0',
    base_increment: formatFixed(step),
    quote_increment: formatFixed(tick),
    quote_min_size: formatFixed(minNotional),
    quote_max_size: '150000000',
    base_min_size: formatFixed(minQuantity),
    base_max_size: '3400',
    base_name: base,
    quote_name: quote,
    watched: false,
    is_disabled: false,
    new: false,
    status: 'online',
    cancel_only: isClosed,
    limit_only: false,
    post_only: false,
    trading_disabled: false,
    auction_mode: false,
    product_type: 'SPOT',
    quote_currency_id: quote,
    base_currency_id: base,
    fcm_trading_session_details: null,
    mid_market_price: '',
    alias: '',
    alias_to: [],
    base_display_symbol: base,
    quote_display_symbol: quote,
    view_only: false,
    price_increment: formatFixed(tick),
    display_name: productId(instrument),
    product_venue: 'CBE',
    approximate_quote_24h_volume: '628679901.22',
    new_at: '2023-01-01T00:00:00Z',
  };
}

function pricebook(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const rows = (levels: typeof bids): unknown[] =>
    levels.map(({ price, quantity }) => ({
      price: formatFixed(price),
      size: formatFixed(quantity),
    }));
  return {
    product_id: productId(instrument),
    bids: rows(bids),
    asks: rows(asks),
    time: isoTime(floor.clock.now()),
  };
}

function ticker(floor: Floor, instrument: Instrument): Record<string, unknown> {
  const { bids, asks } = floor.prices.book(instrument);
  const mid = floor.prices.mid(instrument.symbol);
  return {
    trades: [
      {
        trade_id: '635541194',
        product_id: productId(instrument),
        price: formatFixed(mid),
        size: '0.03720194',
        time: isoTime(floor.clock.now()),
        side: 'BUY',
        bid: '',
        ask: '',
      },
    ],
    best_bid: formatFixed(bids[0]?.price ?? mid),
    best_ask: formatFixed(asks[0]?.price ?? mid),
  };
}

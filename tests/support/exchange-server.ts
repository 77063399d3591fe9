/**
 * A local stand-in for Coinbase Exchange and Kraken: answers in the shapes recorded from them, on
 * loopback only.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ExchangeServer {
  url: string;
  /** Price text by base coin; what `/ticker` says next. */
  prices: Map<string, string>;
  /** Every path asked for, query included. */
  asked: string[];
  /** While set, every request gets this status. */
  failing: number | null;
  /**
   * Pairs by base coin that are not traded, with the word that the exchange has for it. One that is
   * `unlisted` is not on its list, and every question about it is refused.
   */
  statuses: Map<string, string>;
  /** Base coins that are listed and whose prices are refused. */
  priceless: Set<string>;
  /** Candles whose close is after this (ms UTC) are not there yet. */
  candlesUntil: number;
  /** While true, websockets are accepted. */
  websocket: boolean;
  /**
   * Sends a Coinbase ticker down every open websocket; false when there is none. `time` is ISO
   * text.
   */
  push(base: string, price: string, time: string): boolean;
  close(): Promise<void>;
}

const BASES = ['BTC', 'ETH', 'LINK', 'USDC'];
const START: Record<string, string> = {
  BTC: '64000.12',
  ETH: '3100.5',
  LINK: '14.25',
  USDC: '1.0001',
};

/**
 * Open, high, low, close and volume of any candle: a gentle wave, so that a test can compute it
 * too.
 */
export function recordedCandle(
  base: string,
  timeMs: number,
  lengthMs: number,
): [open: number, high: number, low: number, close: number, volume: number] {
  const at = (ms: number): number =>
    Number((Number(START[base]) * (1 + 0.01 * Math.sin(ms / 7_200_000))).toFixed(2));
  const [open, close] = [at(timeMs), at(timeMs + lengthMs)];
  return [
    open,
    Math.max(open, close) + 0.01,
    Math.min(open, close) - 0.01,
    close,
    10 + ((timeMs / lengthMs) % 7),
  ];
}

export async function startExchangeServer(port = 0): Promise<ExchangeServer> {
  const state = {
    prices: new Map(Object.entries(START)),
    asked: [] as string[],
    failing: null as number | null,
    statuses: new Map<string, string>(),
    priceless: new Set<string>(),
    candlesUntil: Infinity,
    websocket: false,
  };
  const sockets = new Set<Duplex>();
  const server = createServer((request, reply) => {
    answer(state, request, reply);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  server.on('upgrade', (request, socket: Duplex) => {
    if (!state.websocket) {
      socket.destroy();
      return;
    }
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    sockets.add(socket);
    for (const event of ['close', 'error', 'end'])
      socket.on(event, () => {
        sockets.delete(socket);
        socket.destroy();
      });
    socket.resume();
  });
  const push = (base: string, price: string, time: string): boolean => {
    const text = Buffer.from(
      JSON.stringify({
        type: 'ticker',
        sequence: 1,
        product_id: `${base}-USD`,
        price,
        open_24h: price,
        volume_24h: '10',
        low_24h: price,
        high_24h: price,
        volume_30d: '300',
        best_bid: (Number(price) * 0.9999).toFixed(6),
        best_bid_size: '1',
        best_ask: (Number(price) * 1.0001).toFixed(6),
        best_ask_size: '1',
        side: 'buy',
        time,
        trade_id: 1,
        last_size: '0.1',
      }),
    );
    const head = Buffer.from([0x81, 126, text.length >> 8, text.length & 255]);
    for (const socket of sockets) socket.write(Buffer.concat([head, text]));
    return sockets.size > 0;
  };
  const address = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${address.port}`,
    push,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  });
}

type State = Pick<
  ExchangeServer,
  'prices' | 'asked' | 'failing' | 'statuses' | 'priceless' | 'candlesUntil'
>;

const isListed = ({ statuses }: State, base: string): boolean => statuses.get(base) !== 'unlisted';

function answer(state: State, request: IncomingMessage, reply: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://local');
  state.asked.push(request.url ?? '/');
  const send = (status: number, body: unknown): void => {
    reply.writeHead(status, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(body));
  };
  if (state.failing !== null) {
    send(state.failing, { message: 'Service unavailable' });
    return;
  }
  const body = url.pathname.startsWith('/0/public/') ? kraken(state, url) : coinbase(state, url);
  if (body === undefined) send(404, { message: 'NotFound' });
  else send(200, body);
}

function coinbase(state: State, url: URL): unknown {
  if (url.pathname === '/time') return { iso: new Date().toISOString(), epoch: Date.now() / 1_000 };
  if (url.pathname === '/currencies') return [...BASES, 'USD', 'OLD'].map(coinbaseCurrency);
  if (url.pathname === '/products')
    return [
      ...BASES.filter((base) => isListed(state, base)).map((base) => ({
        ...coinbaseProduct(base, 'USD'),
        status: state.statuses.get(base) ?? 'online',
      })),
      coinbaseProduct('BTC', 'EUR'),
      { ...coinbaseProduct('OLD', 'USD'), status: 'delisted', trading_disabled: true },
    ];
  const match = /^\/products\/([A-Z]+)-USD\/(ticker|stats|candles)$/.exec(url.pathname);
  const [, base = '', what] = match ?? [];
  const price = state.prices.get(base);
  if (price === undefined || !isListed(state, base)) return undefined;
  if (what === 'ticker' && state.priceless.has(base)) return undefined;
  if (what === 'ticker') {
    return {
      ask: (Number(price) * 1.0001).toFixed(6),
      bid: (Number(price) * 0.9999).toFixed(6),
      volume: '9823.12345678',
      trade_id: 843_439,
      price,
      size: '0.00105',
      time: new Date().toISOString(),
      rfq_volume: '12.5',
    };
  }
  if (what === 'stats')
    return {
      open: price,
      high: price,
      low: price,
      last: price,
      volume: '9823.12345678',
      volume_30day: '300000.1',
      rfq_volume_24hour: '12.5',
      rfq_volume_30day: '400.2',
    };
  const length = Number(url.searchParams.get('granularity')) * 1_000;
  const start = Date.parse(url.searchParams.get('start') ?? '');
  const end = Date.parse(url.searchParams.get('end') ?? '');
  const rows: number[][] = [];
  for (
    let time = Math.ceil(start / length) * length;
    time <= end && time <= Date.now() && time + length <= state.candlesUntil;
    time += length
  ) {
    const [open, high, low, close, volume] = recordedCandle(base, time, length);
    rows.unshift([time / 1_000, low, high, open, close, volume]);
  }
  return rows.slice(0, 300);
}

const coinbaseCurrency = (id: string) => ({
  id,
  name: id,
  min_size: '0.00000001',
  status: 'online',
  message: '',
  max_precision: '0.00000001',
  convertible_to: [],
  details: {
    type: id === 'USD' ? 'fiat' : 'crypto',
    symbol: null,
    network_confirmations: 3,
    sort_order: 20,
    push_payment_methods: ['crypto'],
    display_name: null,
    group_types: [],
  },
  default_network: 'ethereum',
  supported_networks: [],
  display_name: id,
});

const coinbaseProduct = (base: string, quote: string) => ({
  id: `${base}-${quote}`,
  base_currency: base,
  quote_currency: quote,
  quote_increment: '0.01',
  base_increment: '0.00000001',
  display_name: `${base}/${quote}`,
  min_market_funds: '1',
  margin_enabled: false,
  post_only: false,
  limit_only: false,
  cancel_only: false,
  status: 'online',
  status_message: '',
  trading_disabled: false,
  fx_stablecoin: false,
  max_slippage_percentage: '0.02000000',
  auction_mode: false,
  high_bid_limit_percentage: '',
});

const KRAKEN_NAMES: Record<string, [pair: string, base: string]> = {
  BTC: ['XXBTZUSD', 'XXBT'],
  ETH: ['XETHZUSD', 'XETH'],
  LINK: ['LINKUSD', 'LINK'],
  USDC: ['USDCUSD', 'USDC'],
};

function kraken(state: State, url: URL): unknown {
  const ok = (result: unknown) => ({ error: [], result });
  const what = url.pathname.slice('/0/public/'.length);
  if (what === 'Time')
    return ok({ unixtime: Math.floor(Date.now() / 1_000), rfc1123: new Date().toUTCString() });
  if (what === 'SystemStatus') return ok({ status: 'online', timestamp: new Date().toISOString() });
  if (what === 'Assets') {
    const asset = (altname: string) => ({
      aclass: 'currency',
      altname,
      decimals: 10,
      display_decimals: 5,
      status: 'enabled',
    });
    return ok({
      ZUSD: asset('USD'),
      XXBT: asset('XBT'),
      XETH: asset('ETH'),
      LINK: asset('LINK'),
      USDC: asset('USDC'),
    });
  }
  const unknown = { error: ['EQuery:Unknown asset pair'] };
  if (what === 'AssetPairs')
    return ok(
      Object.fromEntries(
        BASES.filter((base) => isListed(state, base)).map((base) => krakenPair(state, base)),
      ),
    );
  if (what === 'Ticker') {
    const wanted = (url.searchParams.get('pair') ?? '').split(',');
    const asked = BASES.filter((base) => wanted.includes(KRAKEN_NAMES[base]?.[0] ?? ''));
    // One that it does not know makes it refuse all of them.
    if (asked.some((base) => !isListed(state, base) || state.priceless.has(base))) return unknown;
    return ok(
      Object.fromEntries(
        asked.map((base) => {
          const price = state.prices.get(base) ?? '0';
          const [bid, ask] = [
            (Number(price) * 0.9999).toFixed(6),
            (Number(price) * 1.0001).toFixed(6),
          ];
          return [
            KRAKEN_NAMES[base]?.[0],
            {
              a: [ask, '1', '1.000'],
              b: [bid, '1', '1.000'],
              c: [price, '0.1'],
              v: ['10', '20'],
              p: [price, price],
              t: [10, 20],
              l: [bid, bid],
              h: [ask, ask],
              o: price,
            },
          ];
        }),
      ),
    );
  }
  if (what !== 'OHLC') return undefined;
  const name = url.searchParams.get('pair') ?? '';
  const base = BASES.find(
    (candidate) =>
      KRAKEN_NAMES[candidate]?.[0] === name ||
      `${candidate}USD` === name ||
      KRAKEN_NAMES[candidate]?.[0].replace('XXBTZ', 'XBT') === name,
  );
  if (base === undefined || !isListed(state, base)) return unknown;
  const length = Number(url.searchParams.get('interval') ?? '1') * 60_000;
  const newest = Math.floor(Date.now() / length) * length;
  const since = Math.max(
    Number(url.searchParams.get('since') ?? '0') * 1_000 + 1,
    newest - 719 * length,
  );
  const rows: unknown[] = [];
  for (
    let time = Math.ceil(since / length) * length;
    time <= newest && time + length <= state.candlesUntil;
    time += length
  ) {
    const [open, high, low, close, volume] = recordedCandle(base, time, length);
    rows.push([
      time / 1_000,
      String(open),
      String(high),
      String(low),
      String(close),
      String(close),
      String(volume),
      12,
    ]);
  }
  return ok({ [name]: rows, last: newest / 1_000 });
}

function krakenPair(state: State, base: string): [string, unknown] {
  const [pair = '', asset = ''] = KRAKEN_NAMES[base] ?? [];
  const short = base === 'BTC' ? 'XBT' : base;
  return [
    pair,
    {
      altname: `${short}USD`,
      wsname: `${short}/USD`,
      aclass_base: 'currency',
      base: asset,
      aclass_quote: 'currency',
      quote: 'ZUSD',
      lot: 'unit',
      cost_decimals: 5,
      pair_decimals: 2,
      lot_decimals: 8,
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
      ordermin: '0.00005',
      costmin: '0.5',
      tick_size: '0.01',
      status: state.statuses.get(base) ?? 'online',
    },
  ];
}

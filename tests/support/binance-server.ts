/**
 * A local stand-in for Binance's public prices: answers in its shapes, on loopback only, and sends
 * down a websocket what the client has subscribed to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { acceptSocket, type ServerSocket } from './exchange/web-socket.ts';

export interface BinanceServer {
  url: string;
  /** By base coin; every pair is in USDT. */
  pairs: Map<string, BinancePair>;
  /** Every path asked for, query included. */
  asked: string[];
  /** Streams that clients subscribed to, such as `btcusdt@ticker`. */
  streams: Set<string>;
  /** Sends a price down the streams that carry it; false while nobody has subscribed. */
  push(base: string, pair: BinancePair): boolean;
  close(): Promise<void>;
}

export interface BinancePair {
  last: string;
  bid: string;
  ask: string;
  /** `BREAK` while it does not trade. */
  status: string;
  /** Close of the day that a ticker is about, ms; the present without it. */
  closeTime?: number;
}

type State = Pick<BinanceServer, 'pairs' | 'asked'>;

export async function startBinanceServer(
  pairs: Record<string, BinancePair>,
): Promise<BinanceServer> {
  const state = { pairs: new Map(Object.entries(pairs)), asked: [] as string[] };
  const streams = new Set<string>();
  const sockets = new Set<ServerSocket>();
  const server = createServer((request, reply) => {
    answer(state, request, reply);
  });
  server.on('upgrade', (request, duplex: Duplex) => {
    const socket = acceptSocket(request, duplex);
    sockets.add(socket);
    socket.whenClosed(() => sockets.delete(socket));
    socket.listen((text) => {
      const { method, params, id } = JSON.parse(text) as {
        method: string;
        params: string[];
        id: number;
      };
      if (method === 'SUBSCRIBE') for (const stream of params) streams.add(stream);
      socket.send(JSON.stringify({ result: null, id }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const push = (base: string, pair: BinancePair): boolean => {
    const told = [streamTicker(base, pair), streamMiniTicker(base, pair)].filter(([stream]) =>
      streams.has(stream),
    );
    for (const [, event] of told) for (const socket of sockets) socket.send(JSON.stringify(event));
    return told.length > 0;
  };
  return {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    push,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.cut();
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function answer(state: State, request: IncomingMessage, reply: ServerResponse): void {
  state.asked.push(request.url ?? '/');
  const { status, body } = replyTo(state, new URL(request.url ?? '/', 'http://local'));
  reply.writeHead(status, { 'content-type': 'application/json' });
  reply.end(JSON.stringify(body));
}

const ok = (body: unknown) => ({ status: 200, body });

function replyTo({ pairs }: State, url: URL): { status: number; body: unknown } {
  if (url.pathname.endsWith('/exchangeInfo'))
    return ok({ symbols: url.pathname.startsWith('/api/') ? [...pairs].map(symbolRow) : [] });
  if (url.pathname.endsWith('/klines')) return ok([]);
  if (!url.pathname.endsWith('/ticker/24hr')) return { status: 404, body: {} };
  const one = url.searchParams.get('symbol');
  const list = JSON.parse(url.searchParams.get('symbols') ?? '[]') as string[];
  const rows = (one === null ? list : [one]).map((id) => {
    const base = id.replace(/USDT$/, '');
    const pair = pairs.get(base);
    return pair === undefined ? null : tickerRow(base, pair);
  });
  // One that it does not know makes it refuse all of them.
  if (rows.includes(null)) return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
  return ok(one === null ? rows : rows[0]);
}

const symbolRow = ([base, { status }]: [string, BinancePair]) => ({
  symbol: `${base}USDT`,
  status,
  baseAsset: base,
  baseAssetPrecision: 8,
  quoteAsset: 'USDT',
  quotePrecision: 8,
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: false,
  permissions: [],
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01' },
    { filterType: 'LOT_SIZE', minQty: '0.00001', maxQty: '9000', stepSize: '0.00001' },
    { filterType: 'NOTIONAL', minNotional: '5', applyMinToMarket: true },
  ],
});

function tickerRow(base: string, { last, bid, ask, closeTime = Date.now() }: BinancePair) {
  return {
    symbol: `${base}USDT`,
    priceChange: '0',
    priceChangePercent: '0',
    weightedAvgPrice: last,
    prevClosePrice: last,
    lastPrice: last,
    lastQty: '1',
    bidPrice: bid,
    bidQty: '1',
    askPrice: ask,
    askQty: '1',
    openPrice: last,
    highPrice: last,
    lowPrice: last,
    volume: '1000',
    quoteVolume: '1000',
    openTime: closeTime - 86_400_000,
    closeTime,
    firstId: 1,
    lastId: 2,
    count: 2,
  };
}

/** The day of a pair with the best of its book. */
function streamTicker(base: string, pair: BinancePair): [stream: string, event: object] {
  const { last, bid, ask, closeTime = Date.now() } = pair;
  return [
    `${base.toLowerCase()}usdt@ticker`,
    {
      e: '24hrTicker',
      E: closeTime,
      s: `${base}USDT`,
      p: '0',
      P: '0',
      w: last,
      x: last,
      c: last,
      Q: '1',
      b: bid,
      B: '1',
      a: ask,
      A: '1',
      o: last,
      h: last,
      l: last,
      v: '1000',
      q: '1000',
      O: closeTime - 86_400_000,
      C: closeTime,
      F: 1,
      L: 2,
      n: 2,
    },
  ];
}

/** The same without the book. */
function streamMiniTicker(base: string, pair: BinancePair): [stream: string, event: object] {
  const { last, closeTime = Date.now() } = pair;
  return [
    `${base.toLowerCase()}usdt@miniTicker`,
    {
      e: '24hrMiniTicker',
      E: closeTime,
      s: `${base}USDT`,
      c: last,
      o: last,
      h: last,
      l: last,
      v: '1000',
      q: '1000',
    },
  ];
}

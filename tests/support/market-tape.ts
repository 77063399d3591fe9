/**
 * A made market of many pairs before a real server: its prices and stream come from here,
 * everything else passes.
 */
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MarketSource, SymbolQuote } from '../../contract/market.ts';
import type { StreamEvent } from '../../contract/stream.ts';
import { random } from './tape.ts';

export interface MarketStandIn {
  url: string;
  port: number;
  /** Quotes told so far. */
  told(): number;
  /** Whether it tells prices now. */
  speak(on: boolean): void;
  close(): Promise<void>;
}

export interface MarketStandInOptions {
  target: { port: number };
  symbols: number;
  /** Quotes a second over all symbols, and how many go into one event of the stream. */
  quotesPerSecond: number;
  quotesPerEvent: number;
}

const SOURCE: MarketSource = {
  id: 'stand-in',
  kind: 'simulated',
  label: 'Made prices',
  quote: 'USDT',
};
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HEARTBEAT_MS = 5_000;

/** `AAA/USDT`, `AAB/USDT` … */
export const madePair = (index: number): string =>
  `${LETTERS[Math.floor(index / 676) % 26] ?? 'A'}${LETTERS[Math.floor(index / 26) % 26] ?? 'A'}${LETTERS[index % 26] ?? 'A'}/USDT`;

function madeQuotes(count: number): SymbolQuote[] {
  const next = random(11);
  return Array.from({ length: count }, (_none, index) => {
    const price = 10 ** (next() * 7 - 3);
    const text = (value: number): string => value.toFixed(8);
    return {
      symbol: madePair(index),
      price: text(price),
      bid: text(price * 0.9999),
      ask: text(price * 1.0001),
      volume_24h: text((1e6 / price) * next()),
      high_24h: text(price * 1.05),
      low_24h: text(price * 0.95),
      price_change_24h: Number(((next() - 0.5) * 12).toFixed(4)),
      timestamp: Date.now(),
      stale: false,
    };
  });
}

export async function startMarketStandIn({
  target,
  symbols,
  quotesPerSecond,
  quotesPerEvent,
}: MarketStandInOptions): Promise<MarketStandIn> {
  const quotes = madeQuotes(symbols);
  const next = random(12);
  const streams = new Set<ServerResponse>();
  let speaking = true;
  let told = 0;
  let place = 0;

  const json = (response: ServerResponse, body: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const send = (event: StreamEvent): void => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const move = (quote: SymbolQuote): SymbolQuote => {
    const price = Number(quote.price) * (1 + (next() - 0.5) * 0.002);
    return Object.assign(quote, {
      price: price.toFixed(8),
      bid: (price * 0.9999).toFixed(8),
      ask: (price * 1.0001).toFixed(8),
      price_change_24h: Number(((quote.price_change_24h ?? 0) + (next() - 0.5) * 0.02).toFixed(4)),
      timestamp: Date.now(),
    });
  };
  const eventsPerSecond = quotesPerSecond / quotesPerEvent;
  let owed = 0;
  let last = performance.now();
  const beat = setInterval(() => {
    const now = performance.now();
    // A stall of this process is not made up for in one burst that no network would bring.
    owed += (Math.min(now - last, 200) / 1_000) * eventsPerSecond;
    last = now;
    for (; owed >= 1; owed -= 1) {
      if (!speaking || streams.size === 0) continue;
      const some = Array.from({ length: quotesPerEvent }, () =>
        move(quotes[(place = (place + 1) % quotes.length)] ?? (quotes[0] as SymbolQuote)),
      );
      told += some.length;
      send({ type: 'ticks', now: Date.now(), symbols: some });
    }
  }, 5);
  const heart = setInterval(() => {
    send({ type: 'heartbeat', serverTime: Date.now(), marketTime: Date.now(), sequence: 0 });
  }, HEARTBEAT_MS);

  const answer: Record<string, (response: ServerResponse) => void> = {
    '/market/data': (response) => {
      json(response, { source: SOURCE, now: Date.now(), symbols: quotes });
    },
    '/market/overview': (response) => {
      json(response, {
        source: SOURCE,
        now: Date.now(),
        symbols: quotes.length,
        advancing: 200,
        declining: 290,
        unchanged: quotes.length - 490,
        volume_24h: '1000000',
        gainers: quotes.slice(0, 5),
        losers: quotes.slice(5, 10),
        mostTraded: quotes.slice(0, 5),
        refused: {},
        stale: false,
      });
    },
    '/market/sparklines': (response) => {
      json(response, {
        now: Date.now(),
        lines: Object.fromEntries(
          quotes.map((quote) => [
            quote.symbol,
            {
              to: Date.now(),
              points: Array.from({ length: 64 }, () =>
                Number((Number(quote.price) * (1 + (next() - 0.5) * 0.04)).toPrecision(6)),
              ),
            },
          ]),
        ),
      });
    },
    '/api/stream': (response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
      });
      const hello: StreamEvent = {
        type: 'hello',
        sequence: 0,
        serverTime: Date.now(),
        marketTime: Date.now(),
        source: SOURCE,
      };
      response.write(`data: ${JSON.stringify(hello)}\n\n`);
      streams.add(response);
      response.once('close', () => {
        streams.delete(response);
      });
    },
  };
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const out = forward(
      {
        host: '127.0.0.1',
        port: target.port,
        method: request.method,
        path: request.url,
        headers: request.headers,
      },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      },
    );
    out.on('error', () => {
      response.destroy();
    });
    response.once('close', () => {
      out.destroy();
    });
    request.pipe(out);
  };
  const server = createServer((request, response) => {
    const own = answer[(request.url ?? '').split('?')[0] ?? ''];
    if (own === undefined) pass(request, response);
    else own(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    port,
    told: () => told,
    speak(on) {
      speaking = on;
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(beat);
        clearInterval(heart);
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

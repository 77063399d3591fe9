/**
 * Stands before a stand-in of Kraken and adds what it has not: candles. A day of rising prices on
 * growing volume ends now, so that momentum has a reason; everything else goes on to the stand-in.
 */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StandIn } from '../exchange/stand-in.ts';
import { random } from '../tape.ts';

export interface PriceDoor {
  url: string;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** As many as Kraken gives. */
const CANDLES_MAX = 720;
/** Of the rise, a five-minute candle. */
const RISE = 0.00025;
const NOISE = 0.0006;

/** The price at a moment: noise around a level, then a day's rise that ends at `until` with `last`. */
function priceAt(atMs: number, until: number, last: number): number {
  const steps = Math.max(0, (until - Math.max(atMs, until - DAY_MS)) / (5 * MINUTE_MS));
  const noise = random(Math.floor(atMs / MINUTE_MS))() - 0.5;
  return last * Math.exp(-RISE * Math.min(steps, 288)) * (1 + (atMs < until ? NOISE * noise : 0));
}

/** `[time s, open, high, low, close, vwap, volume, count]`, the one that is not closed last. */
function candles(sinceMs: number, minutes: number, now: number, until: number, last: number) {
  const length = minutes * MINUTE_MS;
  const first = Math.floor(sinceMs / length) * length + length;
  const rows: unknown[] = [];
  for (let time = first; time <= now && rows.length < CANDLES_MAX; time += length) {
    const open = priceAt(time, until, last);
    const close = priceAt(time + length, until, last);
    const text = (value: number): string => value.toFixed(1);
    const volume = ((time >= until - DAY_MS ? 9 : 4) * minutes) / 5;
    const [high, low] = [Math.max(open, close) * 1.0003, Math.min(open, close) * 0.9997];
    const prices = [text(open), text(high), text(low), text(close), text(open)];
    rows.push([time / 1_000, ...prices, volume.toFixed(8), 12]);
  }
  return rows;
}

export async function openPriceDoor(standIn: StandIn, symbol: string): Promise<PriceDoor> {
  const until = standIn.clock.trueNow();
  const last = Number(standIn.prices.mid(symbol)) / 1e12;
  const server = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', standIn.url);
    if (url.pathname === '/0/public/OHLC') {
      const since = Number(url.searchParams.get('since') ?? 0) * 1_000;
      const minutes = Number(url.searchParams.get('interval') ?? 1);
      const rows = candles(since, minutes, standIn.clock.now(), until, last);
      reply.setHeader('content-type', 'application/json');
      reply.end(
        JSON.stringify({
          error: [],
          result: { [url.searchParams.get('pair') ?? '']: rows, last: since / 1_000 },
        }),
      );
      return;
    }
    const onward = httpRequest(
      url,
      { method: request.method, headers: request.headers },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      },
    );
    // The stand-in cut the connection: so does whoever stands before it.
    onward.on('error', () => reply.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** One exchange's adapter before answers that a test gives by method and path. */
import { generateKeyPairSync } from 'node:crypto';
import type { ApiKey, LiveExchange, OrderRef } from '../../../contract/signer.ts';
import { parseFixed } from '../../../contract/money.ts';
import type { OrderToPlace } from '../../../signer/exchanges/adapter.ts';
import { openExchange } from '../../../signer/exchanges/open-exchange.ts';
import type { Answer, Asked } from './answer-server.ts';
import { handClock } from './desk-world.ts';

export const ORDER_ID = '0123456789abcdef0123456789abcdef';

/** Keys of each exchange's own form. */
export function keyOf(exchange: LiveExchange): ApiKey {
  if (exchange === 'kraken')
    return { apiKey: 'kraken-key', secret: Buffer.from('kraken-secret').toString('base64') };
  if (exchange === 'binance') return { apiKey: 'binance-key', secret: 'binance-secret' };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    apiKey: 'organizations/o-1/apiKeys/k-1',
    secret: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
}

export type Said = Record<string, (asked: Asked) => Answer>;

function askedOf(url: string, init: RequestInit): Asked {
  const at = new URL(url);
  const body = typeof init.body === 'string' ? init.body : '';
  const fields = body.startsWith('{')
    ? Object.entries(JSON.parse(body) as Record<string, unknown>).map(
        ([name, value]) =>
          [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      )
    : [...new URLSearchParams(body)];
  return {
    method: init.method ?? 'GET',
    path: at.pathname,
    origin: at.origin,
    params: Object.fromEntries([...at.searchParams, ...fields]),
    body,
    headers: Object.fromEntries(new Headers(init.headers)),
  };
}

export async function openAdapter(exchange: LiveExchange, said: Said) {
  const clock = handClock();
  const asked: Asked[] = [];
  const opened = await openExchange(exchange, {
    origin: null,
    clock,
    fetch: (input, init = {}) => {
      const one = askedOf(input instanceof Request ? input.url : input.toString(), init);
      asked.push(one);
      const answer = said[`${one.method} ${one.path}`]?.(one) ?? { status: 404, body: {} };
      return Promise.resolve(
        new Response(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body), {
          status: answer.status ?? 200,
        }),
      );
    },
  });
  return {
    adapter: await opened.withKey(keyOf(exchange), null),
    data: opened.data,
    asked,
    clock,
    /** What was sent to an address, newest last. */
    sentTo: (path: string) => asked.filter((one) => `${one.method} ${one.path}` === path),
    order: (more: Partial<OrderToPlace> = {}): OrderToPlace => ({
      clientOrderId: ORDER_ID,
      symbol: exchange === 'binance' ? 'SOL/USDT' : 'BTC/USD',
      side: 'buy',
      type: 'limit',
      quantity: parseFixed('0.00150000'),
      limitPrice: parseFixed('60100.10'),
      stopPrice: null,
      deadlineMs: clock.now() + 20_000,
      worstPrice: parseFixed('60100.10'),
      ...more,
    }),
    ref: (more: Partial<OrderRef> = {}): OrderRef => ({
      clientOrderId: ORDER_ID,
      exchangeOrderId: null,
      symbol: exchange === 'binance' ? 'SOL/USDT' : 'BTC/USD',
      sinceMs: clock.now() - 60_000,
      ...more,
    }),
  };
}

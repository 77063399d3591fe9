/** The only way out: listed addresses, each request once, nothing during a ban, limits kept. */
import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import type { ApiKey, LiveExchange } from '../../contract/signer.ts';
import { ALLOWANCES } from '../../signer/exchanges/allowances.ts';
import { Budget, NotSent } from '../../signer/exchanges/budget.ts';
import { Door, NoAnswer } from '../../signer/exchanges/door.ts';
import {
  BINANCE_ENDPOINTS,
  COINBASE_ENDPOINTS,
  isOpen,
  KRAKEN_ENDPOINTS,
} from '../../signer/exchanges/endpoints.ts';
import { Nonces } from '../../signer/exchanges/nonces.ts';
import { handClock } from '../support/signer/desk-world.ts';
import { waitFor } from '../support/wait-for.ts';

const KEYS: Record<LiveExchange, ApiKey> = {
  kraken: { apiKey: 'key', secret: Buffer.from('secret').toString('base64') },
  coinbase: { apiKey: 'key', secret: 'secret' },
  binance: { apiKey: 'key', secret: 'secret' },
};
const EXCHANGES: LiveExchange[] = ['kraken', 'coinbase', 'binance'];

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;
async function open(exchange: LiveExchange, answer: Answer, nonces = new Nonces()) {
  const clock = handClock();
  const asked: string[] = [];
  const byAddress = new Budget(ALLOWANCES[exchange].byAddress, clock);
  const byKey = new Budget(ALLOWANCES[exchange].byKey, clock);
  const door = await Door.open({
    exchange,
    key: KEYS[exchange],
    origin: null,
    byAddress,
    byKey,
    nonces,
    clock,
    fetch: async (input, init = {}) => {
      const url = input instanceof Request ? input.url : input.toString();
      asked.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`);
      return answer(url, init);
    },
  });
  return { asked, byAddress, clock, door };
}
const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), init);
function makeGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('addresses', () => {
  it('are reached when they are listed', async () => {
    for (const [exchange, endpoint, path] of [
      ['kraken', KRAKEN_ENDPOINTS.place, 'POST /0/private/AddOrder'],
      ['coinbase', COINBASE_ENDPOINTS.place, 'POST /api/v3/brokerage/orders'],
      ['binance', BINANCE_ENDPOINTS.place, 'POST /api/v3/order'],
    ] as const) {
      const { door, asked } = await open(exchange, () => json({}));
      await door.ask(endpoint);
      expect(asked).toEqual([path]);
    }
  });

  it.each(EXCHANGES)('of %s for withdrawals, transfers and keys cannot be', async (exchange) => {
    const { door, asked } = await open(exchange, () => json({}));
    // Every address that ccxt knows of this exchange, asked for through the door.
    const known = implicitCalls(exchange);
    const moves = known.filter(({ path }) => /withdraw|transfer|sub-?account|loan/i.test(path));
    expect(moves.length).toBeGreaterThan(3);
    for (const call of moves) {
      const error = await thrown(
        door.ask({ ...call, url: call.path, lane: 'private', weight: 0 }, fillIn(call.path)),
      );
      expect(error).toBeInstanceOf(NotSent);
    }
    expect(asked).toEqual([]);
  });

  it.each(EXCHANGES)('of %s are open to few of all that ccxt knows', async (exchange) => {
    const { door, asked } = await open(exchange, () => json({}));
    for (const call of implicitCalls(exchange))
      await thrown(
        door.ask({ ...call, url: call.path, lane: 'private', weight: 0 }, fillIn(call.path)),
      );
    const reached = new Set(asked.map((one) => one.replace(/\/(X|x)(?=\/|$)/g, '/{id}')));
    expect([...reached].sort()).toEqual(OPEN_ADDRESSES[exchange]);
  });

  it('are judged by where a request really goes', () => {
    expect(isOpen('kraken', 'POST', '/0/private/AddOrder')).toBe(true);
    expect(isOpen('kraken', 'POST', '/0/private/AddOrder/../Withdraw')).toBe(false);
    expect(isOpen('kraken', 'GET', '/0/private/AddOrder')).toBe(false);
    expect(isOpen('binance', 'POST', '/sapi/v1/capital/withdraw/apply')).toBe(false);
    expect(isOpen('binance', 'GET', '/sapi/v1/account/apiRestrictions')).toBe(true);
    expect(isOpen('coinbase', 'POST', '/v2/accounts/x/transactions')).toBe(false);
    expect(isOpen('coinbase', 'GET', '/api/v3/brokerage/orders/historical/a/b')).toBe(false);
  });
});

describe('a request', () => {
  it('is sent once, whatever ccxt would do about a failure', async () => {
    for (const status of [500, 502, 503, 504, 520, 429]) {
      const { door, asked } = await open('binance', () => new Response('busy', { status }));
      const reply = await door.ask(BINANCE_ENDPOINTS.place, { newClientOrderId: 'a' });
      expect(reply).toMatchObject({ status, body: undefined });
      expect(asked).toHaveLength(1);
    }
  });

  it('whose connection breaks, or whose answer breaks off, has an unknown outcome', async () => {
    const cut = await open('binance', () => Promise.reject(new TypeError('fetch failed')));
    const first = await thrown(cut.door.ask(BINANCE_ENDPOINTS.place));
    expect(first).toBeInstanceOf(NoAnswer);
    expect((first as NoAnswer).cause).toBe('connection');
    const half = await open('binance', () => {
      const body = new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode('{"orderId":'));
          stream.error(new Error('cut'));
        },
      });
      return new Response(body);
    });
    expect(await thrown(half.door.ask(BINANCE_ENDPOINTS.place))).toBeInstanceOf(NoAnswer);
  });

  it('that times out is told apart from one that breaks', async () => {
    const late = await open('binance', () =>
      Promise.reject(new DOMException('too late', 'TimeoutError')),
    );
    expect(await thrown(late.door.ask(BINANCE_ENDPOINTS.place))).toMatchObject({
      cause: 'timeout',
    });
  });

  it('that cannot be signed was not sent, and says nothing of the key', async () => {
    const clock = handClock();
    const budget = new Budget({ burst: 10, perSecond: 10 }, clock);
    const door = await Door.open({
      exchange: 'coinbase',
      key: { apiKey: 'organizations/canary/apiKeys/canary', secret: '-----BEGIN canary' },
      origin: null,
      byAddress: budget,
      byKey: budget,
      clock,
      fetch: () => Promise.reject(new Error('must not be asked')),
    });
    const error = await thrown(door.ask(COINBASE_ENDPOINTS.place));
    expect(error).toMatchObject({ code: 'signing_failed' });
    expect(String((error as Error).stack)).not.toContain('canary/');
  });

  it('does not leave after its deadline, however long it had to wait', async () => {
    const gate = makeGate();
    const { door, asked, clock } = await open('kraken', async () => {
      await gate.opened;
      return json({ error: [], result: {} });
    });
    const first = door.ask(KRAKEN_ENDPOINTS.balances);
    await waitFor(() => {
      expect(asked).toHaveLength(1);
    });
    const second = thrown(door.ask(KRAKEN_ENDPOINTS.place, {}, clock.now() + 3_000));
    clock.at += 5_000;
    gate.open();
    await first;
    expect(await second).toMatchObject({ code: 'deadline_passed' });
    expect(asked).toEqual(['POST /0/private/BalanceEx']);
  });

  it('of Kraken that is an order goes before reads that wait', async () => {
    const gate = makeGate();
    const { door, asked } = await open('kraken', async () => {
      await gate.opened;
      return json({ error: [], result: {} });
    });
    const all = [door.ask(KRAKEN_ENDPOINTS.balances)];
    await waitFor(() => {
      expect(asked).toHaveLength(1);
    });
    all.push(door.ask(KRAKEN_ENDPOINTS.openOrders), door.ask(KRAKEN_ENDPOINTS.closedOrders));
    await new Promise((resolve) => setImmediate(resolve));
    all.push(door.ask(KRAKEN_ENDPOINTS.place), door.ask(KRAKEN_ENDPOINTS.cancel));
    await new Promise((resolve) => setImmediate(resolve));
    gate.open();
    await Promise.all(all);
    expect(asked.map((one) => one.split('/').at(-1))).toEqual([
      'BalanceEx',
      'AddOrder',
      'CancelOrder',
      'OpenOrders',
      'ClosedOrders',
    ]);
  });

  it.each([
    ['hour ahead', 3_600_000, 2_000],
    ['hour behind', -3_600_000, -2_000],
    ['second ahead', 1_000, 1_000],
  ])(
    'of Kraken from a clock an %s has a nonce near its own time',
    async (_what, apartMs, nearMs) => {
      const nonces: number[] = [];
      const { door, clock } = await open('kraken', (_url, init) => {
        nonces.push(Number(new URLSearchParams(init.body as string).get('nonce')));
        return json({ error: [], result: {} });
      });
      const there = clock.now() - apartMs;
      door.setExchangeTime(there);
      await door.ask(KRAKEN_ENDPOINTS.place);
      expect(nonces).toEqual([(there + nearMs) * 1_000]);
    },
  );

  it('of Kraken leaves one after the other also from two doors of one key', async () => {
    const nonces = new Nonces();
    const gate = makeGate();
    const first = await open(
      'kraken',
      async () => {
        await gate.opened;
        return json({ error: [], result: {} });
      },
      nonces,
    );
    const second = await open('kraken', () => json({ error: [], result: {} }), nonces);
    const asking = first.door.ask(KRAKEN_ENDPOINTS.place);
    await waitFor(() => {
      expect(first.asked).toHaveLength(1);
    });
    const trying = second.door.ask(KRAKEN_ENDPOINTS.keyInfo);
    await new Promise((later) => setTimeout(later, 50));
    expect(second.asked).toEqual([]);
    gate.open();
    await Promise.all([asking, trying]);
    expect(second.asked).toHaveLength(1);
  });

  it('of Kraken has a higher nonce than the one before, also within a millisecond', async () => {
    const nonces: number[] = [];
    const { door } = await open('kraken', (_url, init) => {
      nonces.push(
        Number(new URLSearchParams(typeof init.body === 'string' ? init.body : '').get('nonce')),
      );
      return json({ error: [], result: {} });
    });
    await Promise.all([1, 2, 3, 4, 5].map(() => door.ask(KRAKEN_ENDPOINTS.place)));
    expect(nonces).toHaveLength(5);
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b));
  });
});

describe('a ban', () => {
  it.each([
    ['429 with its seconds', { status: 429, headers: { 'retry-after': '30' } }, 'x', 30_000],
    ['418 without any', { status: 418 }, 'x', 60_000],
  ] as [string, ResponseInit, string, number][])(
    'of %s keeps every request back until it is over',
    async (_name, init, body, forMs) => {
      const { door, asked, clock } = await open('binance', () => new Response(body, init));
      await door.ask(BINANCE_ENDPOINTS.time);
      clock.at += forMs - 1;
      expect(await thrown(door.ask(BINANCE_ENDPOINTS.place))).toMatchObject({
        code: 'exchange_ban',
      });
      expect(asked).toHaveLength(1);
      clock.at += 1;
      await door.ask(BINANCE_ENDPOINTS.time);
      expect(asked).toHaveLength(2);
    },
  );

  it('until a moment that the answer names lasts until then', async () => {
    const { door, byAddress, clock } = await open('binance', () =>
      json(
        { code: -1003, msg: `Way too many requests; IP banned until ${clock.now() + 777_000}.` },
        { status: 418 },
      ),
    );
    await door.ask(BINANCE_ENDPOINTS.time);
    expect(byAddress.bannedUntil).toBe(clock.now() + 777_000);
  });
});

describe('the limits of an exchange', () => {
  it.each(EXCHANGES)('of %s are used to no more than 80 %', async (exchange) => {
    const clock = handClock();
    const { burst, perSecond } = ALLOWANCES[exchange].byAddress;
    const budget = new Budget({ burst, perSecond }, clock);
    const start = clock.now();
    let taken = 0;
    const weight = burst / 50;
    for (let turn = 0; turn < 500; turn += 1) {
      await budget.take(weight, 120_000);
      taken += weight;
      const elapsed = (clock.now() - start) / 1_000;
      expect(taken).toBeLessThanOrEqual((burst + elapsed * perSecond) * 0.8 + 1e-6);
    }
  });

  it('are not waited for longer than a request has patience', async () => {
    const clock = handClock();
    const budget = new Budget({ burst: 10, perSecond: 1 }, clock);
    await budget.take(8, 0);
    expect(await thrown(budget.take(8, 5_000))).toMatchObject({ code: 'busy' });
    await budget.take(4, 5_000);
    expect(clock.now()).toBe(handClock().now() + 5_000);
  });

  it('let what is urgent go before those that leave it something', async () => {
    const clock = handClock();
    const gate = makeGate();
    const slow = { now: () => clock.now(), sleep: () => gate.opened };
    const budget = new Budget({ burst: 10, perSecond: 1 }, slow);
    await budget.take(5, 0);
    // Three are left: the list waits for one more, and takes nothing that the look-up needs.
    const list = budget.take(1, 60_000, 3);
    await budget.take(3, 0);
    clock.at += 5_000;
    gate.open();
    await list;
    expect(await thrown(budget.take(1, 0, 3))).toMatchObject({ code: 'busy' });
  });

  it('of Kraken’s key always leave a look-up after a fill its place', async () => {
    const clock = handClock();
    const { byKey } = ALLOWANCES.kraken;
    const budget = new Budget(byKey, clock);
    for (let turn = 0; turn < 200; turn += 1) {
      const { weight, spare } = KRAKEN_ENDPOINTS.openOrders;
      await budget.take(weight, 120_000, spare);
      const lookUp = KRAKEN_ENDPOINTS.orders.weight + KRAKEN_ENDPOINTS.trades.weight;
      const copy = Object.assign(new Budget(byKey, clock), budget);
      expect(await thrown(copy.take(lookUp, 0))).toBeNull();
    }
  });

  it('count what others on our address used, where the exchange tells', async () => {
    const { door } = await open('binance', () =>
      json({}, { headers: { 'x-mbx-used-weight-1m': '4790' } }),
    );
    await door.ask(BINANCE_ENDPOINTS.time);
    expect(await thrown(door.ask(BINANCE_ENDPOINTS.openOrders))).toBeNull();
    const full = await open('binance', () =>
      json({}, { headers: { 'x-mbx-used-weight-1m': '5999' } }),
    );
    await full.door.ask(BINANCE_ENDPOINTS.time);
    expect(await thrown(full.door.ask(BINANCE_ENDPOINTS.place))).toMatchObject({ code: 'busy' });
  });
});

interface ImplicitCall {
  api: string | string[];
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
}
/** Each path that ccxt has for an exchange, as its table of the API lists it. */
function implicitCalls(exchange: LiveExchange): ImplicitCall[] {
  const found: ImplicitCall[] = [];
  const visit = (node: unknown, trail: string[]): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, below] of Object.entries(node)) {
      const method = name.toUpperCase();
      if (!['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].includes(method)) {
        visit(below, [...trail, name]);
        continue;
      }
      const paths = Array.isArray(below) ? (below as string[]) : Object.keys(below as object);
      for (const path of paths)
        found.push({
          api: trail.length === 1 ? (trail[0] ?? '') : trail,
          method: method as ImplicitCall['method'],
          path,
        });
    }
  };
  visit(new ccxt[exchange]().api, []);
  return found;
}
const fillIn = (path: string): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'X']));

const OPEN_ADDRESSES: Record<LiveExchange, string[]> = {
  kraken: [
    'GET /0/public/AssetPairs',
    'GET /0/public/Assets',
    'GET /0/public/Depth',
    'GET /0/public/SystemStatus',
    'GET /0/public/Ticker',
    'GET /0/public/Time',
    'POST /0/private/AddOrder',
    'POST /0/private/BalanceEx',
    'POST /0/private/CancelOrder',
    'POST /0/private/ClosedOrders',
    'POST /0/private/GetApiKeyInfo',
    'POST /0/private/OpenOrders',
    'POST /0/private/QueryOrders',
    'POST /0/private/TradesHistory',
  ],
  coinbase: [
    'GET /api/v3/brokerage/accounts',
    'GET /api/v3/brokerage/key_permissions',
    'GET /api/v3/brokerage/market/product_book',
    'GET /api/v3/brokerage/market/products',
    'GET /api/v3/brokerage/market/products/{id}',
    'GET /api/v3/brokerage/orders/historical/batch',
    'GET /api/v3/brokerage/orders/historical/fills',
    'GET /api/v3/brokerage/orders/historical/{id}',
    'GET /api/v3/brokerage/time',
    'POST /api/v3/brokerage/orders',
    'POST /api/v3/brokerage/orders/batch_cancel',
  ],
  binance: [
    'DELETE /api/v3/order',
    'GET /api/v3/account',
    'GET /api/v3/allOrders',
    'GET /api/v3/depth',
    'GET /api/v3/exchangeInfo',
    'GET /api/v3/myTrades',
    'GET /api/v3/openOrders',
    'GET /api/v3/order',
    'GET /api/v3/ticker/24hr',
    'GET /api/v3/ticker/bookTicker',
    'GET /api/v3/time',
    'GET /sapi/v1/account/apiRestrictions',
    'POST /api/v3/order',
  ],
};

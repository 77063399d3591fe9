/** What is held is valued within each exchange's limits, however many pairs it is. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { LiveExchange } from '../../contract/signer.ts';
import { openExchange } from '../../signer/exchanges/open-exchange.ts';
import { MarketView } from '../../signer/market-view.ts';
import { queueClock } from '../support/signer/queue-clock.ts';

const COINS = Array.from({ length: 20 }, (_, index) => `C${index}X`);
const QUOTES: Record<LiveExchange, string> = { kraken: 'USD', coinbase: 'USD', binance: 'USDT' };
const symbolsAt = (exchange: LiveExchange): string[] =>
  COINS.map((coin) => `${coin}/${QUOTES[exchange]}`);

interface World {
  /** So many questions of prices are answered; the rest fail. */
  room: number;
  gone: Set<string>;
  /** Coins of which nobody buys any. */
  empty: Set<string>;
}
type Answer = { status?: number; body: unknown };
type Answers = Record<string, (url: URL) => Answer>;

const numbered = (coins: readonly string[]) => coins.filter((coin) => COINS.includes(coin));

function kraken({ gone, empty }: World): Answers {
  const ok = (result: unknown): Answer => ({ body: { error: [], result } });
  const listed = (): string[] => COINS.filter((coin) => !gone.has(coin));
  const asked = (url: URL) =>
    (url.searchParams.get('pair') ?? '').split(',').map((pair) => pair.replace(/USD$/, ''));
  const ofPairs = (url: URL, row: (coin: string) => unknown): Answer =>
    asked(url).some((coin) => !listed().includes(coin))
      ? { body: { error: ['EQuery:Unknown asset pair'] } }
      : ok(Object.fromEntries(asked(url).map((coin) => [`${coin}USD`, row(coin)])));
  const prices = (coin: string) => (empty.has(coin) ? '0.0' : '99.5');
  return {
    Assets: () =>
      ok(
        Object.fromEntries(['USD', ...COINS].map((coin) => [coin, { altname: coin, decimals: 8 }])),
      ),
    AssetPairs: () =>
      ok(
        Object.fromEntries(
          listed().map((coin) => [
            `${coin}USD`,
            { altname: `${coin}USD`, base: coin, quote: 'USD', pair_decimals: 1, lot_decimals: 8 },
          ]),
        ),
      ),
    Ticker: (url) =>
      ofPairs(url, (coin) => ({ a: ['100.5', '1', '1.000'], b: [prices(coin), '1', '1.000'] })),
    Depth: (url) =>
      ofPairs(url, (coin) => ({
        asks: [['100.5', '1', 1]],
        bids: empty.has(coin) ? [] : [['99.5', '1', 1]],
      })),
  };
}

function binance({ gone, empty }: World): Answers {
  const listed = (): string[] => COINS.filter((coin) => !gone.has(coin));
  const INVALID: Answer = { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
  const filters = [
    { filterType: 'PRICE_FILTER', tickSize: '0.1' },
    { filterType: 'LOT_SIZE', minQty: '0.1', stepSize: '0.1' },
  ];
  return {
    exchangeInfo: () => ({
      body: {
        symbols: listed().map((coin) => ({
          symbol: `${coin}USDT`,
          status: 'TRADING',
          baseAsset: coin,
          quoteAsset: 'USDT',
          filters,
        })),
      },
    }),
    bookTicker: (url) => {
      const pairs = JSON.parse(url.searchParams.get('symbols') ?? '[]') as string[];
      const coins = pairs.map((pair) => pair.replace('USDT', ''));
      if (numbered(coins).length < coins.length || coins.some((coin) => gone.has(coin)))
        return INVALID;
      return {
        body: coins.map((coin) => ({
          symbol: `${coin}USDT`,
          bidPrice: empty.has(coin) ? '0.00000000' : '99.50000000',
          bidQty: '1',
          askPrice: '100.50000000',
          askQty: '1',
        })),
      };
    },
    depth: (url) => {
      const coin = (url.searchParams.get('symbol') ?? '').replace('USDT', '');
      if (gone.has(coin)) return INVALID;
      return { body: { bids: empty.has(coin) ? [] : [['99.5', '1']], asks: [['100.5', '1']] } };
    },
  };
}

function coinbase({ gone, empty }: World): Answers {
  const listed = (): string[] => COINS.filter((coin) => !gone.has(coin));
  return {
    products: () => ({
      body: {
        products: listed().map((coin) => ({
          product_id: `${coin}-USD`,
          base_currency_id: coin,
          quote_currency_id: 'USD',
          base_increment: '0.1',
          quote_increment: '0.1',
          base_min_size: '0.1',
          quote_min_size: '1',
          status: 'online',
        })),
      },
    }),
    product_book: (url) => {
      const coin = (url.searchParams.get('product_id') ?? '').replace('-USD', '');
      if (!listed().includes(coin)) return { status: 404, body: { error: 'NOT_FOUND' } };
      const bids = empty.has(coin) ? [] : [{ price: '99.5', size: '1' }];
      return { body: { pricebook: { bids, asks: [{ price: '100.5', size: '1' }] } } };
    },
  };
}

const AT = { kraken, coinbase, binance };

async function openView(exchange: LiveExchange) {
  const clock = queueClock();
  const world: World = { room: Infinity, gone: new Set(), empty: new Set() };
  const answers = AT[exchange](world);
  const asked: string[] = [];
  const { data } = await openExchange(exchange, {
    origin: null,
    clock,
    fetch: (input) => {
      const url = new URL(input as string);
      const name = url.pathname.split('/').at(-1) ?? '';
      asked.push(name);
      if (name === 'product_book' && (world.room -= 1) < 0)
        return Promise.resolve(new Response('', { status: 500 }));
      const { status = 200, body } = answers[name]?.(url) ?? { status: 404, body: {} };
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    },
  });
  const view = new MarketView(data, () => clock.now());
  /** What comes of it, once as much time has passed as it takes. */
  const bids = async (symbols: readonly string[]) => {
    const reading = view.marksOf(symbols).then(
      ({ marks }) => marks,
      (error: unknown) => error,
    );
    await clock.runFor(10_000);
    return reading;
  };
  await view.rulesOf([]);
  // A bucket that is full, and nothing that is known.
  await clock.runFor(60_000);
  asked.length = 0;
  return { asked, bids, clock, view, world };
}

describe.each(['kraken', 'coinbase', 'binance'] as const)('at %s', (exchange) => {
  const symbols = symbolsAt(exchange);
  const bid = parseFixed('99.5');

  it('twenty pairs are valued at each look, although nothing is known by then', async () => {
    const { bids, clock } = await openView(exchange);
    for (let look = 0; look < 3; look += 1) {
      expect(await bids(symbols)).toEqual(new Map(symbols.map((symbol) => [symbol, bid])));
      await clock.runFor(60_000);
    }
  });

  it('a pair of which nobody buys any has no price, and all others have theirs', async () => {
    const { bids, world } = await openView(exchange);
    world.empty.add('C3X');
    const found = await bids(symbols.slice(2, 6));
    const left = symbols
      .slice(2, 6)
      .filter((symbol) => !world.empty.has(symbol.split('/')[0] ?? ''));
    expect(found).toEqual(new Map(left.map((symbol) => [symbol, bid])));
  });

  it('a pair that was delisted since the list was read keeps no other from its price', async () => {
    const { bids, world } = await openView(exchange);
    world.gone.add('C3X');
    expect(await bids(symbols.slice(2, 5))).toEqual(
      new Map([symbols[2], symbols[4]].map((symbol) => [symbol, bid])),
    );
  });
});

describe.each(['kraken', 'binance'] as const)(
  'at %s, where one question does for all',
  (exchange) => {
    const symbols = symbolsAt(exchange);

    it('what other accounts hold is asked for with it', async () => {
      const { asked, bids, clock, view } = await openView(exchange);
      for (let second = 0; second < 180; second += 1) {
        // Each account is looked at once a minute.
        const own = symbols[second % 60];
        if (own !== undefined) void view.marksOf([own]);
        await clock.runFor(1_000);
      }
      asked.length = 0;
      for (let second = 0; second < 60; second += 1) {
        const own = symbols[second % 60];
        if (own !== undefined) void view.marksOf([own]);
        await clock.runFor(1_000);
      }
      expect(asked.length).toBeLessThanOrEqual(2);
      await bids(symbols);
    });
  },
);

it('at Coinbase, where each is a question of its own, what came is kept when one does not', async () => {
  const symbols = symbolsAt('coinbase');
  const { asked, bids, world } = await openView('coinbase');
  world.room = 12;
  expect(await bids(symbols)).toBeInstanceOf(Error);
  world.room = Infinity;
  asked.length = 0;
  expect(await bids(symbols)).toHaveProperty('size', 20);
  expect(asked.filter((name) => name === 'product_book').length).toBeLessThanOrEqual(8);
});

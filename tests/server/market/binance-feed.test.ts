/** Binance's public prices through the real ccxt: what the exchange says, and nothing made up. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed } from '../../../contract/money.ts';
import { ExchangeFeed } from '../../../server/market/exchange-feed.ts';
import { EXCHANGE_VENUES } from '../../../server/market/exchange-venues.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import {
  startBinanceServer,
  type BinancePair,
  type BinanceServer,
} from '../../support/binance-server.ts';
import { keptLog } from './silent-log.ts';

const trading = (last: string, bid: string, ask: string): BinancePair => ({
  last,
  bid,
  ask,
  status: 'TRADING',
});
let server: BinanceServer;
const open: FeedMarket[] = [];

beforeAll(async () => {
  server = await startBinanceServer({});
  await import('ccxt');
});
afterEach(async () => {
  for (const market of open.splice(0)) await market.stop();
  server.streams.clear();
  server.asked.length = 0;
});
afterAll(async () => {
  await server.close();
});

async function marketOf(pairs: Record<string, BinancePair>): Promise<FeedMarket> {
  server.pairs.clear();
  for (const [base, pair] of Object.entries(pairs)) server.pairs.set(base, pair);
  const feed = new ExchangeFeed({
    venue: EXCHANGE_VENUES.binance,
    baseUrl: server.url,
    clock: { now: () => Date.now() },
    log: keptLog(),
  });
  const market = new FeedMarket(feed, keptLog());
  open.push(market);
  await market.start();
  return market;
}

const bookOf = (market: FeedMarket, pair: string): string[] => {
  const quote = market.quote(pair);
  return quote === null ? [] : [quote.last, quote.bid, quote.ask].map(formatFixed);
};

it('takes bid and ask from the book by websocket too, however wide it is', async () => {
  const market = await marketOf({ LINK: trading('14.2', '14.1', '14.3') });
  expect(bookOf(market, 'LINK/USDT')).toEqual(['14.2', '14.1', '14.3']);
  await expect
    .poll(
      () => {
        server.push('LINK', trading('14.5', '14.3', '14.6'));
        return bookOf(market, 'LINK/USDT')[0];
      },
      { timeout: 10_000 },
    )
    .toBe('14.5');
  expect(bookOf(market, 'LINK/USDT')).toEqual(['14.5', '14.3', '14.6']);
});

describe('a price that the exchange only repeats', () => {
  const rounds = (): number => server.asked.filter((path) => path.includes('/ticker/24hr')).length;
  const afterRounds = async (more: number): Promise<void> => {
    const enough = rounds() + more;
    await expect.poll(rounds, { timeout: 20_000 }).toBeGreaterThanOrEqual(enough);
  };

  it('grows old where nobody bids, asks or trades, and is fresh again with the next trade (F57)', async () => {
    const halted = { ...trading('14.2', '0.00000000', '0.00000000'), closeTime: Date.now() };
    const market = await marketOf({
      LINK: halted,
      // As though its day went on: the end of it comes nearer with every answer.
      ETH: trading('3100', '0.00000000', '0.00000000'),
      BTC: trading('64000', '63999', '64001'),
    });
    const quotes = () => ['LINK/USDT', 'ETH/USDT'].map((pair) => market.quote(pair));
    const [first, moving] = [quotes(), market.quote('BTC/USDT')?.at ?? Infinity];
    expect(first).not.toContain(null);
    await afterRounds(3);
    expect(quotes()).toEqual(first);
    expect(market.quote('BTC/USDT')?.at).toBeGreaterThan(moving);
    server.pairs.set('LINK', { ...halted, last: '14.1', closeTime: halted.closeTime + 5_000 });
    await expect.poll(() => bookOf(market, 'LINK/USDT')[0], { timeout: 10_000 }).toBe('14.1');
  });

  it('stays fresh where somebody still bids, however long nobody trades', async () => {
    const quiet = { ...trading('14.2', '14.1', '0.00000000'), closeTime: Date.now() };
    const market = await marketOf({ LINK: quiet });
    const first = market.quote('LINK/USDT')?.at ?? Infinity;
    await afterRounds(2);
    await expect.poll(() => market.quote('LINK/USDT')?.at ?? 0).toBeGreaterThan(first);
    expect(bookOf(market, 'LINK/USDT').slice(0, 2)).toEqual(['14.2', '14.1']);
  });
});

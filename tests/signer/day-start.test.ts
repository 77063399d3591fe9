/** A day's loss is counted from what was held at its beginning, and never from a price nobody knows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed, ZERO } from '../../contract/money.ts';
import type { ConnectionState } from '../../contract/signer.ts';
import type { VenueFill } from '../../contract/venue.ts';
import type { Asked } from '../support/signer/answer-server.ts';
import { openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  KRAKEN_PAIRS,
  krakenAnswers,
  ok,
} from '../support/signer/kraken-answers.ts';

let world: DeskWorld;
afterEach(() => world.remove());

type Side = [price: string, quantity: string, at: number][];
interface Sides {
  bids: Side;
  asks: Side;
}
const book = (bid: string, ask: string, quantity: string): Sides => ({
  bids: [[bid, quantity, 1]],
  asks: [[ask, quantity, 1]],
});
const EMPTY: Sides = { bids: [], asks: [] };

/** Holds 60 dollars of BTC and 50 of SHIB, at cost and on the market. */
async function holding() {
  const books: Record<'BTC' | 'SHIB', Sides> = {
    BTC: book('60000.0', '60010.0', '2'),
    SHIB: book('0.00001000', '0.00001010', '99999999'),
  };
  const exchange = {
    books,
    pairs: { ...KRAKEN_PAIRS } as Partial<typeof KRAKEN_PAIRS>,
    isDown: false,
  };
  const named = { XBTUSD: 'XXBTZUSD', SHIBUSD: 'SHIBUSD' } as const;
  type Name = keyof typeof named;
  const bookOf = (name: Name): Sides => (name === 'XBTUSD' ? books.BTC : books.SHIB);
  const answer = (row: (name: Name) => unknown) => (asked: Asked) => {
    if (exchange.isDown) return { status: 503, body: '' };
    const names = (asked.params.pair ?? '').split(',') as Name[];
    if (names.some((name) => exchange.pairs[named[name]] === undefined))
      return failed('EQuery:Unknown asset pair');
    return ok(Object.fromEntries(names.map((name) => [named[name], row(name)])));
  };
  const Depth = answer(bookOf);
  const Ticker = answer((name) => ({
    a: [bookOf(name).asks[0]?.[0] ?? '0.0', '1', '1.000'],
    b: [bookOf(name).bids[0]?.[0] ?? '0.0', '1', '1.000'],
    v: ['100', '1912.2'],
    p: ['60010.1', '60020.2'],
  }));
  world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) =>
      krakenAnswers({ Depth, Ticker, AssetPairs: () => ok(exchange.pairs) }, () => clock.now()),
  });
  await world.connect();
  const yesterdayMs = world.clock.now() - 24 * 60 * 60_000;
  const bought = (symbol: string, quantity: string, price: string, cost: string): void => {
    const fill: VenueFill = {
      tradeId: symbol,
      exchangeOrderId: symbol,
      clientOrderId: null,
      symbol,
      side: 'buy',
      quantity: parseFixed(quantity),
      price: parseFixed(price),
      quoteAmount: parseFixed(cost),
      fees: [],
      atMs: yesterdayMs,
    };
    const { connectionId } = world;
    world.store.journal.write({
      kind: 'fill',
      atMs: yesterdayMs,
      connectionId,
      clientOrderId: symbol,
      fill,
    });
  };
  bought('BTC/USD', '0.001', '60000', '60');
  bought('SHIB/USD', '5000000', '0.00001', '50');
  return exchange;
}

const buy = (limit: string) =>
  world.desk.answer({
    act: 'place',
    intent: world.intent({ limitPrice: parseFixed(limit), quantity: parseFixed('0.0005') }),
  });
const sell = (limit: string) =>
  world.desk.answer({
    act: 'place',
    intent: world.intent({
      side: 'sell',
      limitPrice: parseFixed(limit),
      quantity: parseFixed('0.0005'),
    }),
  });
async function state() {
  const answer = await world.desk.answer({ act: 'state', connectionId: world.connectionId });
  return (answer as { value: ConnectionState }).value;
}
const lossToday = async () => (await state()).lossToday;
const DAY_MS = 24 * 60 * 60_000;
/** Longer than the list of pairs is kept. */
const LIST_KEPT_MS = 11 * 60_000;
const daysWritten = (): number =>
  readFileSync(join(world.folder, 'journal.jsonl'), 'utf8').split('"kind":"day"').length - 1;

describe('while something held has an empty book', () => {
  it('the day has not begun, nothing is bought, and sales go on', async () => {
    const { books } = await holding();
    books.SHIB = EMPTY;
    expect(await buy('60100')).toMatchObject({ kind: 'refused', code: 'no_market_data' });
    expect(await lossToday()).toBe(ZERO);
    expect(daysWritten()).toBe(0);
    expect(await sell('59900')).toMatchObject({ kind: 'confirmed' });
  });

  it('and once it has one, its recovery hides no other loss of the day', async () => {
    const { books } = await holding();
    const { SHIB } = books;
    books.SHIB = EMPTY;
    await buy('60100');
    await lossToday();
    books.SHIB = SHIB;
    world.clock.at += 60_000;
    expect(await buy('60100')).toMatchObject({ kind: 'confirmed' });
    expect(daysWritten()).toBe(1);
    books.BTC = book('30000.0', '30010.0', '2');
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('30'));
    expect(await buy('30100')).toMatchObject({ kind: 'refused', code: 'loss_limit' });
  });

  it('later in the day it counts as worth nothing, and nothing is bought', async () => {
    const { books } = await holding();
    expect(await buy('60100')).toMatchObject({ kind: 'confirmed' });
    books.SHIB = EMPTY;
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('50'));
    expect(await buy('60100')).toMatchObject({ kind: 'refused', code: 'no_market_data' });
  });
});

describe('a pair that is held and that the exchange no longer lists', () => {
  it('is lost once, and nothing else waits for it', async () => {
    const { pairs } = await holding();
    expect(await lossToday()).toBe(ZERO);
    delete pairs.SHIBUSD;
    // The list of pairs that is known still has it.
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('50'));
    expect(await buy('60100')).toMatchObject({ kind: 'refused', code: 'loss_limit' });
    world.clock.at += DAY_MS;
    expect(await buy('60100')).toMatchObject({ kind: 'confirmed' });
    expect(await lossToday()).toBe(ZERO);
    expect(await sell('59900')).toMatchObject({ kind: 'confirmed' });
  });

  it('hides no other loss when it is listed again', async () => {
    const { pairs, books } = await holding();
    const { SHIBUSD } = pairs;
    delete pairs.SHIBUSD;
    expect(await lossToday()).toBe(ZERO);
    pairs.SHIBUSD = SHIBUSD;
    world.clock.at += LIST_KEPT_MS;
    expect(await lossToday()).toBe(ZERO);
    books.BTC = book('30000.0', '30010.0', '2');
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('30'));
    books.SHIB = book('0.00000900', '0.00000910', '99999999');
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('35'));
  });
});

describe('what is held and cannot be sold', () => {
  it('waits for no price where it is less than an order may be', async () => {
    const { pairs, books } = await holding();
    pairs.SHIBUSD = { ...KRAKEN_PAIRS.SHIBUSD, ordermin: '5000001' };
    world.clock.at += LIST_KEPT_MS;
    books.SHIB = EMPTY;
    expect(await buy('60100')).toMatchObject({ kind: 'confirmed' });
    expect(await lossToday()).toBe(ZERO);
  });

  it('waits for no price where its pair takes no orders and has no book', async () => {
    const { pairs, books } = await holding();
    pairs.SHIBUSD = { ...KRAKEN_PAIRS.SHIBUSD, status: 'delisting' };
    world.clock.at += LIST_KEPT_MS;
    books.SHIB = EMPTY;
    expect(await buy('60100')).toMatchObject({ kind: 'confirmed' });
    expect(await lossToday()).toBe(ZERO);
  });

  it('is worth its bid where there is one, however little it is', async () => {
    const { pairs, books } = await holding();
    pairs.SHIBUSD = { ...KRAKEN_PAIRS.SHIBUSD, ordermin: '5000001' };
    world.clock.at += LIST_KEPT_MS;
    expect(await lossToday()).toBe(ZERO);
    books.SHIB = book('0.00000900', '0.00000910', '99999999');
    world.clock.at += 60_000;
    expect(await lossToday()).toBe(parseFixed('5'));
  });
});

it('where what is held cannot be valued, the state says so, and all the rest', async () => {
  const exchange = await holding();
  exchange.isDown = true;
  expect(await state()).toMatchObject({
    lossToday: null,
    lossUnread: 'server_error',
    exposure: parseFixed('110'),
    limitsInForce: { maxOrder: parseFixed('100') },
  });
  expect(await buy('60100')).toMatchObject({ kind: 'refused', code: 'no_market_data' });
});

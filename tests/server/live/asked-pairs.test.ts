/** Which pairs Binance is asked for by name: what is held or moved lately, and no more with the years. */
import { afterEach, describe, expect, it } from 'vitest';
import { formatFixed } from '../../../contract/money.ts';
import { expectBooksEqual } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const DAY_MS = 24 * 60 * 60_000;

async function open(): Promise<{ one: LiveWorld; asked: () => string[] }> {
  const one = await openLiveWorld({ dialect: 'binance', balances: { USDT: '10000' } });
  world = one;
  let last: string[] = [];
  one.interfere((_act, ask) => {
    if (ask.act === 'trades') last = ask.symbols;
    return null;
  });
  await one.look();
  return { one, asked: () => last };
}

async function wait(one: LiveWorld, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 30_000) {
    await one.advance(30_000);
    await one.look();
  }
}

const trade = ({ standIn }: LiveWorld, side: 'buy' | 'sell', quantity: string): void => {
  const placed = standIn.person.trade({ account: 'main', symbol: 'ETH/USDT', side, quantity });
  expect(placed).toMatchObject({ kind: 'accepted' });
};

/** What a fee in the coin has left. */
const withdrawRest = ({ standIn }: LiveWorld): void => {
  const rest = standIn.accounts.get('main').total('ETH');
  if (rest > 0n) standIn.person.withdraw('main', 'ETH', formatFixed(rest));
};

const movements = async (one: LiveWorld): Promise<string[]> =>
  (await account(one)).external.map(({ kind }) => kind).filter((kind) => kind !== 'opening');

describe('the comparison at Binance', () => {
  it('asks no more for a pair whose coin is gone, a week after its last trade', async () => {
    const { one, asked } = await open();
    expect(asked()).not.toContain('ETH/USDT');
    trade(one, 'buy', '0.5');
    await wait(one, 10 * 60_000);
    expect(asked()).toContain('ETH/USDT');
    trade(one, 'sell', '0.49');
    await wait(one, 10 * 60_000);
    expect(await movements(one)).toEqual(['hand_trade', 'hand_trade']);
    withdrawRest(one);
    await wait(one, 10 * 60_000);
    expect(asked()).toContain('ETH/USDT');
    await one.advance(7 * DAY_MS);
    await wait(one, 10 * 60_000);
    expect(asked()).not.toContain('ETH/USDT');
    await expectBooksEqual(one);
  }, 120_000);

  it('books what was bought by hand in a new pair while no server looked as a trade', async () => {
    const { one } = await open();
    await wait(one, 5 * 60_000);
    trade(one, 'buy', '0.5');
    await one.advance(5 * 60 * 60_000);
    await wait(one, 10 * 60_000);
    expect(await movements(one)).toEqual(['hand_trade']);
    await expectBooksEqual(one);
  }, 60_000);

  it('books a coin that was bought and sold between two readings as what its quote coin lost', async () => {
    const { one } = await open();
    await wait(one, 5 * 60_000);
    trade(one, 'buy', '0.5');
    trade(one, 'sell', '0.4995');
    withdrawRest(one);
    await wait(one, 10 * 60_000);
    expect(await movements(one)).toEqual(['withdrawal']);
    await expectBooksEqual(one);
  }, 60_000);
});

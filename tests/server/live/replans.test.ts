/** Pairs that are planned anew because their rules have changed: those of the account, and each of them. */
import { afterEach, describe, expect, it } from 'vitest';
import { account, type LiveWorld, openLiveWorld, settle } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function holding(): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect: 'binance' });
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 20);
  return one;
}

function runOf(one: LiveWorld) {
  const run = one.desk.run(one.connection.id);
  if (run === null) throw new Error('The account is not at work');
  return run;
}

/** Counts transactions; `before` is called ahead of each. */
function countTransactions(
  { deps: { database } }: LiveWorld,
  before: () => void = () => undefined,
) {
  const counted = { count: 0 };
  const real = database.transaction.bind(database);
  database.transaction = async (work) => {
    counted.count += 1;
    before();
    return real(work);
  };
  return counted;
}

async function transactionsOfLook(one: LiveWorld, counted: { count: number }): Promise<number> {
  counted.count = 0;
  await one.look();
  return counted.count;
}

describe('when the exchange has changed the rules of', () => {
  it('all of its pairs, an account plans the few it has something of', async () => {
    const one = await holding();
    const counted = countTransactions(one);
    const idle = await transactionsOfLook(one, counted);
    const others = Array.from({ length: 1_400 }, (_, index) => `X${index}/USDT`);
    runOf(one).rulesChanged([...others, one.pair]);
    expect(await transactionsOfLook(one, counted)).toBe(idle + 1);
    expect(await transactionsOfLook(one, counted)).toBe(idle);
  }, 60_000);

  it('a pair while it is planned for that, it is planned once more', async () => {
    const one = await holding();
    let isPlanning = false;
    const counted = countTransactions(one, () => {
      if (isPlanning) runOf(one).rulesChanged([one.pair]);
      isPlanning = false;
    });
    const idle = await transactionsOfLook(one, counted);
    runOf(one).rulesChanged([one.pair]);
    isPlanning = true;
    await one.look();
    expect(await transactionsOfLook(one, counted)).toBe(idle + 1);
    expect(await transactionsOfLook(one, counted)).toBe(idle);
  }, 60_000);

  it('a pair and the database fails, it is planned with the next look', async () => {
    const one = await holding();
    let isFailing = false;
    const counted = countTransactions(one, () => {
      if (isFailing) throw new Error('No database');
    });
    const idle = await transactionsOfLook(one, counted);
    runOf(one).rulesChanged([`X/${one.quote}`, one.pair]);
    isFailing = true;
    await one.look();
    isFailing = false;
    // The failure closes the gate: the account is compared first.
    await settle(one, 10);
    expect(counted.count).toBeGreaterThan(idle + 1);
    expect(await transactionsOfLook(one, counted)).toBe(idle);
  }, 60_000);
});

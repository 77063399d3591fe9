/** The brake of a day's loss counts what positions have lost, before anything is sold. */
import { afterEach, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { account, type LiveWorld, openLiveWorld, PERSON } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const told = async (one: LiveWorld): Promise<string[]> =>
  (await account(one)).alarms.map(({ kind }) => kind);

/** Both markets. */
function setPrice(one: LiveWorld, price: number): void {
  one.standIn.setPrice(one.pair, price.toFixed(1));
  one.floor.market.say(one.pair, price);
}

async function settle(one: LiveWorld, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 10_000) {
    await one.advance(10_000);
    await one.look();
  }
}

it('a position that has lost more than the limit holds back purchases, and the person is told', async () => {
  const one = await openLiveWorld();
  world = one;
  await one.look();
  await one.startAgent();
  await one.floor.call(PERSON, 'setLiveLimits', {
    params: { id: one.connection.id },
    body: { limits: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '2' } },
  });
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 70_000);
  const [position] = (await account(one)).positions;
  const stop = toNumber(parseFixed(position?.stopPrice ?? '0'));
  const bought = toNumber(one.standIn.prices.mid(one.pair));
  expect(await told(one)).toEqual([]);
  expect(one.desk.entriesOff(one.connection.id)).toBeNull();
  // Above its stop: nothing is sold, and so nothing realised.
  setPrice(one, stop + (bought - stop) * 0.1);
  await settle(one, 70_000);
  expect(one.standIn.journal.fillsOf({ by: 'api' }).map(({ side }) => side)).not.toContain('sell');
  expect(await told(one)).toEqual(['daily_loss']);
  expect(one.desk.entriesOff(one.connection.id)).toContain("today's losses");
  // Once a day, however long it lasts; gone when the price is back.
  await settle(one, 130_000);
  expect(await told(one)).toEqual(['daily_loss']);
  setPrice(one, bought);
  await settle(one, 70_000);
  expect(one.desk.entriesOff(one.connection.id)).toBeNull();
}, 240_000);

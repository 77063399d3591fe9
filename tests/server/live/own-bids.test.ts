/** Cash that the person's own orders hold at the exchange: agents leave it alone, and the page shows it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { account, openLiveWorld, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

/** Far below the market: it rests. Leaves about 50 of 10,000 dollars. */
function bid(): string {
  const placed = world.standIn.person.trade({
    account: 'main',
    symbol: world.pair,
    side: 'buy',
    quantity: '0.199',
    limit: '50000',
  });
  if (placed.kind !== 'accepted') throw new Error('The bid was not taken');
  return placed.order.id;
}
const dollars = async () => (await account(world)).cash.find(({ asset }) => asset === world.quote);

it('agents order what is free besides, so that the exchange turns nothing down', async () => {
  bid();
  await world.look();
  const free = world.standIn.accounts.get('main').free(world.quote);
  await world.startAgent();
  await world.tickUntil(async () => (await account(world)).orders.length > 0);
  await world.look();
  const bought = (await account(world)).orders.filter(({ side }) => side === 'buy');
  expect(bought).toMatchObject([{ state: 'filled' }]);
  // One order may cost 100 dollars: without the bid it would be larger than what is free.
  expect(free).toBeLessThan(parseFixed('100'));
}, 60_000);

it('what they hold is shown beside the cash, and free again once they are cancelled', async () => {
  await world.look();
  expect(await dollars()).toMatchObject({ amount: '10000', heldElsewhere: '0' });
  const id = bid();
  await world.advance(181_000);
  await world.look();
  const held = parseFixed((await dollars())?.heldElsewhere ?? '0');
  expect(held).toBeGreaterThanOrEqual(parseFixed('9950'));
  expect(held).toBeLessThan(parseFixed('10000'));
  world.standIn.person.cancel('main', id);
  await world.advance(181_000);
  await world.look();
  expect(await dollars()).toMatchObject({ amount: '10000', heldElsewhere: '0' });
}, 60_000);

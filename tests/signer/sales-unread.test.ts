/** A sale that cannot be signed takes nothing of the exchange's limit: others wait for their books. */
import { expect, it, onTestFinished } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { OrderIntent } from '../../contract/signer.ts';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

const YEAR_MS = 365 * 24 * 60 * 60_000;

const WRONG: [string, (now: number) => Partial<OrderIntent>, string][] = [
  ['a deadline a year away', (now) => ({ deadlineMs: now + YEAR_MS }), 'deadline'],
  ['a deadline that has passed', (now) => ({ deadlineMs: now - 1 }), 'deadline'],
  ['coins that are not held', () => ({}), 'not_held'],
  ['another currency', () => ({ symbol: 'BTC/EUR' }), 'pair_not_allowed'],
  ['nothing to sell', () => ({ quantity: parseFixed('0') }), 'quantity'],
];

it.each(WRONG)('a sale with %s is refused before the market is read', async (_what, more, code) => {
  const world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers({}, () => clock.now()),
  });
  onTestFinished(() => world.remove());
  await world.connect();
  const before = world.server.asked.length;
  for (const symbol of ['BTC/USD', 'SHIB/USD']) {
    const sale = { side: 'sell', type: 'market', limitPrice: null, symbol } as const;
    const intent = world.intent({ ...sale, ...more(world.clock.now()) });
    expect(await world.desk.answer({ act: 'place', intent })).toMatchObject({ code });
  }
  expect(world.server.asked).toHaveLength(before);
});

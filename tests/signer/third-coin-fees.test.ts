/** Fees that are charged in a third coin count as losses of the day, at the market's price. */
import { afterEach, expect, it } from 'vitest';
import { multiply, parseFixed, subtract, sum, ZERO, type Fixed } from '../../contract/money.ts';
import { instrumentsOf } from '../support/exchange/instruments.ts';
import type { StandInOptions } from '../support/exchange/stand-in.ts';
import { openTheft, type Theft } from '../support/signer/theft.ts';

let signer: Theft | null = null;
afterEach(async () => {
  await signer?.close();
  signer = null;
});

async function bought(options: Partial<StandInOptions> = {}): Promise<Theft> {
  signer = await openTheft('binance', {
    accounts: [{ name: 'main', balances: { USDT: '10000', BNB: '3' } }],
    ...options,
  });
  const one = signer;
  one.standIn.faults.strike({ name: 'fee-coin', feeCoin: 'third' });
  const intent = one.intent({ quantity: parseFixed('0.0015') });
  expect(await one.ask({ act: 'place', intent })).toMatchObject({ kind: 'confirmed' });
  await read(one);
  return one;
}

async function read(one: Theft): Promise<void> {
  const { connectionId, pair } = one;
  const sinceMs = one.now() - 3_600_000;
  await one.advance(5_000);
  await one.ask({ act: 'trades', connectionId, symbols: [pair], sinceMs });
}

async function lossToday({ ask, connectionId }: Theft): Promise<Fixed> {
  const state = await ask({ act: 'state', connectionId });
  if (state.kind !== 'read' || state.value.lossToday === null)
    throw new Error('The loss could not be read');
  return state.value.lossToday;
}

it('they are worth what the coin is worth now', async () => {
  const one = await bought();
  const fills = one.standIn.journal.fillsOf({ by: 'api' });
  expect(fills.map(({ feeCoin }) => feeCoin)).toContain('BNB');
  const charged = sum(fills.map(({ fee }) => fee));
  // The day began before the purchase: what it cost above what it would bring is lost too.
  const { prices } = one.standIn;
  const bid = prices.book(one.standIn.instrument(one.pair)).bids[0]?.price ?? ZERO;
  const held = multiply(sum(fills.map(({ quantity }) => quantity)), bid, 'down');
  const spread = subtract(sum(fills.map(({ cost }) => cost)), held);
  const loss = subtract(await lossToday(one), spread);
  expect(loss).toBeGreaterThanOrEqual(multiply(charged, parseFixed('579'), 'down'));
  expect(loss).toBeLessThanOrEqual(multiply(charged, parseFixed('581'), 'up'));
});

it('they are counted once, and not on the next day', async () => {
  const one = await bought();
  const before = await lossToday(one);
  await read(one);
  await read(one);
  expect(await lossToday(one)).toBe(before);
  await one.advance(24 * 3_600_000);
  expect(await lossToday(one)).toBe(0n);
});

it('where the coin has no price in dollars, nothing more is bought that day', async () => {
  const instruments = [...instrumentsOf('binance').values()];
  const one = await bought({ instruments: instruments.filter(({ base }) => base !== 'BNB') });
  const { ask } = one;
  expect(await ask({ act: 'place', intent: one.intent() })).toMatchObject({
    kind: 'refused',
    code: 'fee_unpriced',
    detail: 'fees in BNB have no price in dollars',
  });
  const sale = one.intent({ side: 'sell', quantity: parseFixed('0.001') });
  expect(await ask({ act: 'place', intent: sale })).toMatchObject({ kind: 'confirmed' });
  await one.advance(24 * 3_600_000);
  expect(await ask({ act: 'place', intent: one.intent() })).toMatchObject({ kind: 'confirmed' });
});

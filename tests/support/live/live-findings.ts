/** What tests of live trading look at: stops that rest, sales that were filled, and books that agree. */
import { expect } from 'vitest';
import type { LiveWorld } from './live-world.ts';

/** Of the person's account at the exchange. */
export const restingStops = ({ standIn }: LiveWorld) =>
  standIn.core.ordersOf('main').filter(({ state, stop }) => state === 'open' && stop !== null);

/** Ours, in full or in part, by the exchange's journal. */
export const filledSales = ({ standIn }: LiveWorld) =>
  standIn.journal
    .orders({ by: 'api' })
    .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n);

/** Coin by coin the ledger says what is at the exchange, and the nightly check finds nothing. */
export async function expectBooksEqual(one: LiveWorld): Promise<void> {
  for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await one.problems()).toEqual([]);
}

/** Thousands of trades of the person's own are booked in a handful of statements, in their order. */
import { asc, eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatFixed, multiply, parseFixed, ZERO } from '../../../contract/money.ts';
import type { VenueFill } from '../../../contract/venue.ts';
import type { ExternalMovement } from '../../../engine/orders/reconcile.ts';
import type { Tx } from '../../../server/db/database.ts';
import { ledger } from '../../../server/db/schema.ts';
import { externalMovements, venueFills } from '../../../server/db/schema-live.ts';
import { bookExternal } from '../../../server/live/external-movements.ts';
import { lockBooks, ownedBy } from '../../../server/live/live-accounts.ts';
import { openLiveWorld, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
  await world.look();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const db = () => world.floor.database.db;

function handTrade(number: number): ExternalMovement & { kind: 'hand_trade' } {
  const quantity = parseFixed('0.0001');
  const price = parseFixed('64000');
  const fill: VenueFill = {
    ...{ tradeId: `T${number}`, exchangeOrderId: `O${number}`, clientOrderId: null },
    ...{ symbol: world.pair, side: number % 3 === 0 ? 'sell' : 'buy', quantity, price },
    ...{ quoteAmount: multiply(quantity, price, 'down'), atMs: 1_700_000_000_000 + number },
    fees: [{ asset: world.quote, amount: parseFixed('0.01') }],
  };
  return { kind: 'hand_trade', fill };
}

/** Books them; how many statements that took. */
async function book(movements: readonly ExternalMovement[]): Promise<number> {
  let statements = 0;
  await world.floor.database.transaction(async (tx) => {
    await lockBooks(tx, world.connection, 'all');
    const counted = new Proxy(tx.db, {
      get: (target, name, self): unknown => {
        if (['execute', 'insert', 'update', 'delete', 'select'].includes(String(name)))
          statements += 1;
        return Reflect.get(target, name, self);
      },
    });
    const within: Tx = { ...tx, db: counted };
    await bookExternal(within, world.deps, world.connection, movements);
  });
  return statements;
}

const handTradesBooked = async (): Promise<string[]> =>
  (await db().select().from(venueFills).orderBy(asc(venueFills.number))).map(
    ({ tradeId }) => tradeId,
  );

it('books hundreds of them in a handful of statements, and in their order', async () => {
  const before = await ownedBy(db(), world.connection.accountId);
  const trades = Array.from({ length: 300 }, (_, number) => handTrade(number));
  const paid: ExternalMovement = { kind: 'deposit', asset: 'ETH', amount: parseFixed('2') };
  expect(await book([...trades, paid])).toBeLessThan(10);
  expect(await handTradesBooked()).toEqual(trades.map(({ fill }) => fill.tradeId));
  const rows = await db()
    .select({ id: externalMovements.id, kind: externalMovements.kind, at: externalMovements.atMs })
    .from(externalMovements)
    .where(eq(externalMovements.connectionId, world.connection.id));
  const booked = rows.filter(({ kind }) => kind !== 'opening');
  expect(booked.map(({ kind }) => kind)).toEqual([...trades.map(({ kind }) => kind), 'deposit']);
  const entered = await db()
    .select({ id: ledger.transactionId })
    .from(ledger)
    .where(eq(ledger.cause, 'hand_trade'))
    .orderBy(asc(ledger.id));
  expect([...new Set(entered.map(({ id }) => id))]).toEqual(
    booked.slice(0, -1).map(({ id }) => id),
  );
  const after = await ownedBy(db(), world.connection.accountId);
  const grown = (asset: string): string =>
    formatFixed(((after.cash.get(asset) ?? ZERO) - (before.cash.get(asset) ?? ZERO)) as never);
  // 200 bought and 100 sold, of 6.4 dollars each, with a cent for each.
  expect([grown('BTC'), grown(world.quote), grown('ETH')]).toEqual(['0.01', '-643', '2']);
  expect(await world.problems()).toEqual([]);
}, 60_000);

it('takes back what turns out to be ours, and keeps what comes after that', async () => {
  const [first, second, third] = [handTrade(1), handTrade(2), handTrade(4)];
  const undone = ({ fill }: { fill: VenueFill }) => ({ kind: 'hand_trade_undone', fill }) as const;
  await book([first, second]);
  const owned = await ownedBy(db(), world.connection.accountId);
  await book([undone(first), third, undone(third), undone(second), second]);
  expect(await handTradesBooked()).toEqual(['T2']);
  const after = await ownedBy(db(), world.connection.accountId);
  expect(after.cash.get('BTC')).toBe((owned.cash.get('BTC') ?? ZERO) - first.fill.quantity);
  expect(await world.problems()).toEqual([]);
}, 60_000);

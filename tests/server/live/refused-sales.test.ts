/** Sales that the signer would refuse, or has refused: a stop stays before them, and the person is told. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { multiply, toNumber, ZERO } from '../../../contract/money.ts';
import { LiveExchange, NOT_A_REQUEST } from '../../../contract/signer.ts';
import { liveConnections } from '../../../server/db/schema-live.ts';
import { SignerTooOld } from '../../../server/live/signer-client.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { rejectSales } from '../../support/live/reject-sales.ts';
import { filledSales, restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await world?.close();
  world = null;
});

const toldOf = async (one: LiveWorld, kind: string) =>
  (await account(one)).alarms.filter((alarm) => alarm.kind === kind);

async function holding(
  dialect: LiveExchange = 'kraken',
  restingStopsToo = true,
): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.floor.database.db
    .update(liveConnections)
    .set({ abilities: { replaysIds: dialect === 'coinbase', restingStops: restingStopsToo } })
    .where(eq(liveConnections.id, one.connection.id));
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 20);
  expect(restingStops(one).length > 0).toBe(restingStopsToo);
  return one;
}

async function closePosition(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
}

async function expectSold(one: LiveWorld): Promise<void> {
  // What a fee in the coin leaves is too little for an order.
  const left = (await account(one)).positions.map(({ value }) => Number(value));
  expect(left.filter((value) => value >= 1)).toEqual([]);
  expect(restingStops(one)).toEqual([]);
  expect(filledSales(one)).toHaveLength(1);
  for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await one.problems()).toEqual([]);
}

/** Whole spread in basis points of the middle. */
const SPREADS: [what: string, bps: string][] = [
  ['bids lie far below asks', '3000'],
  ['nobody bids', '30000'],
];
const CASES = LiveExchange.options.flatMap((dialect) =>
  SPREADS.map(([what, bps]) => [dialect, what, bps] as const),
);

describe('a stop at the exchange', () => {
  it.each(CASES)(
    'at %s makes no way for a sale that would be refused because %s, and goes with the sale later (F89)',
    async (dialect, _what, bps) => {
      const one = await holding(dialect);
      const stops = restingStops(one);
      one.standIn.setSpread(bps);
      await closePosition(one);
      await settle(one, 90);
      expect(restingStops(one)).toEqual(stops);
      expect(await toldOf(one, 'sale_refused')).toEqual([]);
      one.standIn.setSpread('4');
      await settle(one, 30);
      await expectSold(one);
    },
    60_000,
  );

  it('stays while the signer cannot be asked about the sale (F89)', async () => {
    const one = await holding();
    const stops = restingStops(one);
    let asked = 0;
    one.interfere((act) => {
      if (act !== 'may_sell') return null;
      asked += 1;
      return 'fail';
    });
    await closePosition(one);
    await settle(one, 120);
    expect(restingStops(one)).toEqual(stops);
    // All accounts share what an exchange lets the signer read.
    expect(asked / stops.length).toBeLessThan(18);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
    one.interfere(null);
    await settle(one, 20);
    await expectSold(one);
  }, 60_000);

  it('makes way where the signer is older than the question, as it did before (F89)', async () => {
    const one = await holding();
    one.interfere((act) => {
      if (act === 'may_sell') throw new SignerTooOld(NOT_A_REQUEST);
      return null;
    });
    await closePosition(one);
    await settle(one, 30);
    await expectSold(one);
  }, 60_000);

  it('makes way in a collapse in which the best bid is a tenth below the best ask (F89)', async () => {
    const one = await holding();
    one.standIn.setSpread('1053');
    await closePosition(one);
    await settle(one, 20);
    await expectSold(one);
  }, 60_000);

  it('of which the sale is refused after all is told as gone, once (F89)', async () => {
    const one = await holding();
    one.interfere((_act, ask) => {
      if (ask.act !== 'place' || ask.intent.type !== 'market') return null;
      one.standIn.setSpread('3000');
      // The signer keeps a book for two seconds.
      return one.advance(3_000).then(() => null);
    });
    await closePosition(one);
    await settle(one, 60);
    expect(restingStops(one)).toEqual([]);
    expect(filledSales(one)).toEqual([]);
    expect(await toldOf(one, 'sale_refused')).toMatchObject([{ detail: { symbol: one.pair } }]);
    one.interfere(null);
    one.standIn.setSpread('4');
    await settle(one, 30);
    await expectSold(one);
    expect(await toldOf(one, 'sale_refused')).toHaveLength(1);
  }, 60_000);
});

describe('an order at market', () => {
  it.each(LiveExchange.options)(
    'at %s sells with a limit within the collar of the book at that moment',
    async (dialect) => {
      const one = await holding(dialect);
      const { pair, standIn } = one;
      const fallen = toNumber(standIn.prices.mid(pair)) * 0.8;
      let fell = false;
      one.interfere((_act, ask) => {
        if (ask.act !== 'place' || ask.intent.type !== 'market' || fell) return null;
        // After the question whether it would be signed, for which a book was read.
        standIn.setPrice(pair, fallen.toFixed(1));
        fell = true;
        return null;
      });
      await closePosition(one);
      await settle(one, 20);
      expect(fell).toBe(true);
      await expectSold(one);
      for (const { accepted } of filledSales(one)) {
        expect(toNumber(accepted.limit ?? ZERO)).toBeGreaterThan(fallen * 0.94);
        expect(toNumber(accepted.limit ?? ZERO)).toBeLessThan(fallen);
      }
    },
    60_000,
  );

  it.each(LiveExchange.options)(
    'at %s buys with a limit within the collar and the largest order',
    async (dialect) => {
      const one = await openLiveWorld({ dialect });
      world = one;
      await one.look();
      const agentId = await one.startAgent();
      const { id: connectionId } = one.connection;
      const { pair, standIn } = one;
      const before = toNumber(standIn.prices.mid(pair));
      await decideTrade(one.deps, one.desk, {
        connectionId,
        agentId,
        symbol: pair,
        budget: 60,
        tickId: 'purchase',
      });
      await one.look();
      const bought = standIn.journal
        .orders({ by: 'api' })
        .filter(({ accepted }) => accepted.side === 'buy');
      expect(bought.length).toBeGreaterThan(0);
      for (const { accepted } of bought) {
        expect(accepted.limit).not.toBeNull();
        expect(toNumber(accepted.limit ?? ZERO)).toBeLessThan(before * 1.021);
        expect(toNumber(multiply(accepted.limit ?? ZERO, accepted.quantity, 'up'))).toBeLessThan(
          100,
        );
      }
    },
    60_000,
  );
});

describe('a position without a stop at the exchange', () => {
  it('whose sale the signer refuses is told of, once', async () => {
    const one = await holding('kraken', false);
    one.standIn.setSpread('3000');
    await one.advance(3_000);
    await closePosition(one);
    await settle(one, 60);
    expect(await toldOf(one, 'sale_refused')).toHaveLength(1);
    one.standIn.setSpread('4');
    await settle(one, 30);
    await expectSold(one);
  }, 60_000);

  it('whose sale the exchange rejects again and again is told of, once', async () => {
    const one = await holding('kraken', false);
    const tried = rejectSales(one);
    await closePosition(one);
    for (let seconds = 0; tried.count < 2 && seconds < 60; seconds += 1) await settle(one, 1, 1);
    expect(tried.count).toBe(2);
    expect(await toldOf(one, 'sale_refused')).toEqual([]);
    await settle(one, 60);
    expect(tried.count).toBeGreaterThan(4);
    expect(await toldOf(one, 'sale_refused')).toMatchObject([
      { detail: { symbol: one.pair, isRejected: true } },
    ]);
    vi.restoreAllMocks();
    await settle(one, 30);
    await expectSold(one);
    expect(await toldOf(one, 'sale_refused')).toHaveLength(1);
  }, 60_000);
});

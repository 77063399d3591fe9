/** Fees that an exchange charges in another coin than the quote currency, beside an agent's result. */
import { afterEach, expect, it } from 'vitest';
import { LiveTaxLots } from '../../../contract/live.ts';
import { formatFixed, parseFixed, sum } from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** An agent that has bought once, its fee in this coin. */
async function bought(dialect: LiveExchange, feeCoin: 'received' | 'quote' | 'third') {
  world = await openLiveWorld({
    dialect,
    balances: { USD: '10000', USDT: '10000', BTC: '0.5', BNB: '3' },
  });
  const one = world;
  await one.look();
  const agentId = await one.startAgent();
  one.standIn.faults.strike({ name: 'fee-coin', feeCoin });
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await one.look();
  const { results } = await account(one);
  const { agents } = await one.floor.call(PERSON, 'agents');
  const agent = agents.find(({ id }) => id === agentId);
  const charged = one.standIn.journal
    .fillsOf({ by: 'api' })
    .filter((fill) => fill.feeCoin !== one.quote);
  return {
    one,
    agentId,
    agent,
    result: results?.find((each) => each.agentId === agentId),
    charged,
  };
}

it.each([
  ['binance', 'third', 'BNB', false],
  ['binance', 'received', 'BTC', true],
] as const)(
  '%s: one in the %s coin is told by coin, and whether the result has it',
  async (dialect, feeCoin, asset, inResult) => {
    const { agent, result, charged } = await bought(dialect, feeCoin);
    expect(new Set(charged.map((fill) => fill.feeCoin))).toEqual(new Set([asset]));
    for (const told of [agent, result]) {
      expect(Number(told?.fees)).toBe(0);
      expect(told?.otherFees).toEqual([{ asset, amount: told?.otherFees?.[0]?.amount, inResult }]);
      expect(Number(told?.otherFees?.[0]?.amount)).toBeGreaterThan(0);
    }
  },
  60_000,
);

it('those in the quote currency are the fees, and nothing stands beside them', async () => {
  const { agent, result } = await bought('kraken', 'quote');
  for (const told of [agent, result]) {
    expect(Number(told?.fees)).toBeGreaterThan(0);
    expect(told?.otherFees).toBeUndefined();
  }
}, 60_000);

/** The lots of an agent that has bought once and sold all, with what the exchange charged for that. */
async function soldLots(dialect: LiveExchange, feeCoin: 'received' | 'quote' | 'third') {
  const { one, agentId } = await bought(dialect, feeCoin);
  await one.floor.call(PERSON, 'liquidateAgent', { params: { id: agentId } });
  await settle(one, 60);
  const { id } = one.connection;
  const lots = LiveTaxLots.parse(
    await one.floor.call(PERSON, 'liveTaxLots', { params: { id }, query: {} }),
  );
  const charged = (asset: string): string =>
    formatFixed(
      sum(
        one.standIn.journal
          .fillsOf({ by: 'api' })
          .flatMap((fill) => (fill.feeCoin === asset ? fill.fee : [])),
      ),
    );
  const onLots = (asset: string): string =>
    formatFixed(
      sum(
        lots.rows.flatMap(({ otherFees = [] }) =>
          otherFees.flatMap((fee) => (fee.asset === asset ? parseFixed(fee.amount) : [])),
        ),
      ),
    );
  expect(lots.sums.lots).toBeGreaterThan(0);
  return { lots, charged, onLots };
}

it('those in a third coin go with the tax lots and are in none of their figures', async () => {
  const { lots, charged, onLots } = await soldLots('binance', 'third');
  expect(Number(charged('BNB'))).toBeGreaterThan(0);
  expect(onLots('BNB')).toBe(charged('BNB'));
  const otherFees = [{ asset: 'BNB', amount: charged('BNB'), inResult: false }];
  expect(lots.sums).toMatchObject({ fees: '0', otherFees });
  expect(lots.all).toEqual(lots.sums);
}, 60_000);

it('those in the coin traded go with the tax lots too, also of what was given over', async () => {
  const { lots, charged, onLots } = await soldLots('binance', 'received');
  expect(lots.rows.some(({ reason }) => reason === 'dust_left')).toBe(true);
  expect(onLots('BTC')).toBe(charged('BTC'));
  expect(lots.sums.otherFees).toMatchObject([{ asset: 'BTC', inResult: true }]);
}, 60_000);

it('tax lots without them say nothing of them', async () => {
  const { lots } = await soldLots('kraken', 'quote');
  expect(Number(lots.sums.fees)).toBeGreaterThan(0);
  expect([lots.sums, ...lots.rows].some((told) => 'otherFees' in told)).toBe(false);
}, 60_000);

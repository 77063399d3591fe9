/** Fees that an exchange charges in another coin than the quote currency, beside an agent's result. */
import { afterEach, expect, it } from 'vitest';
import type { LiveExchange } from '../../../contract/signer.ts';
import { account, type LiveWorld, openLiveWorld, PERSON } from '../../support/live/live-world.ts';

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
  return { agent, result: results?.find((each) => each.agentId === agentId), charged };
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

/**
 * The journal tells a careful client from a careless one: under the same seeds and faults, who
 * resends after a timeout doubles orders, and who looks first does not.
 */
import { describe, expect, it } from 'vitest';
import { ZERO, add, parseFixed, type Fixed } from '../../contract/money.ts';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';
import { drawFaults } from '../support/exchange/fault-plan.ts';
import type { FaultName } from '../support/exchange/faults.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);
const INTENTS = 6;
const SIZE = parseFixed('0.01');
/** An order may be denied for two minutes; a minute more is enough. */
const PROOF_MS = 180_000;
const LOSING: readonly FaultName[] = [
  'drop-response',
  'gateway-timeout',
  'status-unknown',
  'not-found',
  'stream-silent',
  'fills-late',
  'maintenance',
];

async function run(dialect: Trader['dialect'], seed: number, deal: Deal): Promise<Trader> {
  const quote = dialect === 'binance' ? 'USDT' : 'USD';
  const faults = drawFaults({ seed, dialect, symbols: [`BTC/${quote}`], from: LOSING });
  const trader = await openTrader(dialect, { seed, faults });
  for (let number = 1; number <= INTENTS; number += 1) {
    await deal(trader, clientId(number), number);
    trader.standIn.nextPrice(trader.symbol);
    await trader.standIn.advance(20_000);
  }
  return trader;
}

type Deal = (trader: Trader, id: string, number: number) => Promise<void>;

const sell = (trader: Trader, id: string): Promise<unknown> =>
  trader.place({ id, side: 'sell', quantity: 0.01 });

/** A failed call is a failed order: it is sent again, as a new one. */
const careless: Deal = async (trader, id, number) => {
  await sell(trader, id).catch(() => sell(trader, clientId(1_000 + number)).catch(() => undefined));
};

/** A failed call says nothing: only what the exchange lists once it must is believed. */
const careful: Deal = async (trader, id) => {
  const isDone = await sell(trader, id).then(
    () => true,
    () => false,
  );
  if (isDone) return;
  await trader.standIn.advance(PROOF_MS);
  for (;;) {
    const listed = await trader.client
      .fetchClosedOrders(trader.symbol)
      .catch(() => trader.standIn.advance(30_000));
    if (listed === undefined) continue;
    if (listed.some(({ clientOrderId }) => clientOrderId === id)) return;
    await sell(trader, id).catch(() => undefined);
    await trader.standIn.advance(PROOF_MS);
  }
};

const sold = ({ standIn }: Trader): Fixed =>
  standIn.journal
    .fillsOf({ by: 'api' })
    .reduce((total, { quantity }) => add(total, quantity), ZERO);

describe.each(DIALECTS)('%s', (dialect) => {
  const soldOver = async (deal: Deal): Promise<bigint[]> => {
    const totals: bigint[] = [];
    for (const seed of SEEDS) {
      const trader = await run(dialect, seed, deal);
      totals.push(sold(trader));
      expect(trader.standIn.journal.of('fault').length).toBeGreaterThan(0);
      await trader.close();
    }
    return totals;
  };

  it('who sends again what failed sells more than was meant', async () => {
    const most = (await soldOver(careless)).reduce((a, b) => (a > b ? a : b));
    expect(most).toBeGreaterThan(SIZE * BigInt(INTENTS));
  });

  it('who looks first sells exactly what was meant', async () => {
    expect(await soldOver(careful)).toEqual(SEEDS.map(() => SIZE * BigInt(INTENTS)));
  });
});

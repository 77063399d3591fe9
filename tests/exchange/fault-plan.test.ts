/** Plans of faults: the same for the same seed, at least five, and each of them carried out. */
import { describe, expect, it } from 'vitest';
import { DIALECTS, clientId, openTrader } from '../support/exchange/ccxt-trader.ts';
import { drawFaults } from '../support/exchange/fault-plan.ts';
import { FAULT_NAMES, REQUEST_FAULTS, type FaultName } from '../support/exchange/faults.ts';

const SYMBOLS = ['BTC/USD', 'ETH/USD'];
const NEVER_DRAWN: readonly FaultName[] = ['revoke-key', 'moved-key', 'delist'];

describe.each(DIALECTS)('%s', (dialect) => {
  const draw = (seed: number, includeFinal = false) =>
    drawFaults({ seed, dialect, symbols: SYMBOLS, includeFinal });

  it('draws at least five faults, the first of which spoils a placing', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const plan = draw(seed);
      expect(plan.length).toBeGreaterThanOrEqual(5);
      expect(REQUEST_FAULTS).toContain(plan[0]?.name);
      expect(plan[0]?.when).toMatchObject({ call: 'place' });
    }
  });

  it('draws the same for the same seed, and something else for another', () => {
    expect(draw(7)).toEqual(draw(7));
    const plans = new Set(Array.from({ length: 100 }, (_, seed) => JSON.stringify(draw(seed))));
    expect(plans.size).toBe(100);
  });

  it('draws every fault there is, the final ones only when asked', () => {
    const names = (includeFinal: boolean): Set<FaultName> =>
      new Set(
        Array.from({ length: 400 }, (_, seed) => draw(seed, includeFinal))
          .flat()
          .map(({ name }) => name),
      );
    expect(names(true)).toEqual(new Set(FAULT_NAMES));
    expect(names(false)).toEqual(
      new Set(FAULT_NAMES.filter((name) => !NEVER_DRAWN.includes(name))),
    );
  });
});

it('tells the same story for the same seed', async () => {
  const story = async (seed: number): Promise<string> => {
    // How long a client waits for an answer is real time, and not the same twice.
    const from = FAULT_NAMES.filter((name) => name !== 'slow-answer');
    const faults = drawFaults({ seed, dialect: 'kraken', symbols: SYMBOLS, from });
    const trader = await openTrader('kraken', { seed, faults });
    for (let number = 1; number <= 6; number += 1) {
      const side = number % 2 === 0 ? 'buy' : 'sell';
      await trader.place({ id: clientId(number), side, quantity: 0.01 }).catch(() => undefined);
      trader.standIn.nextPrice(trader.symbol);
      await trader.standIn.advance(30_000);
      await trader.client.fetchOpenOrders(trader.symbol).catch(() => undefined);
    }
    const told = trader.standIn.journal.entries
      .filter(({ kind }) => ['accepted', 'fill', 'ended', 'fault', 'movement'].includes(kind))
      .map((entry) =>
        JSON.stringify({ ...entry, seq: 0 }, (_key, value: unknown) =>
          typeof value === 'bigint' ? `${value}` : value,
        ),
      );
    await trader.close();
    return told.join('\n');
  };
  const first = await story(11);
  expect(await story(11)).toBe(first);
  expect(await story(12)).not.toBe(first);
  expect(first.split('\n').length).toBeGreaterThan(15);
});

it('strikes at the request it was planned for', async () => {
  const trader = await openTrader('binance', {
    faults: [
      { name: 'gateway-timeout', when: { call: 'place', nth: 2 } },
      { name: 'drop-response', when: { call: 'cancel', nth: 1 } },
      { name: 'hand-cancel-stop', when: { afterMs: 60_000 } },
    ],
  });
  const { standIn, client, symbol } = trader;
  await trader.place({ id: clientId(1), side: 'sell', quantity: 0.1, stop: 60_000 });
  await expect(
    trader.place({ id: clientId(2), side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 }),
  ).rejects.toThrow();
  const [, second] = standIn.journal.orders();
  await expect(client.cancelOrder(second?.accepted.orderId ?? '', symbol)).rejects.toThrow();
  await standIn.advance(60_000);
  expect(standIn.journal.of('fault').map(({ name }) => name)).toEqual([
    'gateway-timeout',
    'drop-response',
    'hand-cancel-stop',
  ]);
  expect(standIn.journal.orders().map(({ end }) => end?.by)).toEqual(['hand', 'api']);
  await trader.close();
});

/** Stretches without prices: slow candles of one pair hold up neither the others nor the next look. */
import { expect, it } from 'vitest';
import { PriceGaps } from '../../../server/agents/price-gaps.ts';
import { TapeMarket } from '../../support/tape-market.ts';

const NOTHING_MISSED = { sold: 0, unsold: 0, seenTo: Infinity };

it('are looked at once however long their candles take, and are waited for at the end', async () => {
  const market = new TapeMarket({ candles: 10 });
  const asked: string[] = [];
  let come = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    come = resolve;
  });
  const gaps = new PriceGaps(
    { market, log: { info: () => undefined, warn: () => undefined } as never },
    {
      runMissed: async (pair) => {
        asked.push(pair);
        if (pair === 'BTC/USDT') await slow;
        return NOTHING_MISSED;
      },
    },
  );
  gaps.missed(['BTC/USDT', 'ETH/USDT'], market.now() - 600_000);
  let isOver = false;
  const first = gaps.makeUp().then(() => {
    isOver = true;
  });
  const turn = () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });
  await turn();
  market.step(2);
  await gaps.makeUp();
  expect(asked).toEqual(['BTC/USDT', 'ETH/USDT', 'ETH/USDT']);
  expect(isOver).toBe(false);
  let isSettled = false;
  const settled = gaps.settled().then(() => {
    isSettled = true;
  });
  await turn();
  expect(isSettled).toBe(false);
  come();
  await Promise.all([first, settled]);
  expect(isOver).toBe(true);
});

/** Depths of the markets that are sold in: a market that does not answer is left out. */
import { expect, it } from 'vitest';
import type { Depth } from '../../../engine/market-types.ts';
import { readDepths } from '../../../server/venues/read-depths.ts';
import type { Venue } from '../../../server/venues/venue.ts';
import { ErrorLog } from '../../support/app.ts';

const DEEP: Depth = { candleVolume: 3, dayVolume: 3 * 288, dailyVolatility: null };

it('are read once a pair, and at most for so long (F91)', async () => {
  const asked: string[] = [];
  const venue = {
    depth: (pair: string): Promise<Depth> => {
      asked.push(pair);
      if (pair === 'ETH/USDT') return Promise.reject(new Error('503'));
      return pair === 'SOL/USDT' ? new Promise(() => undefined) : Promise.resolve(DEEP);
    },
  } as Venue;
  const log = new ErrorLog();
  const depths = await readDepths(
    { venue, log },
    ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'BTC/USDT'],
    20,
  );
  expect([...depths]).toEqual([['BTC/USDT', DEEP]]);
  expect(asked).toEqual(['BTC/USDT', 'ETH/USDT', 'SOL/USDT']);
});

/** The seeded runs of live trading find each fault that is planted in the code they run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../server/db/database.ts';
import { PLANTED, type Planted } from '../../support/live/planted-faults.ts';
import { dialectOf, runSeed, type Verdict } from '../../support/live/seeded-run.ts';
import { openRunDatabase } from '../../support/live/seeded-world.ts';

/** What each planted fault does, and a seed at or soon after which it shows. */
const SHOWS = {
  'sent before it is committed': { as: 'uncommitted', from: 2 },
  'unknown is rejected': { as: 'doubled', from: 13 },
  'absence believed at once': { as: 'orphaned', from: 31 },
  'fills not told apart': { as: 'lost', from: 1 },
} as const satisfies Record<Planted, { as: keyof Verdict; from: number }>;
const SEARCHED_SEEDS = 30;

let database: Database;
beforeAll(async () => {
  database = await openRunDatabase();
});
afterAll(async () => {
  await database.close();
});

it.each(PLANTED)(
  'the same seeds find the fault: %s',
  async (fault) => {
    const { as, from } = SHOWS[fault];
    let found: readonly string[] = [];
    for (let seed = from; seed < from + SEARCHED_SEEDS && found.length === 0; seed += 1) {
      const verdict = await runSeed(database, { seed, dialect: dialectOf(seed), fault });
      found = verdict[as];
    }
    expect(found).not.toEqual([]);
  },
  600_000,
);

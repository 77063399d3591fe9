/**
 * Whole runs of live trading drawn from seeds: the server's and the signer's own code before a
 * stand-in that lies, both killed at random, judged by what the stand-in has written down.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../server/db/database.ts';
import { describe as said, dialectOf, isBad, runSeed } from '../../support/live/seeded-run.ts';
import { openRunDatabase } from '../../support/live/seeded-world.ts';

/** `npm run test:live` takes as many as it is told. One that fails: `-- --seed N --runs 1`. */
const RUNS = Number(process.env.LIVE_RUNS ?? '3');
const FIRST_SEED = Number(process.env.LIVE_SEED ?? '1');
const LEAST_FAULTS = 5;

let database: Database;
beforeAll(async () => {
  database = await openRunDatabase();
});
afterAll(async () => {
  await database.close();
});

describe('live trading before an exchange that lies', () => {
  it(`doubles, loses and oversells nothing in ${RUNS} runs, and the ledger equals the balance`, async () => {
    const wrong: string[] = [];
    let fills = 0;
    let kills = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
      const verdict = await runSeed(database, { seed, dialect: dialectOf(seed) });
      if (isBad(verdict)) wrong.push(said(verdict));
      expect(verdict.faults, `seed ${seed}`).toBeGreaterThanOrEqual(LEAST_FAULTS);
      fills += verdict.fills;
      kills += verdict.serverKills + verdict.signerKills;
    }
    expect(wrong).toEqual([]);
    expect(fills).toBeGreaterThan(RUNS);
    expect(kills).toBeGreaterThan(0);
  }, 600_000);
});

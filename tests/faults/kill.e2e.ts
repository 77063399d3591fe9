/**
 * `kill -9` of the server with commands in flight, again and again: nothing acknowledged lost,
 * nothing doubled.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Database } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { beginProof, keepResult } from '../../scripts/proof/result.ts';
import { silentLog } from '../support/app.ts';
import {
  figuresOf,
  surviveKills,
  openBusyMarket,
  type BusyMarket,
} from '../support/kill-witness.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';

const KILLS = Number(process.env.KILLS ?? 1);
const SEED = Number(process.env.SEED ?? 20_260);
const UID = 'killed-often';

let market: BusyMarket;

beforeAll(async () => {
  market = await openBusyMarket(SEED);
});
afterAll(async () => {
  await market.close();
});

async function killAgainAndAgain(
  part: 'kills-pglite' | 'kills-postgres',
  open: (dataDir: string) => Promise<Database>,
  env: Record<string, string>,
): Promise<void> {
  beginProof(part);
  const startedAt = Date.now();
  const server = await startServer({
    env: { ...env, ...market.env },
  });
  try {
    const survived = await surviveKills({
      kills: KILLS,
      seed: SEED,
      sign: () => market.sign(UID),
      uid: UID,
      server,
      strike: () => server.kill9(),
      revive: () => server.restart(),
      open: () => open(server.dataDir),
      serverLives: false,
    });
    keepResult({
      part,
      ok: true,
      seed: SEED,
      seconds: (Date.now() - startedAt) / 1_000,
      command: `KILLS=${KILLS} SEED=${SEED} npx vitest run --config vitest.e2e.config.ts tests/faults/kill`,
      figures: figuresOf(survived),
    });
  } finally {
    await server.stop();
  }
}

describe('kill -9 with commands in flight', () => {
  it(
    'loses and doubles nothing on PGlite (F36)',
    async () => {
      await killAgainAndAgain('kills-pglite', (dataDir) => openPglite(dataDir), {});
    },
    60_000 + KILLS * 60_000,
  );

  it(
    'loses and doubles nothing on PostgreSQL (F36)',
    async (context) => {
      const postgres: TestPostgres | null = await startPostgres();
      if (postgres === null) {
        context.skip('no PostgreSQL binaries, and they cannot be installed here');
        return;
      }
      try {
        const url = postgres.fresh('kills');
        const open = () => openPostgres(url, { poolMax: 4, log: silentLog });
        await killAgainAndAgain('kills-postgres', open, { DATABASE_URL: url });
      } finally {
        postgres.stop();
      }
    },
    60_000 + KILLS * 60_000,
  );
});

/**
 * The database is killed under a server that lives on, and loses its power, with commands in flight:
 * nothing acknowledged lost, nothing doubled, and the server finds it again by itself.
 */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { openPostgres } from '../../server/db/postgres.ts';
import { beginProof, keepResult } from '../../scripts/proof/result.ts';
import { silentLog } from '../support/app.ts';
import {
  figuresOf,
  surviveKills,
  openBusyMarket,
  type BusyMarket,
  type Survived,
} from '../support/kill-witness.ts';
import { startPostgres } from '../support/postgres.ts';
import { powerCutDisk } from '../support/power-cut-disk.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `DATABASE_KILLS=100 npm run test:power-loss` for as many of each. */
const KILLS = Number(process.env.DATABASE_KILLS ?? 2);
const SEED = Number(process.env.SEED ?? 20_265);
const UID = 'cut-off';
const PATIENCE_MS = 120_000 + KILLS * 60_000;

let market: BusyMarket;

beforeAll(async () => {
  market = await openBusyMarket(SEED);
});
afterAll(async () => {
  await market.close();
});

const serve = (env: Record<string, string>): Promise<TestServer> =>
  startServer({
    env: { ...env, ...market.env },
  });

async function proven(part: string, work: () => Promise<Survived>): Promise<void> {
  beginProof(part);
  const startedAt = Date.now();
  const survived = await work();
  keepResult({
    part,
    ok: true,
    seed: SEED,
    seconds: (Date.now() - startedAt) / 1_000,
    command: `DATABASE_KILLS=${KILLS} SEED=${SEED} npm run test:power-loss`,
    figures: figuresOf(survived),
  });
}

const NO_DISK = 'this process may not mount a file system of its own';
const NO_POSTGRES = 'no PostgreSQL binaries, and they cannot be installed here';

/** PostgreSQL on a disk that loses its power under a server elsewhere, which lives on. */
async function loseDatabase(context: TestContext, settings: readonly string[]): Promise<Survived> {
  const disk = powerCutDisk();
  if (disk === null) return context.skip(NO_DISK);
  const postgres = await startPostgres(settings, disk.folder);
  if (postgres === null) {
    disk.remove();
    return context.skip(NO_POSTGRES);
  }
  const url = postgres.fresh('power');
  const server = await serve({ DATABASE_URL: url });
  try {
    return await surviveKills({
      kills: KILLS,
      seed: SEED,
      sign: () => market.sign(UID),
      uid: UID,
      server,
      strike: async () => {
        disk.cut();
        postgres.kill9();
      },
      revive: async () => {
        disk.back();
        await postgres.restart();
      },
      open: () => openPostgres(url, { poolMax: 4, log: silentLog }),
      serverLives: true,
    });
  } finally {
    await server.stop();
    postgres.stop();
    disk.remove();
  }
}

describe('a database that dies with commands in flight', () => {
  it(
    'loses and doubles nothing when PostgreSQL is killed, and is found again by the server that lives on (F37)',
    async (context) => {
      const postgres = await startPostgres();
      if (postgres === null) return context.skip(NO_POSTGRES);
      const url = postgres.fresh('killed');
      const server = await serve({ DATABASE_URL: url });
      try {
        await proven('kills-database', () =>
          surviveKills({
            kills: KILLS,
            seed: SEED,
            sign: () => market.sign(UID),
            uid: UID,
            server,
            strike: async () => {
              postgres.kill9();
            },
            revive: () => postgres.restart(),
            open: () => openPostgres(url, { poolMax: 4, log: silentLog }),
            serverLives: true,
          }),
        );
      } finally {
        await server.stop();
        postgres.stop();
      }
    },
    PATIENCE_MS,
  );

  it(
    'loses and doubles nothing when the machine of PostgreSQL loses its power (F102)',
    async (context) => {
      await proven('power-postgres', () => loseDatabase(context, []));
    },
    PATIENCE_MS,
  );

  it(
    'would be seen to lose what is acknowledged before it is on the disk',
    async (context) => {
      // Its log is written some seconds after the answer.
      const lost = await loseDatabase(context, [
        'synchronous_commit=off',
        'wal_writer_delay=10s',
      ]).then(
        () => null,
        (error: unknown) => error,
      );
      expect(String(lost)).toMatch(/an acknowledged|that was shown|stays finished/);
    },
    PATIENCE_MS,
  );
});

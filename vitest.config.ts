/**
 * Unit and server tests; end-to-end runs have a configuration of their own. `npm test` leaves the
 * project `long` to `npm run test:long`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { schemaHash } from './scripts/schema-hash.ts';

const ELSEWHERE = ['tests/e2e/**', 'tests/faults/**'];
/**
 * What leaves nothing behind in its process: loaded once for all of them, which is most of their
 * time.
 */
const CLEAN = ['tests/{contract,engine,exchange,scripts,server,signer,support}/**/*.test.ts'];
/** What a file of the page's tests may leave to the next one: a document, a stub, a global. */
const LEAVES_BEHIND =
  /@vitest-environment|\bvi\.|globalThis|defineProperty|indexedDB|fake-indexeddb|localStorage|process\.env|\b(?:window|document|navigator)\b/;
const OF_THE_PAGE = ['tests/architecture', 'tests/src', 'tests/sw'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => /\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(import.meta.dirname, join(entry.parentPath, entry.name))),
);
/** The page's tests that only call functions are as clean. */
const CALLS_ALONE = OF_THE_PAGE.filter(
  (file) => !LEAVES_BEHIND.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);
/** Has a PostgreSQL of its own, which ends with its process. */
const OWN_PROCESS = ['tests/**/on-postgres*.test.ts'];

/** What takes seconds and is touched by shorter tests beside it too. */
const LONG = [
  'tests/engine/backtest/plain-loop.test.ts',
  'tests/engine/guards/planted-guards.test.ts',
  'tests/scripts/{backtest,backup,halt,on-postgres-commands}.test.ts',
  'tests/server/agents/{backtest-terms,held-pairs,live-series,on-postgres,on-postgres-halts,parity}.test.ts',
  'tests/server/agents/{stop-sales,unread-candles}.test.ts',
  'tests/server/alerts/on-postgres.test.ts',
  'tests/server/backup/{on-postgres,restore-backup}.test.ts',
  'tests/server/db/{on-postgres-migrations,on-postgres-silent,pglite-threaded}.test.ts',
  'tests/server/live/{after-the-end,asked-pairs,brakes,changed-rules,clock-set-back,closed-gate}.test.ts',
  'tests/server/live/{closed-pair,dust-left,entries-and-ends,failed-comparisons,hanging-answers}.test.ts',
  'tests/server/live/{key-rights,kills,lost-answers,lost-key,lost-markets,missing-rules,no-quote}.test.ts',
  'tests/server/live/{on-postgres,other-fees,paid-out,part-sales,purchases-out,reconciliation}.test.ts',
  'tests/server/live/{planted-faults,refused-sales,repeats,replaced-key,replans,signer-version}.test.ts',
  'tests/server/live/{small-stops,stop-limits,twins,value-line,watched-stops,write-off,wrong-clock}.test.ts',
  'tests/server/market/{binance-feed,exchange-feed}.test.ts',
  'tests/server/portfolio/midnight.test.ts',
  'tests/server/push/{hostile-service,push}.test.ts',
  'tests/server/reads/readings.test.ts',
  'tests/server/{running,workers}.test.ts',
  'tests/server/wallet/link.test.ts',
  'tests/signer/{folder-race,many-sales}.test.ts',
];

const common = {
  testTimeout: 90_000,
  hookTimeout: 120_000,
  // A shared build machine stalls now and then; what fails twice is broken.
  retry: process.env.CI === 'true' ? 1 : 0,
  pool: 'forks' as const,
};

/** As in a build. An object for each project: it is emptied as it is read. */
const define = () => ({ __SCHEMA_HASH__: JSON.stringify(schemaHash()) });

export default defineConfig({
  test: {
    maxWorkers: 4,
    projects: [
      {
        define: define(),
        test: {
          ...common,
          name: 'kept',
          include: [...CLEAN, ...CALLS_ALONE],
          exclude: [...ELSEWHERE, ...OWN_PROCESS, ...LONG],
          isolate: false,
        },
      },
      {
        define: define(),
        test: {
          ...common,
          name: 'fresh',
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...ELSEWHERE, ...CLEAN, ...CALLS_ALONE, ...LONG],
          setupFiles: ['tests/support/page-styles.ts'],
        },
      },
      { test: { ...common, name: 'postgres', include: OWN_PROCESS, exclude: LONG } },
      { test: { ...common, name: 'long', include: LONG } },
    ],
  },
});

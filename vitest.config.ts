/** Unit and server tests; end-to-end runs have a configuration of their own. */
import { defineConfig } from 'vitest/config';

const ELSEWHERE = ['tests/e2e/**', 'tests/faults/**'];
/**
 * What leaves nothing behind in its process: loaded once for all of them, which is most of their
 * time.
 */
const CLEAN = ['tests/{contract,engine,exchange,scripts,server,signer,support}/**/*.test.ts'];
/** Has a PostgreSQL of its own, which ends with its process. */
const OWN_PROCESS = ['tests/**/on-postgres*.test.ts'];

const common = {
  testTimeout: 90_000,
  hookTimeout: 120_000,
  // A shared build machine stalls now and then; what fails twice is broken.
  retry: process.env.CI === 'true' ? 1 : 0,
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'kept',
          include: CLEAN,
          exclude: [...ELSEWHERE, ...OWN_PROCESS],
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'fresh',
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...ELSEWHERE, ...CLEAN],
          setupFiles: ['tests/support/page-styles.ts'],
        },
      },
      { test: { ...common, name: 'postgres', include: OWN_PROCESS } },
    ],
  },
});

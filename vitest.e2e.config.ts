/**
 * End-to-end and fault runs: real server, real database, real Chromium; two files at a time. The
 * project `short` is part of `npm test`, `long` of `npm run test:long`.
 */
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './tests/support/until.ts';

/** What takes long and is touched by shorter runs too. */
const LONG = [
  'tests/e2e/{account,alerts,billing,charts,first-agent,fresh,late-data,live,matrix,missing-parts}.e2e.ts',
  'tests/e2e/{public-pages,push,recorded,replay,screens,wallet,wallet-parts}.e2e.ts',
  'tests/faults/{access,bad-network,canary-key,chaos,deploys,device,fleet,full,long-run,power-loss,restored,sessions,storage}.e2e.ts',
];

const common = {
  testTimeout: 420_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: PATIENCE_MS, interval: 100 } },
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    globalSetup: ['tests/support/one-browser.ts', 'tests/support/shared-identity.ts'],
    // Each file has a server, a browser and ports of its own. Those of the short form wait more than
    // they compute: `npm test` runs three at a time.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'short',
          include: ['tests/e2e/**/*.e2e.ts', 'tests/faults/**/*.e2e.ts'],
          exclude: LONG,
        },
      },
      { test: { ...common, name: 'long', include: LONG } },
    ],
  },
});

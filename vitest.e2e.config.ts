/** End-to-end and fault runs: real server, real database, real Chromium; two files at a time. */
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './tests/support/until.ts';

export default defineConfig({
  test: {
    include: ['tests/e2e/**/*.e2e.ts', 'tests/faults/**/*.e2e.ts'],
    globalSetup: ['tests/support/shared-identity.ts'],
    testTimeout: 420_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: PATIENCE_MS, interval: 100 } },
    pool: 'forks',
    // Each file has a server, a browser and ports of its own, and waits more than it computes.
    maxWorkers: 2,
  },
});

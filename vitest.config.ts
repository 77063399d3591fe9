/** Unit and server tests; end-to-end runs have a configuration of their own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.{ts,tsx}'],
    exclude: ['tests/e2e/**', 'tests/faults/**'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // A shared build machine stalls now and then; what fails twice is broken.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    maxWorkers: 2,
  },
});

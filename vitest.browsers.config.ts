/** The journey in Firefox and in WebKit (`npm run test:browsers`), one engine at a time. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/browsers/**/*.browser.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    maxWorkers: 1,
  },
});

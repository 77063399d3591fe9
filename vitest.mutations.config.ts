/** The tests of one module, as `scripts/mutations.ts` runs them over and over. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTATION_TESTS ?? '[]') as string[],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

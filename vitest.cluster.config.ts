import { defineConfig } from 'vitest/config';

/** Suites against a running installation: one file at a time, since they share two cores and one cluster. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    // Two cores that run three nodes starve somebody now and then; the report names what needed a second try.
    retry: 1,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '*/src/**/*.test.ts',
      'browser-image/supervisor/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/chart/*.test.ts',
      'test/crash/*.test.ts',
    ],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});

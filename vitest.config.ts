import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/temporary_folder.ts',
    // Loading our modules anew for each file took three times as long as the tests themselves. Their state is in what
    // tests make, so files do not meet.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

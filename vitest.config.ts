import { configDefaults, defineConfig } from 'vitest/config'

/** The package that it drives reads the environment when it is loaded. */
const aloneInItsProcess = ['test/conformance/server_actions.test.ts']

export default defineConfig({
  test: {
    globalSetup: 'test/support/temporary_folder.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...aloneInItsProcess],
          // Loading our modules anew for each file took three times as long as the tests. What they change, they make
          // themselves, so files that share a process do not meet.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: aloneInItsProcess } },
    ],
  },
})

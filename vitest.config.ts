import { join } from 'node:path'
import type { Plugin } from 'vite'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const aloneInItsProcess = [
  // The package that it drives reads the environment when it is loaded.
  'test/conformance/server_actions.test.ts',
  // It measures steps, and the garbage of other tests would be collected in them.
  'test/scenarios/long_steps.test.ts',
]

/** What takes longest, begun first: otherwise one core is idle at the end while the other runs the last of these. */
const longest = [
  'test/simulation/two_nodes.test.ts',
  'test/simulation/planted_faults.test.ts',
  'test/console/inbox.test.ts',
  ...aloneInItsProcess,
  'test/scenarios/fields.test.ts',
  'test/scenarios/delivery.test.ts',
  'test/conformance/npm_start.test.ts',
  'test/conformance/packed.test.ts',
  'test/conformance/addresses.test.ts',
  'test/conformance/otp.test.ts',
  'test/properties/policy_laws.test.ts',
  'test/properties/book_histories.test.ts',
  'src/cli/run_server.test.ts',
  'src/cli/passphrase_file.test.ts',
  'src/service/start.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((path) => moduleId.endsWith(`/${path}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const standIn = join(import.meta.dirname, 'test', 'support', 'bundled_entry_file.ts')

/** Sources that run in a test start their threads and processes from the bundle (`test/support/bundle.ts`). */
export const startsFromBundle: Plugin = {
  name: 'starts-from-bundle',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    /\/entry_file\.ts$/.test(source) && /\/src\/.*(?<!\.test)\.ts$/.test(importer) ? standIn : undefined,
}

export const everyRun = {
  globalSetup: 'test/support/temporary_folder.ts',
  // Tests share two cores with the servers that they start.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Left out: one core less, of two. With three workers on two cores a run took longer, and requests were late.
  maxWorkers: '100%',
  sequence: { sequencer: LongestFirst },
}

export default defineConfig({
  plugins: [startsFromBundle],
  test: {
    ...everyRun,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'],
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

import { execFileSync, spawnSync } from 'node:child_process'

/**
 * Runs the tests that a branch can break: those that import what differs from `origin/main`, or from the commit that is
 * named, and those that start it as a process or read it as a file, which imports do not show.
 */
const [base = 'origin/main'] = process.argv.slice(2)

const besides: readonly { readonly changed: RegExp; readonly tests: readonly string[] }[] = [
  {
    changed: /^(bin|src\/cli)\/|^src\/(service\/start|vault\/main)\.ts$/,
    tests: ['src/cli', 'src/service/start.test.ts', 'test/conformance/npm_start.test.ts'],
  },
  { changed: /^src\/(contract|operations)\//, tests: ['test/scenarios', 'test/contract'] },
  { changed: /^console\//, tests: ['test/console'] },
  { changed: /\.md$/, tests: ['test/conformance/documents.test.ts', 'src/policy/policies_page.test.ts'] },
]

const files = execFileSync('git', ['diff', '--name-only', base], { encoding: 'utf8' }).split('\n')
const tests = besides.flatMap(({ changed, tests }) => (files.some((file) => changed.test(file)) ? tests : []))
const runs = [['--changed', base], ...(tests.length === 0 ? [] : [tests])]
const statuses = runs.map((given) => {
  const { status } = spawnSync('vitest', ['run', '--project', 'shared', '--project', 'alone', ...given], {
    stdio: 'inherit',
  })
  return status ?? 1
})
process.exitCode = Math.max(...statuses)

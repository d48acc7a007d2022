import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'

/**
 * Runs dependency-cruiser and checks that it has read the sources. With a TypeScript that it cannot use, it reads
 * nothing and reports success.
 */
type Report = {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

const output = execFileSync(
  'depcruise',
  ['src', 'console/src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
  {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  },
)
const { summary }: Report = JSON.parse(output)
const sources = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}']).length
for (const { from, to, rule } of summary.violations) process.stderr.write(`${rule.name}: ${from} imports ${to}\n`)
if (summary.totalCruised < sources) {
  process.stderr.write(`only ${summary.totalCruised} modules were read, there are ${sources} source files\n`)
  process.exitCode = 1
}
if (summary.violations.length > 0) process.exitCode = 1

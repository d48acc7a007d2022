import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Runs dependency-cruiser and checks that it has read the sources. With a TypeScript that it cannot use, it reads
 * nothing and reports success. Then refuses circles of folders, which dependency-cruiser does not find: it counts a
 * folder and those inside it as two.
 */
type Report = {
  readonly modules: readonly {
    readonly source: string
    readonly dependencies: readonly { readonly resolved: string }[]
  }[]
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
const { modules, summary }: Report = JSON.parse(output)
const sources = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}']).length
for (const { from, to, rule } of summary.violations) {
  // A file that is not there breaks a rule about packages, whose name would mislead.
  const isMissing = to.startsWith('.') && !existsSync(to)
  process.stderr.write(
    isMissing ? `${from} imports ${to}, which does not exist\n` : `${rule.name}: ${from} imports ${to}\n`,
  )
}
if (summary.totalCruised < sources) {
  process.stderr.write(`only ${summary.totalCruised} modules were read, there are ${sources} source files\n`)
  process.exitCode = 1
}
if (summary.violations.length > 0) process.exitCode = 1

const imported = foldersImported()
for (const folder of imported.keys()) {
  const back = wayFrom(folder, folder)
  if (back === undefined) continue
  process.stderr.write(`no-circles-of-folders: ${[folder, ...back].join(' imports ')}\n`)
  process.exitCode = 1
}

/**
 * The folders that each folder of `src` and `console/src` imports, but for those
 * above and below it. Tests import what they like.
 */
function foldersImported(): ReadonlyMap<string, ReadonlySet<string>> {
  const isSource = (file: string) => /^(console\/)?src\//.test(file) && !file.endsWith('.test.ts')
  const found = new Map<string, Set<string>>()
  for (const { source, dependencies } of modules.filter((each) => isSource(each.source))) {
    const from = dirname(source)
    const folders = found.get(from) ?? new Set()
    found.set(from, folders)
    for (const { resolved } of dependencies.filter((each) => isSource(each.resolved))) {
      const to = dirname(resolved)
      if (!`${from}/`.startsWith(`${to}/`) && !to.startsWith(`${from}/`)) folders.add(to)
    }
  }
  return found
}

/** The shortest way of imports from one folder to another: the folders after the first. */
function wayFrom(first: string, last: string): readonly string[] | undefined {
  const ways = [...(imported.get(first) ?? [])].map((folder) => [folder])
  const seen = new Set(ways.flat())
  for (const way of ways) {
    const folder = way.at(-1) ?? first
    if (folder === last) return way
    for (const next of imported.get(folder) ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

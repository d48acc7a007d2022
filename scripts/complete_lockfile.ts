import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Adds the optional packages of other platforms to `package-lock.json` that a partial mirror left out. Without them,
 * `npm ci` of npm 11.6 and later refuses the file, and other platforms lack them. `npm run relock` runs it. With
 * `--check` it writes nothing and exits 1 when one is missing.
 */
type Entry = {
  readonly optional?: boolean
  readonly version?: string
  readonly dev?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Lockfile = { readonly packages: Record<string, Entry> }

const path = 'package-lock.json'
const lockfile: Lockfile = JSON.parse(readFileSync(path, 'utf8'))
const { packages } = lockfile

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64']

const missing = Object.entries(packages).flatMap(([parent, { dev, optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !isInstalled(parent, name))
    .map(([name, version]) => ({ name, version, dev })),
)

if (process.argv.includes('--check')) {
  for (const { name } of missing) process.stderr.write(`${path} has no entry for the optional package ${name}\n`)
  if (missing.length > 0) {
    process.stderr.write('run `npm run relock`\n')
    process.exitCode = 1
  }
} else {
  for (const { name, version, dev } of missing) {
    if (isInstalled('', name)) continue // another package wanted it too
    const { os, cpu } = platformOf(name)
    packages[`node_modules/${name}`] = { version, cpu, ...(dev === true ? { dev } : {}), optional: true, os }
    process.stdout.write(`added ${name}\n`)
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(path, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
}

/** Whether the package stands anywhere between the package that needs it and the root. */
function isInstalled(parent: string, name: string): boolean {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (Object.hasOwn(packages, `${folder === '' ? '' : `${folder}/`}node_modules/${name}`)) return true
    if (folder === '') return false
  }
}

/** These packages name their platform in their own names. `libc` is left out, because npm 10 does not write it. */
function platformOf(name: string): { readonly os: string[]; readonly cpu: string[] } {
  const words = name.split(/[/-]/)
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((processor) => words.includes(processor))
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not say its platform in its name`)
  return { os: [os], cpu: [cpu] }
}

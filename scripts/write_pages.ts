import { readFileSync, writeFileSync } from 'node:fs'
import { operations, resources } from '../src/operations/catalogue.ts'
import { activityDeeds } from '../src/policy/language/names/activity_deeds.ts'
import { activityKindOf } from '../src/policy/language/names/activity_types.ts'
import { failures } from '../src/protocol/wire/failure_table.ts'
import { resourceTitles } from '../src/service/http/openapi/resource_titles.ts'
import { settingGroups } from '../src/service/settings/setting_rows.ts'
import { ownOperations, wireNames } from '../test/support/wire_forms.ts'
import { indexLines } from './decisions.ts'
import { clientPackages, partlySupported } from './page_notes.ts'

/**
 * Fills the parts of README.md and docs/ that follow from the code. Each part stands between `<!-- name -->` and
 * `<!-- end of name -->`. With `--check` it writes nothing and exits 1 when a part is stale.
 */
const httpPackage = 'node_modules/@turnkey/http'
const clientPaths = 'dist/__generated__/services/coordinator/public/v1/public_api.client.js'

const wire = new Map(Object.entries(wireNames.operations))

/** `wallets/create_wallet.ts` by `create_wallet`. */
const files = new Map(
  resources.flatMap((resource) =>
    resource.operations.map(({ name }) => [name, `${resource.name}/${name}.ts`] as const),
  ),
)
const supported = [...wire.keys()].filter((name) => files.has(name)).toSorted()
const missing = [...wire.keys()].filter((name) => !files.has(name)).toSorted()
requireSame('the partly supported operations in scripts/page_notes.ts', [...partlySupported.keys()], supported, {
  isPart: true,
})
// One that is no name of the interface says `isOwn: true`, or has its name wrong.
requireSame(
  'the operations that say `isOwn: true` and those whose names the interface lacks',
  [...files.keys()].filter((name) => !wire.has(name)),
  ownOperations,
)

const pages = {
  'README.md': { count: countLines() },
  'docs/operations.md': { operations: operationLines() },
  'docs/operate.md': { settings: settingLines() },
  'docs/decisions/README.md': { index: indexLines() },
  'docs/policies.md': { deeds: deedLines() },
  'docs/compatibility.md': { clients: clientLines(), interface: interfaceLines() },
}

const changes = Object.entries(pages).map(([path, parts]) => {
  const before = readFileSync(path, 'utf8')
  const after = Object.entries(parts).reduce((text, [name, lines]) => filled(text, name, lines), before)
  return { path, before, after }
})
for (const { path, before, after } of changes) {
  if (!process.argv.includes('--check')) writeFileSync(path, after)
  else if (after !== before) {
    process.stderr.write(`the generated parts of ${path} are stale: run \`npm run generate\`\n`)
    process.exitCode = 1
  }
}

function countLines(): readonly string[] {
  return [
    `The interface of the client packages, as [Compatibility](docs/compatibility.md) lists it, has ${wire.size} operations. Claviger supports ${supported.length} of them, ${partlySupported.size} of these partly.`,
  ]
}

/** One table for each resource. */
function operationLines(): readonly string[] {
  const byName = new Map(resources.map((resource) => [resource.name, resource.operations]))
  return Object.entries(resourceTitles).flatMap(([resource, [title]]) => {
    const rows = (byName.get(resource) ?? []).map(({ name, kind, summary }) => {
      const file = `../src/operations/${files.get(name)}`
      return `| [${name}](${file}) | ${kind} | ${summary} | [test](${file.replace(/\.ts$/, '.test.ts')}) |`
    })
    return ['', `## ${title}`, '', '| Operation | Kind | | |', '|---|---|---|---|', ...rows]
  })
}

/** An activity that policies name by its type has no kind. */
function deedLines(): readonly string[] {
  const nameOf = (name: string) => activityKindOf(`ACTIVITY_TYPE_${name}`) ?? `ACTIVITY_TYPE_${name}`
  const rows = activityDeeds.map(([resource, action, names]) => {
    return `| \`${resource}\` | \`${action}\` | ${names.map((name) => `\`${nameOf(name)}\``).join(', ')} |`
  })
  return ['| Resource | Action | Kinds |', '|---|---|---|', ...rows]
}

/** One table for each group of settings. */
function settingLines(): readonly string[] {
  return settingGroups.flatMap(({ heading, rows }) => [
    '',
    `### ${heading}`,
    '',
    '| Setting | Flag | Default |',
    '|---|---|---|',
    ...rows.map(({ flag, variable, description, default: fallback }) => {
      const shown = description.replaceAll('<', '\\<') // or a page shows it as a tag, that is, not at all
      return `| \`${variable}\`: ${shown} | \`--${flag}\` | ${fallback === undefined ? '' : `\`${fallback}\``} |`
    }),
  ])
}

function clientLines(): readonly string[] {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const versions = Object.entries<string>(devDependencies).filter(([name]) => name.startsWith('@turnkey/'))
  requireSame(
    'the client packages in scripts/page_notes.ts',
    clientPackages.map(({ name }) => name),
    versions.map(([name]) => name),
  )
  const rows = clientPackages.map(({ name, use, test }) => {
    return `| \`${name}\` | ${devDependencies[name]} | ${use} | [test](../test/conformance/${test}.test.ts) |`
  })
  return ['| Package | Version | Used for | |', '|---|---|---|---|', ...rows]
}

function interfaceLines(): readonly string[] {
  const full = supported.filter((name) => !partlySupported.has(name))
  const partly = supported.filter((name) => partlySupported.has(name))
  const typeCount = [...wire.values()].flatMap(({ types = [] }) => types).length
  const supportedTypeCount = supported.flatMap((name) => typesOf(name).filter((type) => isAccepted(name, type))).length
  const newer = newerOperations()
  return [
    `| | Operations | Activity types |`,
    '|---|---|---|',
    `| in the interface | ${wire.size} | ${typeCount} |`,
    `| supported | ${full.length} | |`,
    `| partly supported | ${partly.length} | |`,
    `| supported or partly supported | ${supported.length} | ${supportedTypeCount} |`,
    `| not supported | ${missing.length} | ${typeCount - supportedTypeCount} |`,
    '',
    '## Supported',
    '',
    '| Operation | Activity types |',
    '|---|---|',
    ...full.map((name) => `| ${linked(name)} | ${typeCell(name)} |`),
    '',
    '## Partly supported',
    '',
    '| Operation | Activity types | Limits |',
    '|---|---|---|',
    ...partly.map((name) => `| ${linked(name)} | ${typeCell(name)} | ${partlySupported.get(name)} |`),
    '',
    '## Not supported',
    '',
    `A request for one of these operations is answered with 404 \`${failures.OPERATION_UNSUPPORTED.message}\`, and for one that is internal with 404 \`${failures.OPERATION_UNKNOWN.message}\`.`,
    '',
    '| Operation | Activity types |',
    '|---|---|',
    ...missing.map((name) => `| ${name} | ${typeCell(name)} |`),
    '',
    '## Newer operations',
    '',
    `The list above is fixed. \`@turnkey/http\` ${newer.version} has ${newer.names.length} further operations. Claviger supports none of them:`,
    '',
    ...newer.names.map((name) => `- ${name}`),
  ]
}

/** The operations that the client package can ask for and that the list of wire names lacks. */
function newerOperations(): { readonly version: string; readonly names: readonly string[] } {
  const { version } = JSON.parse(readFileSync(`${httpPackage}/package.json`, 'utf8'))
  const paths = readFileSync(`${httpPackage}/${clientPaths}`, 'utf8').matchAll(/\/public\/v1\/(?:query|submit)\/(\w+)/g)
  const names = new Set([...paths].map(([, name = '']) => name))
  return { version, names: [...names].filter((name) => !wire.has(name)).toSorted() }
}

function linked(name: string): string {
  return `[${name}](../src/operations/${files.get(name)})`
}

function typeCell(name: string): string {
  const types = typesOf(name)
  if (types.length === 0) return wire.get(name)?.kind === 'query' ? 'a query' : 'internal to the hosted service'
  const isOperationOurs = files.has(name)
  return types
    .map((type) => `\`${type}\`${isOperationOurs && !isAccepted(name, type) ? ' (not supported)' : ''}`)
    .join(', ')
}

function typesOf(name: string): readonly string[] {
  return wire.get(name)?.types ?? []
}

function isAccepted(name: string, type: string): boolean {
  const operation = operations.find((one) => one.name === name)
  return operation?.kind === 'activity' && operation.types.some((accepted) => accepted.type === type)
}

/** Throws with the names that only one of the two lists has; with `isPart` the second may have more. */
function requireSame(
  what: string,
  ours: readonly string[],
  theirs: readonly string[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): void {
  const strange = ours.filter((name) => !theirs.includes(name))
  const lacking = isPart ? [] : theirs.filter((name) => !ours.includes(name))
  if (strange.length + lacking.length === 0) return
  throw new Error(`${what}: unknown are ${strange.join() || 'none'}, missing are ${lacking.join() || 'none'}`)
}

/** Replaces the lines between the two markers. */
function filled(text: string, name: string, lines: readonly string[]): string {
  const [opening, closing] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`]
  const start = text.indexOf(opening) + opening.length
  const end = text.indexOf(closing)
  if (start < opening.length || end < start - 1) throw new Error(`the markers of ${name} are missing`)
  return text.slice(0, start) + lines.join('\n') + text.slice(end)
}

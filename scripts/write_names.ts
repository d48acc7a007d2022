import { readFileSync } from 'node:fs'
import { operations } from '../src/operations/catalogue.ts'
import { activityActions as actions } from '../src/policy/language/names/activity_types.ts'
import { camelCase } from '../src/protocol/tools/camel_case.ts'
import { wireNames } from '../test/support/wire_forms.ts'
import { writeGenerated } from './generated_files.ts'

/**
 * Writes the names that other places need of operations which they do not import: those that are missing here, the deeds
 * of ours for the policy language, and the methods of the clients' package. With `--check` it writes nothing and exits 1
 * when a file is stale.
 */
writeGenerated('src/protocol/wire/missing_operations.ts', missingOperations())
writeGenerated('src/policy/language/names/activity_deeds.ts', activityDeeds())
writeGenerated('src/service/http/openapi/other_methods.ts', otherMethods())

function missingOperations(): string {
  const here = new Set(operations.map(({ name }) => name))
  const missing = Object.entries(wireNames.operations).filter(([name]) => !here.has(name))
  const named = (kind: string) => missing.flatMap(([name, operation]) => (operation.kind === kind ? [name] : []))
  for (const [name, { types = [] }] of missing) {
    if (types.some((type) => shortType(type) !== name.toUpperCase()))
      throw new Error(`${name} has a type of another name`)
  }
  return `// Written by \`npm run generate\`: the names of \`test/vectors/wire_names.json\` that are not here. Do not edit.

/** Operations of the interface. Each name is the last part of a path. */
export const missingQueries: readonly string[] = ${literal(sorted(named('query')))}

/** The type of each is its name in capitals. */
export const missingActivities: readonly string[] = ${literal(sorted(named('activity')))}
`
}

function activityDeeds(): string {
  const activities = operations.flatMap((operation) => {
    if (operation.kind === 'query' || operation.casts !== undefined) return []
    const { policy, types, isOwn } = operation
    return types.map(({ type }) => ({ policy, isOwn, name: shortType(type) }))
  })
  const withDeed = activities.flatMap(({ policy, name }) =>
    typeof policy === 'string' ? [] : [{ resource: policy.resource, action: policy.action, name }],
  )
  const byDeed = Map.groupBy(withDeed, ({ resource, action }) => `${resource} ${actions.indexOf(action)}`)
  const deeds = [...byDeed].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, its]) => its)
  const rows = deeds.map((its) => [its[0]?.resource, its[0]?.action, sorted(its.map(({ name }) => name))])
  const others = activities.flatMap(({ policy, name }) => (typeof policy === 'string' ? [name] : []))
  const own = activities.flatMap(({ isOwn, name }) => (isOwn ? [name] : []))
  return `// Written by \`npm run generate\`: the \`policy\` of each activity. Do not edit.

/**
 * The deeds of this server's activities, by the names of their types without version. This folder does not import the
 * operations.
 */
export const activityDeeds = ${literal(rows)} as const

/** They have no resource and no action: only the root quorum, an invitation or a recovery does them. */
export const activitiesWithoutDeed = ${literal(sorted(others))} as const

/** The activities that the interface lacks. */
export const ownActivities = ${literal(sorted(own))} as const
`
}

/** The package's method for the path of each operation that it has, unless it has the operation's name. */
function otherMethods(): string {
  const client = readFileSync('node_modules/@turnkey/sdk-server/dist/__generated__/sdk-client-base.mjs', 'utf8')
  const methods = new Map(
    client.split(/\n +this\.(?=\w+ = )/).flatMap((text) => {
      const [, method] = /^(\w+) = async/.exec(text) ?? []
      const [, name] = /this\.\w+\("\/public\/v1\/(?:query|submit)\/(\w+)"/.exec(text) ?? []
      return method === undefined || name === undefined ? [] : [[name, method] as const]
    }),
  )
  const others = operations
    .filter(({ name, isOwn }) => methods.get(name) !== (isOwn ? undefined : camelCase(name)))
    .map(({ name }) => [name, methods.get(name) ?? null] as const)
  return `// Written by \`npm run generate\` after the package \`@turnkey/sdk-server\`. Do not edit.

/** The package's method for an operation of the interface whose name it does not have. Null: there is none. */
export const otherMethods: Readonly<Record<string, string | null>> = ${literal(Object.fromEntries(others.toSorted()))}
`
}

function shortType(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '')
}

/** Each once, in the order of the alphabet. */
function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted()
}

function literal(value: unknown): string {
  return JSON.stringify(value)
}

import { readFileSync } from 'node:fs'
import { operations } from '../src/operations/catalogue.ts'
import { activityActions as actions } from '../src/policy/language/names/activity_types.ts'
import { wireNames } from '../test/support/wire_forms.ts'
import { writeGenerated } from './generated_files.ts'

/**
 * Writes the names that other places need of operations which they do not import: those of the interface, the deeds of
 * ours for the policy language, and the methods of the clients' package. With `--check` it writes nothing and exits 1
 * when a file is stale.
 */
writeGenerated('src/protocol/wire/interface_names.ts', interfaceNames())
writeGenerated('src/policy/language/names/activity_deeds.ts', activityDeeds())
writeGenerated('src/service/http/client_methods.ts', clientMethods())

function interfaceNames(): string {
  const wire = Object.entries(wireNames.operations)
  const named = (kind: string) => wire.flatMap(([name, operation]) => (operation.kind === kind ? [name] : []))
  const types = wire.flatMap(([, operation]) => operation.types ?? [])
  return `// Written by \`npm run generate\`: the names of \`test/vectors/wire_names.json\`. Do not edit.

/** The operations of the interface, whether they are here or not. Each name is the last part of its path. */
export const interfaceQueries: readonly string[] = ${literal(sorted(named('query')))}

export const interfaceActivities: readonly string[] = ${literal(sorted(named('activity')))}

/** The types of these activities, without \`ACTIVITY_TYPE_\` and without version. */
export const interfaceTypes: readonly string[] = ${literal(sorted(types.map(shortType)))}
`
}

function activityDeeds(): string {
  const activities = operations.flatMap((operation) => {
    if (operation.kind === 'query' || operation.casts !== undefined) return []
    const { policy, types } = operation
    return types.map(({ type }) => ({ policy, name: shortType(type) }))
  })
  const withDeed = activities.flatMap(({ policy, name }) =>
    typeof policy === 'string' ? [] : [{ resource: policy.resource, action: policy.action, name }],
  )
  const byDeed = Map.groupBy(withDeed, ({ resource, action }) => `${resource} ${actions.indexOf(action)}`)
  const deeds = [...byDeed].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, its]) => its)
  const rows = deeds.map((its) => [its[0]?.resource, its[0]?.action, sorted(its.map(({ name }) => name))])
  const others = activities.flatMap(({ policy, name }) => (typeof policy === 'string' ? [name] : []))
  return `// Written by \`npm run generate\`: the \`policy\` of each activity. Do not edit.

/**
 * The deeds of this server's activities, by the names of their types without version. This folder does not import the
 * operations.
 */
export const activityDeeds = ${literal(rows)} as const

/** They have no resource and no action: only the root quorum, an invitation or a recovery does them. */
export const activitiesWithoutDeed = ${literal(sorted(others))} as const
`
}

/** The package's method for the path of each operation that it has. */
function clientMethods(): string {
  const client = readFileSync('node_modules/@turnkey/sdk-server/dist/__generated__/sdk-client-base.mjs', 'utf8')
  const methods = client.split(/\n +this\.(?=\w+ = )/).flatMap((text) => {
    const [, method = ''] = /^(\w+) = async/.exec(text) ?? []
    const [, name = ''] = /this\.\w+\("\/public\/v1\/(?:query|submit)\/(\w+)"/.exec(text) ?? []
    return operations.some((operation) => operation.name === name) ? [[name, method] as const] : []
  })
  return `// Written by \`npm run generate\`: the operations for which \`@turnkey/sdk-server\` has a method. Do not edit.

/** The package's method, by the name of the operation. */
export const clientMethods: Readonly<Record<string, string>> = ${literal(Object.fromEntries(methods.toSorted()))}
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

import { proxiedPathOf, unsupportedProxiedNames } from '../protocol/wire/auth_proxy.ts'
import { interfaceActivities, interfaceQueries } from '../protocol/wire/interface_names.ts'
import { findOperation } from './catalogue.ts'

/**
 * The name of an operation of the wider interface that has this path and is not here yet. A client that asks for one is
 * told so: it would look for a mistake of its own otherwise.
 */
export function unsupportedNameAt(path: string): string | undefined {
  return byPath.get(path) ?? proxiedByPath.get(path)
}

const byPath: ReadonlyMap<string, string> = new Map(
  [
    ...interfaceQueries.map((name) => [`/public/v1/query/${name}`, name] as const),
    ...interfaceActivities.map((name) => [`/public/v1/submit/${name}`, name] as const),
  ].filter(([path]) => findOperation(path) === undefined),
)

const proxiedByPath: ReadonlyMap<string, string> = new Map(
  unsupportedProxiedNames.map((name) => [proxiedPathOf(name), name] as const),
)

export const unsupportedPaths: readonly string[] = [...byPath.keys()]

import { proxiedPathOf, unsupportedProxiedNames } from '../protocol/wire/auth_proxy.ts'
import { missingActivities, missingQueries } from '../protocol/wire/missing_operations.ts'

/**
 * The name of an operation of the wider interface that has this path and is not here yet. A client that asks for one is
 * told so: it would look for a mistake of its own otherwise.
 */
export function unsupportedNameAt(path: string): string | undefined {
  return byPath.get(path) ?? proxiedByPath.get(path)
}

const byPath: ReadonlyMap<string, string> = new Map([
  ...missingQueries.map((name) => [`/public/v1/query/${name}`, name] as const),
  ...missingActivities.map((name) => [`/public/v1/submit/${name}`, name] as const),
])

const proxiedByPath: ReadonlyMap<string, string> = new Map(
  unsupportedProxiedNames.map((name) => [proxiedPathOf(name), name] as const),
)

export const unsupportedPaths: readonly string[] = [...byPath.keys()]

import { structsUsedBy, type TypedData } from '../../../../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../../../../protocol/chains/eip712_types.ts'

/** Finds the parts of a document of typed data that are not hashed. */

/** The paths of members that no type names. Nobody signs them: `domain.limit`, `message.items[2].note`. */
export function unsignedPaths({ primaryType, types, domain, message }: TypedData): readonly string[] {
  return [
    ...pathsIn(domain, { kind: 'struct', name: 'EIP712Domain' }, { types, path: 'domain' }),
    ...pathsIn(message, { kind: 'struct', name: primaryType }, { types, path: 'message' }),
  ]
}

type Place = { readonly types: StructTypes; readonly path: string }

function pathsIn(value: unknown, type: MemberType, { types, path }: Place): readonly string[] {
  if (type.kind === 'array' && Array.isArray(value)) {
    return value.flatMap((item, index) => pathsIn(item, type.element, { types, path: `${path}[${index}]` }))
  }
  if (type.kind !== 'struct' || typeof value !== 'object' || value === null) return []
  const members = new Map((types.get(type.name) ?? []).map((member) => [member.name, member.type]))
  return Object.entries(value).flatMap(([name, inner]) => {
    const memberType = members.get(name)
    return memberType === undefined
      ? [`${path}.${name}`]
      : pathsIn(inner, memberType, { types, path: `${path}.${name}` })
  })
}

/** The types that neither the message nor the domain uses. */
export function unusedTypes({ primaryType, types }: TypedData): readonly string[] {
  const used = structsUsedBy(primaryType, types).union(structsUsedBy('EIP712Domain', types))
  return [...types.keys()].filter((name) => !used.has(name))
}

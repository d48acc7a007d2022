import type { BorshArgument, BorshType } from './borsh_types.ts'

/** The arguments for the parameters of a definition. Their types are read in what is bound around it. */
export type Bound = { readonly given: readonly BorshArgument[]; readonly outer: Bound | undefined }

/** A type, and the arguments for the parameters that it may name. */
export type BoundType = { readonly type: BorshType; readonly bound: Bound | undefined }

/** The most names from one to the next, since an alias may lead to itself. */
const namesMax = 32

/** The type behind aliases and parameters. One without an end is unsupported. */
export function resolvedType(given: BoundType): BoundType {
  let found = given
  for (let names = 0; names < namesMax; names += 1) {
    const next = behind(found)
    if (next === undefined) return found
    found = next
  }
  return { type: { kind: 'unsupported' }, bound: undefined }
}

function behind({ type, bound }: BoundType): BoundType | undefined {
  if (type.kind === 'generic') {
    const argument = argumentAt(type.parameter, bound)
    return argument !== undefined && 'type' in argument ? { type: argument.type, bound: bound?.outer } : undefined
  }
  const definition = type.kind === 'defined' ? type.definition() : undefined
  if (type.kind !== 'defined' || definition?.kind !== 'alias') return undefined
  return { type: definition.type, bound: { given: type.given, outer: bound } }
}

export function argumentAt(parameter: number | undefined, bound: Bound | undefined): BorshArgument | undefined {
  return parameter === undefined ? undefined : bound?.given[parameter]
}

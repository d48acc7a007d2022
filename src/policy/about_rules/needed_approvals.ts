import { constantOf } from '../language/names/pieces.ts'
import type { Expression } from '../language/syntax.ts'

/** So many users must approve, among those with one of these ids or tags. Among all, if it is undefined. */
export type NeededApprovals = { readonly count: bigint; readonly among?: readonly string[] }

/**
 * The approvals that a consensus asks for, where it says nothing else. Undefined for a consensus of another shape,
 * which has no short summary.
 */
export function neededApprovals(root: Expression): NeededApprovals | undefined {
  if (root.kind === 'boolean') return root.value ? { count: 1n } : undefined
  if (root.kind === 'or') return ofOne(root.operands.map(neededApprovals))
  if (root.kind === 'predicate') return root.method === 'any' ? among(root, 1n) : undefined
  if (root.kind !== 'comparison') return undefined
  const { operator, left, right } = root
  const [counted, number, sign] =
    left.kind === 'count' ? [left, constantOf(right), operator] : [right, constantOf(left), mirrored.get(operator)]
  if (counted.kind !== 'count' || number === undefined || (sign !== '>=' && sign !== '>')) return undefined
  const count = sign === '>' ? number + 1n : number
  if (count < 1n) return undefined
  if (isApprovers(counted.of)) return { count }
  return counted.of.kind === 'predicate' && counted.of.method === 'filter' ? among(counted.of, count) : undefined
}

const mirrored = new Map([
  ['<=', '>='],
  ['<', '>'],
])

/** One of several, each of whom is enough. */
function ofOne(each: readonly (NeededApprovals | undefined)[]): NeededApprovals | undefined {
  const ids = each.map((one) => (one?.count === 1n ? one.among : undefined))
  return ids.every((one) => one !== undefined) ? { count: 1n, among: [...new Set(ids.flat())] } : undefined
}

type Predicate = Expression & { readonly kind: 'predicate' }

function among({ of, variable, body }: Predicate, count: bigint): NeededApprovals | undefined {
  const ids = isApprovers(of) ? idsOrTags(body, variable) : undefined
  return ids && { count, among: [...new Set(ids)] }
}

function isApprovers(list: Expression): boolean {
  return list.kind === 'name' && list.name === 'approvers'
}

/** The ids of users and tags of which a test asks for one. */
function idsOrTags(test: Expression, variable: string): readonly string[] | undefined {
  const isField = (part: Expression, name: string) =>
    part.kind === 'field' && part.name === name && part.of.kind === 'name' && part.of.name === variable
  if (test.kind === 'or') {
    const each = test.operands.map((operand) => idsOrTags(operand, variable))
    return each.every((one) => one !== undefined) ? each.flat() : undefined
  }
  if (test.kind === 'contains') return isField(test.of, 'tags') ? textsOf([test.item]) : undefined
  if (test.kind !== 'comparison') return undefined
  const { operator, left, right } = test
  if (operator === '==')
    return isField(left, 'id') ? textsOf([right]) : isField(right, 'id') ? textsOf([left]) : undefined
  if (operator !== 'in') return undefined
  if (isField(right, 'tags')) return textsOf([left])
  return isField(left, 'id') && right.kind === 'list' ? textsOf(right.items) : undefined
}

function textsOf(parts: readonly Expression[]): readonly string[] | undefined {
  const texts = parts.flatMap((part) => (part.kind === 'string' ? [part.value] : []))
  return texts.length === parts.length && texts.length > 0 ? texts : undefined
}

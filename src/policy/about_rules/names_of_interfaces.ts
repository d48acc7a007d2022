import { noVariables, operandsOf, pathOf, type Variables, writtenFor } from '../language/contradictions/needs.ts'
import { type Expression, everyPart, partsOf } from '../language/syntax.ts'

/** The fields of a call that an interface gives. */
export const givenFields: ReadonlySet<string> = new Set([
  'function_name',
  'function_signature',
  'contract_call_args',
  'parsed_instruction_data',
])

/** The fields beside them that say which contract is called. */
const contractOfCall = /^(.+)\.(?:to|program_key)$/

/**
 * Whether an interface of the contract with this address can give an expression of a rule that guards something to read.
 * It cannot where an `&&` names other contracts for that very call, before it reads what the interface gives.
 */
export function readsCallsOf(address: string, root: Expression): boolean {
  // A transaction of Ethereum is one call. The order of what must hold of it does not matter.
  const isElsewhere = operandsOf(root, noVariables).some(
    ({ operand, variables }) => otherCallIn(operand, { variables, address }) === 'eth.tx',
  )
  return !isElsewhere && reads(root, { variables: noVariables, others: new Set(), address })
}

/** `others`: the paths of calls that are known to be of other contracts. */
type Around = { readonly variables: Variables; readonly others: ReadonlySet<string>; readonly address: string }

function reads(part: Expression, around: Around): boolean {
  if (part.kind === 'and') return readsInOrder(part, around)
  // Each test is asked about an item that came through the filters before it.
  if (part.kind === 'predicate') return readsInOrder({ ...part, method: 'any' }, around)
  if (part.kind === 'field' && givenFields.has(part.name)) {
    const call = pathOf(part.of, around.variables)
    return call === undefined || !around.others.has(call)
  }
  return partsOf(part).some((inner) => reads(inner, around))
}

function readsInOrder(whole: Expression, { others: before, ...around }: Around): boolean {
  const others = new Set(before)
  for (const { operand, variables } of operandsOf(whole, around.variables)) {
    if (reads(operand, { ...around, variables, others })) return true
    const other = otherCallIn(operand, { ...around, variables })
    if (other !== undefined) others.add(other)
  }
  return false
}

/** The path of the call for which an operand names other contracts alone. */
function otherCallIn(operand: Expression, { variables, address }: Omit<Around, 'others'>): string | undefined {
  const written = writtenFor(operand, variables)
  const isOthers = written?.words.every(({ value }) => value.toLowerCase() !== address.toLowerCase())
  return isOthers === true ? contractOfCall.exec(written?.path ?? '')?.[1] : undefined
}

/**
 * Whether an expression may hold for names that it does not write: it denies something of a call, or goes by a part of
 * a name, by another field, or by the beginning of calls.
 */
export function goesByOtherNames(root: Expression): boolean {
  return [...everyPart(root)].some(
    (part) =>
      (part.kind === 'field' && beginnings.has(part.name)) ||
      (part.kind === 'not' && readsGiven(part.operand)) ||
      (partsOf(part).some(isName) && !isWholeName(part)) ||
      (part.kind === 'comparison' && partsOf(part).some((side) => truths.has(side.kind) && readsGiven(side))),
  )
}

/** The fields that give what calls begin with. */
const beginnings: ReadonlySet<string> = new Set(['function_signature', 'discriminator'])

/** Compared with `false`, these say the contrary. */
const truths: ReadonlySet<Expression['kind']> = new Set(['and', 'or', 'not', 'comparison', 'contains', 'predicate'])

function readsGiven(expression: Expression): boolean {
  return [...everyPart(expression)].some((part) => part.kind === 'field' && givenFields.has(part.name))
}

function isName(part: Expression): boolean {
  if (part.kind !== 'field') return false
  if (part.name !== 'instruction_name') return part.name === 'function_name'
  return part.of.kind === 'field' && part.of.name === 'parsed_instruction_data'
}

/** Whether a name is compared with whole written ones. */
function isWholeName(part: Expression): boolean {
  const isEqual =
    part.kind === 'comparison' ? part.operator === '==' || part.operator === 'in' : part.kind === 'contains'
  return isEqual && partsOf(part).every((side) => isName(side) || isWritten(side))
}

function isWritten(side: Expression): boolean {
  return side.kind === 'string' || (side.kind === 'list' && side.items.every(({ kind }) => kind === 'string'))
}

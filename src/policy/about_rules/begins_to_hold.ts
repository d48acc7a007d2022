import { noVariables, pathOf, type Variables, writtenFor } from '../language/contradictions/needs.ts'
import { type Expression, partsOf } from '../language/syntax.ts'
import { givenFields } from './names_of_interfaces.ts'

/** `names`: whether the interface gives a name to a function or an instruction. */
export type Uploaded = { readonly address: string; readonly names: (name: string) => boolean }

/**
 * Whether an expression of a rule that does not guard may be true of a call of a contract once its interface is known.
 * Before, all that reads what the interface gives is an error as a whole, and after it one of its parts is false. That
 * makes `!` true, and leaves the other side of `||` and the other items of a list to decide.
 */
export function mayBeginToHold(uploaded: Uploaded, root: Expression): boolean {
  return [...new Set(placesRead(root, { ...uploaded, others: new Set() }))].some((call) =>
    mayBe(root, { ...uploaded, wanted: true, call, variables: noVariables }),
  )
}

/** An instruction that no index of a rule names. */
const someInstruction = 'solana.tx.instructions[?]'

/** `others`: the variables of items that are no calls of the contract. */
type Reading = Uploaded & { readonly others: ReadonlySet<string> }

/** The places where a call stands of which an expression reads what interfaces give. */
function* placesRead(part: Expression, reading: Reading): Iterable<string> {
  if (part.kind === 'field' && givenFields.has(part.name)) {
    const path = pathOf(part.of, noVariables) ?? ''
    // The path of a variable is its name.
    if (!reading.others.has(path)) yield path.includes('.') ? path : someInstruction
  }
  for (const inner of partsOf(part)) {
    const isOfOthers = part.kind === 'predicate' && inner === part.body && isFiltered(part.of, reading)
    const named = part.kind === 'predicate' ? [part.variable] : []
    const others = isOfOthers ? reading.others.union(new Set(named)) : reading.others.difference(new Set(named))
    yield* placesRead(inner, { ...reading, others })
  }
}

/** Whether a filter leaves no call of the contract in a list. */
function isFiltered(list: Expression, uploaded: Uploaded): boolean {
  if (list.kind !== 'predicate' || list.method !== 'filter') return false
  const variables = new Map([[list.variable, someInstruction]])
  return (
    !mayBe(list.body, { ...uploaded, wanted: true, call: someInstruction, variables }) || isFiltered(list.of, uploaded)
  )
}

/** `call`: the path of a call of the contract. `wanted`: the value that is asked about. */
type Around = Uploaded & { readonly wanted: boolean; readonly call: string; readonly variables: Variables }

/** Whether a part may have the wanted value. It may where nothing tells. */
function mayBe(part: Expression, around: Around): boolean {
  const { wanted } = around
  if (part.kind === 'boolean') return part.value === wanted
  if (part.kind === 'not') return mayBe(part.operand, { ...around, wanted: !wanted })
  if (part.kind === 'predicate') return mayBeOfItems(part, around)
  if (part.kind === 'and' || part.kind === 'or') {
    const mayBeSo = (operand: Expression) => mayBe(operand, around)
    return (part.kind === 'and') === wanted ? part.operands.every(mayBeSo) : part.operands.some(mayBeSo)
  }
  return !wanted || !isOtherText(part, around)
}

/** Each item must be so for `all` to be true and `any` to be false, the call of the contract among them. */
function mayBeOfItems({ of, method, variable, body }: Predicate, around: Around): boolean {
  const isOfEach = (method === 'all') === around.wanted
  const list = pathOf(of, around.variables)
  const isAmong = list !== undefined && around.call.startsWith(`${list}[`)
  if (isOfEach && !isAmong) return true
  const item = isOfEach ? around.call : undefined
  return mayBe(body, { ...around, variables: new Map(around.variables).set(variable, item) })
}

type Predicate = Expression & { readonly kind: 'predicate' }

/** Whether it is true of other contracts alone, or of names that the interface does not give. */
function isOtherText(part: Expression, { call, address, names, variables }: Around): boolean {
  const { path, words = [] } = writtenFor(part, variables) ?? {}
  if (path === `${call}.to` || path === `${call}.program_key`)
    return words.every(({ value }) => value.toLowerCase() !== address.toLowerCase())
  const isName = path === `${call}.function_name` || path === `${call}.parsed_instruction_data.instruction_name`
  return isName && !words.some(({ value }) => names(value))
}

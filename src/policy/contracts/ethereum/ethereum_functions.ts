import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Contradiction } from '../contradiction.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, openDocument, optionalItemsAt } from '../document.ts'
import type { AbiParameter, AbiType } from './abi_types.ts'
import { selectorsOfFunctions } from './ethereum_selectors.ts'

/** The functions of an ABI, in its order. `abi` is a document that `checkEthereumAbi` accepted. */
export function* functionsOf(abi: string): Steps<readonly DocumentNode[]> {
  return itemsAt(yield* openDocument(abi, 'smartContractInterface')).filter(isFunction)
}

/** The selectors of `functionsOf`, in the same order. They are made once for each cached text. */
export function selectorsOf(abi: string): Steps<Uint32Array> {
  return selectorsOfFunctions(abi, () => functionsOf(abi), signatureOf)
}

/** Whether a call has the same meaning by both: the name of the function, and names and types of its arguments. */
export function areDeclaredAlike(one: DocumentNode, other: DocumentNode): boolean {
  return nameOf(one) === nameOf(other) && JSON.stringify(parametersOf(one)) === JSON.stringify(parametersOf(other))
}

/** The parameters as calls are read by them. */
export function parametersOf(entry: DocumentNode): readonly AbiParameter[] {
  return inputsOf(entry).map(parameterOf)
}

/** Returns the first function that `added` declares in another way than one of `kept`. */
export function* abiContradiction(added: string, kept: readonly string[]): Steps<Contradiction | undefined> {
  const addedSelectors = yield* selectorsOf(added)
  const addedFunctions = yield* functionsOf(added)
  const bySelector = new Map(addedFunctions.map((entry, index) => [addedSelectors[index], entry]))
  for (const [index, abi] of kept.entries()) {
    yield
    const selectors = yield* selectorsOf(abi)
    if (!selectors.some((selector) => bySelector.has(selector))) continue
    yield
    const functions = yield* functionsOf(abi)
    for (const [at, entry] of functions.entries()) {
      if (at % functionsInARow === 0) yield
      const same = bySelector.get(selectors[at])
      if (same !== undefined && !areDeclaredAlike(same, entry)) return { index, functionName: signatureOf(same) }
    }
  }
  return undefined
}

const functionsInARow = 500

export function isFunction(entry: DocumentNode): boolean {
  const type = memberAt(entry, 'type')
  return isAbsent(type) || type.value === 'function'
}

/** The signature that is hashed to the selector: `transfer(address,uint256)`. */
export function signatureOf(entry: DocumentNode): string {
  return `${nameOf(entry)}(${inputsOf(entry).map(typeText).join(',')})`
}

/** The function as source code declares it, with the names: `pay((address to, uint256 amount)[] payments)`. */
export function declarationOf(entry: DocumentNode): string {
  return `${nameOf(entry)}(${inputsOf(entry).map(declaredText).join(', ')})`
}

function declaredText(parameter: DocumentNode): string {
  const [base, suffix] = typeParts(parameter)
  const name = memberAt(parameter, 'name').value
  const type =
    base === 'tuple'
      ? `(${optionalItemsAt(memberAt(parameter, 'components')).map(declaredText).join(', ')})${suffix}`
      : typeText(parameter)
  return typeof name === 'string' && name !== '' ? `${type} ${name}` : type
}

export function nameOf(entry: DocumentNode): string {
  return String(memberAt(entry, 'name').value)
}

function inputsOf(entry: DocumentNode): readonly DocumentNode[] {
  return optionalItemsAt(memberAt(entry, 'inputs'))
}

/** The type as the hashed signature has it: tuples written out, short names of types in full. */
function typeText(parameter: DocumentNode): string {
  const [base, suffix] = typeParts(parameter)
  if (base !== 'tuple') return `${fullNames.get(base) ?? base}${suffix}`
  return `(${optionalItemsAt(memberAt(parameter, 'components')).map(typeText).join(',')})${suffix}`
}

const fullNames: ReadonlyMap<string, string> = new Map([
  ['uint', 'uint256'],
  ['int', 'int256'],
  ['fixed', 'fixed128x18'],
  ['ufixed', 'ufixed128x18'],
])

function parameterOf(parameter: DocumentNode, index: number): AbiParameter {
  const name = memberAt(parameter, 'name').value
  const [base, suffix] = typeParts(parameter)
  let type = baseType(base, parameter)
  for (const [, length] of suffix.matchAll(/\[([0-9]*)\]/g)) {
    type = { kind: 'array', element: type, length: length === '' ? undefined : Number(length) }
  }
  return { name: typeof name === 'string' && name !== '' ? name : String(index), type }
}

function typeParts(parameter: DocumentNode): readonly [base: string, suffix: string] {
  const text = String(memberAt(parameter, 'type').value)
  const at = text.indexOf('[')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

function baseType(base: string, parameter: DocumentNode): AbiType {
  if (base === 'address' || base === 'bool' || base === 'bytes' || base === 'string') return { kind: base }
  if (base === 'tuple') {
    return { kind: 'tuple', components: optionalItemsAt(memberAt(parameter, 'components')).map(parameterOf) }
  }
  // A function value is an address and a selector.
  if (base === 'function') return { kind: 'fixedBytes', length: 24 }
  if (base.includes('fixed')) return { kind: 'fixedPoint' }
  const size = Number(base.replace(/[a-z]+/, '') || 256)
  return base.startsWith('bytes')
    ? { kind: 'fixedBytes', length: size }
    : { kind: 'integer', signed: base.startsWith('int'), bits: size }
}

import type { Steps } from '../../../protocol/tools/steps.ts'
import { solidityName } from '../../language/names/declared_names.ts'
import {
  type DocumentNode,
  isAbsent,
  itemsAt,
  memberAt,
  openDocument,
  optionalItemsAt,
  requireObject,
  requireOptionalFlag,
  textAt,
  unexpectedAt,
} from '../document.ts'
import { isFunction, selectorsOf } from './ethereum_functions.ts'

const identifierExpected = 'a name of letters, digits, $ and _'

const integerBits = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|')
const byteCounts = Array.from({ length: 32 }, (_, index) => index + 1).join('|')
const decimals = Array.from({ length: 80 }, (_, index) => index + 1).join('|')
/** Solidity, "Contract ABI Specification", types. `uint`, `int`, `fixed` and `ufixed` have default sizes. */
const elementaryTypes = [
  'address|bool|string|function',
  `bytes(${byteCounts})?`,
  `u?int(${integerBits})?`,
  `u?fixed((${integerBits})x(${decimals}))?`,
].join('|')
/** The most levels of lists in a type, since reading a value recurses as deep. */
const dimensionsMax = 16
const typePattern = new RegExp(`^(tuple|${elementaryTypes})(\\[(0|[1-9][0-9]{0,8})?\\]){0,${dimensionsMax}}$`)
const typeExpected = 'an ABI type such as uint256, bytes32, address[] or tuple'

const stateMutabilities = ['pure', 'view', 'nonpayable', 'payable']

/** Checks the other members of an entry, by its type. */
const entryChecks: ReadonlyMap<unknown, (entry: DocumentNode) => void> = new Map([
  ['function', checkFunction],
  ['constructor', checkConstructor],
  ['receive', checkStateMutability],
  ['fallback', checkStateMutability],
  ['event', checkEvent],
  ['error', checkNamed],
])

/**
 * Throws FIELD_INVALID at `fieldPath`, naming the first faulty place, unless the text is the ABI of an Ethereum
 * contract (Solidity, "Contract ABI Specification", JSON): a list of functions, events, errors, constructor, fallback
 * and receive, every parameter of an existing type, and no two functions with one selector. Further members are ignored,
 * since compilers add their own.
 */
export function* checkEthereumAbi(text: string, fieldPath: string): Steps<void> {
  const root = yield* openDocument(text, fieldPath)
  yield
  for (const entry of itemsAt(root, 'a list: the ABI itself, not what a compiler wraps around it')) {
    requireObject(entry)
    const type = memberAt(entry, 'type')
    const check = entryChecks.get(isAbsent(type) ? 'function' : type.value)
    if (check === undefined) throw unexpectedAt(type, `one of ${[...entryChecks.keys()].join(', ')}`)
    check(entry)
  }
  yield
  yield* requireUniqueSelectors(itemsAt(root).filter(isFunction), text)
}

/** A contract can have only one of two functions with the same selector. */
function* requireUniqueSelectors(functions: readonly DocumentNode[], text: string): Steps<void> {
  const selectors = yield* selectorsOf(text)
  const bySelector = new Map<number | undefined, DocumentNode>()
  for (const [index, entry] of functions.entries()) {
    const selector = selectors[index]
    const same = bySelector.get(selector)
    if (same !== undefined) {
      throw unexpectedAt(entry, `a function with another selector: ${same.path} has the same, ${hexOf(selector)}`)
    }
    bySelector.set(selector, entry)
  }
}

function hexOf(selector = 0): string {
  return `0x${selector.toString(16).padStart(8, '0')}`
}

function checkFunction(entry: DocumentNode): void {
  checkNamed(entry)
  for (const output of optionalItemsAt(memberAt(entry, 'outputs'))) checkParameter(output)
  checkStateMutability(entry)
}

function checkConstructor(entry: DocumentNode): void {
  checkInputs(entry)
  checkStateMutability(entry)
}

function checkEvent(entry: DocumentNode): void {
  checkNamed(entry)
  requireOptionalFlag(memberAt(entry, 'anonymous'))
  for (const input of optionalItemsAt(memberAt(entry, 'inputs'))) requireOptionalFlag(memberAt(input, 'indexed'))
}

function checkNamed(entry: DocumentNode): void {
  textAt(memberAt(entry, 'name'), solidityName, identifierExpected)
  checkInputs(entry)
}

function checkInputs(entry: DocumentNode): void {
  for (const input of optionalItemsAt(memberAt(entry, 'inputs'))) checkParameter(input)
}

/** Older compilers wrote `constant` and `payable` instead. */
function checkStateMutability(entry: DocumentNode): void {
  requireOptionalFlag(memberAt(entry, 'constant'))
  requireOptionalFlag(memberAt(entry, 'payable'))
  const stateMutability = memberAt(entry, 'stateMutability')
  if (isAbsent(stateMutability) || stateMutabilities.some((known) => known === stateMutability.value)) return
  throw unexpectedAt(stateMutability, `one of ${stateMutabilities.join(', ')}`)
}

/** The depth limit of JSON bounds the depth of tuples. */
function checkParameter(parameter: DocumentNode): void {
  requireObject(parameter)
  const name = memberAt(parameter, 'name')
  if (!isAbsent(name) && name.value !== '') textAt(name, solidityName, identifierExpected)
  const type = textAt(memberAt(parameter, 'type'), typePattern, typeExpected)
  if (!type.startsWith('tuple')) return
  const components = itemsAt(memberAt(parameter, 'components'), 'the list of what is in the tuple')
  for (const component of components) checkParameter(component)
}

import { bytesToHex } from '@noble/hashes/utils.js'
import type { Value } from '../../language/values.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, openDocument, optionalItemsAt } from '../document.ts'
import { type AbiParameter, type AbiType, readAbiArguments } from './abi_values.ts'
import { selectorIn, selectorsOf } from './ethereum_selectors.ts'

/** A call in the terms of the contract's ABI. */
export type EthereumCall = {
  readonly functionName: string
  /** The selector: `0x` and eight lower-case hex digits. */
  readonly functionSignature: string
  /**
   * The arguments by name, or by position as decimal text if they have no name. Tuples are maps of the same form.
   * Addresses and bytes are `0x` lower-case hex. Undefined when the data is not the canonical encoding of these
   * arguments, because each contract may read another encoding in its own way.
   */
  readonly args: ReadonlyMap<string, Value> | undefined
}

/**
 * Returns the function of the contract that a transaction's data calls (Solidity, "Contract ABI Specification").
 * Undefined when the ABI names no such function. `abi` is a document that `checkEthereumAbi` accepted. Bytes after the
 * arguments are ignored, as contracts do.
 */
export function readEthereumCall(data: Uint8Array, abi: string): EthereumCall | undefined {
  if (data.length < selectorBytes) return undefined
  const functions = itemsAt(openDocument(abi, 'smartContractInterface')).filter(isFunction)
  const selectors = selectorsOf(abi, () => functions.map(signatureOf))
  const called = functions[selectors.indexOf(selectorIn(data))]
  if (called === undefined) return undefined
  return {
    functionName: nameOf(called),
    functionSignature: `0x${bytesToHex(data.subarray(0, selectorBytes))}`,
    args: readAbiArguments(data.subarray(selectorBytes), inputsOf(called).map(parameterOf)),
  }
}

const selectorBytes = 4

function isFunction(entry: DocumentNode): boolean {
  const type = memberAt(entry, 'type')
  return isAbsent(type) || type.value === 'function'
}

function signatureOf(entry: DocumentNode): string {
  return `${nameOf(entry)}(${inputsOf(entry).map(typeText).join(',')})`
}

function nameOf(entry: DocumentNode): string {
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

import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AbiParameter, AbiType } from '../../../../policy/contracts/ethereum/abi_types.ts'
import { keccak256 } from '../../../../protocol/crypto/keccak.ts'
import { selectorBytes } from './called.ts'

/** A function of a contract as source code declares it. */
export type Signature = { readonly name: string; readonly parameters: readonly AbiParameter[] }

/** Reads a declaration of ours, in which every parameter has a name: `grantRole(bytes32 role, address account)`. */
export function signatureOf(declaration: string): Signature {
  const at = declaration.indexOf('(')
  return { name: declaration.slice(0, at), parameters: parametersIn(declaration.slice(at + 1, -1)) }
}

/** The four bytes that tell a function, in hex without `0x`. */
export function hashedSelector(signature: Signature): string {
  return bytesToHex(keccak256(utf8ToBytes(hashedText(signature))).subarray(0, selectorBytes))
}

/** The text whose hash begins with the selector: `grantRole(bytes32,address)`. */
export function hashedText({ name, parameters }: Signature): string {
  return `${name}(${typesText(parameters)})`
}

/** The types alone, by which two declarations of one name are the same function. */
export function typesText(parameters: readonly AbiParameter[]): string {
  return parameters.map(({ type }) => typeText(type)).join(',')
}

function typeText(type: AbiType): string {
  switch (type.kind) {
    case 'tuple':
      return `(${typesText(type.components)})`
    case 'array':
      return `${typeText(type.element)}[${type.length ?? ''}]`
    case 'fixedBytes':
      return `bytes${type.length}`
    case 'integer':
      return `${type.signed ? '' : 'u'}int${type.bits}`
    default:
      return type.kind
  }
}

function parametersIn(text: string): readonly AbiParameter[] {
  return partsOf(text).map((part) => {
    const at = part.lastIndexOf(' ')
    return { name: part.slice(at + 1), type: typeOf(part.slice(0, at)) }
  })
}

/** The parts between the commas that stand in no tuple. */
function partsOf(text: string): readonly string[] {
  let depth = 0
  let parts: readonly string[] = text === '' ? [] : ['']
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    const isEnd = character === ',' && depth === 0
    parts = isEnd ? [...parts, ''] : [...parts.slice(0, -1), `${parts.at(-1)}${character}`]
  }
  return parts.map((part) => part.trim())
}

function typeOf(text: string): AbiType {
  if (text.endsWith('[]')) return { kind: 'array', element: typeOf(text.slice(0, -2)), length: undefined }
  if (text.startsWith('(')) return { kind: 'tuple', components: parametersIn(text.slice(1, -1)) }
  if (text === 'address' || text === 'bool' || text === 'bytes' || text === 'string') return { kind: text }
  const size = Number(text.replace(/[a-z]+/, ''))
  return text.startsWith('bytes')
    ? { kind: 'fixedBytes', length: size }
    : { kind: 'integer', signed: false, bits: size }
}

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { isList, type Value } from '../../language/values.ts'
import type { DocumentNode } from '../document.ts'
import { argsOf, type InnerCall, type Reading } from '../reading.ts'
import { readAbiArguments } from './abi_values.ts'
import { areDeclaredAlike, functionsOf, nameOf, parametersOf, selectorsOf } from './ethereum_functions.ts'
import { selectorIn } from './ethereum_selectors.ts'

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
  readonly reading: Reading
  /** The ABIs that name the function. All of them declare it alike. */
  readonly abis: readonly string[]
}

/**
 * Returns the function of the contract that a transaction's data calls (Solidity, "Contract ABI Specification").
 * Undefined when no ABI names such a function, or when two declare it in different ways. `abis` are the documents that
 * were uploaded for the contract; `checkEthereumAbi` accepted each. Bytes after the arguments are left unread, as
 * contracts ignore them.
 */
export function* readEthereumCall(data: Uint8Array, abis: readonly string[]): Steps<EthereumCall | undefined> {
  const call = yield* readDeclared(data, abis)
  if (call?.reading.kind !== 'read' || !multicalls.has(call.functionSignature)) return call
  return { ...call, reading: yield* withInnerCalls(call.reading, abis) }
}

function* readDeclared(data: Uint8Array, abis: readonly string[]): Steps<EthereumCall | undefined> {
  if (data.length < selectorBytes) return undefined
  const selector = selectorIn(data)
  const declaring: string[] = []
  let called: DocumentNode | undefined
  for (const abi of abis) {
    yield
    const selectors = yield* selectorsOf(abi)
    if (!selectors.includes(selector)) continue
    const functions = yield* functionsOf(abi)
    const declared = functions.filter((_, index) => selectors[index] === selector)
    for (const one of declared) {
      called ??= one
      if (!areDeclaredAlike(one, called)) return undefined
    }
    declaring.push(abi)
  }
  if (called === undefined) return undefined
  yield
  const reading = readAbiArguments(data.subarray(selectorBytes), parametersOf(called))
  return {
    functionName: nameOf(called),
    functionSignature: `0x${bytesToHex(data.subarray(0, selectorBytes))}`,
    args: argsOf(reading),
    reading,
    abis: declaring,
  }
}

const selectorBytes = 4

/** Functions whose last argument is calls that the contract makes of itself. */
const multicalls: ReadonlySet<string> = new Set([
  /** `multicall(bytes[])` */
  '0xac9650d8',
  /** `multicall(uint256,bytes[])`, with a deadline */
  '0x5ae401dc',
  /** `multicall(bytes32,bytes[])`, with the hash of an earlier block */
  '0x1f0464d1',
])
/** The calls of one multicall that are read. */
const innerCallsMax = 100

type Read = Extract<Reading, { readonly kind: 'read' }>

/** Reads the calls in a multicall by the same ABIs. What they leave unread counts for the whole. */
function* withInnerCalls(outer: Read, abis: readonly string[]): Steps<Reading> {
  const given = [...outer.args.values()].at(-1)
  const items = given !== undefined && isList(given) ? given.map(String) : []
  let { unreadBytes, opaqueBytes } = outer
  const innerCalls: InnerCall[] = []
  for (const data of items.slice(0, innerCallsMax)) {
    const bytes = hexToBytes(data.slice(2))
    const call = yield* readDeclared(bytes, abis)
    innerCalls.push({ data, ...(call === undefined ? {} : { known: call }) })
    if (call?.reading.kind !== 'read') continue
    unreadBytes += call.reading.unreadBytes
    opaqueBytes += call.reading.opaqueBytes - bytes.length
  }
  return { ...outer, unreadBytes, opaqueBytes, innerCalls }
}

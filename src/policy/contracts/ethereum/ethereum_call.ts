import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Value } from '../../language/expression_values.ts'
import type { DocumentNode } from '../document.ts'
import { argsOf, type Reading } from '../reading.ts'
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

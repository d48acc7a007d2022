import { isUtf8 } from 'node:buffer'
import type { Struct, Value } from '../language/expression_values.ts'
import type { AbiParameter } from './ethereum/abi_types.ts'
import type { BorshField } from './solana/borsh_types.ts'

/** The result of reading a call's data by an interface, or by a function that is known without one. */
export type Reading =
  | {
      readonly kind: 'read'
      readonly args: ReadonlyMap<string, Value>
      /** The parameters of an ABI. A text among the arguments may look like an address, and only its type tells. */
      readonly parameters?: readonly AbiParameter[]
      /** The arguments of an IDL with their types. */
      readonly fields?: readonly BorshField[]
      /** The bytes after the arguments, which contracts and programs ignore. */
      readonly unreadBytes: number
      /** The bytes in arguments that are bytes themselves. They may hold further calls, which nothing here reads. */
      readonly opaqueBytes: number
    }
  /** The data is not encoded as declared. */
  | { readonly kind: 'misencoded' }
  /** The interface says it in a way that is not read here: a type that no compiler encodes, two arguments of one name. */
  | { readonly kind: 'unsupported' }
  /** The data may be sound, and has more values or levels than are read here. */
  | { readonly kind: 'tooMuch'; readonly valuesMax: number }

/** Thrown and caught by the readers of arguments. */
export class Misencoded extends Error {}
export class Unsupported extends Error {}
export class TooMuch extends Error {}

export function readText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Misencoded()
  return Buffer.from(bytes).toString()
}

/** Returns what `read` returns, or the failure that it throws, as a reading. */
export function readingOf(valuesMax: number, read: () => Extract<Reading, { readonly kind: 'read' }>): Reading {
  try {
    return read()
  } catch (error) {
    if (error instanceof Misencoded) return { kind: 'misencoded' }
    if (error instanceof Unsupported) return { kind: 'unsupported' }
    if (error instanceof TooMuch) return { kind: 'tooMuch', valuesMax }
    throw error
  }
}

export function argsOf(reading: Reading): ReadonlyMap<string, Value> | undefined {
  return reading.kind === 'read' ? reading.args : undefined
}

const readings = new WeakMap<Struct, Reading>()

/**
 * Keeps how the call in a struct of conditions was read, for explanations. Conditions see arguments alone: what an
 * interface leaves unread is for people to know.
 */
export function keepReading(struct: Struct, reading: Reading): void {
  readings.set(struct, reading)
}

export function keptReading(struct: Struct): Reading | undefined {
  return readings.get(struct)
}

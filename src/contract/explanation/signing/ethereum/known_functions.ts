import type { AbiParameter } from '../../../../policy/contracts/ethereum/abi_types.ts'
import type { Effect } from './function_effects.ts'
import { hashedSelector, type Signature, signatureOf, typesText } from './function_signatures.ts'
import { functionTable } from './function_table.ts'
import type { HeldCalls } from './held_calls.ts'
import { namesOtherRoles, parametersOf, plainName, tokenFunctions } from './token_functions.ts'

export type KnownFunction = Signature & {
  readonly effect?: Effect | undefined
  readonly calls?: HeldCalls | undefined
  readonly callsBy?: 'others' | undefined
}

/** The functions that are known here without an interface, by selector. */
export const knownFunctions: ReadonlyMap<string, KnownFunction> = new Map([
  ...[...tokenFunctions].map(([selector, one]): [string, KnownFunction] => [
    selector,
    { name: one.name, parameters: parametersOf(one) },
  ]),
  ...functionTable.map(({ declaration, effect, calls, callsBy }): [string, KnownFunction] => {
    const signature = signatureOf(declaration)
    return [hashedSelector(signature), { ...signature, effect, calls, callsBy }]
  }),
])

/** The known function that this data calls, in hex without `0x`. Its arguments may be unreadable. */
export function knownFunctionIn(data: string): KnownFunction | undefined {
  return knownFunctions.get(data.slice(0, 8))
}

/** A function as an interface declares it. Without `parameters`, its arguments could not be read. */
export type Declared = { readonly functionName: string; readonly parameters: readonly AbiParameter[] | undefined }

/** Whether an interface gives a known function another name or other types, or an argument the name of another role. */
export function isNamedOtherwise(known: KnownFunction, { functionName, parameters }: Declared): boolean {
  if (functionName !== known.name) return true
  if (parameters === undefined) return false
  return typesText(parameters) !== typesText(known.parameters) || namesOtherRoles(known, parameters)
}

const tokenNames: ReadonlySet<string> = new Set([...tokenFunctions.values()].map(({ name }) => plainName(name)))

/** Whether a function with a selector of its own has the name of a known one of tokens. Other names are common. */
export function borrowsName(functionName: string): boolean {
  return tokenNames.has(plainName(functionName))
}

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'

/** A call of a contract, alone or inside of another one. */
export type ContractCall = {
  /** 20 bytes as `0x` and lower-case hex. For a contract that is created, it is ignored. */
  readonly to: string
  readonly value: bigint
  /** In hex, without `0x`. */
  readonly data: string
  /**
   * `delegate`: the code at `to` acts as the caller itself, and the value is ignored. `ownCode`: code of the called contract
   * itself, which acts for the same caller. `create`: the data is the code of a new contract, which gets the value.
   */
  readonly kind: 'call' | 'delegate' | 'ownCode' | 'create'
  /** Whether address zero stands in the call for `to`, so that versions of the contract read it in other ways. */
  readonly isToZero?: true
  /** The bytes around the data that are read with it, where they stand in an argument of bytes. */
  readonly frameBytes: number
}

/** Both as `0x` and lower-case hex. `self`: the account that acts, which is another one in a delegate call, if it is known. */
export type Holder = { readonly contract: string; readonly self: string | undefined }

/**
 * Finds the calls that the arguments of a call hold. Undefined if they do not fit together. Arguments that are parts of a call
 * are named `to`, `value`, `data` and `operation`.
 */
export type HeldCalls = (args: ReadonlyMap<string, Seen>, holder: Holder) => readonly ContractCall[] | undefined

/** How deep calls are read in each other, and how many in one content. Deeper and further calls stay bytes. */
export const depthMax = 4
export const callsMax = 100

/** One call, whose parts are arguments with these names. */
export const single: HeldCalls = (args) => callIn(args)

/** ERC-6551: operations 2 and 3 create a contract. */
export const singleOrNew: HeldCalls = (args) => {
  const operation = args.get('operation')
  const isNew = operation === 2n || operation === 3n
  if (!isNew) return callIn(args)
  return callIn(new Map([...args, ['operation', 0n]]))?.map((call) => ({ ...call, kind: 'create' }))
}

/** One call for each member of the list, each of which is a tuple of these names. */
export const tuples =
  (list: string): HeldCalls =>
  (args) => {
    const items = args.get(list)
    return items === undefined || !isList(items)
      ? undefined
      : allOf(items.map((item) => (isMap(item) ? callIn(item) : [])))
  }

/** Undefined if one of these does not fit. */
function allOf(calls: readonly ReturnType<typeof callOf>[]): readonly ContractCall[] | undefined {
  return calls.includes(undefined) ? undefined : calls.flatMap((one) => one ?? [])
}

function callIn(given: ReadonlyMap<string, Seen>): ReturnType<typeof callOf> {
  return callOf(Object.fromEntries(given))
}

type CallMembers = Readonly<Partial<Record<'to' | 'value' | 'data' | 'operation', Seen | undefined>>>

/** Undefined for an operation that is neither a call nor one of code of others. Contracts refuse it. */
function callOf({ to, value = 0n, data, operation = 0n }: CallMembers): readonly ContractCall[] | undefined {
  if (operation !== 0n && operation !== 1n) return undefined
  if (typeof to !== 'string' || typeof data !== 'string' || typeof value !== 'bigint') return []
  return [{ to, value, data: data.slice(2), kind: operation === 0n ? 'call' : 'delegate', frameBytes: 0 }]
}

/** One call for each place of the lists. Some contracts take no list of values, or an empty one. */
export const lists: HeldCalls = (args) => {
  const [to, values = [], data] = ['to', 'value', 'data'].map((name) => {
    const given = args.get(name)
    return given !== undefined && isList(given) ? given : undefined
  })
  if (to === undefined || data?.length !== to.length) return undefined
  if (values.length !== 0 && values.length !== to.length) return undefined
  return allOf(to.map((one, index) => callOf({ to: one, value: values[index], data: data[index] })))
}

/** Calls that the contract makes of itself. */
export const ofItself: HeldCalls = (args, { contract }) => {
  const data = args.get('data')
  const all = data !== undefined && isList(data) ? data : [data]
  return allOf(all.map((one) => callOf({ to: contract, data: one })))?.map((call) => ({ ...call, kind: 'ownCode' }))
}

/** A call of the contract that the argument `proxy` names. */
export const ofProxy: HeldCalls = (args) => callOf({ to: args.get('proxy'), data: args.get('data') })

/** Since Safe 1.5 and in ERC-7821, address zero stands for the account itself. No contract can be there. */
export function zeroAsSelf(call: ContractCall, { self }: Pick<Holder, 'self'>): ContractCall {
  return call.to === zeroAddress ? { ...call, to: self ?? zeroAddress, isToZero: true } : call
}

/** `MultiSend` of Safe: one after the other, operation, address, value, length and data, without padding. */
export const packed: HeldCalls = (args, holder) => {
  const bytes = hexToBytes(String(args.get('transactions')).slice(2))
  const calls: ContractCall[] = []
  let at = 0
  while (at < bytes.length) {
    const length = numberIn(bytes.subarray(at + 53, at + packedBytes))
    const end = at + packedBytes + length
    const operation = bytes[at] ?? 0
    if (!(end <= bytes.length) || operation > 1) return undefined
    const call: ContractCall = {
      kind: operation === 0 ? 'call' : 'delegate',
      to: hexOf(bytes.subarray(at + 1, at + 21)),
      value: BigInt(hexOf(bytes.subarray(at + 21, at + 53))),
      data: bytesToHex(bytes.subarray(at + packedBytes, end)),
      frameBytes: packedBytes,
    }
    calls.push(zeroAsSelf(call, holder))
    at = end
  }
  return calls
}

const packedBytes = 85

function hexOf(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`
}

/** NaN if the bytes are missing. */
function numberIn(bytes: Uint8Array): number {
  return bytes.length === 0 ? Number.NaN : Number(hexOf(bytes))
}

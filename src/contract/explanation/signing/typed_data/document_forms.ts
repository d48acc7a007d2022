import type { Value as Seen } from '../../../../policy/language/expression_values.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import { ethereumAddress, none, note } from '../../shown_values.ts'
import { isEthereumAddress } from '../shared/coins.ts'
import type { Funds } from '../shared/fee_warnings.ts'

export type Members = ReadonlyMap<string, Seen>

/** A struct of typed data, and the domain under which it is signed. */
export type Signed = { readonly message: Members; readonly domain: Members }

/** The call that a document orders: the contract as `0x` and lower-case hex, the data in hex without `0x`. */
export type OrderedCall = { readonly to: string; readonly data: string; readonly isDelegate?: boolean }

/** The offer of an order of a market, and the price that the offerer asks. */
export type Offer = { readonly title: Title; readonly rows: readonly Row[] }

/**
 * A document that is known by its type, as it is hashed: with all types that it uses. A contract takes no other one for
 * it.
 */
export type DocumentForm = {
  readonly type: RegExp
  /** The part of the type that a contract takes, if that is less: members may follow that nobody here knows. */
  readonly whole?: RegExp
  /** Its permissions for others. */
  readonly notes?: (signed: Signed) => readonly Note[]
  readonly call?: (signed: Signed) => OrderedCall | undefined
  /** The account that gives what it gives, and makes the call. */
  readonly by?: (signed: Signed) => Value
  /** Whether that account is a contract, which takes the signatures of its owners. Any other one has to sign itself. */
  readonly isOfContract?: true
  /** The most wei that it pays to be executed. */
  readonly fee?: (message: Members) => bigint
  /** The account that pays the fee. */
  readonly payer?: (signed: Signed) => Value
  /** The wei that the payer sends beside those of the call. */
  readonly funds?: (message: Members) => Funds
  /** Its content as a transaction. */
  readonly transaction?: (signed: Signed) => Readonly<Record<string, Value>>
  readonly offer?: (signed: Signed) => Offer
  /** Members of 32 bytes that stand for nothing else. */
  readonly noHashes?: readonly string[]
  /** The member that is the document itself. */
  readonly wraps?: string
  /** The member whose bytes are a personal message with its prefix. */
  readonly personal?: string
}

export function chainIn(domain: Members): bigint | undefined {
  const chainId = domain.get('chainId')
  return typeof chainId === 'bigint' ? chainId : undefined
}

export function tokenOf(domain: Members): string {
  return String(domain.get('verifyingContract') ?? '')
}

/** A document may declare a text where an address should be. It must not stand in a title as an address does. */
export function addressIn(message: Members, name: string): Value {
  const given = message.get(name)
  if (typeof given !== 'string') return none
  return isEthereumAddress(given) ? ethereumAddress(given) : note('unreadable')
}

export function numberIn(message: Members, name: string): bigint {
  const given = message.get(name)
  return typeof given === 'bigint' ? given : 0n
}

import { isList, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { addressTableLookup } from '../../../../policy/language/names/payload_types.ts'
import { type Account, accountOf, type Call, type Move } from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Title, Value } from '../../explanation.ts'
import { address, note, noteOf, number } from '../../shown_values.ts'
import { amountOf, sol, tokenAmount } from '../shared/coins.ts'

/**
 * Shows an account. One from a lookup table has no address here, but a place in the table. `shown` shows a key that may be
 * the signing key's own.
 */
export function accountValue(
  { key, lookup }: Pick<Account, 'key' | 'lookup'>,
  shown: (key: string) => Value = address,
): Value {
  if (key !== addressTableLookup) return shown(key)
  const { address_table_key: table, writable_indexes: writable, readonly_indexes: others } = lookup ?? {}
  const [index] = [...indexesIn(writable), ...indexesIn(others)]
  return index === undefined ? note('addressTableLookup') : lookedUp(index, String(table))
}

/** An account with this address, as an interface names it. */
export function keyValue(key: Seen | undefined, shown: (key: string) => Value): Value {
  return key === addressTableLookup ? note('addressTableLookup') : shown(String(key))
}

/** The title in which `shown` shows each address: the own account has its name wherever it stands. */
export function withNames({ warnings, ...title }: Title, shown: (key: string) => Value): Title {
  const values = title.values.map((value) => valueWithNames(value, shown))
  const named = warnings?.map((warning) => noteWithNames(warning, shown))
  return { ...title, values, ...(named === undefined ? {} : { warnings: named }) }
}

function valueWithNames(value: Value, shown: (key: string) => Value): Value {
  if (value.kind === 'address') return shown(value.address)
  return value.kind === 'note' ? noteWithNames(value, shown) : value
}

function noteWithNames(given: Note, shown: (key: string) => Value): Note {
  if (given.values === undefined) return given
  return { ...given, values: given.values.map((value) => valueWithNames(value, shown)) }
}

function lookedUp(index: bigint, table: string): Note {
  return noteOf('lookedUpAccount', number(index), address(table))
}

function indexesIn(value: Seen | undefined): readonly bigint[] {
  return value !== undefined && isList(value) ? value.filter((index) => typeof index === 'bigint') : []
}

/** Two accounts are one if they have the same key, or the same place in the same table. */
export function accountId(account: Pick<Account, 'key' | 'lookup'>): string {
  return JSON.stringify(accountValue(account))
}

export function isSameAccount(one: Account, other: Account): boolean {
  return accountId(one) === accountId(other)
}

/** The amount of a move, in its unit or by its mint. The older kind of transfer of tokens names no mint. */
export function movedAmount({ call, amount }: Move): Value {
  if (amount === undefined) return note('notInContent')
  return call.read?.form.moves?.asset === 'tokens' ? tokensValue(amount, call) : amountOf(amount, sol)
}

/** The mints of wrapped SOL: that of the older program for tokens, and that of Token-2022. */
const wrappedSol: ReadonlySet<string> = new Set([
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP',
])

export function isOfWrappedSol(call: Call): boolean {
  return wrappedSol.has(accountOf(call, 'mint')?.key ?? '')
}

/** An amount of the token whose mint the instruction names. */
export function tokensValue(amount: bigint, call: Call): Value {
  if (isOfWrappedSol(call)) return amountOf(amount, sol)
  const mint = accountOf(call, 'mint')?.key ?? addressTableLookup
  return mint === addressTableLookup ? { kind: 'amount', smallest: String(amount) } : tokenAmount(amount, mint)
}

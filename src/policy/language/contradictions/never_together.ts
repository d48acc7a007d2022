import { message } from '../message.ts'
import { kindsWithParameter } from '../names/activity_types.ts'
import { Problem } from '../problem.ts'
import { requiredReads } from '../running/required_fields.ts'
import type { Expression } from '../syntax.ts'

/** The subjects of a request. It has the fields of one alternative of each choice at most. */
const choices: readonly (readonly (readonly string[])[])[] = [
  [['wallet', 'wallet_account'], ['private_key'], ['wallets']],
  [['eth.tx'], ['eth.eip_712'], ['eth.eip_7702_authorization'], ['solana'], ['tron'], ['bitcoin'], ['tempo']],
]

/** The kinds of activities that have such fields, where these are few. */
const kindsWith: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['eth.tx', ['SIGN_TRANSACTION']],
  ['solana', ['SIGN_TRANSACTION']],
  ['tron', ['SIGN_TRANSACTION']],
  ['bitcoin', ['SIGN_TRANSACTION']],
  ['eth.eip_712', ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']],
  ['eth.eip_7702_authorization', ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']],
  ['wallets', ['DELETE_WALLETS', 'DELETE_WALLET_ACCOUNTS']],
])

/**
 * Why a condition has no value for any request: it needs fields that no request has together, such as those of a wallet
 * and of a private key. Nothing is skipped, so `||` does not help, except in a rule that guards.
 */
export function neverTogether(expression: Expression): Problem | undefined {
  const before = new Map<string, Need>()
  for (const { path, start } of requiredReads(expression)) {
    const field = path.join('.')
    if (before.has(field)) continue
    const need = needOf(field)
    if (need === undefined) continue
    const other = [...before].find(([, one]) => areExclusive(one, need))
    if (other !== undefined) {
      const reason = message`no request has both ${other[0]} and ${field}: write a rule for each`
      return new Problem(start, reason)
    }
    before.set(field, need)
  }
  return undefined
}

/** `chosen` has the alternative of each choice. */
type Need = {
  readonly chosen: readonly (readonly string[] | undefined)[]
  readonly kinds: readonly string[] | undefined
}

/** Undefined if any request may have the field. */
function needOf(field: string): Need | undefined {
  const chosen = choices.map((choice) => choice.find((fields) => fields.some((at) => leadsTo(at, field))))
  const kinds = kindsOf(field)
  return kinds === undefined && chosen.every((one) => one === undefined) ? undefined : { chosen, kinds }
}

function areExclusive(one: Need, other: Need): boolean {
  const isApart = one.chosen.some((alternative, index) => {
    const second = other.chosen[index]
    return alternative !== undefined && second !== undefined && alternative !== second
  })
  return isApart || (one.kinds !== undefined && other.kinds?.some((kind) => one.kinds?.includes(kind)) === false)
}

function leadsTo(at: string, field: string): boolean {
  return field === at || field.startsWith(`${at}.`)
}

/** Undefined if many kinds have the field. */
function kindsOf(field: string): readonly string[] | undefined {
  const [, parameter] = /^activity\.params\.([a-z_]+)/.exec(field) ?? []
  if (parameter !== undefined) return kindsWithParameter(parameter)
  return [...kindsWith].find(([at]) => leadsTo(at, field))?.[1]
}

import {
  type Account,
  accountOf,
  type Call,
  isInstruction,
  type Move,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, noteOf } from '../../values.ts'
import { amountOf, sol } from '../coins.ts'
import { accountId, accountValue, movedAmount, tokensValue } from './solana_accounts.ts'
import { firstSetBy, isSplit, movesStake } from './solana_controls.ts'

/** What an account has more after the message, or less. `shown` shows an amount of it. */
type Change = { readonly account: Account; readonly amount: bigint; readonly shown: (amount: bigint) => Value }
type Asset = 'lamports' | 'tokens'

/** What an account of somebody else has more after the message, as far as the message says it. */
export type Gain = { readonly to: Account; readonly amount: bigint; readonly shown: Value }

/**
 * What others have more afterwards: those accounts that are not among `own`. A lamport must not stand before tokens. What
 * tokens are worth is not known, so lamports stand before these if they are more than a small fee.
 */
export function gainsOf(calls: readonly Call[], own: ReadonlySet<string>): readonly Gain[] {
  const [lamports, tokens] = [gainsIn('lamports', calls, own), gainsIn('tokens', calls, own)]
  const isMore = lamports.some(({ amount }) => amount > sol.fees.small)
  return isMore ? [...lamports, ...tokens] : [...tokens, ...lamports]
}

function gainsIn(asset: Asset, calls: readonly Call[], own: ReadonlySet<string>): readonly Gain[] {
  return [...netChanges(calls, asset)].flatMap(([id, { account, amount, shown }]) =>
    amount > 0n && !own.has(id) ? [{ to: account, amount, shown: shown(amount) }] : [],
  )
}

/** The lamports that the own accounts have less afterwards, taken together. */
export function lamportsSent(calls: readonly Call[], own: ReadonlySet<string>): bigint {
  const changes = [...netChanges(calls, 'lamports')].filter(([id]) => own.has(id))
  const sum = changes.reduce((all, [, { amount }]) => all + amount, 0n)
  return sum < 0n ? -sum : 0n
}

/** Warns of what others get: each gain, and what only the chain says how much it is. */
export function gainNotes(calls: readonly Call[], own: ReadonlySet<string>): readonly Note[] {
  const unknown = movesOf(calls, 'lamports').filter(({ to, amount }) => amount === undefined && !own.has(accountId(to)))
  return [
    ...gainsOf(calls, own).map(({ to, shown }) => noteOf('goesTo', shown, accountValue(to))),
    ...unknown.map((move) => noteOf('goesTo', takenAmount(move), accountValue(move.to))),
  ]
}

/** The lamports that an instruction takes from an account. Often only the chain says how many. */
export function takenAmount(move: Move): Value {
  if (move.amount !== undefined) return movedAmount(move)
  return code(isInstruction(move.call, 'tokenProgram.WithdrawExcessLamports') ? 'excessLamports' : 'allLamports')
}

/**
 * What goes on to a third account or comes back is no change. An account that is closed passes on at least what it got. A
 * stake that is split stays with its authorities, if it has any, and so does one that moves.
 */
function netChanges(calls: readonly Call[], asset: Asset): ReadonlyMap<string, Change> {
  const set = firstSetBy(calls)
  const stays = (call: Call) => (isSplit(call) ? set.has(call) : movesStake(call))
  const moves = movesOf(calls, asset).filter(({ call }) => !stays(call))
  const changes = new Map<string, Change>()
  const add = (account: Account, { amount, call }: { readonly amount: bigint; readonly call: Call }) => {
    const id = accountId(account)
    const known = changes.get(id)
    const shown = known !== undefined && !namesMint(call) ? known.shown : shownBy(call, asset)
    changes.set(id, { account, amount: (known?.amount ?? 0n) + amount, shown })
  }
  for (const { call, from, to, amount } of moves) {
    const got = greater(changes.get(accountId(from))?.amount ?? 0n, 0n)
    const passed = amount ?? (keepsSome(call) ? 0n : got)
    add(from, { call, amount: -passed })
    add(to, { call, amount: passed })
  }
  return changes
}

/**
 * They take the wrapped lamports of an account, or those beyond its rent: lamports that were not synced, or were, stay.
 */
function keepsSome(call: Call): boolean {
  const ids = ['tokenProgram.UnwrapLamports', 'tokenProgram.WithdrawExcessLamports'] as const
  return ids.some((id) => isInstruction(call, id))
}

/** An account of tokens has one mint, which only some instructions name. */
function namesMint(call: Call): boolean {
  return accountOf(call, 'mint') !== undefined
}

function shownBy(call: Call, asset: Asset): Change['shown'] {
  return asset === 'tokens' ? (amount) => tokensValue(amount, call) : (amount) => amountOf(amount, sol)
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

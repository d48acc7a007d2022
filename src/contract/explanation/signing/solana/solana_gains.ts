import {
  type Account,
  type Call,
  isInstruction,
  type Move,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, noteOf } from '../../shown_values.ts'
import { amountOf, sol } from '../shared/coins.ts'
import type { Funds } from '../shared/fee_warnings.ts'
import { accountValue, movedAmount, tokensValue } from './solana_accounts.ts'
import { type Entry, entriesOf, holdingId, lamports, mayComeBack } from './solana_ledger.ts'
import type { OwnAccounts } from './solana_own.ts'

/** An amount that somebody else's account has more after the message, as far as the message says it. */
export type Gain = { readonly to: Account; readonly amount: bigint; readonly shown: Value }

/** The gains of others, in accounts that were not the signer’s when they got them. */
export function gainsOf(calls: readonly Call[], own: OwnAccounts): readonly Gain[] {
  const sums = new Map<string, Entry>()
  for (const entry of entriesOf(calls, own).filter(({ isOwn }) => !isOwn)) {
    const id = holdingId(entry)
    sums.set(id, { ...entry, amount: (sums.get(id)?.amount ?? 0n) + entry.amount })
  }
  const gains = [...sums.values()].filter(({ amount }) => amount > 0n)
  return gains.map(({ account, asset, amount, call }) => {
    return { to: account, amount, shown: asset === lamports ? amountOf(amount, sol) : tokensValue(amount, call) }
  })
}

/** The lamports that the own accounts have less afterwards, taken together, as far as none of them may come back. */
export function fundsSent(calls: readonly Call[], own: OwnAccounts): Funds {
  const entries = entriesOf(calls, own).filter(({ asset, isOwn }) => isOwn && asset === lamports)
  const sum = entries.reduce((all, { amount }) => all - amount, 0n)
  const sent = sum > 0n ? sum : 0n
  return mayComeBack(calls, own) ? { sent: 0n, returned: sent } : { sent }
}

/** Warns of the gains of others: each gain, and those whose amount only the chain says. */
export function gainNotes(calls: readonly Call[], own: OwnAccounts): readonly Note[] {
  const unknown = movesOf(calls, 'lamports').filter(
    ({ call, to, amount }) => amount === undefined && !own.has(to, call),
  )
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

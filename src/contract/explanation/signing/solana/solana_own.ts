import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  movesOf,
  roleAt,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import { accountId } from './solana_accounts.ts'
import { controlsBy, lockupNote, mergedStake, textOf } from './solana_controls.ts'

/** The accounts that are the signer's while an instruction of the message runs. */
export type OwnAccounts = {
  readonly has: (account: Account, during: Call) => boolean
  /** Whether the account is the signer's then or was before, so that what leaves it may be the signer's. */
  readonly had: (account: Account, during: Call) => boolean
}

/** The places of the first and the last instruction during which an account is the signer's. */
type Period = { readonly first: number; readonly last: number }

/**
 * The accounts that are the signer's: its key, the accounts of tokens that are opened for it, and those that get it as
 * their only authority here. An account is the signer's from then on, until lamports are taken from it or a program that
 * is not read has it: afterwards it may be anybody's.
 */
export function ownAccounts(calls: readonly Call[], signer: string): OwnAccounts {
  const key = accountId({ key: signer })
  const set = calls.flatMap((call, place) =>
    controlsBy(call).map(({ of, authority, isFirst }) => {
      return { id: textOf(of), place, isFirst, isOwn: textOf(authority) === key }
    }),
  )
  const shared = new Set([
    ...set.flatMap(({ id, isOwn }) => (isOwn ? [] : [id])),
    ...calls.flatMap((call) => (lockupNote(call)?.values?.slice(0, 1) ?? []).map(textOf)),
  ])
  const got = [...set.filter(({ isFirst }) => isFirst), ...openedFor(calls, key)]
  const periods = new Map<string, Period>()
  for (const { id, place } of got.toSorted((one, other) => other.place - one.place)) {
    if (!shared.has(id)) periods.set(id, periodOf(id, { calls, place }))
  }
  const places = new Map(calls.map((call, place) => [call, place]))
  const isIn = (account: Account, holds: (period: Period) => boolean) => {
    const [id, period] = [accountId(account), periods.get(accountId(account))]
    return id === key || (period !== undefined && holds(period))
  }
  const placeOf = (call: Call) => places.get(call) ?? -1
  return {
    has: (account, during) => isIn(account, ({ first, last }) => first <= placeOf(during) && placeOf(during) <= last),
    had: (account, during) => isIn(account, ({ first }) => first <= placeOf(during)),
  }
}

/** The accounts of tokens that the program for them opens. It refuses one that has another owner. */
function openedFor(calls: readonly Call[], owner: string): readonly { readonly id: string; readonly place: number }[] {
  return calls.flatMap((call, place) => {
    const [opened, holder] = [accountOf(call, 'newAccount'), accountOf(call, 'owner')]
    const isOpening = call.read?.form.kind === 'newTokenAccount'
    return isOpening && opened && holder && accountId(holder) === owner ? [{ id: accountId(opened), place }] : []
  })
}

/** `place`: the instruction that sets the account up. The payment of the one that made it is the signer's too. */
function periodOf(id: string, { calls, place }: { readonly calls: readonly Call[]; readonly place: number }): Period {
  const made = calls
    .slice(0, place)
    .findLastIndex((call) => createsAccount(call) && isOf(id, accountOf(call, 'newAccount')))
  const isOpen = made === -1 || calls.slice(made, place).some((call) => isUnreadWith(id, call))
  const first = isOpen ? place : made
  const lost = calls.findIndex((call, at) => at >= first && (takesFrom(id, call) || isUnreadWith(id, call)))
  return { first, last: lost === -1 ? calls.length : lost }
}

function takesFrom(id: string, call: Call): boolean {
  return isOf(id, mergedStake(call)) || movesOf([call], 'lamports').some(({ from }) => isOf(id, from))
}

/** Whether what nobody here reads has the account: a program, or the hook of a token, which gets accounts without a role. */
function isUnreadWith(id: string, call: Call): boolean {
  return call.accounts.some((one, index) => {
    const role = roleAt(call, index)
    return (role === undefined || role === 'signers') && isOf(id, one)
  })
}

function isOf(id: string, account: Account | undefined): boolean {
  return account !== undefined && accountId(account) === id
}

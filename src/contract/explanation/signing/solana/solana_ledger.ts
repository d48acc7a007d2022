import { addressTableLookup } from '../../../../policy/language/names/payload_types.ts'
import { type InstructionId, token2022Program } from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  isInstruction,
  type Move,
  movesOf,
  roleAt,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import { accountId, isOfWrappedSol } from './solana_accounts.ts'
import { firstSetBy, isSplit, movesStake } from './solana_controls.ts'
import type { OwnAccounts } from './solana_own.ts'

/** The asset of lamports, which wrapped SOL is too: an account of it holds its tokens as lamports. */
export const lamports = 'lamports'
/** The asset of a transfer that names no mint. It may be any, wrapped SOL too. */
const unnamed = 'unnamed'

/** An amount that an account gets by a move. It leaves the account where it is less than 0. */
export type Entry = {
  readonly account: Account
  /** `lamports`, the id of a mint, or `unnamed`. */
  readonly asset: string
  readonly amount: bigint
  readonly call: Call
  /** Whether the account is the signer's while the move happens. */
  readonly isOwn: boolean
}

/**
 * The moves of a message, in its order, as two entries for each move. An amount that leaves an account is an entry only
 * if the message proves it. Unless a key that signs pays it, it is at most what the account got before, because an
 * emptied account may have another owner when it gets the same back. So no gain is hidden behind a return that may not
 * happen: each sum of an account is at least what it has more of this asset afterwards. The asset is the mint that an
 * instruction names, because an account may be closed and made again for another one.
 */
export function entriesOf(calls: readonly Call[], own: OwnAccounts): readonly Entry[] {
  const [set, untold, sums] = [firstSetBy(calls), untoldAccounts(calls), new Map<string, bigint>()]
  // A stake that is split stays with its authorities, if it has any, and so does one that moves.
  const stays = (call: Call) => (isSplit(call) ? set.has(call) : movesStake(call))
  return allMoves(calls.filter((call) => !stays(call))).flatMap((move) => {
    const { call, from, to } = move
    const [asset, isOwn] = [assetOf(move), own.had(from, call)]
    const got = greater(sums.get(holdingId({ account: from, asset })) ?? 0n, 0n)
    const amount = move.amount ?? (passesOn(move, untold) ? got : 0n)
    const left = isOwn || isPaidByKey(call) ? amount : lesser(amount, got)
    const out: Entry = { account: from, asset, amount: -left, call, isOwn }
    const entry: Entry = { account: to, asset, amount, call, isOwn: own.has(to, call) }
    const entries = mayDeliverLess(move) ? [entry] : [out, entry]
    for (const one of entries) sums.set(holdingId(one), (sums.get(holdingId(one)) ?? 0n) + one.amount)
    return entries
  })
}

/** The name of an account's holding of one asset. */
export function holdingId({ account, asset }: Pick<Entry, 'account' | 'asset'>): string {
  return JSON.stringify([asset, accountId(account)])
}

/** Whether it takes from a wallet whose key signs. The key's holder may take what the wallet gets back. */
function isPaidByKey(call: Call): boolean {
  return isInstruction(call, 'systemProgram.Transfer') || createsAccount(call)
}

/**
 * Whether an own account gets an amount from somebody else's that only the chain says. It may be all that was sent
 * there, or an amount that an unread program has moved on to it.
 */
export function mayComeBack(calls: readonly Call[], own: OwnAccounts): boolean {
  const untold = untoldAccounts(calls)
  return allMoves(calls).some((move) => {
    const { amount, call, from, to } = move
    return amount === undefined && !passesOn(move, untold) && !own.had(from, call) && own.has(to, call)
  })
}

function allMoves(calls: readonly Call[]): readonly Move[] {
  return calls.flatMap((call) => [...movesOf([call], 'lamports'), ...movesOf([call], 'tokens')])
}

/** The asset of a move. A mint may stand in a lookup table, where nobody here sees which one it is. */
export function assetOf({ call }: Move): string {
  if (call.read?.form.moves?.asset === 'lamports' || isOfWrappedSol(call)) return lamports
  const mint = accountOf(call, 'mint')
  return mint === undefined ? unnamed : accountId(mint)
}

/** Whether an amount that does not count as lamports may be lamports all the same. */
function mayBeWrapped(move: Move): boolean {
  const asset = assetOf(move)
  return asset !== lamports && (asset === unnamed || accountOf(move.call, 'mint')?.key === addressTableLookup)
}

const closing: readonly InstructionId[] = [
  'tokenProgram.CloseAccount',
  'lookupTableProgram.CloseLookupTable',
  'upgradeableLoader.Close',
]

/** Whether it sends all lamports that an account holds. */
export function closesAccount(call: Call): boolean {
  return closing.some((id) => isInstruction(call, id))
}

/** An account that is closed passes on at least what it got, if the message tells all that became of it. */
function passesOn({ call, from }: Move, untold: ReadonlySet<string>): boolean {
  return closesAccount(call) && !untold.has(accountId(from))
}

/** Token-2022 may withhold a fee that the instruction does not name. Wrapped SOL has none. */
function mayDeliverLess(move: Move): boolean {
  const { call } = move
  if (assetOf(move) === unnamed) return true
  const isOf2022 = call.program === token2022Program
  return isOf2022 && assetOf(move) !== lamports && call.read?.fields.has('withheldFee') !== true
}

/** They set an account of tokens up, and leave its lamports. */
const settingUp: readonly InstructionId[] = [
  'tokenProgram.InitializeAccount',
  'tokenProgram.InitializeAccount2',
  'tokenProgram.InitializeAccount3',
  'tokenProgram.InitializeImmutableOwner',
  'tokenProgram.SyncNative',
]

/** The accounts whose lamports may have gone by another instruction than a move of a known amount. */
function untoldAccounts(calls: readonly Call[]): ReadonlySet<string> {
  return new Set(
    calls.flatMap((call) => call.accounts.filter((_, index) => !isTold(call, index)).map((one) => accountId(one))),
  )
}

/** Whether the message tells what this instruction does to the lamports of its account at this place. */
function isTold(call: Call, index: number): boolean {
  const role = roleAt(call, index)
  // Accounts behind those with a role may be those of a hook, which is not read.
  if (role === undefined || role === 'signers') return false
  // Only the chain says how much the payer of a new account pays.
  if (call.read?.form.kind === 'newTokenAccount') return role === 'newAccount'
  if (isSplit(call) || movesStake(call)) return false
  const [move] = allMoves([call])
  if (move === undefined) return settingUp.some((id) => isInstruction(call, id))
  return !mayBeWrapped(move) && (move.amount !== undefined || closesAccount(call))
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  flatCalls,
  isInstruction,
  type Move,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Title, Value } from '../../explanation.ts'
import { address, noteOf, number } from '../../shown_values.ts'
import { amountOf, sol } from '../shared/coins.ts'
import { isSame } from '../shared/own_accounts.ts'
import { accountId, accountValue, isSameAccount, movedAmount, tokensValue } from './solana_accounts.ts'
import { isSplit, keyOrNone, movesStake, textOf } from './solana_controls.ts'
import { effectNotes, effectsOf, notesOf } from './solana_effects.ts'
import { fundsSent, type Gain, gainNotes, gainsOf, takenAmount } from './solana_gains.ts'
import { assetOf, closesAccount, lamports } from './solana_ledger.ts'
import type { OwnAccounts } from './solana_own.ts'

/** The signer's accounts, and the key that signs. */
type Signing = { readonly own: OwnAccounts; readonly signer: Value }

type WarnedTitle = { readonly title: Title; readonly warnings: readonly Note[] }

/**
 * A transaction is a payment only if nothing else is in it but the accounts of tokens that the payment opens, limits of
 * the fee, memos, and a nonce that makes it durable. No title is silent about what else moves, or who gets control of
 * an account. The one who pays for a new account may get control of it without a warning. A gain of somebody else is a
 * warning, unless the title names the account with that amount.
 */
export function titleOf(calls: readonly Call[], { own, signer }: Signing): WarnedTitle {
  const flat = flatCalls(calls)
  const moves = [...movesOf(flat, 'lamports'), ...movesOf(flat, 'tokens')]
  const paid = moves.filter(({ call }) => call.read?.form.kind === 'payment')
  const payments = new Set(paid.map(({ call }) => call))
  const others = flat.filter(
    (call) =>
      !payments.has(call) &&
      !isHarmless(call, paid) &&
      !(call === flat[0] && isInstruction(call, 'systemProgram.AdvanceNonceAccount')),
  )
  const [first] = paid
  const [other, ...more] = others
  const single = more.length === 0 && paid.length === 0 ? ownTitle(other, { own, signer }) : undefined
  if (single !== undefined) return single
  const moved = { moves, gains: gainsOf(flat, own), sent: fundsSent(flat, own).sent }
  const title =
    others.length === 0 && first !== undefined
      ? paymentTitle(first, moved)
      : callTitle(others.length === 0 ? flat : others, moved)
  const gained = gainNotes(flat, own).filter((note) => !isSaid(note, title))
  return {
    title,
    warnings: [...effectNotes(others, { calls: flat, signer }), ...gained, ...withheldNotes(flat, title)],
  }
}

/** Whether a title has all that a note says. */
function isSaid({ values: said = [] }: Note, { values }: Title): boolean {
  const texts = new Set(values.map(textOf))
  return said.every((value) => texts.has(textOf(value)))
}

/** The fees that tokens withhold from transfers. The title of a single one says its fee. */
function withheldNotes(calls: readonly Call[], title: Title): readonly Note[] {
  if (title.code === 'sendWithFee') return []
  return calls.flatMap((call) => {
    const fee = call.read?.fields.get('withheldFee')
    return typeof fee === 'bigint' && fee > 0n ? [noteOf('feeWithheld', tokensValue(fee, call))] : []
  })
}

/** The opened account of tokens must be one that is paid to. */
function isHarmless(call: Call, paid: readonly Move[]): boolean {
  if (call.read?.form.isHarmless !== true) return false
  if (call.read.form.kind !== 'newTokenAccount') return true
  const opened = accountOf(call, 'newAccount')
  return opened !== undefined && paid.some((move) => isTokens(move) && isSameAccount(move.to, opened))
}

function isTokens({ call }: Move): boolean {
  return call.read?.form.moves?.asset === 'tokens'
}

/** Also of wrapped SOL. */
function isOfLamports(move: Move): boolean {
  return assetOf(move) === lamports
}

/** The moves of a message, the gains of others by them, and the lamports that the own accounts have less. */
type Moved = { readonly moves: readonly Move[]; readonly gains: readonly Gain[]; readonly sent: bigint }

function paymentTitle(first: Move, moved: Moved): Title {
  const { moves } = moved
  if (moves.length === 1) {
    const fee = first.call.read?.fields.get('withheldFee')
    const sent = [movedAmount(first), accountValue(first.to)]
    return typeof fee === 'bigint' && fee > 0n
      ? { code: 'sendWithFee', values: [...sent, tokensValue(fee, first.call)] }
      : { code: 'send', values: sent }
  }
  const sent = moves.every(isOfLamports) ? sentIn(moved) : undefined
  if (sent !== undefined) {
    return sent.to === undefined
      ? { code: 'sendToMany', values: [sent.shown, number(moved.gains.length)] }
      : { code: 'send', values: [sent.shown, accountValue(sent.to)] }
  }
  const recipients = new Set(moves.map(({ to }) => accountId(to))).size
  return recipients === 1
    ? { code: 'sendManyTokensTo', values: [number(moves.length), accountValue(first.to)] }
    : { code: 'sendManyTokens', values: [number(moves.length), number(recipients)] }
}

/** The lamports that these move. */
export function sumOf(moves: readonly Move[]): Value {
  return amountOf(sumIn(moves), sol)
}

function sumIn(moves: readonly Move[]): bigint {
  return moves.reduce((sum, { amount = 0n }) => sum + amount, 0n)
}

/**
 * The amount that a message sends, and its recipient if all of it goes to one account. Amounts that only go on or come
 * back are not sent: their sum would show an amount that nobody gets. Undefined where a sum does not say it: with
 * several tokens, amounts that only the chain says, or payments by others.
 */
function sentIn({ moves, gains, sent }: Moved): { readonly shown: Value; readonly to?: Account } | undefined {
  const [gain, ...more] = gains
  if (gain === undefined) return undefined
  const areKnown = moves.every(({ amount }) => amount !== undefined)
  const isAll = areKnown && moves.every(({ to }) => isSameAccount(to, gain.to)) && sumIn(moves) === gain.amount
  const isNet = areKnown && moves.every(isOfLamports) && gains.reduce((sum, { amount }) => sum + amount, 0n) === sent
  if (!isAll && !isNet) return undefined
  return more.length === 0 ? { shown: gain.shown, to: gain.to } : { shown: amountOf(sent, sol) }
}

/** The title of a transaction with this instruction alone. Its further effects are warnings. */
function ownTitle(call: Call | undefined, { own, signer }: Signing): WarnedTitle | undefined {
  if (call === undefined) return undefined
  const [effect, ...others] = effectsOf(call)
  if (effect?.title !== undefined) {
    const { title: code, values, titleValues = values } = effect
    // Beside somebody else in the title, the signer would hide them.
    const ofOthers = others.filter(({ note, values: [, to] }) => note !== 'changesControl' || !isSame(to, signer))
    return { title: { code, values: titleValues }, warnings: [...notesOf(ofOthers, signer), ...gainNotes([call], own)] }
  }
  const [move] = movesOf([call], 'lamports')
  const title = move && moveTitle(move)
  return title && { title, warnings: effectNotes([call], { calls: [call], signer }) }
}

function moveTitle(move: Move): Title | undefined {
  const { call, from, to } = move
  const accounts = [accountValue(from), accountValue(to)]
  if (createsAccount(call)) {
    const owner = call.read?.fields.get('ownerProgram')
    return { code: 'createAccount', values: [accountValue(to), movedAmount(move), keyOrNone(owner)] }
  }
  if (closesAccount(call)) return { code: 'closeAccount', values: accounts }
  // It stays with its authorities.
  if (isSplit(call) || movesStake(call)) return undefined
  return { code: 'withdraw', values: [takenAmount(move), ...accounts] }
}

/** Names the programs, and what the message sends. Where a sum does not say it, the title has the only move or counts them. */
function callTitle(others: readonly Call[], moved: Moved): Title {
  const programs = new Set(others.map(({ program }) => program))
  const [program] = programs
  const isOne = programs.size === 1 && program !== undefined
  const called = isOne ? address(program) : number(programs.size)
  const [first, ...more] = moved.moves
  if (first === undefined) return { code: isOne ? 'callProgram' : 'callPrograms', values: [called] }
  const sent = sentIn(moved)
  if (sent?.to !== undefined) {
    const values = [called, sent.shown, accountValue(sent.to)]
    return { code: isOne ? 'callProgramWithPayment' : 'callProgramsWithPayment', values }
  }
  if (sent !== undefined) {
    return { code: isOne ? 'callProgramWithAmount' : 'callProgramsWithAmount', values: [called, sent.shown] }
  }
  if (more.length === 0) {
    const values = [called, takenAmount(first), accountValue(first.from), accountValue(first.to)]
    return { code: isOne ? 'callProgramWithMove' : 'callProgramsWithMove', values }
  }
  const values = [called, number(moved.moves.length)]
  return { code: isOne ? 'callProgramWithTransfers' : 'callProgramsWithTransfers', values }
}

import { systemProgram } from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  accountOf,
  type Call,
  createsAccount,
  instructionName,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, NoteCode, Value } from '../../explanation.ts'
import { code, none, noteOf, number } from '../../values.ts'
import { allowanceNote, allowedAmount } from '../allowances.ts'
import { accountValue, tokensValue } from './solana_accounts.ts'
import { accountOrNote, controlsBy, firstSetBy, keyOrNone, textOf } from './solana_controls.ts'

/**
 * What an instruction does beside moving something: who gets control of what, may spend what, and which tokens it makes.
 * Without `title` it has no title of its own.
 */
type Effect = {
  readonly title?: string
  /** Those of the title, if they are others than those of the note. */
  readonly titleValues?: readonly Value[]
  readonly note: NoteCode
  readonly values: readonly Value[]
  /** Whether it is the first to set who controls an account. */
  readonly isFirst?: true
}

export function effectsOf(call: Call): readonly Effect[] {
  const name = instructionName(call)
  const of = (role: string) => accountOrNote(accountOf(call, role))
  const { fields } = call.read ?? {}
  const amount = fields?.get('amount')
  const tokens = typeof amount === 'bigint' ? tokensValue(amount, call) : none
  const allowed = typeof amount === 'bigint' ? allowedAmount(tokens, allowanceNote(amount, 64)) : none
  const taken = (word: string, from: Value): readonly Effect[] => {
    const [what, to] = [code(word), of('destination')]
    return [{ title: 'withdraw', titleValues: [what, from, to], note: 'goesTo', values: [what, to] }]
  }
  switch (name) {
    case 'Approve':
    case 'ApproveChecked':
      return [{ title: 'approveSpender', note: 'letsSpend', values: [allowed, of('delegate')] }]
    case 'MintTo':
    case 'MintToChecked':
      return [{ title: 'makeTokens', note: 'makesTokens', values: [tokens, of('destination')] }]
    case 'ConfidentialMint':
      return [{ title: 'makeTokens', note: 'makesTokens', values: [code('hiddenAmount'), of('destination')] }]
    case 'Burn':
    case 'BurnChecked':
    case 'PermissionedBurn':
    case 'PermissionedBurnChecked':
      return [{ title: 'destroyTokens', note: 'destroysTokens', values: [tokens, of('source')] }]
    case 'ConfidentialBurn':
      return [{ title: 'destroyTokens', note: 'destroysTokens', values: [code('hiddenAmount'), of('source')] }]
    case 'ConfidentialTransfer':
    case 'ConfidentialTransferWithFee':
      return taken('hiddenAmount', of('source'))
    case 'WithdrawWithheldTokensFromMint':
    case 'WithdrawWithheldTokensFromAccounts':
    case 'WithdrawConfidentialFeesFromMint':
    case 'WithdrawConfidentialFeesFromAccounts':
      return taken('withheldFees', of('mint'))
    case 'DelegateStake':
      return [{ title: 'delegateStake', note: 'delegatesStake', values: [of('stakeAccount'), of('voteAccount')] }]
    case 'FreezeAccount':
      return [{ title: 'freezeAccount', note: 'freezesAccount', values: [of('account')] }]
    case 'Pause':
      return [{ title: 'freezeAccount', note: 'freezesAccount', values: [of('mint')] }]
    case 'InitializeDefaultAccountState':
    case 'UpdateDefaultAccountState':
      return fields?.get('accountState') === 'Frozen' ? [{ note: 'freezesNewAccounts', values: [of('mint')] }] : []
  }
  return [...controlsBy(call).map(controlEffect), ...feeOf(call)]
}

function controlEffect({ of, authority, isFirst }: ReturnType<typeof controlsBy>[number]): Effect {
  const effect = { title: 'changeControl', note: 'changesControl', values: [of, authority] } as const
  return isFirst ? { ...effect, isFirst } : effect
}

/** What a token withholds from each transfer from then on. */
function feeOf(call: Call): readonly Effect[] {
  const points = call.read?.fields.get('feeBasisPoints')
  const most = call.read?.fields.get('feeMax')
  if (typeof points !== 'bigint' || typeof most !== 'bigint' || points === 0n || most === 0n) return []
  const mint = accountOrNote(accountOf(call, 'mint'))
  return [{ note: 'withholdsFee', values: [mint, number(points), tokensValue(most, call)] }]
}

/** The control of a new account is its program's, if no instruction of these says whose. The System program pays to its key. */
function newAccountNotes(calls: readonly Call[]): readonly Note[] {
  const set = new Set(calls.map(firstSetBy))
  return calls.flatMap((call) => {
    const [account, owner] = [accountOf(call, 'newAccount'), call.read?.fields.get('ownerProgram')]
    if (!createsAccount(call) || account === undefined || owner === systemProgram) return []
    const shown = accountValue(account)
    return set.has(textOf(shown)) ? [] : [noteOf('changesControl', shown, keyOrNone(owner))]
  })
}

/** What these instructions do. Who pays for a new account and gets control of it gives nothing away. */
export function effectNotes(calls: readonly Call[]): readonly Note[] {
  const funders = new Map(
    movesOf(calls, 'lamports')
      .filter(({ call }) => createsAccount(call))
      .map(({ to, from }) => [textOf(accountValue(to)), textOf(accountValue(from))]),
  )
  const effects = calls.flatMap(effectsOf).filter(({ isFirst, values: [account = none, authority = none] }) => {
    return isFirst !== true || funders.get(textOf(account)) !== textOf(authority)
  })
  return [...notesOf(effects), ...newAccountNotes(calls)]
}

export function notesOf(effects: readonly Effect[]): readonly Note[] {
  return effects.map(({ note, values }) => noteOf(note, ...values))
}

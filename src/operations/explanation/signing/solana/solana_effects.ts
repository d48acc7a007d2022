import { type FieldValue, systemProgram } from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  instructionName,
  type Move,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, NoteCode, Value } from '../../explanation.ts'
import { address, code, none, note, noteOf, number } from '../../values.ts'
import { allowanceNote, allowedAmount } from '../allowances.ts'
import { accountValue, isSameAccount, movedAmount, tokensValue } from './solana_accounts.ts'

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

/** The account that an instruction is about, and the account or the field that names who gets control of it. */
type Control = {
  readonly of: string
  readonly field?: string
  readonly account?: string
  readonly isFirst?: true
  /** Without it, nobody gets this control, or it stays as it is. */
  readonly isOptional?: true
}

const firstOf = (of: string, field: string): Control => ({ of, field, isFirst: true })
/** An authority over something of a new mint. */
const firstOfMint = (field: string): Control => ({ ...firstOf('mint', field), isOptional: true })

const controls: Readonly<Record<string, readonly Control[]>> = {
  SetAuthority: [{ of: 'account', field: 'newAuthority' }],
  AuthorizeNonceAccount: [{ of: 'nonceAccount', field: 'newAuthority' }],
  Authorize: [{ of: 'stakeAccount', field: 'newAuthority' }],
  AuthorizeWithSeed: [{ of: 'stakeAccount', field: 'newAuthority' }],
  AuthorizeChecked: [{ of: 'stakeAccount', account: 'newAuthority' }],
  AuthorizeCheckedWithSeed: [{ of: 'stakeAccount', account: 'newAuthority' }],
  // While a stake is locked up, nobody withdraws without the custodian.
  SetLockup: [{ of: 'stakeAccount', field: 'custodian', isOptional: true }],
  SetLockupChecked: [{ of: 'stakeAccount', account: 'custodian', isOptional: true }],
  Assign: [{ of: 'account', field: 'ownerProgram' }],
  AssignWithSeed: [{ of: 'account', field: 'ownerProgram' }],
  AllocateWithSeed: [{ of: 'account', field: 'ownerProgram' }],
  InitializePermanentDelegate: [{ of: 'mint', field: 'delegate' }],
  InitializeNonceAccount: [firstOf('nonceAccount', 'newAuthority')],
  Initialize: [firstOf('stakeAccount', 'withdrawer'), firstOf('stakeAccount', 'staker')],
  InitializeChecked: [
    { of: 'stakeAccount', account: 'withdrawer', isFirst: true },
    { of: 'stakeAccount', account: 'staker', isFirst: true },
  ],
  InitializeAccount: [{ of: 'account', account: 'owner', isFirst: true }],
  InitializeAccount2: [firstOf('account', 'owner')],
  InitializeAccount3: [firstOf('account', 'owner')],
  InitializeMint: [firstOf('mint', 'mintAuthority'), firstOfMint('freezeAuthority')],
  InitializeMint2: [firstOf('mint', 'mintAuthority'), firstOfMint('freezeAuthority')],
  InitializeMintCloseAuthority: [firstOfMint('closeAuthority')],
  InitializeTransferFeeConfig: [firstOfMint('feeAuthority'), firstOfMint('withdrawAuthority')],
  InitializeConfidentialTransferMint: [firstOfMint('newAuthority')],
  InitializeInterestBearingMint: [firstOfMint('newAuthority')],
  // A program that every transfer calls may refuse it.
  InitializeTransferHook: [firstOfMint('newAuthority'), { of: 'mint', field: 'hookProgram', isOptional: true }],
  UpdateTransferHook: [{ of: 'mint', field: 'hookProgram' }],
  InitializeConfidentialTransferFee: [firstOfMint('newAuthority')],
  InitializeMetadataPointer: [firstOfMint('newAuthority')],
  InitializeGroupPointer: [firstOfMint('newAuthority')],
  InitializeGroupMemberPointer: [firstOfMint('newAuthority')],
  InitializeScaledUiAmount: [firstOfMint('newAuthority')],
  InitializePausable: [firstOfMint('newAuthority')],
  InitializePermissionedBurn: [firstOfMint('newAuthority')],
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
  return [...controlsBy(call), ...feeOf(call)]
}

/** Each who gets control, once. */
function controlsBy(call: Call): readonly Effect[] {
  const effects = controlsOf(call).flatMap(({ of, field, account, isFirst, isOptional }): readonly Effect[] => {
    const holder = account === undefined ? undefined : accountOf(call, account)
    const key = call.read?.fields.get(field ?? '')
    if (isOptional && holder === undefined && key === undefined) return []
    const authority = account === undefined ? keyOrNone(key) : accountOrNote(holder)
    const values = [accountOrNote(accountOf(call, of)), authority]
    return [{ title: 'changeControl', note: 'changesControl', values, ...(isFirst ? { isFirst } : {}) }]
  })
  return [...new Map(effects.map((effect) => [JSON.stringify(effect.values), effect])).values()]
}

/** What a token withholds from each transfer from then on. */
function feeOf(call: Call): readonly Effect[] {
  const points = call.read?.fields.get('feeBasisPoints')
  const most = call.read?.fields.get('feeMax')
  if (typeof points !== 'bigint' || typeof most !== 'bigint' || points === 0n || most === 0n) return []
  const mint = accountOrNote(accountOf(call, 'mint'))
  return [{ note: 'withholdsFee', values: [mint, number(points), tokensValue(most, call)] }]
}

/** The account that an instruction is the first to set the control of. An extension, which comes before, sets optional ones. */
function firstSetBy(call: Call): string | undefined {
  const [{ of = '', isFirst = false, isOptional = false } = {}] = controlsOf(call)
  return isFirst && !isOptional ? textOf(accountOrNote(accountOf(call, of))) : undefined
}

function controlsOf(call: Call): readonly Control[] {
  const name = instructionName(call)
  return Object.hasOwn(controls, name) ? (controls[name] ?? []) : []
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
  return [...notesOf(effects), ...newAccountNotes(calls), ...emptiedNotes(calls)]
}

export function notesOf(effects: readonly Effect[]): readonly Note[] {
  return effects.map(({ note, values }) => noteOf(note, ...values))
}

/** What somebody other than its owner gets of an account of tokens beside tokens. */
function emptiedNotes(calls: readonly Call[]): readonly Note[] {
  return movesOf(calls, 'lamports').flatMap((move) => {
    const owner = accountOf(move.call, 'owner')
    const isOfTokens = move.call.read?.form.roles.includes('owner') === true
    if (!isOfTokens || (owner !== undefined && isSameAccount(owner, move.to))) return []
    return [noteOf('goesTo', takenAmount(move), accountValue(move.to))]
  })
}

/** The lamports that an instruction takes from an account of tokens. Often only the chain says how many. */
export function takenAmount(move: Move): Value {
  if (move.amount !== undefined) return movedAmount(move)
  return code(instructionName(move.call) === 'WithdrawExcessLamports' ? 'excessLamports' : 'allLamports')
}

/** A stake that is locked up until a time or an epoch stays there, unless the custodian agrees to a withdrawal. */
export function lockupNote(call: Call): Note | undefined {
  const { fields } = call.read ?? {}
  const [until, epoch] = [fields?.get('lockupUnixTimestamp') ?? 0n, fields?.get('lockupEpoch') ?? 0n]
  const isLocked = until !== 0n || epoch !== 0n
  const stake = accountOrNote(accountOf(call, 'stakeAccount'))
  if (!isLocked) return undefined
  // A change may leave the custodian who there is.
  const custodian = fields?.get('custodian')
  const holder = accountOf(call, 'custodian')
  if (holder !== undefined) return noteOf('locksUp', stake, accountValue(holder))
  if (custodian === undefined) return noteOf('locksUp', stake, code('presentCustodian'))
  return custodian === fields?.get('withdrawer') ? undefined : noteOf('locksUp', stake, keyOrNone(custodian))
}

/** A key that a field names. */
export function keyOrNone(value: FieldValue): Value {
  return typeof value === 'string' ? address(value) : none
}

function accountOrNote(account: Account | undefined): Value {
  return account === undefined ? note('unreadable') : accountValue(account)
}

/** Two values are one if they have the same text. */
function textOf(value: Value): string {
  return JSON.stringify(value)
}

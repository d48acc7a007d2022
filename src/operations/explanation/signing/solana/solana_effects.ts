import { type FieldValue, systemProgram } from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  instructionName,
  movesOf,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, NoteCode, Value } from '../../explanation.ts'
import { address, none, note, noteOf } from '../../values.ts'
import { accountValue, tokensValue } from './solana_accounts.ts'

/** What an instruction does beside moving something: who gets control of what, may spend what, and which tokens it makes. */
type Effect = {
  readonly title: string
  readonly note: NoteCode
  readonly values: readonly Value[]
  /** Whether it is the first to set who controls an account. */
  readonly isFirst?: true
}

/** The account that an instruction is about, and the account or the field that names who gets control of it. */
type Control = { readonly of: string; readonly field?: string; readonly account?: string; readonly isFirst?: true }

const controls: Readonly<Record<string, Control>> = {
  SetAuthority: { of: 'account', field: 'newAuthority' },
  AuthorizeNonceAccount: { of: 'nonceAccount', field: 'newAuthority' },
  Authorize: { of: 'stakeAccount', field: 'newAuthority' },
  AuthorizeWithSeed: { of: 'stakeAccount', field: 'newAuthority' },
  AuthorizeChecked: { of: 'stakeAccount', account: 'newAuthority' },
  AuthorizeCheckedWithSeed: { of: 'stakeAccount', account: 'newAuthority' },
  Assign: { of: 'account', field: 'ownerProgram' },
  AssignWithSeed: { of: 'account', field: 'ownerProgram' },
  AllocateWithSeed: { of: 'account', field: 'ownerProgram' },
  InitializePermanentDelegate: { of: 'mint', field: 'delegate' },
  InitializeNonceAccount: { of: 'nonceAccount', field: 'newAuthority', isFirst: true },
  Initialize: { of: 'stakeAccount', field: 'withdrawer', isFirst: true },
  InitializeChecked: { of: 'stakeAccount', account: 'withdrawer', isFirst: true },
  InitializeAccount: { of: 'account', account: 'owner', isFirst: true },
  InitializeAccount2: { of: 'account', field: 'owner', isFirst: true },
  InitializeAccount3: { of: 'account', field: 'owner', isFirst: true },
  InitializeMint: { of: 'mint', field: 'mintAuthority', isFirst: true },
  InitializeMint2: { of: 'mint', field: 'mintAuthority', isFirst: true },
}

export function effectOf(call: Call): Effect | undefined {
  const name = instructionName(call)
  const of = (role: string) => accountOrNote(accountOf(call, role))
  const amount = call.read?.fields.get('amount')
  const tokens = typeof amount === 'bigint' ? tokensValue(amount, call) : none
  switch (name) {
    case 'Approve':
    case 'ApproveChecked':
      return { title: 'approveSpender', note: 'letsSpend', values: [tokens, of('delegate')] }
    case 'MintTo':
    case 'MintToChecked':
      return { title: 'makeTokens', note: 'makesTokens', values: [tokens, of('destination')] }
    case 'Burn':
    case 'BurnChecked':
      return { title: 'destroyTokens', note: 'destroysTokens', values: [tokens, of('source')] }
    case 'FreezeAccount':
      return { title: 'freezeAccount', note: 'freezesAccount', values: [of('account')] }
  }
  const control = Object.hasOwn(controls, name) ? controls[name] : undefined
  if (control === undefined) return undefined
  const { field, account, isFirst } = control
  const authority = account === undefined ? keyOrNone(call.read?.fields.get(field ?? '')) : of(account)
  return {
    ...{ title: 'changeControl', note: 'changesControl', values: [of(control.of), authority] },
    ...(isFirst ? { isFirst } : {}),
  }
}

/** The account that an instruction is the first to set the control of. */
function firstSetBy(call: Call): string | undefined {
  const { isFirst, values: [account = none] = [] } = effectOf(call) ?? {}
  return isFirst === true ? textOf(account) : undefined
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
  const effects = calls.flatMap((call) => {
    const effect = effectOf(call)
    if (effect === undefined) return []
    const [account = none, authority = none] = effect.values
    const isOfFunder = effect.isFirst === true && funders.get(textOf(account)) === textOf(authority)
    return isOfFunder ? [] : [noteOf(effect.note, ...effect.values)]
  })
  return [...effects, ...newAccountNotes(calls)]
}

/** A stake that is locked up until a time or an epoch stays there, unless the custodian agrees to a withdrawal. */
export function lockupNote(call: Call): Note | undefined {
  const { fields } = call.read ?? {}
  const [until, epoch] = [fields?.get('lockupUnixTimestamp') ?? 0n, fields?.get('lockupEpoch') ?? 0n]
  const custodian = fields?.get('custodian')
  const isLocked = until !== 0n || epoch !== 0n
  if (!isLocked || custodian === fields?.get('withdrawer')) return undefined
  return noteOf('locksUp', accountOrNote(accountOf(call, 'stakeAccount')), keyOrNone(custodian))
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

import type { FieldValue } from '../../../policy/transactions/solana/read_instruction.ts'
import { type Account, accountOf, type Call, movesOf } from '../../../policy/transactions/solana/solana_calls.ts'
import type { Note, NoteCode, Value } from '../explanation.ts'
import { address, none, note, noteOf } from '../values.ts'
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
  const name = call.read?.form.code ?? ''
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

/** What these instructions do. Who pays for a new account and gets control of it gives nothing away. */
export function effectNotes(calls: readonly Call[]): readonly Note[] {
  const funders = new Map(
    movesOf(calls, 'lamports')
      .filter(({ call }) => call.read?.form.code.startsWith('CreateAccount') === true)
      .map(({ to, from }) => [textOf(accountValue(to)), textOf(accountValue(from))]),
  )
  return calls.flatMap((call) => {
    const effect = effectOf(call)
    if (effect === undefined) return []
    const [account = none, authority = none] = effect.values
    const isOfFunder = effect.isFirst === true && funders.get(textOf(account)) === textOf(authority)
    return isOfFunder ? [] : [noteOf(effect.note, ...effect.values)]
  })
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

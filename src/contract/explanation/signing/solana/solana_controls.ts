import type { FieldValue, InstructionId } from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  type Account,
  accountOf,
  accountsOf,
  type Call,
  isInstruction,
  signersForHook,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Value } from '../../explanation.ts'
import { address, code, none, note, noteOf } from '../../shown_values.ts'
import { accountId, accountValue, isSameAccount } from './solana_accounts.ts'

/** The account that an instruction is about, and the account or the field that names who gets control of it. */
type Control = {
  readonly of: string
  readonly field?: string
  readonly account?: string
  readonly isFirst?: true
  /** The account that pays for it gives nothing away if it gets this control. */
  readonly payer?: string
  /** Without it, nobody gets this control, or it stays as it is. */
  readonly isOptional?: true
}

const firstOf = (of: string, field: string): Control => ({ of, field, isFirst: true })
/** An account that may be missing. Then nobody gets control. */
const optionalAccount = (account: string) => ({ account, field: account })
/** An authority over something of a new mint. */
const firstOfMint = (field: string): Control => ({ ...firstOf('mint', field), isOptional: true })

const controls: Readonly<Partial<Record<InstructionId, readonly Control[]>>> = {
  'tokenProgram.SetAuthority': [{ of: 'account', field: 'newAuthority' }],
  'systemProgram.AuthorizeNonceAccount': [{ of: 'nonceAccount', field: 'newAuthority' }],
  'stakeProgram.Authorize': [{ of: 'stakeAccount', field: 'newAuthority' }],
  'stakeProgram.AuthorizeWithSeed': [{ of: 'stakeAccount', field: 'newAuthority' }],
  'stakeProgram.AuthorizeChecked': [{ of: 'stakeAccount', account: 'newAuthority' }],
  'stakeProgram.AuthorizeCheckedWithSeed': [{ of: 'stakeAccount', account: 'newAuthority' }],
  // While a stake is locked up, nobody withdraws without the custodian.
  'stakeProgram.SetLockup': [{ of: 'stakeAccount', field: 'custodian', isOptional: true }],
  'stakeProgram.SetLockupChecked': [{ of: 'stakeAccount', account: 'custodian', isOptional: true }],
  'systemProgram.Assign': [{ of: 'account', field: 'ownerProgram' }],
  'systemProgram.AssignWithSeed': [{ of: 'account', field: 'ownerProgram' }],
  'systemProgram.AllocateWithSeed': [{ of: 'account', field: 'ownerProgram' }],
  'tokenProgram.InitializePermanentDelegate': [{ of: 'mint', field: 'delegate' }],
  'systemProgram.InitializeNonceAccount': [firstOf('nonceAccount', 'newAuthority')],
  'stakeProgram.Initialize': [firstOf('stakeAccount', 'withdrawer'), firstOf('stakeAccount', 'staker')],
  'stakeProgram.InitializeChecked': [
    { of: 'stakeAccount', account: 'withdrawer', isFirst: true },
    { of: 'stakeAccount', account: 'staker', isFirst: true },
  ],
  'tokenProgram.InitializeAccount': [{ of: 'account', account: 'owner', isFirst: true }],
  'tokenProgram.InitializeMultisig': [{ of: 'account', account: 'signers', isFirst: true }],
  'tokenProgram.InitializeMultisig2': [{ of: 'account', account: 'signers', isFirst: true }],
  'tokenProgram.InitializeAccount2': [firstOf('account', 'owner')],
  'tokenProgram.InitializeAccount3': [firstOf('account', 'owner')],
  'tokenProgram.InitializeMint': [firstOf('mint', 'mintAuthority'), firstOfMint('freezeAuthority')],
  'tokenProgram.InitializeMint2': [firstOf('mint', 'mintAuthority'), firstOfMint('freezeAuthority')],
  'tokenProgram.InitializeMintCloseAuthority': [firstOfMint('closeAuthority')],
  'tokenProgram.InitializeTransferFeeConfig': [firstOfMint('feeAuthority'), firstOfMint('withdrawAuthority')],
  'tokenProgram.InitializeConfidentialTransferMint': [firstOfMint('newAuthority')],
  'tokenProgram.InitializeInterestBearingMint': [firstOfMint('newAuthority')],
  // A program that every transfer calls may refuse it.
  'tokenProgram.InitializeTransferHook': [
    firstOfMint('newAuthority'),
    { of: 'mint', field: 'hookProgram', isOptional: true },
  ],
  'tokenProgram.UpdateTransferHook': [{ of: 'mint', field: 'hookProgram' }],
  'tokenProgram.InitializeConfidentialTransferFee': [firstOfMint('newAuthority')],
  'tokenProgram.InitializeMetadataPointer': [firstOfMint('newAuthority')],
  'tokenProgram.InitializeGroupPointer': [firstOfMint('newAuthority')],
  'tokenProgram.InitializeGroupMemberPointer': [firstOfMint('newAuthority')],
  'tokenProgram.InitializeScaledUiAmount': [firstOfMint('newAuthority')],
  'tokenProgram.InitializePausable': [firstOfMint('newAuthority')],
  'tokenProgram.InitializePermissionedBurn': [firstOfMint('newAuthority')],
  'voteProgram.InitializeAccount': [firstOf('voteAccount', 'withdrawer'), firstOf('voteAccount', 'voter')],
  'voteProgram.Authorize': [{ of: 'voteAccount', field: 'newAuthority' }],
  'voteProgram.AuthorizeWithSeed': [{ of: 'voteAccount', field: 'newAuthority' }],
  'voteProgram.AuthorizeChecked': [{ of: 'voteAccount', account: 'newAuthority' }],
  'voteProgram.AuthorizeCheckedWithSeed': [{ of: 'voteAccount', account: 'newAuthority' }],
  // It gets fees of the blocks.
  'voteProgram.UpdateValidatorIdentity': [{ of: 'voteAccount', account: 'validatorIdentity' }],
  'lookupTableProgram.CreateLookupTable': [
    { of: 'lookupTable', account: 'tableAuthority', isFirst: true, payer: 'fundingAccount' },
  ],
  'upgradeableLoader.InitializeBuffer': [{ of: 'buffer', ...optionalAccount('bufferAuthority'), isFirst: true }],
  'upgradeableLoader.DeployWithMaxDataLen': [
    { of: 'deployedProgram', account: 'upgradeAuthority', isFirst: true, payer: 'fundingAccount' },
  ],
  'upgradeableLoader.SetAuthority': [{ of: 'account', ...optionalAccount('newAuthority') }],
  'upgradeableLoader.SetAuthorityChecked': [{ of: 'account', account: 'newAuthority' }],
}

/** The authority that gets control of an account. `isFirst`: nobody was set to have it before. */
type SetControl = { readonly of: Value; readonly authority: Value; readonly isFirst: boolean }

/** Each who gets control by an instruction, once. */
export function controlsBy(call: Call): readonly SetControl[] {
  const set = controlsOf(call).flatMap((control): readonly SetControl[] => {
    const { of, field, account, payer, isFirst = false, isOptional } = control
    const holders = account === undefined ? [] : accountsOf(call, account)
    const key = call.read?.fields.get(field ?? '')
    if (isOptional && holders.length === 0 && key === undefined) return []
    const paying = payer === undefined ? undefined : accountOf(call, payer)
    const missing = field === undefined ? note('unreadable') : keyOrNone(key)
    const authorities =
      holders.length === 0
        ? [missing]
        : holders.filter((one) => !(paying && isSameAccount(one, paying))).map((one) => accountValue(one))
    return authorities.map((authority) => ({ of: accountOrNote(accountOf(call, of)), authority, isFirst }))
  })
  return [...new Map(set.map((one) => [textOf([one.of, one.authority]), one])).values()]
}

/**
 * The account that each call is the first to set the control of. An extension, which comes before, sets optional ones.
 * Both parts of a stake that is split have the authorities of the whole. Only a stake without authorities must sign for
 * its split, and then has none to give. So one that signs must have been set up before, and not been merged since.
 */
export function firstSetBy(calls: readonly Call[]): ReadonlyMap<Call, string> {
  const [set, areSet] = [new Map<Call, string>(), new Set<string>()]
  for (const call of calls) {
    const merged = mergedStake(call)
    if (merged !== undefined) areSet.delete(accountId(merged))
    const account = firstSetIn(call, areSet)
    if (account === undefined) continue
    set.set(call, account)
    areSet.add(account)
  }
  return set
}

/** `areSet`: the accounts that were set up before. */
function firstSetIn(call: Call, areSet: ReadonlySet<string>): string | undefined {
  if (isSplit(call)) {
    const split = accountOf(call, 'stakeAccount')
    const isOpen = split?.signer === true && !areSet.has(accountId(split))
    return isOpen ? undefined : textOf(accountOrNote(accountOf(call, 'newAccount')))
  }
  const [{ of = '', isFirst = false, isOptional = false } = {}] = controlsOf(call)
  return isFirst && !isOptional ? textOf(accountOrNote(accountOf(call, of))) : undefined
}

/** Only between stakes with the same authorities: the program refuses any other. */
export function movesStake(call: Call): boolean {
  return isInstruction(call, 'stakeProgram.MoveStake') || isInstruction(call, 'stakeProgram.MoveLamports')
}

export function isSplit(call: Call): boolean {
  return isInstruction(call, 'stakeProgram.Split')
}

/** The stake that a merge empties. It has no authorities afterwards, so the holder of its key takes what it gets. */
export function mergedStake(call: Call): Account | undefined {
  return isInstruction(call, 'stakeProgram.Merge') ? accountOf(call, 'source') : undefined
}

function controlsOf({ read }: Call): readonly Control[] {
  return (read && controls[read.id]) ?? []
}

/** A stake that is locked up until a time or an epoch stays there, unless the custodian agrees to a withdrawal. */
export function lockupNote(call: Call): Note | undefined {
  const { fields } = call.read ?? {}
  const [until, epoch] = [fields?.get('lockupUnixTimestamp') ?? 0n, fields?.get('lockupEpoch') ?? 0n]
  if (until === 0n && epoch === 0n) return undefined
  const stake = accountOrNote(accountOf(call, 'stakeAccount'))
  // A change may leave the custodian who there is.
  const custodian = fields?.get('custodian')
  const holder = accountOf(call, 'custodian')
  if (holder !== undefined) return noteOf('locksUp', stake, accountValue(holder))
  if (custodian === undefined) return noteOf('locksUp', stake, code('presentCustodian'))
  return custodian === fields?.get('withdrawer') ? undefined : noteOf('locksUp', stake, keyOrNone(custodian))
}

/** Warns that the signer signs for the hook of a token too. */
export function hookNote(call: Call, signer: string): Note | undefined {
  const mint = accountOf(call, 'mint')
  if (mint === undefined || !signersForHook(call).some(({ key }) => key === signer)) return undefined
  return noteOf('signsForHook', accountValue(mint), address(signer))
}

/** A key that a field names. */
export function keyOrNone(value: FieldValue): Value {
  return typeof value === 'string' ? address(value) : none
}

export function accountOrNote(account: Account | undefined): Value {
  return account === undefined ? note('unreadable') : accountValue(account)
}

/** Two values are one if they have the same text. */
export function textOf(value: Value | readonly Value[]): string {
  return JSON.stringify(value)
}

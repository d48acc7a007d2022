import { accountExtensions } from '../../../../policy/transactions/solana/extension_forms.ts'
import {
  builtInPrograms,
  type FieldValue,
  type InstructionId,
  systemProgram,
} from '../../../../policy/transactions/solana/read_instruction.ts'
import {
  type Account,
  accountOf,
  type Call,
  createsAccount,
  movesOf,
  provesNew,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { NoteCode } from '../../codes/note_codes.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, none, noteOf, number, text } from '../../shown_values.ts'
import type { TitleCode } from '../../texts/title_texts.ts'
import { allowanceNote, allowedAmount } from '../shared/allowances.ts'
import { isSame, itselfNote, ownNote } from '../shared/own_accounts.ts'
import { accountId, accountValue, isSameAccount, tokensValue } from './solana_accounts.ts'
import { accountOrNote, controlsBy, firstSetBy, keyOrNone, textOf } from './solana_controls.ts'

/**
 * The effect of an instruction beside a transfer: who gets control of what, may spend what, and which tokens it makes.
 * Without `title` it has no title of its own.
 */
type Effect = {
  readonly title?: TitleCode
  /** The values of the title, if they are others than those of the note. */
  readonly titleValues?: readonly Value[]
  /** Without it, the effect is no warning: a title alone says it. */
  readonly note?: NoteCode
  readonly values: readonly Value[]
  /** Whether it is the first to set who controls an account. */
  readonly isFirst?: true
  /** It counts only if this is the key that signs. */
  readonly ofKey?: Value
}

export function effectsOf(call: Call): readonly Effect[] {
  const of = (role: string) => accountOrNote(accountOf(call, role))
  const { fields } = call.read ?? {}
  const amount = fields?.get('amount')
  const tokens = typeof amount === 'bigint' ? tokensValue(amount, call) : none
  const allowed = typeof amount === 'bigint' ? allowedAmount(tokens, allowanceNote(amount, 64)) : none
  const taken = (word: string, from: Value): readonly Effect[] => {
    const [what, to] = [code(word), of('destination')]
    return [{ title: 'withdraw', titleValues: [what, from, to], note: 'goesTo', values: [what, to] }]
  }
  switch (call.read?.id) {
    case 'systemProgram.Assign':
    case 'systemProgram.AssignWithSeed':
      return ownerEffects(of('account'), fields?.get('ownerProgram'))
    case 'systemProgram.AllocateWithSeed':
      return [
        ...ownerEffects(of('account'), fields?.get('ownerProgram')),
        ...dataEffects(call, { account: of('account'), key: keyOrNone(fields?.get('base')) }),
      ]
    case 'systemProgram.Allocate':
      return dataEffects(call, { account: of('account'), key: of('account') })
    case 'tokenProgram.DisableCpiGuard':
    case 'tokenProgram.DisableMemoTransfers':
      return [{ note: 'endsProtection', values: [of('account'), nameOf(call)] }]
    case 'tokenProgram.Approve':
    case 'tokenProgram.ApproveChecked':
      return [{ title: 'approveSpender', note: 'letsSpend', values: [allowed, of('delegate')] }]
    case 'tokenProgram.MintTo':
    case 'tokenProgram.MintToChecked':
      return [{ title: 'makeTokens', note: 'makesTokens', values: [tokens, of('destination')] }]
    case 'tokenProgram.ConfidentialMint':
      return [{ title: 'makeTokens', note: 'makesTokens', values: [code('hiddenAmount'), of('destination')] }]
    case 'tokenProgram.Burn':
    case 'tokenProgram.BurnChecked':
    case 'tokenProgram.PermissionedBurn':
    case 'tokenProgram.PermissionedBurnChecked':
      return [{ title: 'destroyTokens', note: 'destroysTokens', values: [tokens, of('source')] }]
    case 'tokenProgram.ConfidentialBurn':
      return [{ title: 'destroyTokens', note: 'destroysTokens', values: [code('hiddenAmount'), of('source')] }]
    case 'tokenProgram.ConfidentialTransfer':
    case 'tokenProgram.ConfidentialTransferWithFee':
      return taken('hiddenAmount', of('source'))
    case 'tokenProgram.WithdrawWithheldTokensFromMint':
    case 'tokenProgram.WithdrawWithheldTokensFromAccounts':
    case 'tokenProgram.WithdrawConfidentialFeesFromMint':
    case 'tokenProgram.WithdrawConfidentialFeesFromAccounts':
      return taken('withheldFees', of('mint'))
    case 'lookupTableProgram.CreateLookupTable': {
      const values = [of('lookupTable'), of('tableAuthority'), of('fundingAccount')]
      return [{ title: 'createLookupTable', values }, ...controlsBy(call).map(controlEffect)]
    }
    case 'lookupTableProgram.ExtendLookupTable': {
      const added = fields?.get('newAddresses')
      const count = typeof added === 'object' ? added.length : 0
      return rentEffects(call, { bytes: 32n * BigInt(count), owner: 'tableAuthority' })
    }
    case 'tokenProgram.Reallocate': {
      const names = fields?.get('accountExtensions')
      const bytes = bytesOfExtensions(typeof names === 'object' ? names : [])
      return rentEffects(call, { bytes, owner: 'owner', note: 'rentForUpTo' })
    }
    case 'upgradeableLoader.DeployWithMaxDataLen': {
      const values = [of('deployedProgram'), of('buffer'), of('upgradeAuthority')]
      return [{ title: 'deployProgram', values }, ...controlsBy(call).map(controlEffect)]
    }
    // Anybody may pay for the program of somebody else, who may close it.
    case 'upgradeableLoader.ExtendProgram':
      return rentEffects(call, { bytes: fields?.get('additionalBytes'), owner: 'programData' })
    case 'upgradeableLoader.ExtendProgramChecked':
      return rentEffects(call, { bytes: fields?.get('additionalBytes'), owner: 'upgradeAuthority' })
    case 'upgradeableLoader.Upgrade':
      return [{ title: 'upgradeProgram', note: 'upgradesProgram', values: [of('deployedProgram'), of('buffer')] }]
    case 'upgradeableLoader.Close': {
      const ended = accountOf(call, 'deployedProgram')
      // A buffer that is closed has no program.
      if (ended === undefined) return []
      const values = [accountValue(ended)]
      return [
        {
          title: 'endProgram',
          titleValues: [...values, of('account'), of('destination')],
          note: 'endsProgram',
          values,
        },
      ]
    }
    case 'stakeProgram.DelegateStake':
      return [{ title: 'delegateStake', note: 'delegatesStake', values: [of('stakeAccount'), of('voteAccount')] }]
    case 'tokenProgram.FreezeAccount':
      return [{ title: 'freezeAccount', note: 'freezesAccount', values: [of('account')] }]
    case 'tokenProgram.Pause':
      return [{ title: 'freezeAccount', note: 'freezesAccount', values: [of('mint')] }]
    case 'tokenProgram.ThawAccount':
      return [{ title: 'thawAccount', note: 'thawsAccount', values: [of('account')] }]
    case 'tokenProgram.Resume':
      return [{ title: 'thawAccount', note: 'thawsAccount', values: [of('mint')] }]
    case 'lookupTableProgram.FreezeLookupTable':
      return [{ title: 'freezeLookupTable', note: 'freezesTable', values: [of('lookupTable')] }]
    case 'tokenProgram.InitializeDefaultAccountState':
    case 'tokenProgram.UpdateDefaultAccountState':
      return fields?.get('accountState') === 'Frozen' ? [{ note: 'freezesNewAccounts', values: [of('mint')] }] : []
  }
  return [...controlsBy(call).map(controlEffect), ...feeOf(call), ...settingOf(call)]
}

type Rent = { readonly bytes: FieldValue; readonly owner: string; readonly note?: NoteCode }

/** The payer of an account's new bytes gives their rent away, unless it is the own account. */
function rentEffects(call: Call, { bytes, owner, note = 'rentFor' }: Rent): readonly Effect[] {
  const [payer, holder] = [accountOf(call, 'fundingAccount'), accountOf(call, owner)]
  if (payer === undefined || typeof bytes !== 'bigint' || bytes === 0n) return []
  if (holder !== undefined && isSameAccount(payer, holder)) return []
  return [{ note: 'goesTo', values: [noteOf(note, number(bytes)), accountOrNote(holder)] }]
}

/**
 * How many bytes an account of tokens gets at most for these extensions, each with its number and its length. The first
 * one takes a byte for the type of the account, and two more pad an account that would be as long as a multisig.
 */
function bytesOfExtensions(names: readonly string[]): bigint {
  if (names.length === 0) return 0n
  const bytes = [...new Set(names)].reduce((sum, name) => sum + 4 + (accountExtensions[name]?.bytes ?? 0), 3)
  return BigInt(bytes)
}

/** Settings of a token or its holders, by the instructions that change them. */
const settings: Readonly<Partial<Record<InstructionId, string>>> = {
  'tokenProgram.UpdateMetadataPointer': 'metadata',
  'tokenProgram.UpdateGroupPointer': 'group',
  'tokenProgram.UpdateGroupMemberPointer': 'group',
  'tokenProgram.UpdateInterestRate': 'rate',
  'tokenProgram.UpdateConfidentialTransferMint': 'approvesNewAccounts',
}

function settingOf(call: Call): readonly Effect[] {
  const field = call.read && settings[call.read.id]
  if (field === undefined) return []
  const value = call.read?.fields.get(field)
  const shown = typeof value === 'bigint' ? number(value) : keyOrNone(value)
  return [{ note: 'setsForToken', values: [accountOrNote(accountOf(call, 'mint')), nameOf(call), shown] }]
}

/** The name of the instruction in the program's source. */
function nameOf({ read }: Call): Value {
  return text(read?.form.code ?? '')
}

/** The System program owns every account that no other one does. */
function ownerEffects(account: Value, program: FieldValue): readonly Effect[] {
  return program === systemProgram ? [] : [ownedEffect(account, program)]
}

/**
 * A program owns an account. Where it is one of those that are read here, nobody got anything by that: somebody has to set
 * the account up there.
 */
function ownedEffect(account: Value, program: FieldValue): Effect {
  const values = [account, keyOrNone(program)]
  return builtInPrograms.has(String(program))
    ? { title: 'assignAccount', note: 'programOwns', values }
    : { title: 'changeControl', note: 'changesControl', values }
}

/** `key`: the one that moves lamports of the account, until it has data. */
type Allocated = { readonly account: Value; readonly key: Value }

/** The System program moves no lamports of an account with data. The accounts of others may be new ones. */
function dataEffects(call: Call, { account, key }: Allocated): readonly Effect[] {
  const { fields } = call.read ?? {}
  const staysItsOwn = (fields?.get('ownerProgram') ?? systemProgram) === systemProgram
  if (fields?.get('space') === 0n || !staysItsOwn) return []
  return [{ note: 'getsData', values: [account], ofKey: key }]
}

function controlEffect({ of, authority, isFirst }: ReturnType<typeof controlsBy>[number]): Effect {
  const effect = { title: 'changeControl', note: 'changesControl', values: [of, authority] } as const
  return isFirst ? { ...effect, isFirst } : effect
}

/** The fee that a token withholds from each transfer from then on. */
function feeOf(call: Call): readonly Effect[] {
  const points = call.read?.fields.get('feeBasisPoints')
  const most = call.read?.fields.get('feeMax')
  if (typeof points !== 'bigint' || typeof most !== 'bigint' || points === 0n || most === 0n) return []
  const mint = accountOrNote(accountOf(call, 'mint'))
  return [{ note: 'withholdsFee', values: [mint, number(points), tokensValue(most, call)] }]
}

type Within = {
  /** All instructions of the message. */
  readonly calls: readonly Call[]
  readonly signer: Value
}

/**
 * The control of a new account is its program's, if no instruction after it says whose. The System program moves the
 * lamports of one without data for its key, or for the one that its address is derived from. A wallet of another program
 * is no wallet any more, whoever sets it up there.
 */
function newAccountEffects(call: Call, { calls, signer }: Within): readonly Effect[] {
  const [account, { fields }] = [accountOf(call, 'newAccount'), call.read ?? {}]
  if (!createsAccount(call) || account === undefined || fields === undefined) return []
  const [shown, owner, base] = [accountValue(account), fields.get('ownerProgram'), fields.get('base')]
  if (owner === systemProgram && fields.get('space') === 0n) {
    const values = [shown, keyOrNone(base)]
    return base === undefined ? [] : [{ note: 'changesControl', values, isFirst: true }]
  }
  const [later, set] = [calls.slice(calls.indexOf(call) + 1), firstSetBy(calls)]
  const isSet = !isSame(shown, signer) && later.some((one) => set.get(one) === textOf(shown))
  return [...(isSet ? [] : [ownedEffect(shown, owner)]), ...dataEffects(call, { account: shown, key: shown })]
}

/** The notes on some instructions, without control that the signer or the sole payer gets first. */
export function effectNotes(some: readonly Call[], within: Within): readonly Note[] {
  const effects = (list: (call: Call) => readonly Effect[]) =>
    some.flatMap((call) => list(call).filter((effect) => !givesNothing(effect, { call, ...within })))
  return notesOf([...effects(effectsOf), ...effects((call) => newAccountEffects(call, within))], within.signer)
}

/**
 * Whether who gets control first is the one that signs or that alone pays. Any other account than one that the message
 * proves to be new may hold what nobody here pays into it.
 */
function givesNothing(effect: Effect, { call, calls, signer }: Within & { readonly call: Call }): boolean {
  const [account = none, authority = none] = effect.values
  if (effect.isFirst !== true) return false
  if (isSame(authority, signer)) return true
  if (isSame(account, signer)) return false
  const isAccount = (one: Account | undefined) => one !== undefined && accountId(one) === textOf(account)
  const before = calls.slice(0, calls.indexOf(call) + 1)
  const isNew = before.some((one) => provesNew(one) && isAccount(accountOf(one, 'newAccount')))
  const into = movesOf(calls, 'lamports').filter(({ to }) => isAccount(to))
  return isNew && into.length > 0 && into.every(({ from }) => accountId(from) === textOf(authority))
}

/** Marks gains of the signer itself, which must not stand before what others get. */
export function notesOf(effects: readonly Effect[], signer: Value): readonly Note[] {
  return effects
    .filter(({ ofKey }) => ofKey === undefined || isSame(ofKey, signer))
    .flatMap(({ note, values }) =>
      note === undefined ? [] : [itselfNote(ownNote(noteOf(note, ...values), { signer, giver: signer }), [signer])],
    )
}

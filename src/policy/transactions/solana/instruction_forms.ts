import { extensionForms } from './extension_forms.ts'
import {
  allowance,
  clockFirst,
  form,
  harmless,
  type InstructionForm,
  inLamports,
  lamports,
  payment,
  rentFirst,
  tokens,
  u32,
} from './instruction_form.ts'

/** The authorities of `SetAuthority`, by their numbers. The first four are those of both token programs. */
export const authorityTypes = [
  'MintTokens',
  'FreezeAccount',
  'AccountOwner',
  'CloseAccount',
  'TransferFeeConfig',
  'WithheldWithdraw',
  'CloseMint',
  'InterestRate',
  'PermanentDelegate',
  'ConfidentialTransferMint',
  'TransferHookProgramId',
  'ConfidentialTransferFeeConfig',
  'MetadataPointer',
  'GroupPointer',
  'GroupMemberPointer',
  'ScaledUiAmount',
  'Pause',
  'PermissionedBurn',
] as const

/** The authorities over a stake account, by their numbers. */
export const stakeAuthorities = ['Staker', 'Withdrawer'] as const

const newAccount = { ...lamports('fundingAccount', 'newAccount'), kind: 'newAccount' } as const

/** `SystemInstruction` of solana-system-interface. The program reads it with bincode, which ignores bytes that follow. */
export const systemForms = [
  form(
    u32(0),
    'CreateAccount',
    { amount: 'lamports', space: 'u64', ownerProgram: 'key' },
    'fundingAccount newAccount',
    newAccount,
  ),
  form(u32(1), 'Assign', { ownerProgram: 'key' }, 'account'),
  form(u32(2), 'Transfer', inLamports, 'source destination', payment(lamports('source', 'destination'))),
  form(
    u32(3),
    'CreateAccountWithSeed',
    { base: 'key', seed: 'text', amount: 'lamports', space: 'u64', ownerProgram: 'key' },
    'fundingAccount newAccount baseAccount',
    newAccount,
  ),
  form(u32(4), 'AdvanceNonceAccount', {}, 'nonceAccount sysvar nonceAuthority'),
  form(
    u32(5),
    'WithdrawNonceAccount',
    inLamports,
    'nonceAccount destination sysvar rent nonceAuthority',
    lamports('nonceAccount', 'destination'),
  ),
  form(u32(6), 'InitializeNonceAccount', { newAuthority: 'key' }, 'nonceAccount sysvar rent'),
  form(u32(7), 'AuthorizeNonceAccount', { newAuthority: 'key' }, 'nonceAccount nonceAuthority'),
  form(u32(8), 'Allocate', { space: 'u64' }, 'account'),
  form(
    u32(9),
    'AllocateWithSeed',
    { base: 'key', seed: 'text', space: 'u64', ownerProgram: 'key' },
    'account baseAccount',
  ),
  form(u32(10), 'AssignWithSeed', { base: 'key', seed: 'text', ownerProgram: 'key' }, 'account baseAccount'),
  form(
    u32(11),
    'TransferWithSeed',
    { amount: 'lamports', seed: 'text', ownerProgram: 'key' },
    'source baseAccount destination',
    payment(lamports('source', 'destination')),
  ),
  form(u32(12), 'UpgradeNonceAccount', {}, 'nonceAccount'),
  form(
    u32(13),
    'CreateAccountAllowPrefund',
    { amount: 'lamports', space: 'u64', ownerProgram: 'key' },
    'newAccount fundingAccount',
    { ...newAccount, kind: 'prefundedAccount' },
  ),
] satisfies readonly InstructionForm[]

const mintFields = { decimals: 'u8', mintAuthority: 'key', freezeAuthority: 'optionalKey' } as const
const amount = { amount: 'tokens' } as const
const checked = { amount: 'tokens', decimals: 'u8' } as const

/**
 * `TokenInstruction` of both token programs. `unpack` reads a prefix, and ignores bytes that follow.
 */
export const tokenForms = [
  form([0], 'InitializeMint', mintFields, 'mint rent'),
  form([1], 'InitializeAccount', {}, 'account mint owner rent'),
  form([2], 'InitializeMultisig', { requiredSigners: 'u8' }, 'account rent signers'),
  form([3], 'Transfer', amount, 'source destination owner signers', payment(tokens)),
  form([4], 'Approve', amount, 'source delegate owner signers', allowance),
  form([5], 'Revoke', {}, 'source owner signers'),
  form(
    [6],
    'SetAuthority',
    { authorityType: 'authorityType', newAuthority: 'optionalKey' },
    'account currentAuthority signers',
  ),
  form([7], 'MintTo', amount, 'mint destination mintAuthority signers'),
  form([8], 'Burn', amount, 'source mint owner signers'),
  form([9], 'CloseAccount', {}, 'account destination owner signers', lamports('account', 'destination')),
  form([10], 'FreezeAccount', {}, 'account mint freezeAuthority signers'),
  form([11], 'ThawAccount', {}, 'account mint freezeAuthority signers'),
  form([12], 'TransferChecked', checked, 'source mint destination owner signers', payment(tokens)),
  form([13], 'ApproveChecked', checked, 'source mint delegate owner signers', allowance),
  form([14], 'MintToChecked', checked, 'mint destination mintAuthority signers'),
  form([15], 'BurnChecked', checked, 'source mint owner signers'),
  form([16], 'InitializeAccount2', { owner: 'key' }, 'account mint rent'),
  form([17], 'SyncNative', {}, 'account'),
  form([18], 'InitializeAccount3', { owner: 'key' }, 'account mint'),
  form([19], 'InitializeMultisig2', { requiredSigners: 'u8' }, 'account signers'),
  form([20], 'InitializeMint2', mintFields, 'mint'),
  form([21], 'GetAccountDataSize', { data: 'bytes' }, 'mint'),
  form([22], 'InitializeImmutableOwner', {}, 'account'),
  form([23], 'AmountToUiAmount', amount, 'mint'),
  form([24], 'UiAmountToAmount', { data: 'bytes' }, 'mint'),
  form([25], 'InitializeMintCloseAuthority', { closeAuthority: 'optionalKey' }, 'mint'),
  form(
    [29],
    'Reallocate',
    { accountExtensions: 'accountExtensions' },
    'account fundingAccount systemProgram owner signers',
  ),
  form([31], 'CreateNativeMint', {}, 'fundingAccount mint'),
  form([32], 'InitializeNonTransferableMint', {}, 'mint'),
  form([35], 'InitializePermanentDelegate', { delegate: 'key' }, 'mint'),
  form([38], 'WithdrawExcessLamports', {}, 'source destination owner signers', lamports('source', 'destination')),
  form(
    [45],
    'UnwrapLamports',
    { amount: 'optionalLamports' },
    'source destination owner signers',
    lamports('source', 'destination'),
  ),
  ...extensionForms,
] satisfies readonly InstructionForm[]

/** `ComputeBudgetInstruction`. The runtime reads a prefix with borsh's `try_from_slice_unchecked`. */
export const budgetForms = [
  form([1], 'RequestHeapFrame', { bytes: 'u32' }, '', harmless),
  form([2], 'SetComputeUnitLimit', { computeUnitLimit: 'u32' }, '', harmless),
  form([3], 'SetComputeUnitPrice', { microLamportsPerComputeUnit: 'u64' }, '', harmless),
  form([4], 'SetLoadedAccountsDataSizeLimit', { bytes: 'u32' }, '', harmless),
] satisfies readonly InstructionForm[]

const opening = { ...harmless, kind: 'newTokenAccount' } as const
const openingRoles = 'fundingAccount newAccount owner mint systemProgram tokenProgram'

/** `AssociatedTokenAccountInstruction`. Without data it is the first. The program refuses bytes that follow. */
export const associatedTokenForms = [
  form([0], 'Create', {}, openingRoles, opening),
  form([1], 'CreateIdempotent', {}, openingRoles, opening),
  form([2], 'RecoverNested', {}, 'source nestedMint destination ownerAccount mint owner tokenProgram'),
  form([], 'Create', {}, openingRoles, opening),
] satisfies readonly InstructionForm[]

/** Both programs of memos read all of the data as UTF-8. */
export const memoForms = [form([], 'Memo', { memo: 'bytes' }, 'signers', harmless)] satisfies readonly InstructionForm[]

const lockup = { lockupUnixTimestamp: 'i64', lockupEpoch: 'u64', custodian: 'key' } as const
/** A change keeps the members that it leaves out. */
const newLockup = { lockupUnixTimestamp: 'optionalI64', lockupEpoch: 'optionalU64' } as const

const stakeMoveRoles = 'source destination staker'

/** `StakeInstruction`. The program reads it with bincode, which ignores bytes that follow. */
export const stakeForms = [
  form(u32(0), 'Initialize', { staker: 'key', withdrawer: 'key', ...lockup }, 'stakeAccount rent'),
  form(
    u32(1),
    'Authorize',
    { newAuthority: 'key', authorityType: 'stakeAuthority' },
    'stakeAccount sysvar currentAuthority custodian',
    clockFirst,
  ),
  form(u32(2), 'DelegateStake', {}, 'stakeAccount voteAccount sysvar sysvar sysvar staker', clockFirst),
  form(u32(3), 'Split', inLamports, 'stakeAccount newAccount staker', lamports('stakeAccount', 'newAccount')),
  form(u32(4), 'Withdraw', inLamports, 'stakeAccount destination sysvar sysvar withdrawer custodian', {
    ...lamports('stakeAccount', 'destination'),
    ...clockFirst,
  }),
  form(u32(5), 'Deactivate', {}, 'stakeAccount sysvar staker', clockFirst),
  form(u32(6), 'SetLockup', { ...newLockup, custodian: 'optionalKey' }, 'stakeAccount currentAuthority'),
  form(u32(7), 'Merge', {}, 'destination source sysvar sysvar staker', clockFirst),
  form(
    u32(8),
    'AuthorizeWithSeed',
    { newAuthority: 'key', authorityType: 'stakeAuthority', seed: 'text', ownerProgram: 'key' },
    'stakeAccount baseAccount sysvar custodian',
    clockFirst,
  ),
  form(u32(9), 'InitializeChecked', {}, 'stakeAccount rent staker withdrawer', rentFirst),
  form(
    u32(10),
    'AuthorizeChecked',
    { authorityType: 'stakeAuthority' },
    'stakeAccount sysvar currentAuthority newAuthority custodian',
    clockFirst,
  ),
  form(
    u32(11),
    'AuthorizeCheckedWithSeed',
    { authorityType: 'stakeAuthority', seed: 'text', ownerProgram: 'key' },
    'stakeAccount baseAccount sysvar newAuthority custodian',
    clockFirst,
  ),
  form(u32(12), 'SetLockupChecked', newLockup, 'stakeAccount currentAuthority custodian'),
  form(u32(14), 'DeactivateDelinquent', {}, 'stakeAccount delinquentVoteAccount referenceVoteAccount'),
  form(u32(16), 'MoveStake', inLamports, stakeMoveRoles, lamports('source', 'destination')),
  form(u32(17), 'MoveLamports', inLamports, stakeMoveRoles, lamports('source', 'destination')),
] satisfies readonly InstructionForm[]

import { form, type InstructionForm, payment, tokens } from './instruction_form.ts'

/** The states of an account of tokens, by their numbers. */
export const accountStates = ['Uninitialized', 'Initialized', 'Frozen'] as const

/**
 * The extensions that an account of tokens may have: the number in `ExtensionType`, and how many bytes each has behind its
 * number and its length.
 */
export const accountExtensions: Readonly<Record<string, { readonly number: number; readonly bytes: number }>> = {
  TransferFeeAmount: { number: 2, bytes: 8 },
  ConfidentialTransferAccount: { number: 5, bytes: 295 },
  ImmutableOwner: { number: 7, bytes: 0 },
  MemoTransfer: { number: 8, bytes: 1 },
  CpiGuard: { number: 11, bytes: 1 },
  NonTransferableAccount: { number: 13, bytes: 0 },
  TransferHookAccount: { number: 15, bytes: 1 },
  ConfidentialTransferFeeAmount: { number: 17, bytes: 64 },
  PausableAccount: { number: 27, bytes: 0 },
}

const checked = { amount: 'tokens', decimals: 'u8' } as const
const fee = { feeBasisPoints: 'u16', feeMax: 'tokens' } as const
const withheld = 'mint destination withdrawAuthority signers'
const ofMint = 'mint currentAuthority signers'
const ofAccount = 'account owner signers'
const burning = 'source mint burnAuthority owner signers'
/** Only the owners can read the amounts, so the data are not read here. Their bytes are counted. */
const hidden = 'source mint destination'

/**
 * The instructions of the extensions of Token-2022, by the number of the extension and their own. One that is not in this
 * list has the name of its extension, which stands behind the others.
 */
export const extensionForms = [
  form(
    [26, 0],
    'InitializeTransferFeeConfig',
    { feeAuthority: 'optionalKey', withdrawAuthority: 'optionalKey', ...fee },
    'mint',
  ),
  form(
    [26, 1],
    'TransferCheckedWithFee',
    { ...checked, withheldFee: 'tokens' },
    'source mint destination owner signers',
    payment(tokens),
  ),
  form([26, 2], 'WithdrawWithheldTokensFromMint', {}, withheld),
  form([26, 3], 'WithdrawWithheldTokensFromAccounts', { accountsCount: 'u8' }, withheld),
  form([26, 4], 'HarvestWithheldTokensToMint', {}, 'mint'),
  form([26, 5], 'SetTransferFee', fee, ofMint),
  form([26], 'TransferFeeExtension', {}, 'account'),
  form(
    [27, 0],
    'InitializeConfidentialTransferMint',
    { newAuthority: 'nonZeroKey', approvesNewAccounts: 'u8' },
    'mint',
  ),
  form([27, 1], 'UpdateConfidentialTransferMint', { approvesNewAccounts: 'u8' }, ofMint),
  form([27, 5], 'ConfidentialDeposit', checked, 'account mint owner signers'),
  form([27, 6], 'ConfidentialWithdraw', checked, 'account mint'),
  form([27, 7], 'ConfidentialTransfer', {}, hidden),
  form([27, 13], 'ConfidentialTransferWithFee', {}, hidden),
  form([27], 'ConfidentialTransferExtension'),
  form([28, 0], 'InitializeDefaultAccountState', { accountState: 'accountState' }, 'mint'),
  form([28, 1], 'UpdateDefaultAccountState', { accountState: 'accountState' }, ofMint),
  form([28], 'DefaultAccountStateExtension'),
  form([30, 0], 'EnableMemoTransfers', {}, ofAccount),
  form([30, 1], 'DisableMemoTransfers', {}, ofAccount),
  form([30], 'MemoTransferExtension'),
  form([33, 0], 'InitializeInterestBearingMint', { newAuthority: 'nonZeroKey', rate: 'i16' }, 'mint'),
  form([33, 1], 'UpdateInterestRate', { rate: 'i16' }, ofMint),
  form([33], 'InterestBearingMintExtension'),
  form([34, 0], 'EnableCpiGuard', {}, ofAccount),
  form([34, 1], 'DisableCpiGuard', {}, ofAccount),
  form([34], 'CpiGuardExtension'),
  form([36, 0], 'InitializeTransferHook', { newAuthority: 'nonZeroKey', hookProgram: 'nonZeroKey' }, 'mint'),
  form([36, 1], 'UpdateTransferHook', { hookProgram: 'nonZeroKey' }, ofMint),
  form([36], 'TransferHookExtension'),
  form([37, 0], 'InitializeConfidentialTransferFee', { newAuthority: 'nonZeroKey' }, 'mint'),
  form([37, 1], 'WithdrawConfidentialFeesFromMint', {}, 'mint destination'),
  form([37, 2], 'WithdrawConfidentialFeesFromAccounts', { accountsCount: 'u8' }, 'mint destination'),
  form([37], 'ConfidentialTransferFeeExtension'),
  form([39, 0], 'InitializeMetadataPointer', { newAuthority: 'nonZeroKey', metadata: 'nonZeroKey' }, 'mint'),
  form([39, 1], 'UpdateMetadataPointer', { metadata: 'nonZeroKey' }, ofMint),
  form([39], 'MetadataPointerExtension'),
  form([40, 0], 'InitializeGroupPointer', { newAuthority: 'nonZeroKey', group: 'nonZeroKey' }, 'mint'),
  form([40, 1], 'UpdateGroupPointer', { group: 'nonZeroKey' }, ofMint),
  form([40], 'GroupPointerExtension'),
  form([41, 0], 'InitializeGroupMemberPointer', { newAuthority: 'nonZeroKey', group: 'nonZeroKey' }, 'mint'),
  form([41, 1], 'UpdateGroupMemberPointer', { group: 'nonZeroKey' }, ofMint),
  form([41], 'GroupMemberPointerExtension'),
  form([42, 3], 'ConfidentialMint', {}, 'destination mint'),
  form([42, 4], 'ConfidentialBurn', {}, 'source mint'),
  form([42], 'ConfidentialMintBurnExtension'),
  form([43, 0], 'InitializeScaledUiAmount', { newAuthority: 'nonZeroKey' }, 'mint'),
  form([43], 'ScaledUiAmountExtension'),
  form([44, 0], 'InitializePausable', { newAuthority: 'nonZeroKey' }, 'mint'),
  form([44, 1], 'Pause', {}, ofMint),
  form([44, 2], 'Resume', {}, ofMint),
  form([44], 'PausableExtension'),
  form([46, 0], 'InitializePermissionedBurn', { newAuthority: 'key' }, 'mint'),
  form([46, 1], 'PermissionedBurn', { amount: 'tokens' }, burning),
  form([46, 2], 'PermissionedBurnChecked', checked, burning),
  form([46], 'PermissionedBurnExtension'),
] satisfies readonly InstructionForm[]

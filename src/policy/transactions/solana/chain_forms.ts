import { form, type InstructionForm, inLamports, lamports, u32 } from './instruction_form.ts'

/**
 * The programs for votes, lookup tables and programs themselves, so far as they move lamports or give control. They read
 * with bincode, which ignores bytes that follow. Votes and the code of a program are not read. Nor are the commissions
 * and keys of newer vote accounts and the fourth loader: their sources and readers do not agree on the bytes yet.
 */

/** The authorities over a vote account, by their numbers. */
export const voteAuthorities = ['Voter', 'Withdrawer'] as const

/** `VoteInstruction` of solana-vote-interface. */
export const voteForms = [
  form(
    u32(0),
    'InitializeAccount',
    { validatorIdentity: 'key', voter: 'key', withdrawer: 'key', commission: 'u8' },
    'voteAccount rent sysvar validatorIdentity',
  ),
  form(
    u32(1),
    'Authorize',
    { newAuthority: 'key', authorityType: 'voteAuthority' },
    'voteAccount sysvar currentAuthority',
  ),
  form(u32(3), 'Withdraw', inLamports, 'voteAccount destination withdrawer', lamports('voteAccount', 'destination')),
  form(u32(4), 'UpdateValidatorIdentity', {}, 'voteAccount validatorIdentity withdrawer'),
  form(u32(5), 'UpdateCommission', { commission: 'u8' }, 'voteAccount withdrawer'),
  form(
    u32(7),
    'AuthorizeChecked',
    { authorityType: 'voteAuthority' },
    'voteAccount sysvar currentAuthority newAuthority',
  ),
  form(
    u32(10),
    'AuthorizeWithSeed',
    { authorityType: 'voteAuthority', ownerProgram: 'key', seed: 'text', newAuthority: 'key' },
    'voteAccount sysvar baseAccount',
  ),
  form(
    u32(11),
    'AuthorizeCheckedWithSeed',
    { authorityType: 'voteAuthority', ownerProgram: 'key', seed: 'text' },
    'voteAccount sysvar baseAccount newAuthority',
  ),
] satisfies readonly InstructionForm[]

const tableRoles = 'lookupTable tableAuthority'

/** `ProgramInstruction` of solana-address-lookup-table-interface. */
export const lookupTableForms = [
  form(
    u32(0),
    'CreateLookupTable',
    { recentSlot: 'u64', bumpSeed: 'u8' },
    `${tableRoles} fundingAccount systemProgram`,
  ),
  form(u32(1), 'FreezeLookupTable', {}, tableRoles),
  form(u32(2), 'ExtendLookupTable', { newAddresses: 'keys' }, `${tableRoles} fundingAccount systemProgram`),
  form(u32(3), 'DeactivateLookupTable', {}, tableRoles),
  form(u32(4), 'CloseLookupTable', {}, `${tableRoles} destination`, lamports('lookupTable', 'destination')),
] satisfies readonly InstructionForm[]

/** `UpgradeableLoaderInstruction` of solana-loader-v3-interface. */
export const loaderForms = [
  form(u32(0), 'InitializeBuffer', {}, 'buffer bufferAuthority'),
  form(
    u32(2),
    'DeployWithMaxDataLen',
    { maxDataLength: 'u64' },
    'fundingAccount programData deployedProgram buffer rent sysvar systemProgram upgradeAuthority',
    lamports('buffer', 'fundingAccount'),
  ),
  form(
    u32(3),
    'Upgrade',
    {},
    'programData deployedProgram buffer destination rent sysvar upgradeAuthority',
    lamports('buffer', 'destination'),
  ),
  form(u32(4), 'SetAuthority', {}, 'account currentAuthority newAuthority'),
  form(u32(5), 'Close', {}, 'account destination currentAuthority deployedProgram', lamports('account', 'destination')),
  form(u32(6), 'ExtendProgram', { additionalBytes: 'u32' }, 'programData deployedProgram systemProgram fundingAccount'),
  form(u32(7), 'SetAuthorityChecked', {}, 'account currentAuthority newAuthority'),
  form(
    u32(9),
    'ExtendProgramChecked',
    { additionalBytes: 'u32' },
    'programData deployedProgram upgradeAuthority systemProgram fundingAccount',
  ),
] satisfies readonly InstructionForm[]

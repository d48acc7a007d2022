import * as tokenLibrary from '@solana/spl-token'
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  StakeProgram,
  SystemProgram,
  VoteProgram,
} from '@solana/web3.js'

export type Library = Readonly<Record<string, unknown>>

export const spl: Library = { ...tokenLibrary }

/**
 * How others write the instructions that are read here. `method(names)`: by a function of web3.js, with its members by
 * their names, and ours behind `=` where it is another one; or by a function of spl-token, with our names in the order of
 * its arguments. `[prefix] fields | accounts`: as the program's source documents it, where neither library writes it.
 */
export const writtenInstructions: Readonly<Record<string, { readonly library: object; readonly rows: string }>> = {
  systemProgram: {
    library: SystemProgram,
    rows: `
      CreateAccount createAccount(fromPubkey=fundingAccount newAccountPubkey=newAccount lamports=amount space programId=ownerProgram)
      Assign assign(accountPubkey=account programId=ownerProgram)
      Transfer transfer(fromPubkey=source toPubkey=destination lamports=amount)
      CreateAccountWithSeed createAccountWithSeed(fromPubkey=fundingAccount newAccountPubkey=newAccount basePubkey=base seed lamports=amount space programId=ownerProgram)
      AdvanceNonceAccount nonceAdvance(noncePubkey=nonceAccount authorizedPubkey=nonceAuthority)
      WithdrawNonceAccount nonceWithdraw(noncePubkey=nonceAccount authorizedPubkey=nonceAuthority toPubkey=destination lamports=amount)
      InitializeNonceAccount nonceInitialize(noncePubkey=nonceAccount authorizedPubkey=newAuthority)
      AuthorizeNonceAccount nonceAuthorize(noncePubkey=nonceAccount authorizedPubkey=nonceAuthority newAuthorizedPubkey=newAuthority)
      Allocate allocate(accountPubkey=account space)
      AllocateWithSeed allocate(accountPubkey=account basePubkey=base seed space programId=ownerProgram)
      AssignWithSeed assign(accountPubkey=account basePubkey=base seed programId=ownerProgram)
      TransferWithSeed transfer(fromPubkey=source basePubkey=baseAccount toPubkey=destination lamports=amount seed programId=ownerProgram)
      UpgradeNonceAccount [12] | nonceAccount
      CreateAccountAllowPrefund [13] amount:u64 space:u64 ownerProgram:key | newAccount fundingAccount`,
  },
  computeBudget: {
    library: ComputeBudgetProgram,
    rows: `
      RequestHeapFrame requestHeapFrame(bytes)
      SetComputeUnitLimit setComputeUnitLimit(units=computeUnitLimit)
      SetComputeUnitPrice setComputeUnitPrice(microLamports=microLamportsPerComputeUnit)
      SetLoadedAccountsDataSizeLimit [4] bytes:u32`,
  },
  memo: {
    library: {},
    rows: `
      Memo [] memo:bytes | signers`,
  },
  stakeProgram: {
    library: StakeProgram,
    rows: `
      Initialize initialize(stakePubkey=stakeAccount authorized lockup)
      Authorize authorize(stakePubkey=stakeAccount authorizedPubkey=currentAuthority newAuthorizedPubkey=newAuthority stakeAuthorizationType=authorityIndex custodianPubkey=custodian)
      DelegateStake delegate(stakePubkey=stakeAccount authorizedPubkey=staker votePubkey=voteAccount)
      Split split(stakePubkey=stakeAccount authorizedPubkey=staker splitStakePubkey=newAccount lamports=amount)
      Withdraw withdraw(stakePubkey=stakeAccount authorizedPubkey=withdrawer toPubkey=destination lamports=amount custodianPubkey=custodian)
      Deactivate deactivate(stakePubkey=stakeAccount authorizedPubkey=staker)
      SetLockup [6] lockupUnixTimestamp:optionalI64 lockupEpoch:optionalU64 custodian:optionalKey | stakeAccount currentAuthority
      Merge merge(stakePubkey=destination sourceStakePubKey=source authorizedPubkey=staker)
      AuthorizeWithSeed authorizeWithSeed(stakePubkey=stakeAccount authorityBase=baseAccount authoritySeed=seed authorityOwner=ownerProgram newAuthorizedPubkey=newAuthority stakeAuthorizationType=authorityIndex custodianPubkey=custodian)
      InitializeChecked [9] | stakeAccount @rent staker withdrawer
      AuthorizeChecked [10] authorityType:u32 | stakeAccount @clock currentAuthority newAuthority custodian
      AuthorizeCheckedWithSeed [11] authorityType:u32 seed:text ownerProgram:key | stakeAccount baseAccount @clock newAuthority custodian
      SetLockupChecked [12] lockupUnixTimestamp:optionalI64 lockupEpoch:optionalU64 | stakeAccount currentAuthority custodian
      DeactivateDelinquent [14] | stakeAccount delinquentVoteAccount referenceVoteAccount
      MoveStake [16] amount:u64 | source destination staker
      MoveLamports [17] amount:u64 | source destination staker`,
  },
  voteProgram: {
    library: VoteProgram,
    rows: `
      InitializeAccount initializeAccount(votePubkey=voteAccount nodePubkey=validatorIdentityAccount voteInit)
      Authorize authorize(votePubkey=voteAccount authorizedPubkey=currentAuthority newAuthorizedPubkey=newAuthority voteAuthorizationType=authorityIndex)
      Withdraw withdraw(votePubkey=voteAccount authorizedWithdrawerPubkey=withdrawer toPubkey=destination lamports=amount)
      UpdateValidatorIdentity updateValidatorIdentity(votePubkey=voteAccount nodePubkey=validatorIdentity authorizedWithdrawerPubkey=withdrawer)
      UpdateCommission [5] commission:u8 | voteAccount withdrawer
      AuthorizeChecked [7] authorityType:u32 | voteAccount @clock currentAuthority newAuthority
      AuthorizeWithSeed authorizeWithSeed(votePubkey=voteAccount currentAuthorityDerivedKeyBasePubkey=baseAccount currentAuthorityDerivedKeyOwnerPubkey=ownerProgram currentAuthorityDerivedKeySeed=seed newAuthorizedPubkey=newAuthority voteAuthorizationType=authorityIndex)
      AuthorizeCheckedWithSeed [11] authorityType:u32 ownerProgram:key seed:text | voteAccount @clock baseAccount newAuthority`,
  },
  lookupTableProgram: {
    library: AddressLookupTableProgram,
    rows: `
      FreezeLookupTable freezeLookupTable(lookupTable authority=tableAuthority)
      ExtendLookupTable extendLookupTable(lookupTable authority=tableAuthority payer=fundingAccount addresses=newAddresses)
      DeactivateLookupTable deactivateLookupTable(lookupTable authority=tableAuthority)
      CloseLookupTable closeLookupTable(lookupTable authority=tableAuthority recipient=destination)`,
  },
  upgradeableLoader: {
    library: {},
    rows: `
      InitializeBuffer [0] | buffer bufferAuthority
      DeployWithMaxDataLen [2] maxDataLength:u64 | fundingAccount programData deployedProgram buffer @rent @clock @system upgradeAuthority
      Upgrade [3] | programData deployedProgram buffer destination @rent @clock upgradeAuthority
      SetAuthority [4] | account currentAuthority newAuthority
      Close [5] | account destination currentAuthority deployedProgram
      ExtendProgram [6] additionalBytes:u32 | programData deployedProgram @system fundingAccount
      SetAuthorityChecked [7] | account currentAuthority newAuthority
      ExtendProgramChecked [9] additionalBytes:u32 | programData deployedProgram upgradeAuthority @system fundingAccount`,
  },
  associatedToken: {
    library: spl,
    rows: `
      Create createAssociatedTokenAccountInstruction(fundingAccount newAccount owner mint tokenProgram)
      CreateIdempotent createAssociatedTokenAccountIdempotentInstruction(fundingAccount newAccount owner mint tokenProgram)
      RecoverNested createRecoverNestedInstruction(source nestedMint destination ownerAccount mint owner tokenProgram)`,
  },
  tokenProgram: {
    library: spl,
    rows: `
      InitializeMint createInitializeMintInstruction(mint decimals mintAuthority freezeAuthority program)
      InitializeAccount createInitializeAccountInstruction(account mint owner program)
      InitializeMultisig createInitializeMultisigInstruction(account signers requiredSigners program)
      Transfer createTransferInstruction(source destination owner amount signers program)
      Approve createApproveInstruction(source delegate owner amount signers program)
      Revoke createRevokeInstruction(source owner signers program)
      SetAuthority createSetAuthorityInstruction(account currentAuthority authorityType newAuthority signers program)
      MintTo createMintToInstruction(mint destination mintAuthority amount signers program)
      Burn createBurnInstruction(source mint owner amount signers program)
      CloseAccount createCloseAccountInstruction(account destination owner signers program)
      FreezeAccount createFreezeAccountInstruction(account mint freezeAuthority signers program)
      ThawAccount createThawAccountInstruction(account mint freezeAuthority signers program)
      TransferChecked createTransferCheckedInstruction(source mint destination owner amount decimals signers program)
      ApproveChecked createApproveCheckedInstruction(source mint delegate owner amount decimals signers program)
      MintToChecked createMintToCheckedInstruction(mint destination mintAuthority amount decimals signers program)
      BurnChecked createBurnCheckedInstruction(source mint owner amount decimals signers program)
      InitializeAccount2 createInitializeAccount2Instruction(account mint owner program)
      SyncNative createSyncNativeInstruction(account program)
      InitializeAccount3 createInitializeAccount3Instruction(account mint owner program)
      InitializeMultisig2 [19] requiredSigners:u8 | account signers
      InitializeMint2 createInitializeMint2Instruction(mint decimals mintAuthority freezeAuthority program)
      GetAccountDataSize [21] data:bytes | mint
      InitializeImmutableOwner createInitializeImmutableOwnerInstruction(account program)
      AmountToUiAmount createAmountToUiAmountInstruction(mint amount program)
      UiAmountToAmount [24] data:bytes | mint
      InitializeMintCloseAuthority createInitializeMintCloseAuthorityInstruction(mint closeAuthority program)
      Reallocate createReallocateInstruction(account fundingAccount accountExtensions owner signers program)
      CreateNativeMint createCreateNativeMintInstruction(fundingAccount mint program)
      InitializeNonTransferableMint createInitializeNonTransferableMintInstruction(mint program)
      InitializePermanentDelegate createInitializePermanentDelegateInstruction(mint delegate program)
      WithdrawExcessLamports [38] | source destination owner signers
      UnwrapLamports [45] amount:optionalU64 | source destination owner signers
      InitializeTransferFeeConfig createInitializeTransferFeeConfigInstruction(mint feeAuthority withdrawAuthority feeBasisPoints feeMax program)
      TransferCheckedWithFee createTransferCheckedWithFeeInstruction(source mint destination owner amount decimals withheldFee signers program)
      WithdrawWithheldTokensFromMint createWithdrawWithheldTokensFromMintInstruction(mint destination withdrawAuthority signers program)
      WithdrawWithheldTokensFromAccounts [26 3] accountsCount:u8 | mint destination withdrawAuthority signers
      HarvestWithheldTokensToMint createHarvestWithheldTokensToMintInstruction(mint signers program)
      SetTransferFee createSetTransferFeeInstruction(mint currentAuthority signers feeBasisPoints feeMax program)
      InitializeConfidentialTransferMint [27 0] newAuthority:key approvesNewAccounts:u8 | mint
      UpdateConfidentialTransferMint [27 1] approvesNewAccounts:u8 | mint currentAuthority signers
      ConfidentialDeposit [27 5] amount:u64 decimals:u8 | account mint owner signers
      ConfidentialWithdraw [27 6] amount:u64 decimals:u8 | account mint
      ConfidentialTransfer [27 7] | source mint destination
      ConfidentialTransferWithFee [27 13] | source mint destination
      InitializeDefaultAccountState createInitializeDefaultAccountStateInstruction(mint accountState program)
      UpdateDefaultAccountState createUpdateDefaultAccountStateInstruction(mint accountState currentAuthority signers program)
      EnableMemoTransfers createEnableRequiredMemoTransfersInstruction(account owner signers program)
      DisableMemoTransfers createDisableRequiredMemoTransfersInstruction(account owner signers program)
      InitializeInterestBearingMint createInitializeInterestBearingMintInstruction(mint newAuthority rate program)
      UpdateInterestRate [33 1] rate:i16 | mint currentAuthority signers
      EnableCpiGuard createEnableCpiGuardInstruction(account owner signers program)
      DisableCpiGuard createDisableCpiGuardInstruction(account owner signers program)
      InitializeTransferHook createInitializeTransferHookInstruction(mint newAuthority hookProgram program)
      UpdateTransferHook createUpdateTransferHookInstruction(mint currentAuthority hookProgram signers program)
      InitializeConfidentialTransferFee [37 0] newAuthority:key | mint
      WithdrawConfidentialFeesFromMint [37 1] | mint destination
      WithdrawConfidentialFeesFromAccounts [37 2] accountsCount:u8 | mint destination
      InitializeMetadataPointer createInitializeMetadataPointerInstruction(mint newAuthority metadata program)
      UpdateMetadataPointer createUpdateMetadataPointerInstruction(mint currentAuthority metadata signers program)
      InitializeGroupPointer createInitializeGroupPointerInstruction(mint newAuthority group program)
      UpdateGroupPointer createUpdateGroupPointerInstruction(mint currentAuthority group signers program)
      InitializeGroupMemberPointer createInitializeGroupMemberPointerInstruction(mint newAuthority group program)
      UpdateGroupMemberPointer createUpdateGroupMemberPointerInstruction(mint currentAuthority group signers program)
      ConfidentialMint [42 3] | destination mint
      ConfidentialBurn [42 4] | source mint
      InitializeScaledUiAmount [43 0] newAuthority:key | mint
      InitializePausable createInitializePausableConfigInstruction(mint newAuthority program)
      Pause createPauseInstruction(mint currentAuthority signers program)
      Resume createResumeInstruction(mint currentAuthority signers program)
      InitializePermissionedBurn createInitializePermissionedBurnInstruction(mint newAuthority program)
      PermissionedBurn createPermissionedBurnInstruction(source mint owner burnAuthority amount signers program)
      PermissionedBurnChecked createPermissionedBurnCheckedInstruction(source mint owner burnAuthority amount decimals signers program)
      TransferFeeExtension [26] | account
      ConfidentialTransferExtension [27]
      DefaultAccountStateExtension [28]
      MemoTransferExtension [30]
      InterestBearingMintExtension [33]
      CpiGuardExtension [34]
      TransferHookExtension [36]
      ConfidentialTransferFeeExtension [37]
      MetadataPointerExtension [39]
      GroupPointerExtension [40]
      GroupMemberPointerExtension [41]
      ConfidentialMintBurnExtension [42]
      ScaledUiAmountExtension [43]
      PausableExtension [44]
      PermissionedBurnExtension [46]`,
  },
}

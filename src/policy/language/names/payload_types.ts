import * as forms from './forms.ts'
import { anyOf, bool, int, listOf, mapOf, string, stringOf, struct, type Type, text, uint } from './types.ts'
import * as valueForms from './value_forms.ts'

/** The key that conditions see for an account that only a lookup table on the chain names. */
export const addressTableLookup = 'ADDRESS_TABLE_LOOKUP'
/** The kinds of scripts that have an address here. */
export const bitcoinScriptKinds = ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'] as const
/** The names in tron.proto of java-tron, by their numbers from 0 on. */
export const tronResources = ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] as const
export const tronPermissionTypes = ['Owner', 'Witness', 'Active'] as const
/** The contracts that this server reads. */
export const tronContractTypes = [
  'TransferContract',
  'TriggerSmartContract',
  'AccountPermissionUpdateContract',
  'FreezeBalanceV2Contract',
  'UnfreezeBalanceV2Contract',
  'DelegateResourceContract',
  'UnDelegateResourceContract',
] as const
/** The instructions of built-in programs of Solana that move lamports, by their names in the programs' sources. */
export const solanaLamportMoves = [
  'CreateAccount',
  'Transfer',
  'CreateAccountWithSeed',
  'WithdrawNonceAccount',
  'TransferWithSeed',
  'CreateAccountAllowPrefund',
  'CloseAccount',
  'WithdrawExcessLamports',
  'UnwrapLamports',
  'Split',
  'MoveStake',
  'MoveLamports',
  'Withdraw',
  'CloseLookupTable',
  'Upgrade',
  'Close',
] as const

const ethereumAddress = text(forms.ethereumAddress)
const ethereumRecipient = text(forms.ethereumRecipient)
const ethereumHex = text(forms.ethereumHex)
const ethereumValue = anyOf(valueForms.ethereumValue)
const solanaKey = text(forms.solanaKey)
const solanaAccount = text(forms.orOneOf(forms.solanaKey, addressTableLookup))
const tronAddress = text(forms.tronAddress)
const plainHex = text(forms.plainHex)

/**
 * The fields of the payload that an activity signs. Amounts are in the smallest unit. Hex is in lower case, with `0x`
 * only for Ethereum. A field that a payload lacks is missing. All fields are missing when the activity signs something
 * else.
 */
const ethereumTransaction = struct('an Ethereum transaction', {
  type: stringOf('LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'),
  from: ethereumAddress,
  to: ethereumRecipient,
  data: ethereumHex,
  value: int,
  gas: int,
  /** `max_fee_per_gas` if the transaction has that field. */
  gas_price: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  max_fee_per_blob_gas: int,
  chain_id: int,
  nonce: int,
  /** These three fields exist if the organization has uploaded the interface of the contract at `to`. */
  function_name: text(forms.functionName),
  function_signature: text(forms.ethereumSelector),
  contract_call_args: mapOf(ethereumValue),
})

const typedData = struct('EIP-712 typed data', {
  primary_type: text(forms.typeName),
  domain: struct('an EIP-712 domain', {
    name: string,
    version: string,
    chain_id: uint,
    verifying_contract: ethereumAddress,
  }),
  message: mapOf(ethereumValue),
})

const delegation = struct('an EIP-7702 authorization', { address: ethereumAddress, chain_id: int, nonce: int })

const lookup = struct('a look-up in an address table', {
  address_table_key: solanaKey,
  writable_indexes: listOf(int),
  readonly_indexes: listOf(int),
})

const solanaTransaction = struct('a Solana transaction', {
  account_keys: listOf(solanaAccount),
  program_keys: listOf(solanaKey),
  recent_blockhash: solanaKey,
  instructions: listOf(
    struct('a Solana instruction', {
      program_key: solanaKey,
      accounts: listOf(
        struct('an account of an instruction', { account_key: solanaAccount, signer: bool, writable: bool }),
      ),
      instruction_data_hex: plainHex,
      address_table_lookups: listOf(lookup),
      /** Exists if the organization has uploaded the interface of the program. */
      parsed_instruction_data: struct('a parsed instruction', {
        instruction_name: text(forms.functionName),
        discriminator: plainHex,
        named_accounts: mapOf(solanaAccount),
        program_call_args: mapOf(anyOf(valueForms.solanaValue)),
      }),
    }),
  ),
  transfers: listOf(struct('a transfer', { from: solanaAccount, to: solanaAccount, amount: int })),
  /** Beside the transfers, what else moves lamports. `amount` is missing where the message does not say it. */
  lamport_transfers: listOf(
    struct('a move of lamports', {
      instruction_name: stringOf(...solanaLamportMoves),
      from: solanaAccount,
      to: solanaAccount,
      amount: int,
    }),
  ),
  spl_transfers: listOf(
    struct('a transfer of a token', {
      from: solanaAccount,
      to: solanaAccount,
      amount: int,
      owner: solanaAccount,
      signers: listOf(solanaAccount),
      token_mint: solanaAccount,
      withheld_fee: int,
    }),
  ),
  address_table_lookups: listOf(lookup),
  /** Lamports, at most. The price of a compute unit is in millionths of a lamport. */
  priority_fee: int,
  compute_unit_price: int,
  compute_unit_limit: int,
})

const tronPermission = struct('a Tron permission', {
  type: stringOf(...tronPermissionTypes),
  id: int,
  permission_name: string,
  threshold: int,
  parent_id: int,
  operations: plainHex,
  keys: listOf(struct('a key of a permission', { address: tronAddress, weight: int })),
})

const tronTransaction = struct('a Tron transaction', {
  ref_block_bytes: plainHex,
  ref_block_hash: plainHex,
  data: plainHex,
  expiration: int,
  timestamp: int,
  fee_limit: int,
  /** After the first three, `type` determines which fields exist. */
  contract: listOf(
    struct('a Tron contract', {
      type: stringOf(...tronContractTypes),
      permission_id: int,
      owner_address: tronAddress,
      to_address: tronAddress,
      amount: int,
      contract_address: tronAddress,
      call_value: int,
      data: plainHex,
      call_token_value: int,
      token_id: int,
      resource: stringOf(...tronResources),
      balance: int,
      receiver_address: tronAddress,
      lock: bool,
      lock_period: int,
      frozen_balance: int,
      unfreeze_balance: int,
      owner: tronPermission,
      witness: tronPermission,
      actives: listOf(tronPermission),
    }),
  ),
})

const bitcoinTransaction = struct('a Bitcoin transaction', {
  version: int,
  inputs: listOf(struct('an input', { tx_id: text(forms.hash32), vout: int, sequence: int })),
  outputs: listOf(
    struct('an output', {
      value: int,
      script_pubkey: plainHex,
      address: text(forms.orOneOf(forms.bitcoinAddress, '')),
      address_type: stringOf(...bitcoinScriptKinds, ''),
    }),
  ),
  locktime: struct('a lock time', { amount: int, type: stringOf('Seconds', 'Blocks') }),
  fee: int,
})

const tempoTransaction = struct('a Tempo transaction', {
  chain_id: int,
  nonce: int,
  gas_limit: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  /** 0 when unset. The same holds for `valid_after`. */
  valid_before: int,
  valid_after: int,
  from: ethereumAddress,
  fee_token: ethereumAddress,
  /** `to` is '' when a contract is created, `function_signature` is '' when there is none. */
  calls: listOf(
    struct('a call', {
      to: ethereumRecipient,
      input: ethereumHex,
      function_signature: text(forms.orOneOf(forms.ethereumSelector, '')),
    }),
  ),
})

export const payloads: Readonly<Record<'eth' | 'solana' | 'tron' | 'bitcoin' | 'tempo', Type>> = {
  eth: struct('what is signed for Ethereum', {
    tx: ethereumTransaction,
    eip_712: typedData,
    eip_7702_authorization: delegation,
  }),
  solana: struct('what is signed for Solana', { tx: solanaTransaction }),
  tron: struct('what is signed for Tron', { tx: tronTransaction }),
  bitcoin: struct('what is signed for Bitcoin', { tx: bitcoinTransaction }),
  tempo: struct('what is signed for Tempo', { tx: tempoTransaction }),
}

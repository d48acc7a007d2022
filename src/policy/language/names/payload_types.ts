import { message } from '../message.ts'
import { idlAccountName, idlName } from './declared_names.ts'
import * as forms from './forms.ts'
import { functionName, instructionName, structName } from './name_forms.ts'
import {
  anyOf,
  bool,
  int,
  intFrom,
  listOf,
  mapOf,
  signed,
  string,
  stringOf,
  struct,
  type Type,
  text,
  uint,
  unsigned,
} from './types.ts'
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
  'DeployWithMaxDataLen',
  'Upgrade',
  'Close',
] as const

const ethereumAddress = text(forms.ethereumAddress)
const ethereumRecipient = text(forms.ethereumRecipient)
const ethereumHex = text(forms.ethereumHex)
/** Names of Solidity. An argument without a name has its number. */
const argument = anyOf({
  ...valueForms.ethereumValue,
  keys: { name: message`a name of letters, digits, $ and _`, pattern: /^([a-z$_][\w$]*|\d+)$/i },
})
const typedMember = anyOf({
  ...valueForms.ethereumValue,
  keys: {
    name: message`a name of printable ASCII without blanks, quotes and . : ( ) , [ ]`,
    pattern: /^[!#-&*+\-/-9;-Z\\^-~]+$/,
  },
})
const programNames = { name: message`a name of letters, digits and _`, pattern: idlName }
/** An account in a group has both names, with a dot between. */
const accountNames = { ...programNames, pattern: idlAccountName }
const solanaKey = text(forms.solanaKey)
const solanaAccountForm = forms.orOneOf(forms.solanaKey, addressTableLookup)
const solanaAccount = text(solanaAccountForm)
const tronAddress = text(forms.tronAddress)
const plainHex = text(forms.plainHex)
/** It has a byte or more. */
const discriminator = text({
  ...forms.plainHex,
  charactersMin: 2,
  canonical: (hex) => forms.plainHex.canonical(hex) || undefined,
})
const [u32, u64, u256] = [unsigned(32n), unsigned(64n), unsigned(256n)]
/** EIP-2681: the last nonce is never used. */
const ethereumNonce = intFrom(0n, 2n ** 64n - 2n)
/** EIP-2294: with a greater one, the `v` of a signature of type legacy would not fit. */
const ethereumChainId = intFrom(0n, 2n ** 63n - 37n)
/** java-tron takes no number below zero, so none is read. */
const tronInteger = intFrom(0n, 2n ** 63n - 1n)
/** There are 21 million bitcoins. */
const satoshis = intFrom(0n, 2_100_000_000_000_000n)
/** The network refuses a transaction with more. */
const tronContractsMax = 1

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
  value: u256,
  gas: u64,
  /** `max_fee_per_gas` if the transaction has that field. */
  gas_price: u256,
  max_fee_per_gas: u256,
  max_priority_fee_per_gas: u256,
  max_fee_per_blob_gas: u256,
  chain_id: ethereumChainId,
  nonce: ethereumNonce,
  /** These three fields exist if the organization has uploaded the interface of the contract at `to`. */
  function_name: text(functionName),
  function_signature: text(forms.ethereumSelector),
  contract_call_args: mapOf(argument),
})

const typedData = struct('EIP-712 typed data', {
  primary_type: text(structName),
  domain: struct('an EIP-712 domain', {
    name: string,
    version: string,
    /** A domain may give it a type with a sign. */
    chain_id: uint,
    verifying_contract: ethereumAddress,
  }),
  message: mapOf(typedMember),
})

const delegation = struct('an EIP-7702 authorization', {
  address: ethereumAddress,
  chain_id: u256,
  nonce: ethereumNonce,
})

const lookup = struct('a look-up in an address table', {
  address_table_key: solanaKey,
  writable_indexes: listOf(unsigned(8n)),
  readonly_indexes: listOf(unsigned(8n)),
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
        instruction_name: text(instructionName),
        discriminator,
        named_accounts: mapOf(text({ ...solanaAccountForm, keys: accountNames })),
        program_call_args: mapOf(anyOf({ ...valueForms.solanaValue, keys: programNames })),
      }),
    }),
  ),
  transfers: listOf(struct('a transfer', { from: solanaAccount, to: solanaAccount, amount: u64 })),
  /** Beside the transfers, what else moves lamports. `amount` is missing where the message does not say it. */
  lamport_transfers: listOf(
    struct('a move of lamports', {
      instruction_name: stringOf(...solanaLamportMoves),
      from: solanaAccount,
      to: solanaAccount,
      amount: u64,
    }),
  ),
  spl_transfers: listOf(
    struct('a transfer of a token', {
      from: solanaAccount,
      to: solanaAccount,
      amount: u64,
      owner: solanaAccount,
      signers: listOf(solanaAccount),
      token_mint: solanaAccount,
      withheld_fee: u64,
    }),
  ),
  address_table_lookups: listOf(lookup),
  /** Lamports, at most. The price of a compute unit is in millionths of a lamport. */
  priority_fee: u64,
  compute_unit_price: u64,
  /** The runtime lowers a greater one. */
  compute_unit_limit: intFrom(0n, 1_400_000n),
})

const tronPermission = struct('a Tron permission', {
  type: stringOf(...tronPermissionTypes),
  id: tronInteger,
  permission_name: string,
  threshold: tronInteger,
  parent_id: tronInteger,
  operations: plainHex,
  keys: listOf(struct('a key of a permission', { address: tronAddress, weight: tronInteger })),
})

const tronTransaction = struct('a Tron transaction', {
  ref_block_bytes: plainHex,
  ref_block_hash: plainHex,
  data: plainHex,
  expiration: tronInteger,
  timestamp: tronInteger,
  fee_limit: tronInteger,
  /** After the first three, `type` determines which fields exist. */
  contract: listOf(
    struct('a Tron contract', {
      type: stringOf(...tronContractTypes),
      permission_id: tronInteger,
      owner_address: tronAddress,
      to_address: tronAddress,
      amount: tronInteger,
      contract_address: tronAddress,
      call_value: tronInteger,
      data: plainHex,
      call_token_value: tronInteger,
      token_id: tronInteger,
      resource: stringOf(...tronResources),
      balance: tronInteger,
      receiver_address: tronAddress,
      lock: bool,
      lock_period: tronInteger,
      frozen_balance: tronInteger,
      unfreeze_balance: tronInteger,
      owner: tronPermission,
      witness: tronPermission,
      actives: listOf(tronPermission),
    }),
    tronContractsMax,
  ),
})

const bitcoinTransaction = struct('a Bitcoin transaction', {
  version: signed(32n),
  inputs: listOf(struct('an input', { tx_id: text(forms.hash32), vout: u32, sequence: u32 })),
  outputs: listOf(
    struct('an output', {
      value: satoshis,
      script_pubkey: plainHex,
      address: text(forms.orOneOf(forms.bitcoinAddress, '')),
      address_type: stringOf(...bitcoinScriptKinds, ''),
    }),
  ),
  locktime: struct('a lock time', { amount: u32, type: stringOf('Seconds', 'Blocks') }),
  fee: satoshis,
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

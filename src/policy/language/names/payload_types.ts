import { any, bool, int, listOf, mapOf, prose, string, stringOf, struct, type Type, uint } from './types.ts'

/**
 * The fields of the payload that an activity signs. Amounts are in the smallest unit. Hex is in lower case, with `0x`
 * only for Ethereum. A field that a payload lacks is missing. All fields are missing when the activity signs something
 * else.
 */
const ethereumTransaction = struct('an Ethereum transaction', {
  type: stringOf('LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'),
  from: string,
  to: string,
  data: string,
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
  function_name: string,
  function_signature: string,
  contract_call_args: mapOf(any),
})

const typedData = struct('EIP-712 typed data', {
  primary_type: string,
  domain: struct('an EIP-712 domain', {
    name: prose,
    version: prose,
    chain_id: uint,
    verifying_contract: string,
  }),
  message: mapOf(any),
})

const delegation = struct('an EIP-7702 authorization', { address: string, chain_id: int, nonce: int })

const lookup = struct('a look-up in an address table', {
  address_table_key: string,
  writable_indexes: listOf(int),
  readonly_indexes: listOf(int),
})

const solanaTransaction = struct('a Solana transaction', {
  account_keys: listOf(string),
  program_keys: listOf(string),
  recent_blockhash: string,
  instructions: listOf(
    struct('a Solana instruction', {
      program_key: string,
      accounts: listOf(struct('an account of an instruction', { account_key: string, signer: bool, writable: bool })),
      instruction_data_hex: string,
      address_table_lookups: listOf(lookup),
      /** Exists if the organization has uploaded the interface of the program. */
      parsed_instruction_data: struct('a parsed instruction', {
        instruction_name: string,
        discriminator: string,
        named_accounts: mapOf(string),
        program_call_args: mapOf(any),
      }),
    }),
  ),
  transfers: listOf(struct('a transfer', { from: string, to: string, amount: int })),
  /** Beside the transfers, what else moves lamports. `amount` is missing where the message does not say it. */
  lamport_transfers: listOf(
    struct('a move of lamports', { instruction_name: string, from: string, to: string, amount: int }),
  ),
  spl_transfers: listOf(
    struct('a transfer of a token', {
      from: string,
      to: string,
      amount: int,
      owner: string,
      signers: listOf(string),
      token_mint: string,
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
  type: string,
  id: int,
  permission_name: string,
  threshold: int,
  parent_id: int,
  operations: string,
  keys: listOf(struct('a key of a permission', { address: string, weight: int })),
})

const tronTransaction = struct('a Tron transaction', {
  ref_block_bytes: string,
  ref_block_hash: string,
  data: string,
  expiration: int,
  timestamp: int,
  fee_limit: int,
  /** After the first three, `type` determines which fields exist. */
  contract: listOf(
    struct('a Tron contract', {
      type: string,
      permission_id: int,
      owner_address: string,
      to_address: string,
      amount: int,
      contract_address: string,
      call_value: int,
      data: string,
      call_token_value: int,
      token_id: int,
      resource: string,
      balance: int,
      receiver_address: string,
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
  inputs: listOf(struct('an input', { tx_id: string, vout: int, sequence: int })),
  outputs: listOf(struct('an output', { value: int, script_pubkey: string, address: string, address_type: string })),
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
  from: string,
  fee_token: string,
  /** `to` is '' when a contract is created, `function_signature` is '' when there is none. */
  calls: listOf(struct('a call', { to: string, input: string, function_signature: string })),
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

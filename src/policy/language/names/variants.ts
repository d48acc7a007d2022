import type { solanaLamportMoves, tronContractTypes } from './payload_types.ts'

/**
 * A struct whose fields depend on what one of its fields says, such as a transaction on its type. Tests compare these with
 * what is read of transactions.
 */
export type Variants = {
  /** The struct, from the keyword on. `[]` stands for an item of a list, and not for one of a list that has one item. */
  readonly struct: string
  /** The field that says the variant. */
  readonly by: string
  /** The fields that a variant never has, by the text of that field. */
  readonly lacks: Readonly<Record<string, readonly string[]>>
  /** Other texts, with which the struct may have every field. */
  readonly hasOthers: boolean
}

const fees = ['max_fee_per_gas', 'max_priority_fee_per_gas']
const blobFee = 'max_fee_per_blob_gas'
export const lackedByEthereumType = {
  LEGACY: [...fees, blobFee],
  TYPE_1: [...fees, blobFee],
  TYPE_2: [blobFee],
  TYPE_3: [],
  TYPE_4: [blobFee],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The fields that exist if an uploaded interface of the contract at `to` declares what is called. */
export const ethereumCallFields = ['function_name', 'function_signature', 'contract_call_args']

/** The fields of a contract besides `type` and `permission_id`. */
export const tronFieldsByType: Readonly<Record<(typeof tronContractTypes)[number], readonly string[]>> = {
  TransferContract: ['owner_address', 'to_address', 'amount'],
  TriggerSmartContract: ['owner_address', 'contract_address', 'call_value', 'data', 'call_token_value', 'token_id'],
  AccountPermissionUpdateContract: ['owner_address', 'owner', 'witness', 'actives'],
  FreezeBalanceV2Contract: ['owner_address', 'frozen_balance', 'resource'],
  UnfreezeBalanceV2Contract: ['owner_address', 'unfreeze_balance', 'resource'],
  DelegateResourceContract: ['owner_address', 'resource', 'balance', 'receiver_address', 'lock', 'lock_period'],
  UnDelegateResourceContract: ['owner_address', 'resource', 'balance', 'receiver_address'],
}
const tronFields = [...new Set(Object.values(tronFieldsByType).flat())]
export const lackedByTronType: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(tronFieldsByType).map(([type, own]) => [type, tronFields.filter((field) => !own.includes(field))]),
)

/** The moves of lamports that never say how many. */
export const movesWithoutAmount: readonly (typeof solanaLamportMoves)[number][] = [
  'CloseAccount',
  'WithdrawExcessLamports',
  'CloseLookupTable',
  'DeployWithMaxDataLen',
  'Upgrade',
  'Close',
]

export const variants: readonly Variants[] = [
  { struct: 'eth.tx', by: 'type', lacks: lackedByEthereumType, hasOthers: false },
  { struct: 'eth.tx', by: 'data', lacks: { '0x': ethereumCallFields }, hasOthers: true },
  { struct: 'eth.tx', by: 'to', lacks: { '': ethereumCallFields }, hasOthers: true },
  { struct: 'tron.tx.contract', by: 'type', lacks: lackedByTronType, hasOthers: false },
  {
    struct: 'solana.tx.lamport_transfers[]',
    by: 'instruction_name',
    lacks: Object.fromEntries(movesWithoutAmount.map((name) => [name, ['amount']])),
    hasOthers: true,
  },
]

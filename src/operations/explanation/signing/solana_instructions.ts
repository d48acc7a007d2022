import { systemProgram, tokenPrograms } from '../../../policy/transactions/solana/solana_struct.ts'
import type { Value } from '../explanation.ts'
import { amountOf, sol } from './coins.ts'

/** The names of programs that every network has, by their addresses. */
export const programNames: ReadonlyMap<string, string> = new Map([
  [systemProgram, 'systemProgram'],
  ...[...tokenPrograms].map((program) => [program, 'tokenProgram'] as const),
  ['ComputeBudget111111111111111111111111111111', 'computeBudget'],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'memo'],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwDQxFMNo', 'memo'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'associatedToken'],
])

/** `code`: the name in the program's source. `amount`: the lamports or the tokens that it is about. */
type Instruction = {
  readonly code: string
  readonly amount?: Value
  readonly isTransfer?: true
  /** The tokens of the amount that the recipient does not get. */
  readonly withheldFee?: Value
  readonly decimals?: number
  readonly limits?: FeeLimits
}

/** The limits of a fee that instructions set. The price of a compute unit is in millionths of a lamport. */
export type FeeLimits = { readonly computeUnitLimit?: bigint; readonly microLamportsPerComputeUnit?: bigint }

/** `MAX_COMPUTE_UNIT_LIMIT` of the runtime. */
const computeUnitsMax = 1_400_000n
const microLamportsPerLamport = 1_000_000n

/** Returns the most lamports that a transaction pays beside the fee for its signatures. */
export function priorityFeeMax({
  computeUnitLimit = computeUnitsMax,
  microLamportsPerComputeUnit: price = 0n,
}: FeeLimits): bigint {
  const units = computeUnitLimit < computeUnitsMax ? computeUnitLimit : computeUnitsMax
  return (units * price + microLamportsPerLamport - 1n) / microLamportsPerLamport
}

/** `at`: where the amount stands in the data. */
type Known = { readonly code: string; readonly at?: number; readonly isTransfer?: true }

/** `SystemInstruction`, by its number. `at`: where the lamports stand in the data. */
const systemInstructions: ReadonlyMap<number, Known> = new Map([
  [0, { code: 'CreateAccount', at: 4 }],
  [1, { code: 'Assign' }],
  [2, { code: 'Transfer', at: 4, isTransfer: true }],
  [3, { code: 'CreateAccountWithSeed' }],
  [4, { code: 'AdvanceNonceAccount' }],
  [5, { code: 'WithdrawNonceAccount', at: 4 }],
  [6, { code: 'InitializeNonceAccount' }],
  [7, { code: 'AuthorizeNonceAccount' }],
  [8, { code: 'Allocate' }],
  [9, { code: 'AllocateWithSeed' }],
  [10, { code: 'AssignWithSeed' }],
  [11, { code: 'TransferWithSeed', at: 4 }],
])

/** `TokenInstruction`, by its number. `at`: where the amount of tokens stands in the data. */
const tokenInstructions: ReadonlyMap<number, Known> = new Map([
  [3, { code: 'Transfer', at: 1, isTransfer: true }],
  [4, { code: 'Approve', at: 1 }],
  [5, { code: 'Revoke' }],
  [6, { code: 'SetAuthority' }],
  [7, { code: 'MintTo', at: 1 }],
  [8, { code: 'Burn', at: 1 }],
  [9, { code: 'CloseAccount' }],
  [12, { code: 'TransferChecked', at: 1, isTransfer: true }],
  [13, { code: 'ApproveChecked', at: 1 }],
  [14, { code: 'MintToChecked', at: 1 }],
  [15, { code: 'BurnChecked', at: 1 }],
  [17, { code: 'SyncNative' }],
])

/** `AssociatedTokenAccountInstruction`. Without data it is the first. */
const associatedTokenInstructions = ['Create', 'CreateIdempotent', 'RecoverNested']

/** Returns an instruction of a program that every network has. Undefined for any other. */
export function instructionOf(program: string, data: Uint8Array): Instruction | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const name = programNames.get(program)
  if (name === 'systemProgram') {
    const found = data.length < 4 ? undefined : systemInstructions.get(view.getUint32(0, true))
    return found && shown(found, view, (amount) => amountOf(amount, sol))
  }
  if (name === 'tokenProgram') {
    if (data[0] === transferFeeExtension) return withFeeOf(view)
    const found = tokenInstructions.get(data[0] ?? -1)
    return found && shown(found, view, tokens)
  }
  if (name === 'computeBudget') return budgetOf(view)
  if (name !== 'associatedToken') return undefined
  const found = associatedTokenInstructions[data[0] ?? 0]
  return found === undefined || data.length > 1 ? undefined : { code: found }
}

const tokens = (amount: bigint): Value => ({ kind: 'amount', smallest: String(amount) })

/** `TokenInstruction::TransferFeeExtension` of Token-2022. The next byte is the number of a `TransferFeeInstruction`. */
const transferFeeExtension = 26

/** `TransferCheckedWithFee`: the amount as u64, the decimals of the mint as u8, and the fee as u64. */
function withFeeOf(view: DataView): Instruction | undefined {
  if (view.byteLength < 19 || view.getUint8(1) !== 1) return undefined
  return {
    code: 'TransferCheckedWithFee',
    isTransfer: true,
    amount: tokens(view.getBigUint64(2, true)),
    decimals: view.getUint8(10),
    withheldFee: tokens(view.getBigUint64(11, true)),
  }
}

function shown(
  { code, at, isTransfer }: Known,
  view: DataView,
  show: (amount: bigint) => Value,
): Instruction | undefined {
  if (at === undefined) return { code }
  if (view.byteLength < at + 8) return undefined
  return { code, amount: show(view.getBigUint64(at, true)), ...(isTransfer === undefined ? {} : { isTransfer }) }
}

/** `ComputeBudgetInstruction`: the limit of compute units, and the price of one in millionths of a lamport. */
function budgetOf(view: DataView): Instruction | undefined {
  const [kind, length] = [view.byteLength === 0 ? -1 : view.getUint8(0), view.byteLength]
  if (kind === 2 && length === 5) {
    return { code: 'SetComputeUnitLimit', limits: { computeUnitLimit: BigInt(view.getUint32(1, true)) } }
  }
  if (kind === 3 && length === 9) {
    return { code: 'SetComputeUnitPrice', limits: { microLamportsPerComputeUnit: view.getBigUint64(1, true) } }
  }
  return undefined
}

import { hexToBytes } from '@noble/hashes/utils.js'
import { type Struct, structsIn } from '../../language/expression_values.ts'
import { addressTableLookup } from '../../language/names/payload_types.ts'
import {
  batchForm,
  computeBudgetProgram,
  type FieldValue,
  type InstructionId,
  type ReadInstruction,
  readInstruction,
  token2022Program,
  tokenPrograms,
} from './read_instruction.ts'

/** An account of an instruction. `lookup`: where in which table on the chain it stands, if the message has no key of it. */
export type Account = {
  readonly key: string
  readonly signer: boolean
  readonly writable: boolean
  readonly lookup?: Struct
}

/** An instruction with its accounts. `read` is undefined if it is not read here. */
export type Call = {
  readonly program: string
  readonly accounts: readonly Account[]
  readonly data: Uint8Array
  readonly read: ReadInstruction | undefined
  /** The instructions that it consists of: those of a `Batch` of the token program. */
  readonly batch: readonly Call[]
}

type Unread = Pick<Call, 'program' | 'accounts' | 'data'>

const [batchNumber] = batchForm.prefix

export function readCall(call: Unread): Call {
  const parts = tokenPrograms.has(call.program) && call.data[0] === batchNumber ? batchParts(call) : undefined
  const batch = parts?.map((part) => ({ ...part, read: readInstruction(part.program, part.data), batch: [] })) ?? []
  if (batch.length === 0) {
    const read = readInstruction(call.program, call.data)
    return { ...call, read: read && isOfTokens(call, read) ? read : undefined, batch }
  }
  return { ...call, read: { id: 'tokenProgram.Batch', form: batchForm, fields: new Map(), unreadBytes: 0 }, batch }
}

/**
 * The program for associated accounts calls whichever program it is given as that of the token. Nobody knows here what
 * another one than those for tokens does, and the account belongs to it.
 */
function isOfTokens({ accounts }: Unread, { form: { roles } }: ReadInstruction): boolean {
  const tokenProgram = accounts[roles.indexOf('tokenProgram')]
  return tokenProgram === undefined || tokenPrograms.has(tokenProgram.key)
}

/** Each part has the number of its accounts, the length of its data, and its data. A batch inside of a batch fails. */
function batchParts({ program, accounts, data }: Unread): readonly Unread[] | undefined {
  const parts: Unread[] = []
  let [at, account] = [1, 0]
  while (at < data.length) {
    const [accountsCount = 0, length = 0] = data.subarray(at, at + 2)
    const part = data.subarray(at + 2, at + 2 + length)
    const own = accounts.slice(account, account + accountsCount)
    if (length === 0 || part.length < length || own.length < accountsCount || part[0] === batchNumber) return undefined
    parts.push({ program, accounts: own, data: part })
    at += 2 + length
    account += accountsCount
  }
  return parts
}

/** The instructions of a transaction, and in the place of a batch those of which it consists. */
export function flatCalls(calls: readonly Call[]): readonly Call[] {
  return calls.flatMap((call) => (call.batch.length === 0 ? [call] : call.batch))
}

/** The instructions of `solana.tx` of conditions that the message has itself: what follows a batch is in the batch. */
export function ownInstructions({ instructions }: Struct): readonly Struct[] {
  let partsLeft = 0
  return structsIn(instructions).filter((instruction) => {
    if (partsLeft === 0) {
      partsLeft = callOfStruct(instruction).batch.length
      return true
    }
    partsLeft -= 1
    return false
  })
}

/** The calls of `solana.tx` of conditions, each batch as one. */
export function callsOfStruct(tx: Struct): readonly Call[] {
  return ownInstructions(tx).map(callOfStruct)
}

function callOfStruct(instruction: Struct): Call {
  const lookups = structsIn(instruction.address_table_lookups).values()
  return readCall({
    program: String(instruction.program_key),
    accounts: structsIn(instruction.accounts).map(({ account_key: key, signer, writable }) => {
      const lookup = key === addressTableLookup ? lookups.next().value : undefined
      return {
        key: String(key),
        signer: signer === true,
        writable: writable === true,
        ...(lookup === undefined ? {} : { lookup }),
      }
    }),
    data: hexToBytes(String(instruction.instruction_data_hex)),
  })
}

/** Whether it is this instruction of this program. */
export function isInstruction({ read }: Pick<Call, 'read'>, id: InstructionId): boolean {
  return read?.id === id
}

/** Whether it makes an account of the System program. Only some instructions prove that the account held nothing before. */
export function createsAccount(call: Pick<Call, 'read'>): boolean {
  return provesNew(call) || call.read?.form.kind === 'prefundedAccount'
}

/** Whether it makes an account that held nothing before. */
export function provesNew(call: Pick<Call, 'read'>): boolean {
  return call.read?.form.kind === 'newAccount'
}

type Roles = readonly string[]

const sysvarRoles: ReadonlySet<string> = new Set(['sysvar', 'rent'])

/**
 * The roles of the accounts in their order: first as the program of today reads them, then as another version of it may.
 * An account that only a lookup table names may be the sysvar.
 */
function readingsOf({ read, accounts }: Call): readonly [Roles, ...Roles[]] {
  const { roles = [], firstSysvar } = read?.form ?? {}
  const { key } = accounts[roles.findIndex((role) => sysvarRoles.has(role))] ?? {}
  if (firstSysvar === undefined || key === firstSysvar) return [roles]
  const withoutSysvars = roles.filter((role) => !sysvarRoles.has(role))
  return key === addressTableLookup ? [roles, withoutSysvars] : [withoutSysvars, roles]
}

/** The roles of an instruction's accounts, in their order. */
export function rolesOf(call: Call): Roles {
  return readingsOf(call)[0]
}

/** The role of the account at this place. */
export function roleAt(call: Call, index: number): string | undefined {
  return roleIn(rolesOf(call), index)
}

function roleIn(roles: Roles, index: number): string | undefined {
  return roles[index] ?? (roles.at(-1) === 'signers' ? 'signers' : undefined)
}

/** The account with this role. Undefined if the instruction has none. */
export function accountOf(call: Call, role: string): Account | undefined {
  const index = rolesOf(call).indexOf(role)
  return index === -1 ? undefined : call.accounts[index]
}

/** All accounts that have this role in any version of the program: those of `signers` may be several. */
export function accountsOf(call: Call, role: string): readonly Account[] {
  return readingsOf(call).flatMap((roles) => call.accounts.filter((_, index) => roleIn(roles, index) === role))
}

/**
 * The accounts that sign for the hook of a token too, a program that is not read here. Token-2022 hands it the accounts
 * without a role, with their signatures but for the owner's. Where all of them sign, they are members of a multisig: a
 * hook with accounts of its own needs one that cannot sign.
 */
export function signersForHook(call: Call): readonly Account[] {
  if (call.program !== token2022Program || call.read?.form.moves?.asset !== 'tokens') return []
  const [owner, handed] = [accountOf(call, 'owner'), accountsOf(call, 'signers')]
  if (handed.every((account) => account.signer)) return []
  return handed.filter(({ key, signer }) => signer && key !== owner?.key)
}

/** A transfer by an instruction. `amount` is undefined if the message does not say it. */
export type Move = {
  readonly call: Call
  readonly from: Account
  readonly to: Account
  readonly amount: bigint | undefined
}

/** The transfers of one asset. An instruction without the accounts that it needs fails on the chain. */
export function movesOf(calls: readonly Call[], asset: 'lamports' | 'tokens'): readonly Move[] {
  return calls.flatMap((call) => {
    const { moves } = call.read?.form ?? {}
    if (moves?.asset !== asset) return []
    const [from, to] = [accountOf(call, moves.from), accountOf(call, moves.to)]
    if (from === undefined || to === undefined) return []
    if (asset === 'tokens' && accountOf(call, 'owner') === undefined) return []
    return [{ call, from, to, amount: numberOf(call.read?.fields.get('amount')) }]
  })
}

function numberOf(value: FieldValue): bigint | undefined {
  return typeof value === 'bigint' ? value : undefined
}

/** The price of a compute unit is in millionths of a lamport. The fees are the most that may be paid. */
export type BudgetFees = {
  readonly computeUnitLimit: bigint
  readonly microLamportsPerComputeUnit: bigint
  readonly priorityFeeLamports: bigint
}

/** `MAX_COMPUTE_UNIT_LIMIT` of the runtime. A transaction without a limit gets at most as many. */
const computeUnitsMax = 1_400_000n
const microLamportsPerLamport = 1_000_000n
const u64Max = 2n ** 64n - 1n

/**
 * Returns what a transaction may pay beside the fee for its signatures. Where two instructions set one limit, which fails
 * on the chain, the greater one holds. An instruction of the budget that cannot be read may set any price.
 */
export function budgetFeesOf(calls: readonly Call[]): BudgetFees {
  const ofBudget = calls.filter(({ program }) => program === computeBudgetProgram)
  const greatest = (name: string) =>
    ofBudget.flatMap(({ read }) => numberOf(read?.fields.get(name)) ?? []).reduce(greater, undefined)
  const isUnread = ofBudget.some(({ read }) => read === undefined)
  const price = isUnread ? u64Max : (greatest('microLamportsPerComputeUnit') ?? 0n)
  const limit = isUnread ? computeUnitsMax : lesser(greatest('computeUnitLimit') ?? computeUnitsMax, computeUnitsMax)
  return {
    computeUnitLimit: limit,
    microLamportsPerComputeUnit: price,
    priorityFeeLamports: lesser((limit * price + microLamportsPerLamport - 1n) / microLamportsPerLamport, u64Max),
  }
}

function greater(one: bigint | undefined, other: bigint): bigint {
  return one === undefined || other > one ? other : one
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

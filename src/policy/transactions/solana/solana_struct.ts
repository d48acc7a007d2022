import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { keepReading } from '../../contracts/reading.ts'
import { readSolanaCall, type SolanaCall } from '../../contracts/solana/solana_call.ts'
import { openSolanaProgram, type SolanaProgram } from '../../contracts/solana/solana_program.ts'
import type { Struct } from '../../language/expression_values.ts'
import { addressTableLookup } from '../../language/names/payload_types.ts'
import type { DecodedTransaction, Interfaces } from '../transaction_kind.ts'
import {
  type Account,
  accountOf,
  budgetFeesOf,
  type Call,
  flatCalls,
  isInstruction,
  movesOf,
  readCall,
  roleAt,
} from './solana_calls.ts'
import type { SolanaInstruction, SolanaMessage } from './solana_transaction.ts'

/**
 * Returns `solana.tx` of conditions. Keys are base58, data lower-case hex without `0x`, amounts in lamports or the
 * token's smallest unit. `account_keys` are those of the message itself, and then one for each account from a lookup
 * table. Such an account has the key `ADDRESS_TABLE_LOOKUP`. Its lookup stands in the `address_table_lookups` of its
 * instruction and of the transaction. `instructions` has a `Batch` of tokens and then those of which it consists.
 * `transfers`, `lamport_transfers` and `spl_transfers` are those that the message itself orders. Transfers that programs
 * order beyond that cannot be seen here. The fees are the most that may be paid. `idls` are the texts of IDLs by program.
 * A call about which two contradict each other has no names. One of a program with IDLs that has none
 * `is_unnamed`, which no rule can read: it is certainly no instruction of another name.
 */
export function* solanaStruct(message: SolanaMessage, idls: Interfaces): Steps<DecodedTransaction> {
  const accounts = accountsOf(message)
  const calls = message.instructions.map((instruction) => callOf(instruction, accounts))
  // Each IDL is read once, however often its program is called.
  const programs = new Map<string, ReadonlyMap<SolanaProgram, string>>()
  for (const [program, texts] of idls) {
    const read = new Map<SolanaProgram, string>()
    programs.set(program, read)
    for (const text of texts) {
      yield
      read.set(yield* openSolanaProgram(text), text)
    }
  }
  const used = new Map<string, Set<string>>()
  const count = { values: 0 }
  const instructions: Struct[] = []
  // A rule about the instructions of a token is about those in a batch too.
  for (const call of calls.flatMap((one) => [one, ...one.batch])) {
    const known = programs.get(call.program)
    const accounts = call.accounts.map(({ key }) => key)
    const parsed = known && (yield* readSolanaCall({ data: call.data, accounts, programs: [...known.keys()], count }))
    instructions.push(instructionStruct(call, parsed ? parsedStruct(parsed) : known && { is_unnamed: true }))
    for (const program of parsed?.programs ?? []) {
      const texts = used.get(call.program) ?? new Set()
      used.set(call.program, texts.add(known?.get(program) ?? ''))
    }
  }
  const flat = flatCalls(calls)
  const fees = budgetFeesOf(calls)
  const struct = {
    account_keys: accounts.map(({ key }) => key),
    program_keys: programsOf(message),
    recent_blockhash: message.recentBlockhash,
    instructions,
    transfers: transferStructs(flat),
    lamport_transfers: lamportTransferStructs(flat),
    spl_transfers: tokenTransferStructs(flat),
    priority_fee: fees.priorityFeeLamports,
    compute_unit_price: fees.microLamportsPerComputeUnit,
    compute_unit_limit: fees.computeUnitLimit,
    address_table_lookups: message.lookups.map(({ tableKey, writableIndexes, readonlyIndexes }) => ({
      address_table_key: tableKey,
      writable_indexes: writableIndexes.map(BigInt),
      readonly_indexes: readonlyIndexes.map(BigInt),
    })),
  }
  return { struct, usedInterfaces: new Map([...used].map(([program, texts]) => [program, [...texts]])) }
}

/** The programs that are called, each once, in the order of the keys. */
export function programsOf({ keys, instructions }: SolanaMessage): readonly string[] {
  const called = new Set(instructions.map(({ program }) => program))
  return keys.filter((_, index) => called.has(index))
}

/** Every account that an instruction can name: the keys, then the looked-up accounts, writable ones first. */
function accountsOf({ keys, lookups, ...header }: SolanaMessage): readonly Account[] {
  const { signersCount, readonlySignersCount, readonlyOthersCount } = header
  const own = keys.map((key, index) => {
    const signer = index < signersCount
    const writable = index < (signer ? signersCount - readonlySignersCount : keys.length - readonlyOthersCount)
    return { key, signer, writable }
  })
  const lookedUp = ({ writable }: { readonly writable: boolean }) =>
    lookups.flatMap(({ tableKey, writableIndexes, readonlyIndexes }) =>
      (writable ? writableIndexes : readonlyIndexes).map((index) => ({
        key: addressTableLookup,
        signer: false,
        writable,
        lookup: {
          address_table_key: tableKey,
          writable_indexes: writable ? [BigInt(index)] : [],
          readonly_indexes: writable ? [] : [BigInt(index)],
        },
      })),
    )
  return [...own, ...lookedUp({ writable: true }), ...lookedUp({ writable: false })]
}

function callOf({ program, accounts, data }: SolanaInstruction, all: readonly Account[]): Call {
  return readCall({
    program: all[program]?.key ?? '',
    accounts: accounts.flatMap((index) => all[index] ?? []),
    data,
  })
}

function instructionStruct({ program: programKey, accounts, data }: Call, parsed: Struct | undefined): Struct {
  return {
    program_key: programKey,
    accounts: accounts.map(({ key, signer, writable }) => ({ account_key: key, signer, writable })),
    instruction_data_hex: bytesToHex(data),
    address_table_lookups: accounts.flatMap(({ lookup }) => (lookup === undefined ? [] : [lookup])),
    parsed_instruction_data: parsed,
  }
}

function parsedStruct({ instructionName, discriminator, namedAccounts, args, reading }: SolanaCall): Struct {
  const struct = {
    instruction_name: instructionName,
    discriminator,
    named_accounts: namedAccounts,
    program_call_args: args,
  }
  keepReading(struct, reading)
  return struct
}

/** `Transfer` of the System program: what the interface calls a transfer. */
function transferStructs(calls: readonly Call[]): readonly Struct[] {
  const transfers = calls.filter((call) => isInstruction(call, 'systemProgram.Transfer'))
  return movesOf(transfers, 'lamports').map(({ from, to, amount }) => ({
    from: from.key,
    to: to.key,
    amount,
  }))
}

/** Everything that moves lamports. */
function lamportTransferStructs(calls: readonly Call[]): readonly Struct[] {
  return movesOf(calls, 'lamports').map(({ call, from, to, amount }) => ({
    instruction_name: call.read?.form.code,
    from: from.key,
    to: to.key,
    amount,
  }))
}

function tokenTransferStructs(calls: readonly Call[]): readonly Struct[] {
  return movesOf(calls, 'tokens').map(({ call, from, to, amount }) => {
    const owner = accountOf(call, 'owner')?.key ?? ''
    const signers = call.accounts.filter((_, index) => roleAt(call, index) === 'signers').map(({ key }) => key)
    return {
      from: from.key,
      to: to.key,
      amount,
      owner,
      // The members of a multisig sign in its place.
      signers: signers.length === 0 ? [owner] : signers,
      token_mint: accountOf(call, 'mint')?.key,
      withheld_fee: call.read?.fields.get('withheldFee') ?? 0n,
    }
  })
}

import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Value } from '../../language/expression_values.ts'
import { argsOf, type Reading } from '../reading.ts'
import { type BorshCount, readBorshFields } from './borsh_values.ts'
import { areDeclaredAlike, type Declared } from './declared_alike.ts'
import type { SolanaProgram } from './solana_program.ts'

/** A call in the terms of the program's IDL. */
export type SolanaCall = {
  readonly instructionName: string
  /** The bytes with which the data begins, in lower-case hex: eight of them unless the IDL says otherwise. */
  readonly discriminator: string
  /** The accounts that are present, by name. An account within a group has both names, joined by a dot. */
  readonly namedAccounts: ReadonlyMap<string, string>
  /** The arguments by name, as `readBorshFields` reads them. Undefined when the data does not match the IDL. */
  readonly args: ReadonlyMap<string, Value> | undefined
  readonly reading: Reading
  /** The IDLs that name the instruction. All of them declare it alike. */
  readonly programs: readonly SolanaProgram[]
}

export type SolanaCallInput = {
  readonly data: Uint8Array
  /** Keys, in the instruction's order. */
  readonly accounts: readonly string[]
  /** The IDLs of the called program. */
  readonly programs: readonly SolanaProgram[]
  /** One count for all calls of a transaction. */
  readonly count: BorshCount
}

/**
 * Returns the instruction of the program that is called. Undefined when no IDL names such an instruction, or when two
 * declare it in different ways.
 */
export function* readSolanaCall({ data, accounts, programs, count }: SolanaCallInput): Steps<SolanaCall | undefined> {
  const declared: Declared[] = []
  for (const program of programs) {
    yield
    for (const instruction of program.instructions) {
      if (instruction.discriminator.every((byte, index) => data[index] === byte))
        declared.push({ program, instruction })
    }
  }
  const [called, ...others] = declared
  if (called === undefined) return undefined
  for (const other of others) if (!(yield* areDeclaredAlike(called, other))) return undefined
  yield
  const { name, discriminator, accountNames, borshFields } = called.instruction
  const reading = readBorshFields({ fields: borshFields(), data: data.subarray(discriminator.length), count })
  return {
    instructionName: name,
    discriminator: bytesToHex(discriminator),
    namedAccounts: new Map(
      accounts.slice(0, accountNames.length).map((key, index) => [accountNames[index] ?? '', key]),
    ),
    args: argsOf(reading),
    reading,
    programs: declared.map(({ program }) => program),
  }
}

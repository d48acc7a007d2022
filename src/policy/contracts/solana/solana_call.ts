import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Value } from '../../language/values.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, optionalItemsAt } from '../document.ts'
import { type BorshCount, type Definitions, definitionsOf, readBorshFields } from './borsh_values.ts'

/** A call in the terms of the program's IDL. */
export type SolanaCall = {
  readonly instructionName: string
  /** The bytes with which the data begins, in lower-case hex: eight of them unless the IDL says otherwise. */
  readonly discriminator: string
  /** The accounts that are present, by name. An account within a group has both names, joined by a dot. */
  readonly namedAccounts: ReadonlyMap<string, string>
  /** The arguments by name, as `readBorshFields` reads them. Undefined when the data does not match the IDL. */
  readonly args: ReadonlyMap<string, Value> | undefined
}

/** The content of a program's IDL, read once for all instructions that call the program. */
export type SolanaProgram = {
  readonly instructions: readonly {
    readonly name: string
    readonly discriminator: Uint8Array
    readonly accountNames: readonly string[]
    readonly fields: readonly DocumentNode[]
  }[]
  readonly definitions: Definitions
}

export type SolanaCallInput = {
  readonly data: Uint8Array
  /** Keys, in the instruction's order. */
  readonly accounts: readonly string[]
  readonly program: SolanaProgram
  /** One count for all calls of a transaction. */
  readonly count: BorshCount
}

/** Reads an IDL. `idl` is the root of a document that `checkSolanaIdl` accepted. */
export function solanaProgramOf(idl: DocumentNode): SolanaProgram {
  const instructions = itemsAt(memberAt(idl, 'instructions')).map((instruction) => {
    const name = String(memberAt(instruction, 'name').value)
    return {
      name,
      discriminator: discriminatorOf(instruction, name),
      accountNames: accountNames(memberAt(instruction, 'accounts'), ''),
      fields: itemsAt(memberAt(instruction, 'args')),
    }
  })
  return { instructions, definitions: definitionsOf(idl) }
}

/** Returns the instruction of the program that is called. Undefined when the IDL names no such instruction. */
export function readSolanaCall({ data, accounts, program, count }: SolanaCallInput): SolanaCall | undefined {
  const { instructions, definitions } = program
  const called = instructions.find(({ discriminator }) => discriminator.every((byte, index) => data[index] === byte))
  if (called === undefined) return undefined
  const { name, discriminator, accountNames, fields } = called
  return {
    instructionName: name,
    discriminator: bytesToHex(discriminator),
    namedAccounts: new Map(
      accounts.slice(0, accountNames.length).map((key, index) => [accountNames[index] ?? '', key]),
    ),
    args: readBorshFields(definitions, { fields, data: data.subarray(discriminator.length), count }),
  }
}

/** Returns the discriminator of the IDL, or else Anchor's: the hash of `global:` and the name as Rust writes it. */
function discriminatorOf(instruction: DocumentNode, name: string): Uint8Array {
  const given = memberAt(instruction, 'discriminator')
  if (!isAbsent(given)) return Uint8Array.from(itemsAt(given), ({ value }) => Number(value))
  const rustName = name.replace(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, (letter) => `_${letter}`).toLowerCase()
  return sha256(new TextEncoder().encode(`global:${rustName}`)).subarray(0, 8)
}

function accountNames(accounts: DocumentNode, prefix: string): readonly string[] {
  return optionalItemsAt(accounts).flatMap((account) => {
    const name = `${prefix}${String(memberAt(account, 'name').value)}`
    const group = memberAt(account, 'accounts')
    return isAbsent(group) ? [name] : accountNames(group, `${name}.`)
  })
}

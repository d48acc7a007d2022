import { hash } from 'node:crypto'
import { lazily } from '../../../protocol/tools/lazily.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, openDocument, optionalItemsAt } from '../document.ts'
import { argumentsOf, type BorshField, type Definitions, definitionsOf } from './borsh_types.ts'

/** The content of a program's IDL, read once for all instructions that call the program. */
export type SolanaProgram = {
  readonly instructions: readonly DeclaredInstruction[]
  readonly definitions: Definitions
}

export type DeclaredInstruction = {
  readonly name: string
  readonly discriminator: Uint8Array
  readonly accountNames: readonly string[]
  /** The arguments as the IDL writes them, and as values are read by them. */
  readonly fields: readonly DocumentNode[]
  readonly borshFields: () => readonly BorshField[]
}

/** Reads the text of an IDL that is stored. */
export function* openSolanaProgram(text: string): Steps<SolanaProgram> {
  const idl = yield* openDocument(text, 'smartContractInterface')
  yield
  return solanaProgramOf(idl)
}

/** Reads an IDL. `idl` is the root of a document that `checkSolanaIdl` accepted. */
export function solanaProgramOf(idl: DocumentNode): SolanaProgram {
  const definitions = definitionsOf(idl)
  const instructions = itemsAt(memberAt(idl, 'instructions')).map((instruction) => {
    const fields = itemsAt(memberAt(instruction, 'args'))
    const name = String(memberAt(instruction, 'name').value)
    return {
      name,
      discriminator: discriminatorOf(instruction, name),
      accountNames: accountNames(memberAt(instruction, 'accounts'), ''),
      fields,
      borshFields: lazily(() => argumentsOf(fields, definitions)),
    }
  })
  return { instructions, definitions }
}

/** Returns the discriminator of the IDL, or else Anchor's: the hash of `global:` and the name as Rust writes it. */
export function discriminatorOf(instruction: DocumentNode, name: string): Uint8Array {
  const given = memberAt(instruction, 'discriminator')
  if (!isAbsent(given)) return Uint8Array.from(itemsAt(given), ({ value }) => Number(value))
  const rustName = name.replace(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, (letter) => `_${letter}`).toLowerCase()
  return hash('sha256', `global:${rustName}`, 'buffer').subarray(0, 8)
}

function accountNames(accounts: DocumentNode, prefix: string): readonly string[] {
  return optionalItemsAt(accounts).flatMap((account) => {
    const name = `${prefix}${String(memberAt(account, 'name').value)}`
    const group = memberAt(account, 'accounts')
    return isAbsent(group) ? [name] : accountNames(group, `${name}.`)
  })
}

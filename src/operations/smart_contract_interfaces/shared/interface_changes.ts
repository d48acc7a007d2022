import { bytesToHex } from '@noble/hashes/utils.js'
import type { Note, Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  address,
  code,
  hex,
  itemRows,
  list,
  listed,
  noteOf,
  number,
  row,
  rowsOf,
  text,
  tree,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import {
  borrowsName,
  isNamedOtherwise,
  knownFunctions,
} from '../../../contract/explanation/signing/ethereum/known_functions.ts'
import { plainName } from '../../../contract/explanation/signing/ethereum/token_functions.ts'
import { isNamedAlike } from '../../../contract/explanation/signing/solana/solana_claims.ts'
import type { SmartContractInterface } from '../../../contract/records/records.ts'
import { openDocument } from '../../../policy/contracts/document.ts'
import {
  declarationOf,
  functionsOf,
  nameOf,
  parametersOf,
  selectorsOf,
  signatureOf,
} from '../../../policy/contracts/ethereum/ethereum_functions.ts'
import {
  type DeclaredInstruction,
  type SolanaProgram,
  solanaProgramOf,
} from '../../../policy/contracts/solana/solana_program.ts'
import { builtInPrograms } from '../../../policy/transactions/solana/read_instruction.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'

type InterfaceParameters = Pick<
  SmartContractInterface,
  'type' | 'smartContractAddress' | 'label' | 'notes' | 'smartContractInterface'
>

/** A function or an instruction that an interface declares, and what a reader must know of it. */
type DeclaredFunction = { readonly shown: Value; readonly warning?: Note }

export type ShownInterface = { readonly rows: readonly Row[]; readonly warnings: readonly Note[] }

/**
 * Shows an interface: the contract, and each function with what its calls begin with and the names that it gives. Those
 * that rename what is known without an interface come first. The text is a checked ABI or IDL.
 */
export function* shownInterface(given: InterfaceParameters): Steps<ShownInterface> {
  const { type, smartContractAddress, label, notes, smartContractInterface } = given
  const builtIn = type === 'ETHEREUM' ? undefined : builtInPrograms.get(smartContractAddress)
  const program =
    type === 'ETHEREUM'
      ? undefined
      : solanaProgramOf(yield* openDocument(smartContractInterface, 'smartContractInterface'))
  yield
  const declared =
    program === undefined
      ? yield* ethereumFunctions(smartContractInterface)
      : yield* solanaInstructions(program, smartContractAddress)
  const types = yield* definitionRows(program?.definitions ?? new Map())
  const warned = declared.filter(({ warning }) => warning !== undefined)
  const others = declared.filter(({ warning }) => warning === undefined)
  return {
    rows: [
      ...rowsOf({
        label: text(label),
        chain: code(type === 'ETHEREUM' ? 'ethereumLike' : 'solana'),
        contract: address(smartContractAddress),
        notes: notes === '' ? undefined : text(notes),
        characters: number(smartContractInterface.length),
      }),
      ...itemRows(
        'function',
        listed([...warned, ...others], ({ shown }) => shown),
      ),
      ...types,
    ],
    warnings: [
      ...(builtIn === undefined ? [] : [noteOf('knownProgram', code(builtIn.name))]),
      ...warned.flatMap(({ warning }) => warning ?? []).slice(0, warningsMax),
    ],
  }
}

/** The warnings of one interface that stand in its title. Each stands at its function too. */
const warningsMax = 20

function* ethereumFunctions(abi: string): Steps<readonly DeclaredFunction[]> {
  const selectors = yield* selectorsOf(abi)
  const declared: DeclaredFunction[] = []
  for (const [index, entry] of (yield* functionsOf(abi)).entries()) {
    yield
    const selector = (selectors[index] ?? 0).toString(16).padStart(8, '0')
    const functionName = nameOf(entry)
    const known = knownFunctions.get(selector)
    const warning =
      known === undefined
        ? borrowed(signatureOf(entry), { isBorrowed: borrowsName(functionName) })
        : isNamedOtherwise(known, { functionName, parameters: parametersOf(entry) })
          ? noteOf('otherNames', text(known.name))
          : undefined
    const shown = { selector: hex(selector), declaration: wholeText(declarationOf(entry)) }
    declared.push(declaredFunction({ ...shown, knownAs: known && code(known.name), warning }))
  }
  return declared
}

function* solanaInstructions({ instructions }: SolanaProgram, program: string): Steps<readonly DeclaredFunction[]> {
  const declared: DeclaredFunction[] = []
  for (const instruction of instructions) {
    yield
    declared.push(solanaInstruction(instruction, program))
  }
  return declared
}

function solanaInstruction(instruction: DeclaredInstruction, program: string): DeclaredFunction {
  const { name, discriminator, accountNames, fields } = instruction
  const known = knownInstruction(program, instruction)
  const declared = { accountNames, discriminatorBytes: discriminator.length, fields: instruction.borshFields() }
  const isRenamed = known !== undefined && !isNamedAlike(known, { functionName: name, ...declared })
  return declaredFunction({
    discriminator: hex(bytesToHex(discriminator)),
    declaration: text(name),
    arguments: list(
      listed(fields, ({ value }) => wholeText(`${memberText(value, 'name')}: ${memberText(value, 'type')}`)),
    ),
    accounts: list(listed(accountNames, text)),
    knownAs: known && code(known.code),
    warning: isRenamed
      ? noteOf('otherNames', text(known.code))
      : borrowed(name, { isBorrowed: known === undefined && instructionNames.has(plainName(name)) }),
  })
}

/** The types of an IDL as it writes them: their members are names of arguments too. */
function* definitionRows(definitions: SolanaProgram['definitions']): Steps<readonly Row[]> {
  if (definitions.size === 0) return []
  const shown: string[] = []
  for (const [name, { value }] of definitions) {
    yield
    shown.push(`${name}: ${memberText(value, 'type')}`)
  }
  return [row('types', list(listed(shown, wholeText)))]
}

/** The built-in instruction whose data begins as that of the declared one does, or may begin so. */
function knownInstruction(program: string, { discriminator }: DeclaredInstruction) {
  return builtInPrograms
    .get(program)
    ?.forms.find(({ prefix }) =>
      [...discriminator].every((byte, index) => prefix[index] === undefined || prefix[index] === byte),
    )
}

const instructionNames = new Set(
  [...builtInPrograms.values()].flatMap(({ forms }) =>
    forms.flatMap((form) => (form.isHarmless === true ? [] : [plainName(form.code)])),
  ),
)

function borrowed(name: string, { isBorrowed }: { readonly isBorrowed: boolean }): Note | undefined {
  return isBorrowed ? noteOf('borrowedName', text(name)) : undefined
}

function declaredFunction(
  values: Readonly<Record<string, Value | undefined>> & { readonly warning: Note | undefined },
) {
  const { warning } = values
  return { shown: tree(values), ...(warning === undefined ? {} : { warning }) }
}

/** A member of a part of an IDL: a name, or a type as the IDL writes it. */
function memberText(value: unknown, name: string): string {
  const member = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined
  return typeof member === 'string' ? member : JSON.stringify(member)
}

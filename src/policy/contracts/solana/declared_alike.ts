import { onceFor } from '../../../protocol/tools/once_for.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { DeclaredInstruction, SolanaProgram } from './solana_program.ts'

/** An instruction, and the IDL that declares it. */
export type Declared = { readonly program: SolanaProgram; readonly instruction: DeclaredInstruction }

/**
 * Whether a call has the same meaning by both: discriminator, the names of the instruction and of its accounts, its
 * arguments, and every type that these use. Comments (`docs`) do not count.
 */
export function* areDeclaredAlike(one: Declared, other: Declared): Steps<boolean> {
  if (one.instruction === other.instruction) return true
  yield
  if (ownText(one.instruction) !== ownText(other.instruction)) return false
  const differing = yield* differingTypes(one.program, other.program)
  return differing.size === 0 || !usedByFields(one.instruction).some((name) => differing.has(name))
}

/** The instruction as a text, without the definitions of its types. Texts are kept, since calls may be many. */
const ownText = onceFor(({ name, discriminator, accountNames, fields }: DeclaredInstruction) =>
  JSON.stringify([name, [...discriminator], accountNames, fields.map(({ value }) => plainText(value))]),
)

/** The types that the arguments of an instruction name. Kept, since an instruction may be compared with many. */
const usedByFields = onceFor(({ fields }: DeclaredInstruction) => fields.flatMap(({ value }) => typesUsedBy(value)))

/** The types that two IDLs define differently, by themselves or by a type that they use. One IDL may lack them. */
function* differingTypes(one: SolanaProgram, other: SolanaProgram): Steps<ReadonlySet<string>> {
  const byOther = differences.get(one) ?? new WeakMap<SolanaProgram, ReadonlySet<string>>()
  differences.set(one, byOther)
  const known = byOther.get(other)
  if (known !== undefined) return known
  const [types, otherTypes] = [yield* comparableTypes(one), yield* comparableTypes(other)]
  yield
  const found = findDifferingTypes(types, otherTypes)
  byOther.set(other, found)
  return found
}

const differences = new WeakMap<SolanaProgram, WeakMap<SolanaProgram, ReadonlySet<string>>>()

/** A definition as a text, and the types that it uses. */
type ComparableType = { readonly text: string; readonly uses: readonly string[] }
type ComparableTypes = ReadonlyMap<string, ComparableType>

/** The types of a program, by name. They are made once, since a program may be compared with many others. */
function* comparableTypes(program: SolanaProgram): Steps<ComparableTypes> {
  const known = comparable.get(program)
  if (known !== undefined) return known
  const types = new Map<string, ComparableType>()
  for (const [name, { value }] of program.definitions) {
    yield
    types.set(name, { text: plainText(value), uses: typesUsedBy(value) })
  }
  comparable.set(program, types)
  return types
}

const comparable = new WeakMap<SolanaProgram, ComparableTypes>()

function findDifferingTypes(one: ComparableTypes, other: ComparableTypes): ReadonlySet<string> {
  const names = new Set([...one.keys(), ...other.keys()])
  const differing = new Set([...names].filter((name) => one.get(name)?.text !== other.get(name)?.text))
  const users = new Map<string, string[]>()
  for (const [user, { uses }] of one) {
    for (const used of uses) {
      const known = users.get(used)
      if (known === undefined) users.set(used, [user])
      else known.push(user)
    }
  }
  // A set goes on to the names that are added while it is walked.
  for (const name of differing) {
    for (const user of users.get(name) ?? []) differing.add(user)
  }
  return differing
}

/** The JSON text without comments and with the members in the order of their names. */
function plainText(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null, (key, member: unknown) => {
    if (key === 'docs') return undefined
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([first], [second]) => (first < second ? -1 : 1)))
  })
}

/** The names that types refer to, however deep: `{"defined": "Terms"}` or `{"defined": {"name": "Terms"}}`. */
function typesUsedBy(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(typesUsedBy)
  return Object.entries(value).flatMap(([key, member]) => {
    if (key !== 'defined') return typesUsedBy(member)
    if (typeof member === 'string') return [member]
    return [...nameIn(member), ...typesUsedBy(member)]
  })
}

function nameIn(defined: JsonValue | undefined): readonly string[] {
  const isObject = typeof defined === 'object' && defined !== null && !Array.isArray(defined)
  const name = isObject && 'name' in defined ? defined.name : undefined
  return typeof name === 'string' ? [name] : []
}

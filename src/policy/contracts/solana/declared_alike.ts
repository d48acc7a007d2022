import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { Definitions } from './borsh_values.ts'
import type { DeclaredInstruction, SolanaProgram } from './solana_program.ts'

/** An instruction, and the IDL that declares it. */
export type Declared = { readonly program: SolanaProgram; readonly instruction: DeclaredInstruction }

/**
 * Whether a call has the same meaning by both: discriminator, the names of the instruction and of its accounts, its
 * arguments, and every type that these use. Comments (`docs`) do not count.
 */
export function areDeclaredAlike(one: Declared, other: Declared): boolean {
  if (one.instruction === other.instruction) return true
  if (ownText(one.instruction) !== ownText(other.instruction)) return false
  const differing = differingTypes(one.program, other.program)
  if (differing.size === 0) return true
  return !one.instruction.fields.some(({ value }) => typesUsedBy(value).some((name) => differing.has(name)))
}

/** What the instruction says itself, without the definitions of its types. The texts are kept: calls may be many. */
function ownText(instruction: DeclaredInstruction): string {
  const { name, discriminator, accountNames, fields } = instruction
  const known = ownTexts.get(instruction)
  if (known !== undefined) return known
  const text = JSON.stringify([name, [...discriminator], accountNames, fields.map(({ value }) => plainText(value))])
  ownTexts.set(instruction, text)
  return text
}

const ownTexts = new WeakMap<DeclaredInstruction, string>()

/** The types that two IDLs define differently, by themselves or by a type that they use. One IDL may lack them. */
function differingTypes(one: SolanaProgram, other: SolanaProgram): ReadonlySet<string> {
  const byOther = differences.get(one) ?? new WeakMap<SolanaProgram, ReadonlySet<string>>()
  differences.set(one, byOther)
  const known = byOther.get(other)
  if (known !== undefined) return known
  const found = findDifferingTypes(one.definitions, other.definitions)
  byOther.set(other, found)
  return found
}

const differences = new WeakMap<SolanaProgram, WeakMap<SolanaProgram, ReadonlySet<string>>>()

function findDifferingTypes(one: Definitions, other: Definitions): ReadonlySet<string> {
  const names = new Set([...one.keys(), ...other.keys()])
  const differing = new Set(
    [...names].filter((name) => plainText(one.get(name)?.value) !== plainText(other.get(name)?.value)),
  )
  const users = new Map<string, string[]>()
  for (const [user, { value }] of one) {
    for (const used of typesUsedBy(value)) {
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

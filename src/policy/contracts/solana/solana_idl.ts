import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { idlName } from '../../language/names/declared_names.ts'
import {
  type DocumentNode,
  isAbsent,
  itemsAt,
  itemsAtMost,
  memberAt,
  openDocument,
  optionalItemsAt,
  requireObject,
  requireOptionalFlag,
  textAt,
  unexpectedAt,
} from '../document.ts'
import { overlapsIn } from './overlaps.ts'
import { discriminatorOf } from './solana_program.ts'

/** As many as a name has at most. */
const nameCharactersMax = 256
const identifierExpected = `a name of letters, digits and _, at most ${nameCharactersMax} of them`
/** A type has its whole path as name if another module uses the name too. */
const typeName = new RegExp(`^(?=.{1,${nameCharactersMax}}$)[a-zA-Z_][a-zA-Z0-9_]*(::[a-zA-Z_][a-zA-Z0-9_]*)*$`)
const programAddress = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const integers = ['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64', 'u128', 'i128', 'u256', 'i256']
/** `publicKey` before Anchor 0.30, `pubkey` since. */
const primitives = new Set<unknown>([...integers, 'f32', 'f64', 'bool', 'bytes', 'string', 'publicKey', 'pubkey'])
const typeExpected =
  'a type: u64 or another primitive, or {"vec": …}, {"option": …}, {"array": […, 3]} or {"defined": …}'

/** The parameters of a definition, and the arguments for them. */
const genericsMax = 64
/** A byte says which variant it is. */
const variantsMax = 256
/** The accounts of an instruction, with those in groups. A byte says which of the message one is. */
const accountsMax = 256
const arrayLengthMax = 2 ** 32
/** A transaction of Solana has no more bytes, and a discriminator stands in one. */
const discriminatorBytesMax = 1_232
const flagNames = ['isMut', 'isSigner', 'isOptional', 'writable', 'signer', 'optional']

/** The names that a type may use: types of the document, and parameters of the definition around the type. */
type Names = { readonly types: ReadonlySet<string>; readonly generics: ReadonlySet<string> }

/**
 * Throws FIELD_INVALID at `fieldPath`, naming the first faulty place, unless the text is the IDL of a Solana program as
 * Anchor writes it, before version 0.30 or since: instructions with accounts and arguments, whose discriminators differ,
 * and types, every one of which is defined. Further members are ignored.
 */
export function* checkSolanaIdl(text: string, fieldPath: string): Steps<void> {
  const root = yield* openDocument(text, fieldPath)
  yield
  requireObject(root)
  const address = memberAt(root, 'address')
  if (!isAbsent(address)) textAt(address, programAddress, 'the address of a program')

  const instructions = itemsAt(memberAt(root, 'instructions'), 'the list of instructions')
  yield* requireUnique(instructions, idlName)
  // Before 0.30 an account was its own definition; since then it names one.
  const accounts = optionalItemsAt(memberAt(root, 'accounts')).filter((account) => !isAbsent(memberAt(account, 'type')))
  const definitions = [...optionalItemsAt(memberAt(root, 'types')), ...accounts]
  const types = yield* requireUnique(definitions, typeName)

  for (const instruction of instructions) yield* checkInstruction(instruction, { types, generics: new Set() })
  yield* requireUniqueDiscriminators(instructions)
  for (const definition of definitions) {
    const generics = genericsAt(memberAt(definition, 'generics')).map(genericNameOf)
    yield* checkDefinition(memberAt(definition, 'type'), { types, generics: new Set(generics) })
  }
}

/** The first bytes of a call must tell which instruction it calls. */
function* requireUniqueDiscriminators(instructions: readonly DocumentNode[]): Steps<void> {
  const keys = new Map<DocumentNode, string>()
  yield* each(instructions, (instruction) => {
    const name = String(memberAt(instruction, 'name').value)
    keys.set(instruction, bytesToHex(discriminatorOf(instruction, name)))
  })
  yield
  for (const [one, other] of overlapsIn(instructions, (instruction) => keys.get(instruction) ?? '')) {
    const reason = `the discriminator of ${one.path} is the same, or the beginning of it`
    throw unexpectedAt(other, `an instruction with another discriminator: ${reason}`)
  }
}

/** Returns the names of the items. Refuses a name that occurs twice. */
function* requireUnique(items: readonly DocumentNode[], pattern: RegExp): Steps<ReadonlySet<string>> {
  const names = new Set<string>()
  yield* each(items, (item) => {
    requireObject(item)
    const place = memberAt(item, 'name')
    const name = textAt(place, pattern, identifierExpected)
    if (names.has(name)) throw unexpectedAt(place, `another name: ${name} occurs twice`)
    names.add(name)
  })
  return names
}

/** Some of them are checked in a row. */
function* each(items: readonly DocumentNode[], check: (item: DocumentNode) => void): Steps<void> {
  for (const [index, item] of items.entries()) {
    if (index % itemsInARow === 0) yield
    check(item)
  }
}

const itemsInARow = 1_000

function* checkInstruction(instruction: DocumentNode, names: Names): Steps<void> {
  const discriminator = memberAt(instruction, 'discriminator')
  if (!isAbsent(discriminator)) checkDiscriminator(discriminator)
  const accounts = memberAt(instruction, 'accounts')
  if (checkAccounts(accounts) > accountsMax) {
    throw unexpectedAt(accounts, `a list of at most ${accountsMax} accounts, with those in groups`)
  }
  yield* each(itemsAt(memberAt(instruction, 'args')), (argument) => checkField(argument, names))
  const returns = memberAt(instruction, 'returns')
  if (!isAbsent(returns)) checkType(returns, names)
}

function checkDiscriminator(discriminator: DocumentNode): void {
  const bytes = itemsAtMost(discriminator, discriminatorBytesMax)
  if (bytes.length === 0) throw unexpectedAt(discriminator, 'a list of one byte or more')
  for (const byte of bytes) requireInteger(byte, 255, 'a byte: a number from 0 to 255')
}

/** Returns the number of accounts, with those in groups. */
function checkAccounts(accounts: DocumentNode): number {
  let count = 0
  for (const account of itemsAt(accounts)) {
    requireObject(account)
    textAt(memberAt(account, 'name'), idlName, identifierExpected)
    const group = memberAt(account, 'accounts')
    count += isAbsent(group) ? 1 : checkAccounts(group)
    for (const name of flagNames) requireOptionalFlag(memberAt(account, name))
  }
  return count
}

function checkField(field: DocumentNode, names: Names): void {
  requireObject(field)
  textAt(memberAt(field, 'name'), idlName, identifierExpected)
  checkType(memberAt(field, 'type'), names)
}

function* checkDefinition(definition: DocumentNode, names: Names): Steps<void> {
  requireObject(definition)
  const kind = memberAt(definition, 'kind')
  if (kind.value === 'struct') yield* checkFields(memberAt(definition, 'fields'), names)
  else if (kind.value === 'enum') yield* checkVariants(memberAt(definition, 'variants'), names)
  else if (kind.value === 'type') checkType(memberAt(definition, 'alias'), names)
  else if (kind.value === 'alias') checkType(memberAt(definition, 'value'), names)
  else throw unexpectedAt(kind, 'one of struct, enum, type, alias')
}

function* checkVariants(variants: DocumentNode, names: Names): Steps<void> {
  for (const variant of itemsAtMost(variants, variantsMax)) {
    requireObject(variant)
    textAt(memberAt(variant, 'name'), idlName, identifierExpected)
    yield* checkFields(memberAt(variant, 'fields'), names)
  }
}

/** Checks named fields, or types in a row as in a tuple. */
function* checkFields(fields: DocumentNode, names: Names): Steps<void> {
  const items = optionalItemsAt(fields)
  const areNamed = items.some((item) => !isAbsent(memberAt(item, 'name')))
  const check = areNamed ? checkField : checkType
  yield* each(items, (item) => check(item, names))
}

/** The depth limit of JSON bounds the depth of types. */
function checkType(type: DocumentNode, names: Names): void {
  if (primitives.has(type.value)) return
  requireObject(type, typeExpected)
  const kinds = Object.keys(type.value ?? {})
  const [kind = ''] = kinds
  const check = kinds.length === 1 ? compoundTypes.get(kind) : undefined
  if (check === undefined) throw unexpectedAt(type, typeExpected)
  check(memberAt(type, kind), names)
}

const compoundTypes: ReadonlyMap<string, (inner: DocumentNode, names: Names) => void> = new Map([
  ['vec', checkType],
  ['option', checkType],
  ['coption', checkType],
  ['array', checkArray],
  ['defined', checkDefined],
  ['generic', checkGeneric],
])

function checkArray(array: DocumentNode, names: Names): void {
  const [item, length, another] = itemsAt(array)
  if (item === undefined || length === undefined || another !== undefined) {
    throw unexpectedAt(array, 'a list of the type and the number of items')
  }
  checkType(item, names)
  const generic = memberAt(length, 'generic')
  if (isAbsent(generic)) requireInteger(length, arrayLengthMax, `a number from 0 to ${arrayLengthMax}`)
  else checkGeneric(generic, names)
}

/** Before 0.30 this is the name alone, since then an object with the arguments for the definition's parameters. */
function checkDefined(defined: DocumentNode, names: Names): void {
  const name = typeof defined.value === 'string' ? defined : memberAt(defined, 'name')
  if (!names.types.has(textAt(name, typeName, 'the name of a type'))) {
    throw unexpectedAt(name, 'the name of a type that the document defines')
  }
  for (const argument of genericsAt(memberAt(defined, 'generics'))) {
    const type = memberAt(argument, 'type')
    if (isAbsent(type)) textAt(memberAt(argument, 'value'), /./, 'a value, as a text')
    else checkType(type, names)
  }
}

function checkGeneric(generic: DocumentNode, { generics }: Names): void {
  if (generics.has(textAt(generic, idlName, identifierExpected))) return
  throw unexpectedAt(generic, 'the name of a parameter of this definition')
}

function genericsAt(generics: DocumentNode): readonly DocumentNode[] {
  return isAbsent(generics) ? [] : itemsAtMost(generics, genericsMax)
}

function genericNameOf(generic: DocumentNode): string {
  const name = typeof generic.value === 'string' ? generic : memberAt(generic, 'name')
  return textAt(name, idlName, identifierExpected)
}

function requireInteger(place: DocumentNode, max: number, expected: string): void {
  const { value } = place
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw unexpectedAt(place, expected)
}

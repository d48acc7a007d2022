import type { Steps } from '../../protocol/tools/steps.ts'
import { Failure, fieldRefused } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonValue, parseJsonText } from '../../protocol/wire/json.ts'

/** A value inside the JSON text of a field, and its path in that text: `[3].inputs[0].type`. */
export type DocumentNode = {
  /** Undefined if the object lacks this member. */
  readonly value: JsonValue | undefined
  readonly path: string
  /** The field that holds the text. */
  readonly fieldPath: string
}

/** Parses the document in `text` as strictly as a body and returns its root. Throws FIELD_INVALID at `fieldPath`. */
export function* openDocument(text: string, fieldPath: string): Steps<DocumentNode> {
  try {
    return { value: yield* parseJsonText(text), path: '', fieldPath }
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      expected: 'the text of a JSON document',
      reason: cause.message,
      cause,
    })
  }
}

/** The failure for a document that does not have `expected` here. */
export function unexpectedAt({ path, fieldPath }: DocumentNode, expected: string): Failure {
  const reason = path === '' ? `the document must be ${expected}` : `${path} must be ${expected}`
  return fieldRefused(fieldPath, reason)
}

export function isAbsent({ value }: DocumentNode): boolean {
  return value === undefined || value === null
}

export function requireObject(place: DocumentNode, expected = 'an object'): void {
  if (place.value === undefined || !isJsonObject(place.value)) throw unexpectedAt(place, expected)
}

/** Returns a member of an object. Only own members count, so that none is found in a prototype. */
export function memberAt({ value, path, fieldPath }: DocumentNode, name: string): DocumentNode {
  const member = value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return { value: member, path: path === '' ? name : `${path}.${name}`, fieldPath }
}

export function itemsAt(place: DocumentNode, expected = 'a list'): readonly DocumentNode[] {
  const { value, path, fieldPath } = place
  if (!Array.isArray(value)) throw unexpectedAt(place, expected)
  return value.map((item: JsonValue, index) => ({ value: item, path: `${path}[${index}]`, fieldPath }))
}

/** The same for a list whose items are counted. */
export function itemsAtMost(place: DocumentNode, max: number): readonly DocumentNode[] {
  const { value } = place
  if (Array.isArray(value) && value.length > max) {
    throw unexpectedAt(place, `a list of at most ${max}, and it has ${value.length}`)
  }
  return itemsAt(place)
}

export function optionalItemsAt(place: DocumentNode): readonly DocumentNode[] {
  return isAbsent(place) ? [] : itemsAt(place)
}

/** Returns the text here, which must match `pattern`. */
export function textAt(place: DocumentNode, pattern: RegExp, expected: string): string {
  const { value } = place
  if (typeof value !== 'string' || !pattern.test(value)) throw unexpectedAt(place, expected)
  return value
}

export function requireOptionalFlag(place: DocumentNode): void {
  if (!isAbsent(place) && typeof place.value !== 'boolean') throw unexpectedAt(place, 'true or false')
}

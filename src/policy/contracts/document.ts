import { Failure } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonValue, parseJsonText } from '../../protocol/wire/json.ts'

/** A value inside the JSON text of a field, and where it stands there: `[3].inputs[0].type`. */
export type DocumentNode = {
  /** Undefined: an object has no such member. */
  readonly value: JsonValue | undefined
  readonly path: string
  /** The field that holds the text. */
  readonly fieldPath: string
}

/** The root of the document in `text`, read as strictly as a body. Throws FIELD_INVALID at `fieldPath`. */
export function openDocument(text: string, fieldPath: string): DocumentNode {
  try {
    return { value: parseJsonText(text), path: '', fieldPath }
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

/** The refusal of a document that has something else than `expected` here. */
export function unexpectedAt({ path, fieldPath }: DocumentNode, expected: string): Failure {
  const reason = path === '' ? `the document must be ${expected}` : `${path} must be ${expected}`
  return new Failure('FIELD_INVALID', { fieldPath, reason })
}

export function isAbsent({ value }: DocumentNode): boolean {
  return value === undefined || value === null
}

export function requireObject(place: DocumentNode, expected = 'an object'): void {
  if (place.value === undefined || !isJsonObject(place.value)) throw unexpectedAt(place, expected)
}

/** A member of an object; names are the document's own, so that none is found in a prototype. */
export function memberAt({ value, path, fieldPath }: DocumentNode, name: string): DocumentNode {
  const member = value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return { value: member, path: path === '' ? name : `${path}.${name}`, fieldPath }
}

export function itemsAt(place: DocumentNode, expected = 'a list'): readonly DocumentNode[] {
  const { value, path, fieldPath } = place
  if (!Array.isArray(value)) throw unexpectedAt(place, expected)
  return value.map((item: JsonValue, index) => ({ value: item, path: `${path}[${index}]`, fieldPath }))
}

/** The items of a list that may be left out. */
export function optionalItemsAt(place: DocumentNode): readonly DocumentNode[] {
  return isAbsent(place) ? [] : itemsAt(place)
}

/** A text of that form. */
export function textAt(place: DocumentNode, pattern: RegExp, expected: string): string {
  const { value } = place
  if (typeof value !== 'string' || !pattern.test(value)) throw unexpectedAt(place, expected)
  return value
}

export function requireOptionalFlag(place: DocumentNode): void {
  if (!isAbsent(place) && typeof place.value !== 'boolean') throw unexpectedAt(place, 'true or false')
}

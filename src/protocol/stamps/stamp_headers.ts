import { Failure } from '../wire/failures.ts'
import { type JsonObject, jsonObjectIn } from '../wire/json.ts'

/** Of a header's value. A passkey with RSA needs some 2,200 as base64url, an API key 400. */
export const stampCharactersMax = 4_096

/**
 * The members of a stamp's JSON, which must be exactly these, all strings. Read as strictly as a body: which of two
 * members with one name counts must not be the parser's choice. Throws STAMP_MALFORMED.
 */
export function stampMembers<const N extends string>(
  json: Uint8Array,
  names: readonly N[],
  malformed: Malformed = malformedStamp,
): Readonly<Record<N, string>> {
  const object = jsonObjectIn(json)
  if (object === undefined) throw malformed('it must hold one JSON object, no member twice')
  if (hasExactly(object, names)) return object
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  throw malformed(`it must have exactly the members ${listed}, all strings`)
}

/** The refusal of a stamp that is not of its form; what does not verify is another matter. */
export function malformedStamp(reason: string): Failure {
  return new Failure('STAMP_MALFORMED', { reason })
}

/** The same of a passkey's stamp. */
export function malformedWebAuthnStamp(reason: string): Failure {
  return new Failure('WEBAUTHN_STAMP_MALFORMED', { reason })
}

type Malformed = (reason: string) => Failure

function hasExactly<N extends string>(
  object: JsonObject,
  names: readonly N[],
): object is JsonObject & Readonly<Record<N, string>> {
  return (
    Object.keys(object).length === names.length &&
    names.every((name) => Object.hasOwn(object, name) && typeof object[name] === 'string')
  )
}

import { Failure } from '../wire/failures.ts'
import { type JsonObject, jsonObjectIn } from '../wire/json.ts'

/** For a header's value. A passkey with RSA needs some 2,200 characters as base64url, an API key 400. */
export const stampCharactersMax = 4_096

/**
 * Returns the members of a stamp's JSON, which must be exactly these, all strings. The JSON is read as strictly as a
 * body, so that no name occurs twice. Throws STAMP_MALFORMED, or the failure that `malformed` makes.
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

/** The failure for a stamp of the wrong form. A stamp that does not verify is another failure. */
export function malformedStamp(reason: string): Failure {
  return new Failure('STAMP_MALFORMED', reason)
}

/** The same failure for a passkey's stamp. */
export function malformedWebAuthnStamp(reason: string): Failure {
  return new Failure('WEBAUTHN_STAMP_MALFORMED', reason)
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
